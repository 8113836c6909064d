// The settings of a session that a client may change (docs/protocols/acp.md 3.21 to 3.24).
import type { CommandOf } from '../../../core/model/command.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import { SetOptionResult } from '../wire/agent.ts';
import type { Category } from '../wire/content.ts';
import type { AgentInfo } from './agent-info.ts';
import { type Answer, outcomeOf, type Requests } from './requests.ts';

/** A command that changes a setting. */
export type Setting = CommandOf<'set-model' | 'set-mode' | 'set-thinking' | 'set-option'>;

/** The dependencies of the settings. */
export interface SettingPorts {
  readonly info: AgentInfo;
  readonly requests: Requests;
  session(): string;
}

/** Changes a setting, and calls back with the outcome. */
export function createSettings({ info, requests, session }: SettingPorts) {
  type Done = (outcome: Outcome) => void;

  function ask(method: string, params: object, done: (answer: Answer) => Outcome, settle: Done): void {
    requests.ask(method, { sessionId: session(), ...params }, (answer) => settle(done(answer)));
  }

  /** `data`: of the outcome, once the setting is changed. */
  function setOption(configId: string, value: string | boolean, settle: Done, data?: () => object): void {
    const type = typeof value === 'boolean' ? { type: 'boolean' } : {};
    const done = (answer: Answer): Outcome => {
      if ('error' in answer) return outcomeOf(answer);
      const { data: result } = SetOptionResult.safeParse(answer.result);
      if (result !== undefined) info.options(result.configOptions);
      return data === undefined ? { ok: true } : { ok: true, data: data() };
    };
    ask('session/set_config_option', { configId, value, ...type }, done, settle);
  }

  function setModel({ model: id }: CommandOf<'set-model'>, settle: Done): void {
    if (id === undefined) return settle(refused('unsupported', 'an ACP agent has no default model'));
    const option = info.optionOf('model');
    const model = info.known.models?.find((known) => known.id === id) ?? { id };
    const data = () => ({ model: info.known.model ?? model });
    if (option !== undefined) return setOption(option, id, settle, data);
    if (info.known.models === undefined) return settle(refused('unsupported', 'the agent offers no models'));
    const done = (answer: Answer): Outcome => {
      if ('error' in answer) return outcomeOf(answer);
      info.learn({ model });
      return { ok: true, data: { model } };
    };
    ask('session/set_model', { modelId: id }, done, settle);
  }

  function setMode({ mode }: CommandOf<'set-mode'>, settle: Done): void {
    const { modes = [] } = info.known;
    if (!modes.some(({ id }) => id === mode)) {
      return settle(refused('invalid', `the agent has no mode ${mode.slice(0, 64)}`));
    }
    const option = info.optionOf('mode');
    if (option !== undefined) return setOption(option, mode, settle);
    const done = (answer: Answer): Outcome => {
      if ('result' in answer) info.learn({ mode });
      return outcomeOf(answer);
    };
    ask('session/set_mode', { modeId: mode }, done, settle);
  }

  function setNamed(category: Category, value: string | undefined, settle: Done): void {
    const option = info.optionOf(category);
    if (option === undefined || value === undefined) {
      return settle(refused('unsupported', 'the agent has no levels of thinking'));
    }
    setOption(option, value, settle);
  }

  return (command: Setting, settle: Done): void => {
    switch (command.type) {
      case 'set-model':
        return setModel(command, settle);
      case 'set-mode':
        return setMode(command, settle);
      case 'set-thinking':
        return setNamed('thought_level', command.level, settle);
      case 'set-option':
        if (info.known.options?.some(({ id }) => id === command.id) !== true) {
          return settle(refused('invalid', `the agent has no option ${command.id.slice(0, 64)}`));
        }
        return setOption(command.id, command.value, settle);
      default:
        return command satisfies never;
    }
  };
}
