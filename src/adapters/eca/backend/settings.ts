// The settings of an ECA server that a client may change: model, mode, variant, name, tool servers. Prompts repeat the
// first three; newer servers also get them at once (docs/protocols/eca.md 6.4).
import type { CommandOf } from '../../../core/model/command.ts';
import type { Model } from '../../../core/model/content.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import { isNamed, modelName } from '../model-names.ts';
import type { AgentInfo } from './agent-info.ts';
import { outcomeOf, type Requests } from './requests.ts';

/** The dependencies of the settings. */
export interface SettingPorts {
  readonly info: AgentInfo;
  readonly requests: Requests;
  /** The chat, once the server knows it. */
  chat(): { readonly chatId?: string };
}

type Setting = CommandOf<'set-model' | 'set-mode' | 'set-thinking' | 'set-name' | 'set-tool-server'>;

/** The settings of one server. */
export interface AgentSettings {
  set(command: Setting, settle: (outcome: Outcome) => void): void;
  /** Stores the model and the mode that a prompt names. They hold for this prompt and the next ones. */
  choose(wishes: Pick<CommandOf<'prompt'>, 'model' | 'mode'>): void;
}

export function createSettings({ info, requests, chat }: SettingPorts): AgentSettings {
  const isModern = () => info.isFirstEra === false;

  function chooseModel({ model, provider }: Pick<CommandOf<'set-model'>, 'model' | 'provider'>): Model | undefined {
    if (model === undefined) {
      info.chooseModel(undefined);
      return info.known.model;
    }
    const name = modelName(provider === undefined ? { id: model } : { id: model, provider });
    const offered = info.known.models ?? [];
    // A model that the server did not offer is passed on for the server to judge.
    const chosen = offered.find((one) => isNamed(one, name)) ?? info.modelOf(name);
    info.chooseModel(chosen);
    return chosen;
  }

  function setModel(command: CommandOf<'set-model'>): Outcome {
    const model = chooseModel(command);
    const { model: name, variant } = info.chosen;
    if (isModern() && name !== undefined) {
      requests.tell('chat/selectedModelChanged', {
        ...chat(),
        model: name,
        ...(variant === undefined ? {} : { variant }),
      });
    }
    return { ok: true, data: model === undefined ? {} : { model } };
  }

  function setMode({ mode }: CommandOf<'set-mode'>): Outcome {
    if (!info.hasMode(mode)) return refused('invalid', `the agent has no mode ${mode.slice(0, 64)}`);
    info.chooseMode(mode);
    if (isModern()) requests.tell('chat/selectedAgentChanged', { ...chat(), agent: mode });
    return { ok: true };
  }

  function setVariant({ level }: CommandOf<'set-thinking'>): Outcome {
    if (level === undefined || info.variants.length === 0) {
      return refused('unsupported', 'the agent has no levels of thinking for its model');
    }
    if (!info.variants.includes(level)) return refused('invalid', `the agent has no variant ${level.slice(0, 64)}`);
    info.chooseVariant(level);
    return { ok: true };
  }

  return {
    set(command, settle) {
      switch (command.type) {
        case 'set-model':
          return settle(setModel(command));
        case 'set-mode':
          return settle(setMode(command));
        case 'set-thinking':
          return settle(setVariant(command));
        case 'set-tool-server':
          requests.tell(command.action === 'start' ? 'mcp/startServer' : 'mcp/stopServer', { name: command.name });
          return settle({ ok: true });
        case 'set-name': {
          const { chatId } = chat();
          if (!isModern() || chatId === undefined)
            return settle(refused('unsupported', 'the agent has no chat to name'));
          requests.ask('chat/update', { chatId, title: command.name }, (answer) => {
            if ('result' in answer) info.learn({ name: command.name });
            settle(outcomeOf(answer));
          });
          return;
        }
        default:
          return command satisfies never;
      }
    },
    choose({ model, mode }) {
      if (model !== undefined) chooseModel({ model });
      if (mode !== undefined) info.chooseMode(mode);
    },
  };
}
