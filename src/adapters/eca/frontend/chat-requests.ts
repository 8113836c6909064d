// Requests about chats other than prompts: stop, steer, clear, delete, rename, open (docs/protocols/eca.md 8.6; the
// rest since 0.80).
import type { AutoDecline } from '../../../core/session/agent/auto-decline.ts';
import { type Actions, type ConnectionPorts, note, showMessage } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import type { ClearParams, SteerParams, UpdateParams } from '../wire/client.ts';
import type { ChatLists } from './chat-lists.ts';
import { type Chat, type Chats, isChatId, isRunning, openedParams } from './chats.ts';
import { oneChat, type Prompts } from './prompts.ts';

/** The requests about the chats of one connection. */
export interface ChatRequests {
  stop(chatId: string | undefined): Actions;
  steer(params: SteerParams): Actions;
  /** Withdraws steering messages that the agent has not taken yet. */
  removeSteer(chatId: string | undefined): Actions;
  remove(id: RpcId, chatId: string | undefined): Actions;
  clear(id: RpcId, params: ClearParams): Actions;
  open(id: RpcId, chatId: string | undefined): Actions;
  update(id: RpcId, params: UpdateParams): Actions;
  /** Handles the end of a session, which sends nothing more. */
  sessionEnded(session: string, reason: string): Actions;
}

/** The dependencies of the chat requests. */
export interface ChatRequestPorts extends ConnectionPorts {
  readonly chats: Chats;
  readonly prompts: Prompts;
  readonly chatLists: ChatLists;
  readonly autoDecline: AutoDecline;
}

