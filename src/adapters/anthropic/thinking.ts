// Thinking levels, as clients see them and as request fields.
import type { Dictionary } from '../../core/model/content.ts';
import type { KnownModel } from './known-models.ts';

/** The requested thinking. The default is the model's own. */
export type Thinking =
  | { readonly kind: 'usual' }
  | { readonly kind: 'level'; readonly level: string }
  /** Tokens. */
  | { readonly kind: 'budget'; readonly tokens: number };

export const usualThinking: Thinking = { kind: 'usual' };

const efforts: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];
/** Tokens, for models with a budget. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['low', 4_096],
  ['medium', 10_240],
  ['high', 20_480],
]);
/** The smallest budget that the API accepts. */
const leastBudget = 1_024;

/** The levels that this model accepts, from none to most. */
export function levelsOf({ thinking }: KnownModel): readonly string[] {
  switch (thinking) {
    case 'always':
      return efforts;
    // Most models that are unknown here are newer than this table.
    case undefined:
    case 'adaptive':
    case 'between-tools':
      return ['off', ...efforts];
    case 'budget':
      return ['off', ...budgets.keys()];
    case 'none':
      return ['off'];
    default:
      return thinking satisfies never;
  }
}

/** The level as clients see it. Undefined if unknown. */
export function shownLevel(thinking: Thinking, model: KnownModel): string | undefined {
  switch (thinking.kind) {
    case 'usual':
      return model.usualLevel;
    case 'level':
      return thinking.level;
    case 'budget':
      return [...budgets].findLast(([, tokens]) => tokens <= thinking.tokens)?.[0] ?? 'low';
    default:
      return thinking satisfies never;
  }
}

/** Why this model does not accept the setting, or null if it does. `maxTokens`: tokens of one answer. */
export function objection(thinking: Thinking, model: KnownModel, maxTokens: number): string | null {
  switch (thinking.kind) {
    case 'usual':
      return null;
    case 'level':
      if (!levelsOf(model).includes(thinking.level)) return `${model.id} has no thinking level ${thinking.level}`;
      return model.thinking === 'budget' && thinking.level !== 'off' && maxTokens <= leastBudget
        ? `an answer of ${maxTokens} tokens leaves no room to think`
        : null;
    case 'budget':
      if (model.thinking !== 'budget' && model.thinking !== undefined) {
        return `${model.id} takes a thinking level (${levelsOf(model).join(', ')}) and no budget`;
      }
      if (thinking.tokens < leastBudget) return `a thinking budget is ${leastBudget} tokens or more`;
      return thinking.tokens < maxTokens ? null : `a thinking budget is less than the ${maxTokens} tokens of an answer`;
    default:
      return thinking satisfies never;
  }
}

/** The request fields. Thinking is requested as a summary, because it would come without text otherwise. */
export function thinkingFields(thinking: Thinking, model: KnownModel, maxTokens: number): Dictionary {
  const isBudget = model.thinking === 'budget';
  const adaptive = { type: 'adaptive', display: 'summarized' };
  switch (thinking.kind) {
    case 'usual':
      return model.thinking === undefined || isBudget || model.thinking === 'none' ? {} : { thinking: adaptive };
    case 'budget':
      return { thinking: { type: 'enabled', budget_tokens: thinking.tokens } };
    case 'level':
      if (thinking.level === 'off') return offFields(model);
      if (!isBudget) return { thinking: adaptive, output_config: { effort: thinking.level } };
      return {
        thinking: {
          type: 'enabled',
          budget_tokens: Math.min(budgets.get(thinking.level) ?? leastBudget, maxTokens - 1),
        },
      };
    default:
      return thinking satisfies never;
  }
}

function offFields({ thinking }: KnownModel): Dictionary {
  switch (thinking) {
    case undefined:
    case 'adaptive':
      return { thinking: { type: 'disabled' } };
    case 'between-tools':
      return { thinking: { type: 'between_tools' } };
    case 'always':
    case 'budget':
    case 'none':
      return {};
    default:
      return thinking satisfies never;
  }
}
