// The settings of a session as ACP clients see them: one list of options, and the modes again for clients that know no
// options (docs/protocols/acp.md 3.21 to 3.25).
import type { Command } from '../../core/model/command.ts';
import type { Model } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import type { AgentOption, SessionInfo } from '../../core/model/session-info.ts';

/** The ids of the options that the model has fields for. */
export const ownOptions = { mode: 'mode', model: 'model', thinking: 'thought_level' } as const;

const taken: ReadonlySet<string> = new Set(Object.values(ownOptions));

/** A choice of an option. */
interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** An option on the wire, and the command that gives it a value. */
export interface ConfigOption {
  readonly wire: { readonly id: string; readonly currentValue: string | boolean };
  /** The values that the option takes; null: both truth values. */
  readonly values: readonly string[] | null;
  command(value: string | boolean): Command;
}

/** The name of a model: with its provider, unless the id begins with it. */
export function modelName({ id, provider }: Model): string {
  return provider === undefined || provider === '' || id.startsWith(`${provider}/`) ? id : `${provider}/${id}`;
}

function select(
  head: { readonly id: string; readonly name: string; readonly category: string },
  currentValue: string,
  choices: readonly Choice[],
  command: (value: string) => Command,
): ConfigOption {
  // Clients show the current value, also one that the agent does not offer.
  const isOffered = choices.some(({ value }) => value === currentValue);
  const options = isOffered ? choices : [{ value: currentValue, name: currentValue }, ...choices];
  return {
    wire: { ...head, type: 'select', currentValue, options } as ConfigOption['wire'],
    values: options.map(({ value }) => value),
    command: (value) => command(String(value)),
  };
}

function modelOption({ model, models = [] }: SessionInfo): ConfigOption[] {
  const current = model ?? models.find(({ id }) => id === 'default');
  if (current === undefined) return [];
  const choices = models.map((one) => {
    const { description } = dictionaryOf(one.extra?.acp);
    return {
      value: modelName(one),
      name: one.name ?? one.id,
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
  const named = models.find(({ id, provider }) => id === current.id && (current.provider ?? provider) === provider);
  return [
    select({ id: ownOptions.model, name: 'Model', category: 'model' }, modelName(named ?? current), choices, (name) => {
      const meant = [...models, current].find((one) => modelName(one) === name);
      const { id = name, provider } = meant ?? {};
      return { type: 'set-model', model: id, ...(provider === undefined ? {} : { provider }) };
    }),
  ];
}

function modeOption({ mode, modes = [] }: SessionInfo): ConfigOption[] {
  if (mode === undefined || modes.length === 0) return [];
  const choices = modes.map(({ id, name, description }) => ({
    value: id,
    name: name ?? id,
    ...(description === undefined ? {} : { description }),
  }));
  const head = { id: ownOptions.mode, name: 'Mode', category: 'mode' };
  return [select(head, mode, choices, (value) => ({ type: 'set-mode', mode: value }))];
}

function thinkingOption({ thinkingLevel, thinkingLevels = [] }: SessionInfo): ConfigOption[] {
  if (thinkingLevel === undefined || thinkingLevels.length === 0) return [];
  const choices = thinkingLevels.map((value) => ({ value, name: value }));
  const head = { id: ownOptions.thinking, name: 'Thinking', category: 'thought_level' };
  return [select(head, thinkingLevel, choices, (level) => ({ type: 'set-thinking', level }))];
}

/** Choices with headings are groups on the wire. */
function grouped(choices: Extract<AgentOption, { type: 'select' }>['choices']): readonly object[] {
  if (choices.every(({ group }) => group === undefined)) return choices;
  const groups = new Map<string, object[]>();
  for (const { group = '', ...choice } of choices) groups.set(group, [...(groups.get(group) ?? []), choice]);
  return [...groups].map(([group, options]) => ({ group, name: group, options }));
}

function agentOption(option: AgentOption): ConfigOption {
  const { id, name, description, category } = option;
  const head = {
    id: taken.has(id) ? `agent.${id}` : id,
    name,
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
  };
  const command = (value: string | boolean): Command => ({ type: 'set-option', id, value });
  if (option.type === 'boolean') {
    return {
      wire: { ...head, type: 'boolean', currentValue: option.value } as ConfigOption['wire'],
      values: null,
      command,
    };
  }
  const wire = { ...head, type: 'select', currentValue: option.value, options: grouped(option.choices) };
  return { wire, values: option.choices.map(({ value }) => value), command };
}

/** All options. `switches`: the client takes options that are on or off (docs/protocols/acp.md 3.22). */
export function configOptions(info: SessionInfo, switches: boolean): ConfigOption[] {
  const others = (info.options ?? []).filter(({ type }) => switches || type !== 'boolean');
  return [...modeOption(info), ...modelOption(info), ...thinkingOption(info), ...others.map(agentOption)];
}

/** The modes of a session on the wire; undefined if the agent has none. */
export function wireModes({ mode, modes = [] }: SessionInfo): object | undefined {
  if (mode === undefined || modes.length === 0) return undefined;
  const known = modes.some(({ id }) => id === mode) ? modes : [{ id: mode }, ...modes];
  const availableModes = known.map((one) => ({ ...one, name: one.name ?? one.id }));
  return { currentModeId: mode, availableModes };
}

/** The settings in the answer to an opened session. */
export function setupOf(info: SessionInfo, switches: boolean): { modes?: object; configOptions?: readonly object[] } {
  const modes = wireModes(info);
  const options = configOptions(info, switches).map(({ wire }) => wire);
  return { ...(modes === undefined ? {} : { modes }), ...(options.length === 0 ? {} : { configOptions: options }) };
}

/** The commands of a session on the wire. */
export function wireCommands(commands: NonNullable<SessionInfo['commands']>): readonly object[] {
  return commands.map(({ name, description = '', arguments: parameters = [] }) => {
    const hint = parameters.map((one) => one.name).join(' ');
    const input = parameters.length === 0 ? {} : { input: { hint } };
    return { name: name.replace(/^\//u, ''), description, ...input };
  });
}
