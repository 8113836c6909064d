// Names of models, as clients show them and send them back: `provider/id`, as real servers have them. Pure.
import type { CommandOf } from '../../core/model/command.ts';
import type { Model } from '../../core/model/content.ts';

/** The name of a model. Ids that begin with their provider already stay as they are. */
export function modelName({ id, provider }: Model): string {
  return provider === undefined || provider === '' || id.startsWith(`${provider}/`) ? id : `${provider}/${id}`;
}

/**
 * The model that an agent uses as far as anybody knows. Claude Code names none before its first prompt, but offers one called
 * `default`: that is the one it takes when nobody chooses.
 */
export function modelInUse(named: Model | undefined, offered: readonly Model[]): Model | undefined {
  return named ?? offered.find(({ id }) => id === 'default');
}

/** Whether a client means this model. */
export function isNamed(model: Model, name: string): boolean {
  return modelName(model) === name || model.id === name;
}

/**
 * The command that chooses what a client has named. What nobody offered is left to the agent to judge, with the provider
 * that its name begins with, where that is known.
 */
export function setModel(name: string, models: readonly Model[]): CommandOf<'set-model'> {
  const model = models.find((known) => modelName(known) === name) ?? models.find(({ id }) => id === name);
  const { id, provider } = model ?? unknownModel(name, models);
  return provider === undefined ? { type: 'set-model', model: id } : { type: 'set-model', model: id, provider };
}

/** A name that is not listed, taken apart as those are put together: some ids begin with their provider. */
function unknownModel(name: string, models: readonly Model[]): Model {
  const kin = models.filter(({ provider = '' }) => provider !== '' && name.startsWith(`${provider}/`));
  const [nearest] = kin.toSorted((one, other) => (other.provider ?? '').length - (one.provider ?? '').length);
  if (nearest?.provider === undefined) return { id: name };
  const { provider } = nearest;
  const isPrefixed = kin.some((model) => model.provider === provider && model.id.startsWith(`${provider}/`));
  return { id: isPrefixed ? name : name.slice(provider.length + 1), provider };
}
