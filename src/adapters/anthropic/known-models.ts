// The models that the gateway knows, with their capabilities and prices. The table ages; options override it.
import type { Cost, Model, Usage } from '../../core/model/content.ts';
import type { AnthropicOptions, OfferedModel, Prices, ThinkingKind } from './options.ts';

/** Known facts about a model. */
export interface KnownModel {
  readonly id: string;
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  readonly thinking?: ThinkingKind;
  /** The default thinking level of the model. */
  readonly usualLevel?: string;
  readonly prices?: Prices;
}

const large = { contextWindow: 1_000_000, maxOutput: 128_000 };

/**
 * From the provider's pages in November 2026. Prices are for the standard tier with the short cache. Claude Haiku 5.5
 * has no price here, because its price depends on the length of the prompt.
 */
const known: readonly KnownModel[] = [
  {
    id: 'claude-opus-5-5',
    name: 'Claude Opus 5.5',
    ...large,
    thinking: 'always',
    usualLevel: 'medium',
    prices: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  },
  {
    id: 'claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5',
    ...large,
    thinking: 'between-tools',
    usualLevel: 'high',
    prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  },
  { id: 'claude-haiku-5-5', name: 'Claude Haiku 5.5', ...large, thinking: 'adaptive', usualLevel: 'medium' },
  {
    id: 'claude-fable-5-1',
    name: 'Claude Fable 5.1',
    ...large,
    thinking: 'always',
    usualLevel: 'high',
    prices: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  },
  {
    id: 'claude-haiku-4-5',
    name: 'Claude Haiku 4.5',
    contextWindow: 200_000,
    maxOutput: 64_000,
    thinking: 'budget',
    usualLevel: 'off',
    prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  },
];

const knownById: ReadonlyMap<string, KnownModel> = new Map(known.map((model) => [model.id, model]));

/** The models of one agent. */
export interface Models {
  /** The listed models. The first is the model of a new session. */
  readonly offered: readonly KnownModel[];
  /** The model with that name, or null if clients may not choose it. */
  find(id: string): KnownModel | null;
  /**
   * The cost of an answer. `asked` is the requested model, `answered` the model named in the answer. Undefined if no
   * price is known.
   */
  costOf(asked: string, answered: string, usage: Usage): Cost | undefined;
}

/** Applies the options to the known models. */
export function createModels(options: AnthropicOptions): Models {
  const listed = options.models?.map(completed);
  const offered = inOrder(listed ?? known, options.model);
  const byId = new Map(offered.map((model) => [model.id, model]));
  const prices = new Map(Object.entries(options.prices));

  const priceOf = (id: string) => prices.get(id) ?? knownById.get(id)?.prices;

  return {
    offered,
    find: (id) => byId.get(id) ?? (listed === undefined ? { id } : null),
    costOf(asked, answered, usage) {
      // A name without a date may be answered by the same name with a date.
      const isSame = answered === asked || (answered.startsWith(`${asked}-`) && /-\d{8}$/u.test(answered));
      const price = priceOf(answered) ?? (isSame ? priceOf(asked) : undefined);
      return price === undefined ? undefined : costAt(price, usage);
    },
  };
}

/** A model as clients see it. */
export function shownModel({ id, name, contextWindow, maxOutput, thinking }: KnownModel): Model {
  const reasoning = thinking === undefined ? undefined : thinking !== 'none';
  return { id, name, provider: 'anthropic', contextWindow, maxOutput, reasoning };
}

function completed(model: OfferedModel): KnownModel {
  const found = knownById.get(model.id);
  const configured = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
  // The known default level applies only if the options do not change the kind of thinking.
  const isOther = model.thinking !== undefined && model.thinking !== found?.thinking;
  return { ...found, ...configured, id: model.id, ...(isOther ? { usualLevel: undefined } : {}) };
}

function inOrder(models: readonly KnownModel[], first: string | undefined): readonly KnownModel[] {
  if (first === undefined) return models;
  const chosen = models.find(({ id }) => id === first) ?? { id: first };
  return [chosen, ...models.filter(({ id }) => id !== first)];
}

function costAt(price: Prices, usage: Usage): Cost {
  const input = (usage.input * price.input) / 1_000_000;
  const output = (usage.output * price.output) / 1_000_000;
  const cacheRead = (usage.cacheRead * price.cacheRead) / 1_000_000;
  const cacheWrite = (usage.cacheWrite * price.cacheWrite) / 1_000_000;
  return { total: input + output + cacheRead + cacheWrite, input, output, cacheRead, cacheWrite };
}
