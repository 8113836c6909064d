// The settings of a session and the commands that change them.
import type { CommandOf } from '../../core/model/command.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { SessionInfo } from '../../core/model/session-info.ts';
import { type KnownModel, type Models, shownModel } from './known-models.ts';
import type { AnthropicOptions } from './options.ts';
import { levelsOf, objection, shownLevel, type Thinking, usualThinking } from './thinking.ts';

/** The commands that only change settings. */
export type SettingCommand = CommandOf<'set-model' | 'cycle-model' | 'set-thinking' | 'cycle-thinking' | 'set-auto'>;

/** The result of such a command: its outcome and the changes to report, or null for no change. */
export interface Change {
  readonly outcome: Outcome;
  readonly changes: SessionInfo | null;
}

/** The settings of one session. A change applies from the next request on. */
export interface Settings {
  readonly model: KnownModel;
  readonly thinking: Thinking;
  readonly autoRetry: boolean;
  /** Tokens of one answer. */
  readonly maxTokens: number;
  change(command: SettingCommand): Change;
  /** All settings, for clients. */
  info(): SessionInfo;
  levels(): readonly string[];
}

const longestAnswer = 32_000;

/** Creates the settings from the options. `objection` says which option the first model does not accept. */
export function createSettings(
  options: AnthropicOptions,
  models: Models,
): { settings: Settings; objection: string | null } {
  const first: KnownModel = models.offered[0] ?? { id: 'unknown' };
  let model = first;
  let thinking = thinkingIn(options);
  let autoRetry = options.retries > 0;

  const maxTokensOf = (one: KnownModel) => options.maxTokens ?? Math.min(longestAnswer, one.maxOutput ?? longestAnswer);
  const done = (changes: SessionInfo | null, data?: object): Change => ({ outcome: { ok: true, data }, changes });
  const refusal = (text: string): Change => ({ outcome: refused('invalid', text), changes: null });

  function levelInfo(): SessionInfo {
    const thinkingLevel = shownLevel(thinking, model);
    return thinkingLevel === undefined ? {} : { thinkingLevel };
  }

  /** Resets the thinking setting if the new model does not accept it. */
  function useModel(next: KnownModel): SessionInfo {
    model = next;
    if (objection(thinking, model, maxTokensOf(model)) !== null) thinking = usualThinking;
    return { model: shownModel(model), ...levelInfo() };
  }

  function useThinking(next: Thinking): Change {
    const problem = objection(next, model, maxTokensOf(model));
    if (problem !== null) return refusal(problem);
    thinking = next;
    return done(levelInfo());
  }

  function setModel({ model: id = first.id, provider = 'anthropic' }: CommandOf<'set-model'>): Change {
    const found = provider === 'anthropic' ? models.find(id) : null;
    if (found === null) return { outcome: refused('not-found', `there is no model ${id.slice(0, 64)}`), changes: null };
    const changes = useModel(found);
    return done(changes, { model: changes.model });
  }

  function cycleModel(step: number): Change {
    const at = models.offered.findIndex(({ id }) => id === model.id);
    const count = models.offered.length;
    const next = models.offered[(Math.max(at, 0) + step + count) % count];
    if (next === undefined || next.id === model.id) return done(null, {});
    const changes = useModel(next);
    return done(changes, { model: changes.model, ...levelInfo() });
  }

  function cycleThinking(): Change {
    const levels = levelsOf(model);
    const next = levels[(levels.indexOf(shownLevel(thinking, model) ?? '') + 1) % levels.length];
    if (next === undefined || levels.length < 2) return done(null, {});
    const change = useThinking({ kind: 'level', level: next });
    return change.outcome.ok ? done(change.changes, { level: next }) : change;
  }

  function change(command: SettingCommand): Change {
    switch (command.type) {
      case 'set-model':
        return setModel(command);
      case 'cycle-model':
        return cycleModel(command.direction === 'backward' ? -1 : 1);
      case 'set-thinking':
        return useThinking(thinkingOf(command));
      case 'cycle-thinking':
        return cycleThinking();
      case 'set-auto':
        if (command.what !== 'retry') {
          return { outcome: refused('unsupported', 'this agent cannot compact'), changes: null };
        }
        autoRetry = command.enabled;
        return done({ autoRetry });
      default:
        return command satisfies never;
    }
  }

  const settings: Settings = {
    get model() {
      return model;
    },
    get thinking() {
      return thinking;
    },
    get autoRetry() {
      return autoRetry;
    },
    get maxTokens() {
      return maxTokensOf(model);
    },
    change,
    info: () => ({ model: shownModel(model), models: models.offered.map(shownModel), ...levelInfo(), autoRetry }),
    levels: () => levelsOf(model),
  };
  return { settings, objection: objection(thinking, first, maxTokensOf(first)) };
}

function thinkingIn({ thinking, thinkingBudget }: AnthropicOptions): Thinking {
  if (thinking !== undefined) return { kind: 'level', level: thinking };
  return thinkingBudget === undefined ? usualThinking : { kind: 'budget', tokens: thinkingBudget };
}

/** A budget of 0 means no thinking. No budget means the model's default. */
function thinkingOf({ level, budgetTokens }: CommandOf<'set-thinking'>): Thinking {
  if (level !== undefined) return { kind: 'level', level };
  if (budgetTokens === undefined || budgetTokens === null) return usualThinking;
  return budgetTokens === 0 ? { kind: 'level', level: 'off' } : { kind: 'budget', tokens: budgetTokens };
}