/** Creates the chat requests of one connection. They keep no state. */
export function createChatRequests(ports: ChatRequestPorts): ChatRequests {
  const { chats, prompts, chatLists, autoDecline, client, bound } = ports;

  function forget(chat: Chat): Actions {
    if (typeof chat.target === 'string') autoDecline.over(chat.target);
    if (client.chat === chat.id) client.chat = null;
    return chats.forget(chat);
  }

  /**
   * Acts after the prompts that are still on their way. Runs `otherwise` for a chat without a session, or if the chat's
   * queue is full.
   */
  function inQueue(chat: Chat | undefined, act: (chat: Chat) => Actions, otherwise: () => Actions): Actions {
    if (chat === undefined) return otherwise();
    const added = chat.queue.add((done) => [
      ...(chat.isOver || chat.target === undefined ? otherwise() : act(chat)),
      ...done(),
    ]);
    return added ?? otherwise();
  }

  /**
   * Answers the request. A failure is shown to the user as a message, because clients do not read errors of these
   * requests.
   */
  function tryCommand(id: RpcId, chat: Chat, command: Parameters<ConnectionPorts['ask']>[1], words: string): Actions {
    if (chat.target === undefined) return ports.answer(id, {});
    return ports.ask(chat.target, command, (outcome) => [
      ...(outcome.ok ? [] : showMessage(ports, 'warning', `${words}: ${outcome.error.message}`, chat.id)),
      ...ports.answer(id, {}),
    ]);
  }

  function setTrust(target: Chat['target'], enabled: boolean, then: () => Actions): Actions {
    return target === undefined ? then() : ports.ask(target, { type: 'set-trust', enabled }, then);
  }

  return {
    stop(chatId) {
      const chat = chats.get(chatId ?? bound?.id ?? '');
      if (chat === undefined) return [];
      const stopped = prompts.stop(chat);
      if (chat.target === undefined) return stopped;
      // The user sees one activity, which may be a compaction instead of a run.
      const isCompacting = chat.view !== undefined && chat.view.transcript.compaction !== null && !isRunning(chat);
      const targets = isCompacting ? (['run', 'compaction'] as const) : (['run'] as const);
      const { target: session } = chat;
      const aborted = targets.flatMap((target) =>
        ports.ask(session, { type: 'abort', target, ...(target === 'run' ? { waiting: 'drop' } : {}) }, () => []),
      );
      return [...stopped, ...aborted];
    },
    steer({ chatId, message }) {
      const chat = chats.get(chatId);
      const isRunning = chat?.view !== undefined && chat.view.transcript.run !== null;
      // The client sends the text again as a prompt when the run ends without it (docs/protocols/eca.md 2.10).
      if (chat?.target === undefined || !isRunning) return note('loss', 'chat/promptSteer: no run to steer');
      const content = [{ type: 'text' as const, text: message }];
      return ports.ask(chat.target, { type: 'steer', content }, (outcome) =>
        outcome.ok ? [] : note('loss', 'chat/promptSteer: the agent cannot be steered'),
      );
    },
    removeSteer(chatId) {
      const chat = chats.get(chatId ?? bound?.id ?? '');
      if (chat?.target === undefined || chat.view === undefined || chat.view.transcript.run === null) return [];
      return ports.ask(chat.target, { type: 'clear-queue' }, (outcome) =>
        outcome.ok ? [] : note('loss', 'chat/promptSteerRemove: the agent does not take words back'),
      );
    },
    remove(id, chatId) {
      if (chatId === undefined || !isChatId(chatId)) return ports.answer(id, {});
      if (bound !== undefined && chatId !== bound.id) return ports.refuse(id, oneChat(bound.id));
      const chat = chats.get(chatId);
      // The id may name a session of an earlier connection, also while the chat's own session is still being looked up.
      const target = chat === undefined || (chat.isNamed && chat.target === undefined) ? chatId : chat.target;
      const gone = (): Actions => [
        ...(chat === undefined ? [] : [...prompts.drop(chat), ...forget(chat)]),
        ...(client.isModern ? ports.notify('chat/deleted', { chatId }) : []),
        ...ports.answer(id, {}),
      ];
      if (target === undefined) return gone();
      return ports.ask(target, { type: 'delete-session' }, (outcome) =>
        outcome.ok || outcome.error.code === 'not-found' ? gone() : ports.refuse(id, outcome.error),
      );
    },
    clear(id, { chatId, messages }) {
      const answered = () => ports.answer(id, {});
      if (messages === false) return answered();
      const words = 'The chat was not cleared';
      return inQueue(chats.get(chatId), (chat) => tryCommand(id, chat, { type: 'new-session' }, words), answered);
    },
    open(id, chatId) {
      const unknown = () => ports.answer(id, { found: false });
      if (chatId === undefined || !isChatId(chatId) || (bound !== undefined && chatId !== bound.id)) return unknown();
      const known = chats.get(chatId);
      const chat = known ?? chats.open(chatId, true);
      const found = () => ports.answer(id, { found: true, ...openedParams(chat) });
      const added = chat.queue.add((done) => {
        const wasThere = chat.target !== undefined;
        return chats.ready(chat, false, (ready) => {
          if (ready.isThere) return [...(wasThere ? chats.replay(chat) : []), ...found(), ...done()];
          if (chat.isOver) return [...unknown(), ...done()];
          return chatLists.load(chat, (isThere) => [...(isThere ? found() : unknown()), ...done()]);
        });
      });
      return [...ports.markReady(), ...(added ?? unknown())];
    },
    update(id, { chatId, title, trust }) {
      const chat = chats.get(chatId);
      const answered = () => ports.answer(id, {});
      const rename = () => {
        if (typeof title !== 'string') return answered();
        const command = { type: 'set-name', name: title } as const;
        return inQueue(chat, (known) => tryCommand(id, known, command, 'The chat was not renamed'), answered);
      };
      if (typeof trust !== 'boolean') return rename();
      return inQueue(chat, ({ target }) => setTrust(target, trust, rename), rename);
    },
    sessionEnded(session, reason) {
      const chat = chats.all().find(({ target }) => target === session);
      if (chat === undefined) return [];
      if (chat.view === undefined) {
        // The prompt that waits for this session will be refused.
        chats.subscriptionFailed(chat);
        return [];
      }
      const lost = prompts.lose(chat, reason);
      const notices = lost.length > 0 ? lost : showMessage(ports, 'warning', `The chat is over: ${reason}.`, chat.id);
      return [...notices, ...forget(chat).filter((action) => action.do !== 'unsubscribe')];
    },
  };
}
