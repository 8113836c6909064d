// The models that the demo agent claims to have, and their prices.
import type { Cost, Model, Usage } from '../../core/model/content.ts';

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

function model(id: string, name: string, contextWindow: number, reasoning: boolean): Model {
  return { id, name, provider: 'demo', contextWindow, maxOutput: 32_000, reasoning };
}

/** The model of a new session. */
export const defaultModel = model('demo-small', 'Demo Small', 100_000, false);

/** All models, in the order of `cycle-model`. */
export const models: readonly Model[] = [
  defaultModel,
  model('demo-medium', 'Demo Medium', 200_000, true),
  model('demo-large', 'Demo Large', 1_000_000, true),
];

const prices: ReadonlyMap<string, Price> = new Map([
  ['demo-small', { input: 1, output: 5, cacheRead: 0.1 }],
  ['demo-medium', { input: 3, output: 15, cacheRead: 0.3 }],
  ['demo-large', { input: 15, output: 75, cacheRead: 1.5 }],
]);

/** The cost of this usage with this model: each count times its price per million. Unknown models are free. */
export function costOf(modelId: string | undefined, usage: Usage): Cost {
  const price = prices.get(modelId ?? '') ?? { input: 0, output: 0, cacheRead: 0 };
  const input = (usage.input * price.input) / 1_000_000;
  const output = (usage.output * price.output) / 1_000_000;
  const cacheRead = (usage.cacheRead * price.cacheRead) / 1_000_000;
  return { total: input + output + cacheRead, input, output, cacheRead };
}
