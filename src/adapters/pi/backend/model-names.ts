// Finds the full name of a model. pi requires a provider, but a client may name a model without one.
import type { Model } from '../../../core/model/content.ts';

/** A model as pi names it. */
export interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}

/** The models that pi has listed, and the current one. */
export interface KnownModels {
  current: Model | undefined;
  /** Null until pi has listed its models. */
  all: readonly Model[] | null;
}

/**
 * The full name of a model, found by its bare id (the current provider first) or as `provider/id`. An unlisted name
 * belongs to the current provider, because pi may know more models than it lists. Null if no provider is known.
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

/** Finds the full name of a model once the models are listed, or null. May call `found` synchronously. */
export function findModel(
  { model, provider }: { readonly model: string; readonly provider?: string | undefined },
  tracker: { readonly models: KnownModels; listModels(then: () => void): void },
  found: (named: ModelName | null) => void,
): void {
  if (provider !== undefined) return found({ provider, modelId: model });
  const name = () => found(nameModel(model, tracker.models));
  if (tracker.models.all === null) tracker.listModels(name);
  else name();
}
