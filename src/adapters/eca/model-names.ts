// Model names as clients show them and send them back: `provider/id`, as real servers write them.
import type { CommandOf } from '../../core/model/command.ts';
import type { Model } from '../../core/model/content.ts';

/** The name of a model. An id that already begins with its provider stays as it is. */
export function modelName({ id, provider }: Model): string {
  return provider === undefined || provider === '' || id.startsWith(`${provider}/`) ? id : `${provider}/${id}`;
}

/**
 * The model in use, as far as known. Claude Code names no model before its first prompt but offers one called
 * `default`, which it uses unless another is chosen. Of others that name none it is the first, for clients are always
 * told a default (docs/protocols/eca.md 3.1); the agent's own word replaces it.
 */
export function modelInUse(named: Model | undefined, offered: readonly Model[]): Model | undefined {
  return named ?? offered.find(({ id }) => id === 'default') ?? offered[0];
}

/** Whether a client means this model. */
export function isNamed(model: Model, name: string): boolean {
  return modelName(model) === name || model.id === name;
}

/**
 * The command that selects the model that a client named. A name that nobody offered goes to the agent, with the
 * provider that the name begins with, if that provider is known.
 */
export function setModel(name: string, models: readonly Model[]): CommandOf<'set-model'> {
  const model = models.find((known) => modelName(known) === name) ?? models.find(({ id }) => id === name);
  const { id, provider } = model ?? unknownModel(name, models);
  return provider === undefined ? { type: 'set-model', model: id } : { type: 'set-model', model: id, provider };
}

/** Splits an unlisted name in the way the listed names are built: some ids begin with their provider. */
function unknownModel(name: string, models: readonly Model[]): Model {
  const candidates = models.filter(({ provider = '' }) => provider !== '' && name.startsWith(`${provider}/`));
  const [nearest] = candidates.toSorted((one, other) => (other.provider ?? '').length - (one.provider ?? '').length);
  if (nearest?.provider === undefined) return { id: name };
  const { provider } = nearest;
  const isPrefixed = candidates.some((model) => model.provider === provider && model.id.startsWith(`${provider}/`));
  return { id: isPrefixed ? name : name.slice(provider.length + 1), provider };
}
