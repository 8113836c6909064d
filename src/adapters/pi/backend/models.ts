// Finds the provider of a model that a client names without one: pi wants both. Knows no line of the wire.
import type { Model } from '../../../core/model/content.ts';

/** A model as pi names it. */
export interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}

/** The models that pi told of, and the one it uses. */
export interface KnownModels {
  current: Model | undefined;
  /** Null until pi listed them. */
  all: readonly Model[] | null;
}

/**
 * The full name of a model: listed under its bare id (the current provider first) or as `provider/id`. A name that no
 * list has belongs to the current provider, for pi may know more than it lists. Null when there is none.
 */
export function nameModel(wanted: string, known: KnownModels): ModelName | null {
  const all = known.all ?? [];
  const current = known.current?.provider;
  const named = all.filter(({ id }) => id === wanted);
  const best = named.find(({ provider }) => provider === current) ?? named[0];
  if (best?.provider !== undefined) return { provider: best.provider, modelId: best.id };
  const full = all.find(({ id, provider }) => `${provider}/${id}` === wanted);
  if (full?.provider !== undefined) return { provider: full.provider, modelId: full.id };
  return current === undefined ? null : { provider: current, modelId: wanted };
}

/**
 * Finds the full name of a model that a client wants, once the models are listed; null when there is none. `found` may be
 * called at once.
 */
export function findModel(
  { model, provider }: { readonly model: string; readonly provider?: string | undefined },
  knowledge: { readonly models: KnownModels; listModels(then: () => void): void },
  found: (named: ModelName | null) => void,
): void {
  if (provider !== undefined) return found({ provider, modelId: model });
  const name = () => found(nameModel(model, knowledge.models));
  if (knowledge.models.all === null) knowledge.listModels(name);
  else name();
}

/** The levels of a pi that cannot be asked for them, as its state has them: it thinks at all of them, or not at all. */
export function levelsOf(model: Model, current: string | undefined): string[] {
  if (model.reasoning !== true) return ['off'];
  const usual = ['off', 'minimal', 'low', 'medium', 'high'];
  // Some models have one more, which only the state gives away.
  return current === undefined || usual.includes(current) ? usual : [...usual, current];
}
