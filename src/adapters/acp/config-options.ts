// The settings of a session as ACP clients see them: one list of options, and the modes again for clients that know no
// options (docs/protocols/acp.md 3.21 to 3.25).
import type { Command } from '../../core/model/command.ts';
import type { Model } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import type { AgentOption, SessionInfo } from '../../core/model/session-info.ts';
import { metaOf } from './projection/encode-values.ts';
import {
  type Category,
  ConfigOptions,
  choicesOf,
  optionAbout,
  type ConfigOption as SaidOption,
} from './wire/content.ts';

/** Options that the model has fields for. */
const categories: readonly Category[] = ['mode', 'model', 'thought_level'];
const taken: ReadonlySet<string> = new Set(categories);

/** A choice of an option. */
interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** An option on the wire, and the command that gives it a value. */
export interface ConfigOption {
  readonly wire: { readonly id: string; readonly currentValue: string | boolean };
  /** The field of the model that the option stands for, if any. */
  readonly about?: Category | undefined;
  /** The values that the option takes; null: both truth values. */
  readonly values: readonly string[] | null;
  command(value: string | boolean): Command;
}

/** The name of a model: with its provider, unless the id begins with it. */
export function modelName({ id, provider }: Model): string {
  return provider === undefined || provider === '' || id.startsWith(`${provider}/`) ? id : `${provider}/${id}`;
}

function select(
  about: Category,
  name: string,
  currentValue: string,
  choices: readonly Choice[],
  command: (value: string) => Command,
): ConfigOption {
  // Clients show the current value, also one that the agent does not offer.
  const isOffered = choices.some(({ value }) => value === currentValue);
  const options = isOffered ? choices : [{ value: currentValue, name: currentValue }, ...choices];
  return {
    wire: { id: about, name, category: about, type: 'select', currentValue, options } as ConfigOption['wire'],
    about,
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
    select('model', 'Model', modelName(named ?? current), choices, (name) => {
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
  return [select('mode', 'Mode', mode, choices, (value) => ({ type: 'set-mode', mode: value }))];
}

function thinkingOption({ thinkingLevel, thinkingLevels = [] }: SessionInfo): ConfigOption[] {
  if (thinkingLevel === undefined || thinkingLevels.length === 0) return [];
  const choices = thinkingLevels.map((value) => ({ value, name: value }));
  return [select('thought_level', 'Thinking', thinkingLevel, choices, (level) => ({ type: 'set-thinking', level }))];
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

/** The options as an ACP agent offers them, with the values of now. */
function saidOptions(info: SessionInfo): ConfigOption[] {
  const all = ConfigOptions.safeParse(dictionaryOf(info.extra?.acp).configOptions).data ?? [];
  return all.map((option) => {
    const about = categories.find((category) => optionAbout(all, category) === option);
    const values = option.type === 'boolean' ? null : choicesOf(option).map(({ value }) => value);
    return { ...saidSetting(option, about, info), about, values };
  });
}

function saidSetting(
  option: SaidOption,
  about: Category | undefined,
  { mode, model, thinkingLevel, options = [] }: SessionInfo,
): Pick<ConfigOption, 'wire' | 'command'> {
  const { id } = option;
  const wire = (currentValue: string | boolean = option.currentValue) => ({ ...option, currentValue });
  switch (about) {
    case 'mode':
      return { wire: wire(mode), command: (value) => ({ type: 'set-mode', mode: String(value) }) };
    case 'model':
      return { wire: wire(model?.id), command: (value) => ({ type: 'set-model', model: String(value) }) };
    case 'thought_level':
      return { wire: wire(thinkingLevel), command: (value) => ({ type: 'set-thinking', level: String(value) }) };
    case undefined:
      return {
        wire: wire(options.find((one) => one.id === id)?.value),
        command: (value) => ({ type: 'set-option', id, value }),
      };
    default:
      return about satisfies never;
  }
}

/** All options. `switches`: the client takes options that are on or off (docs/protocols/acp.md 3.22). */
export function configOptions(info: SessionInfo, switches: boolean): ConfigOption[] {
  const said = saidOptions(info);
  const own = [...modeOption(info), ...modelOption(info), ...thinkingOption(info)];
  const missing = own.filter(({ about }) => !said.some((option) => option.about === about));
  const others = said.length > 0 ? said : (info.options ?? []).map(agentOption);
  return [...missing, ...others].filter(({ values }) => switches || values !== null);
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
  return commands.map(({ name, description = '', arguments: parameters = [], extra }) => {
    const { hint = parameters.map((one) => one.name).join(' '), _meta } = dictionaryOf(extra?.acp);
    const input = parameters.length === 0 ? {} : { input: { hint } };
    return { name: name.replace(/^\//u, ''), description, ...input, ...metaOf(_meta) };
  });
}
