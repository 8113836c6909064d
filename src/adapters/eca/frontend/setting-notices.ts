// The user's choices outside of prompts: model, behaviour, tool servers (docs/protocols/eca.md 8.8; the choices since
// 0.42).
import type { Command } from '../../../core/model/command.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import { type Actions, type ConnectionPorts, note, showMessage, type Target } from '../connection.ts';
import { setModel } from '../model-names.ts';
import type { SelectedAgentParams, SelectedModelParams } from '../wire/client.ts';
import type { Chats } from './chats.ts';
import type { Knowledge } from './config.ts';
import type { InitialSession } from './initial-session.ts';

/** The choices of one connection's user. */
export interface SettingNotices {
  selectModel(params: SelectedModelParams): Actions;
  selectBehavior(params: SelectedAgentParams): Actions;
  server(name: string, action: 'start' | 'stop'): Actions;
}

/** The dependencies of the choices. */
export interface SettingNoticePorts extends ConnectionPorts {
  readonly chats: Chats;
  readonly initialSession: InitialSession;
  knowledge(): Knowledge;
}

/** Creates the handlers of setting notices. They keep no state. */
export function createSettingNotices(ports: SettingNoticePorts): SettingNotices {
  const { chats, initialSession } = ports;

  /**
   * Acts on the named chat. Without a chat, or for a chat that is not open yet, acts on the initial session if no chat
   * has taken it.
   */
  function at(chatId: string | null | undefined, act: (target: Target) => Actions): Actions {
    const chat = typeof chatId === 'string' ? chats.get(chatId) : undefined;
    if (chat !== undefined) {
      const added = chat.queue.add((done) => [
        ...(chat.isOver || chat.target === undefined ? [] : act(chat.target)),
        ...done(),
      ]);
      return added ?? note('loss', 'a choice that comes behind too many prompts');
    }
    // The first prompt of the chat repeats the choice.
    if (typeof chatId === 'string' && (initialSession.isClaimed || ports.bound !== undefined)) return [];
    return initialSession.get((opened) => ('target' in opened ? act(opened.target) : []));
  }

  function choose(target: Target, command: Command, words: string, then: () => Actions = () => []): Actions {
    return ports.ask(target, command, (outcome) =>
      outcome.ok ? then() : showMessage(ports, 'warning', `${words}: ${outcome.error.message}`),
    );
  }

  /** The available variants depend on the model. */
  function tellVariants(target: Target, chatId: string | null | undefined): Actions {
    return ports.ask(target, { type: 'query', subject: 'thinking-levels' }, (outcome) => {
      const read = outcome.ok ? QueryData['thinking-levels'].safeParse(outcome.data).data : undefined;
      if (read === undefined) return [];
      const named = typeof chatId === 'string' ? { chatId } : {};
      return ports.notify('config/updated', { ...named, chat: { variants: read.levels } });
    });
  }

  return {
    selectModel({ chatId, model }) {
      return at(chatId, (target) => {
        const words = `The model ${model} was not chosen`;
        const { models } = ports.knowledge();
        return choose(target, setModel(model, models), words, () => tellVariants(target, chatId));
      });
    },
    selectBehavior({ chatId, agent, behavior }) {
      const mode = agent ?? behavior;
      // An agent without modes was shown with a placeholder mode.
      const { modes, mode: current } = ports.knowledge().info;
      if (!mode || (modes === undefined && current === undefined)) return [];
      return at(chatId, (target) => choose(target, { type: 'set-mode', mode }, `The behaviour ${mode} was not chosen`));
    },
    server(name, action) {
      // Each session has its own agent with its own tool servers, but the user sees one list.
      const all = [initialSession.target, ...chats.all().map(({ target }) => target)];
      const targets = [...new Set(all.filter((target) => target !== undefined))];
      const words = `The server ${name} was not ${action === 'start' ? 'started' : 'stopped'}`;
      let isRefusalShown = false;
      return targets.flatMap((target) =>
        ports.ask(target, { type: 'set-tool-server', name, action }, (outcome) => {
          if (outcome.ok || isRefusalShown) return [];
          isRefusalShown = true;
          return showMessage(ports, 'warning', `${words}: ${outcome.error.message}`);
        }),
      );
    },
  };
}
