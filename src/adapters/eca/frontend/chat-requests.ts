// What a client asks of its chats beside prompts: to stop, steer, clear, delete, name and tell them again (docs/protocols/eca.md 8.6; the rest since 0.80). Knows no prompt on its way.
import type { AutoDecline } from '../../../core/session/auto-decline.ts';
import type { ChatLists } from './chat-lists.ts';
import { type Chat, type Chats, isChatId, isRunning, openedParams } from './chats.ts';
import { type Actions, type ConnectionPorts, note, showMessage } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import { oneChat, type Prompts } from './prompts.ts';
import type { ClearParams, SteerParams, UpdateParams } from '../wire/client.ts';

/** The requests about the chats of one connection. */
export interface ChatRequests {
  stop(chatId: string | undefined): Actions;
  steer(params: SteerParams): Actions;
  /** Takes back what was steered and not heard yet. */
  unsteer(chatId: string | undefined): Actions;
  remove(id: RpcId, chatId: string | undefined): Actions;
  clear(id: RpcId, params: ClearParams): Actions;
  open(id: RpcId, chatId: string | undefined): Actions;
  update(id: RpcId, params: UpdateParams): Actions;
  /** That session is over, and says nothing more. */
  over(session: string, reason: string): Actions;
}

/** What they need. */
export interface ChatRequestPorts extends ConnectionPorts {
  readonly chats: Chats;
  readonly prompts: Prompts;
  readonly chatLists: ChatLists;
  readonly bystander: AutoDecline;
}

/** No state of its own. */
export function createChatRequests(ports: ChatRequestPorts): ChatRequests {
  const { chats, prompts, chatLists, bystander, client, bound } = ports;

  function forget(chat: Chat): Actions {
    if (typeof chat.target === 'string') bystander.over(chat.target);
    if (client.chat === chat.id) client.chat = null;
    return chats.forget(chat);
  }

  /** In its order, where prompts may be on their way; `otherwise` without a session, or where too much waits. */
  function inLine(chat: Chat | undefined, act: (chat: Chat) => Actions, otherwise: () => Actions): Actions {
    if (chat === undefined) return otherwise();
    const added = chat.line.add((done) => [
      ...(chat.isOver || chat.target === undefined ? otherwise() : act(chat)),
      ...done(),
    ]);
    return added ?? otherwise();
  }

  /** Answers; with the reason as a message to the user where it could not be done, for clients read no errors here. */
  function tried(id: RpcId, chat: Chat, command: Parameters<ConnectionPorts['ask']>[1], words: string): Actions {
    if (chat.target === undefined) return ports.answer(id, {});
    return ports.ask(chat.target, command, (outcome) => [
      ...(outcome.ok ? [] : showMessage(ports, 'warning', `${words}: ${outcome.error.message}`, chat.id)),
      ...ports.answer(id, {}),
    ]);
  }

  function trusting(target: Chat['target'], enabled: boolean, then: () => Actions): Actions {
    return target === undefined ? then() : ports.ask(target, { type: 'set-trust', enabled }, then);
  }

  return {
    stop(chatId) {
      const chat = chats.get(chatId ?? bound?.id ?? '');
      if (chat === undefined) return [];
      const stopped = prompts.stop(chat);
      if (chat.target === undefined) return stopped;
      // What its user sees as one thing that goes on may be a compaction.
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
      // A client sends it again as a prompt when the run ends without it (docs/protocols/eca.md 2.10).
      if (chat?.target === undefined || !isRunning) return note('loss', 'chat/promptSteer: no run to steer');
      const content = [{ type: 'text' as const, text: message }];
      return ports.ask(chat.target, { type: 'steer', content }, (outcome) =>
        outcome.ok ? [] : note('loss', 'chat/promptSteer: the agent cannot be steered'),
      );
    },
    unsteer(chatId) {
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
      // Of an earlier connection, perhaps: one that is still looked for may be there.
      const target = chat === undefined || (chat.isNamed && chat.target === undefined) ? chatId : chat.target;
      const gone = (): Actions => [
        ...(chat === undefined ? [] : [...prompts.drop(chat), ...forget(chat)]),
        ...(client.isModern ? ports.tell('chat/deleted', { chatId }) : []),
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
      return inLine(chats.get(chatId), (chat) => tried(id, chat, { type: 'new-session' }, words), answered);
    },
    open(id, chatId) {
      const unknown = () => ports.answer(id, { found: false });
      if (chatId === undefined || !isChatId(chatId) || (bound !== undefined && chatId !== bound.id)) return unknown();
      const known = chats.get(chatId);
      const chat = known ?? chats.open(chatId, true);
      const found = () => ports.answer(id, { found: true, ...openedParams(chat) });
      const added = chat.line.add((done) => {
        const wasThere = chat.target !== undefined;
        return chats.ready(chat, false, (ready) => {
          if (ready.isThere) return [...(wasThere ? chats.retell(chat) : []), ...found(), ...done()];
          if (chat.isOver) return [...unknown(), ...done()];
          return chatLists.load(chat, (isThere) => [...(isThere ? found() : unknown()), ...done()]);
        });
      });
      return [...ports.release(), ...(added ?? unknown())];
    },
    update(id, { chatId, title, trust }) {
      const chat = chats.get(chatId);
      const answered = () => ports.answer(id, {});
      const rename = () => {
        if (typeof title !== 'string') return answered();
        const command = { type: 'set-name', name: title } as const;
        return inLine(chat, (known) => tried(id, known, command, 'The chat was not renamed'), answered);
      };
      if (typeof trust !== 'boolean') return rename();
      return inLine(chat, ({ target }) => trusting(target, trust, rename), rename);
    },
    over(session, reason) {
      const chat = chats.all().find(({ target }) => target === session);
      if (chat === undefined) return [];
      if (chat.view === undefined) {
        // Its prompt will be refused.
        chats.unheard(chat);
        return [];
      }
      const lost = prompts.lose(chat, reason);
      const told = lost.length > 0 ? lost : showMessage(ports, 'warning', `The chat is over: ${reason}.`, chat.id);
      return [...told, ...forget(chat).filter((action) => action.do !== 'unsubscribe')];
    },
  };
}
