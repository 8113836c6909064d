// What an ACP agent has told about its session: modes, models, levels of thinking, other options, commands
// (docs/protocols/acp.md 3.21 to 3.26). Delivers the changes, and says how each setting is changed.
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Extra, Model } from '../../../core/model/content.ts';
import type { AgentOption, CommandInfo, SessionInfo } from '../../../core/model/session-info.ts';
import type { SessionSetup } from '../wire/agent.ts';
import { type Category, type ConfigOption, choicesOf, type Models, type Modes, optionAbout } from '../wire/content.ts';
import { acpExtra } from './decode/values.ts';

/** The known facts about one session. */
export interface AgentInfo {
  readonly known: SessionInfo;
  /** The id of the option with that category, if there is one. */
  optionOf(category: Category): string | undefined;
  /** Tells the changes. `event`: what else the event says to ACP clients alone. */
  learn(changes: SessionInfo, event?: { extra?: Extra }): void;
  setup(setup: SessionSetup): void;
  options(all: readonly ConfigOption[]): void;
  mode(id: string): void;
}

export function createInfo(out: Outbox): AgentInfo {
  let known: SessionInfo = {};
  let options: readonly ConfigOption[] = [];

  function learn(now: SessionInfo, event: { extra?: Extra } = {}): void {
    const before = new Map<string, unknown>(Object.entries(known));
    const isNew = ([name, value]: [string, unknown]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(before.get(name));
    const changes: SessionInfo = Object.fromEntries(Object.entries(now).filter(isNew));
    if (Object.keys(changes).length === 0 && event.extra === undefined) return;
    known = { ...known, ...changes };
    out.deliver({ type: 'session-changed', changes, ...event });
  }

  const optionOf = (category: Category) => optionAbout(options, category);

  function read(all: readonly ConfigOption[]): void {
    options = all;
    const mode = optionOf('mode');
    const model = optionOf('model');
    const thinking = optionOf('thought_level');
    const others = all.filter((option) => ![mode, model, thinking].includes(option));
    learn({
      // ACP clients are offered the options as the agent offers them.
      ...acpExtra({ configOptions: all }),
      ...(mode === undefined ? {} : { mode: String(mode.currentValue), modes: choicesOf(mode).map(modeOf) }),
      ...(model === undefined ? {} : modelsOf(choicesOf(model), String(model.currentValue))),
      ...(thinking === undefined
        ? {}
        : {
            thinkingLevel: String(thinking.currentValue),
            thinkingLevels: choicesOf(thinking).map(({ value }) => value),
          }),
      ...(others.length === 0 && known.options === undefined ? {} : { options: others.map(agentOption) }),
    });
  }

  return {
    get known() {
      return known;
    },
    optionOf: (category) => optionOf(category)?.id,
    learn,
    setup({ modes, models, configOptions }) {
      if (configOptions) read(configOptions);
      if (models && optionOf('model') === undefined) learn(legacyModels(models));
      if (modes && optionOf('mode') === undefined && !areLevels(modes, known)) {
        learn({ mode: modes.currentModeId, modes: modes.availableModes.map(({ id, ...rest }) => described(id, rest)) });
      }
    },
    options: read,
    mode(id) {
      const { modes = [], thinkingLevels = [] } = known;
      const isLevel = !modes.some((mode) => mode.id === id) && thinkingLevels.includes(id);
      if (!isLevel) learn({ mode: id });
    },
  };
}

interface Described {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
}

function described(id: string, { name, description }: Described): { id: string; name?: string; description?: string } {
  return {
    id,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

function modeOf({ value, ...rest }: Described & { readonly value: string }) {
  return described(value, rest);
}

function modelsOf(
  choices: readonly (Described & { readonly value: string })[],
  current: string,
): { models: Model[]; model: Model } {
  const models = choices.map(({ value, name, description }): Model => {
    const extra = acpExtra({ description: description ?? undefined });
    return { id: value, ...(typeof name === 'string' ? { name } : {}), ...extra };
  });
  return { models, model: models.find(({ id }) => id === current) ?? { id: current } };
}

function legacyModels({ currentModelId, availableModels }: Models): SessionInfo {
  const choices = availableModels.map(({ modelId, name, description }) => ({ value: modelId, name, description }));
  const { models, model } = modelsOf(choices, currentModelId ?? '');
  return { models, ...(typeof currentModelId === 'string' ? { model } : {}) };
}

/** pi-acp repeats its levels of thinking as modes (docs/protocols/acp.md 3.25). */
function areLevels({ availableModes }: Modes, { thinkingLevels }: SessionInfo): boolean {
  return thinkingLevels !== undefined && availableModes.every(({ id }) => thinkingLevels.includes(id));
}

function agentOption(option: ConfigOption): AgentOption {
  const { id, name, description, category, currentValue } = option;
  const head = {
    id,
    name: name ?? id,
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof category === 'string' ? { category } : {}),
  };
  if (typeof currentValue === 'boolean') return { ...head, type: 'boolean', value: currentValue };
  const choices = choicesOf(option).map(({ value, name: title, description: about, group }) => ({
    value,
    name: title ?? value,
    ...(typeof about === 'string' ? { description: about } : {}),
    ...(group === undefined ? {} : { group }),
  }));
  return { ...head, type: 'select', value: currentValue, choices };
}

/** A slash command of the agent. Its hint is its one argument. */
export function commandInfo(command: {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly input?: { readonly hint?: string | null | undefined } | null | undefined;
  readonly _meta?: unknown;
}): CommandInfo {
  const { name, description, input, _meta } = command;
  const hint = input?.hint ?? '';
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(input ? { arguments: [{ name: hint === '' ? 'input' : hint, required: false }] } : {}),
    ...acpExtra({ hint: input && hint === '' ? hint : undefined, _meta: _meta ?? undefined }),
  };
}
