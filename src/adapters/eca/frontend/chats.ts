// The chats of one connection: which session each is, how it is found, opened and left (docs/protocols/eca.md 8.2).
// Knows no method.
import type { SessionView } from '../../../core/contract/adapter.ts';
import type { SessionInfo } from '../../../core/model/event.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import type { Actions, ConnectionPorts, Target } from '../connection.ts';
import { dialectName } from './dialect.ts';
import type { Home } from './home.ts';
import { createLine } from './line.ts';
import { titleOf } from './titles.ts';

/** A chat of the client. */
export interface Chat {
  readonly id: string;
  /** What is to be done in it, in its order. */
  readonly line: ReturnType<typeof createLine>;
  /** The client has made up the id; it may name a session of an earlier connection. */
  readonly isNamed: boolean;
  /** Undefined while it has no session. */
  target: Target | undefined;
  /** Undefined until the session is heard. */
  view: SessionView | undefined;
  /** What the agent said of itself when it was asked; the view knows what came since. */
  info: SessionInfo | undefined;
  /** Another client's run was going on when the session was found. */
  wasRunning: boolean;
  isOver: boolean;
}

/** A run is going on, or about to: a prompt would wait. */
export function isBusy(chat: Chat): boolean {
  return isRunning(chat) || (chat.view !== undefined && chat.view.transcript.compaction !== null);
}

/** A run is going on: its own end frees the chat. */
export function isRunning({ view, wasRunning }: Chat): boolean {
  return view === undefined ? wasRunning : view.transcript.run !== null;
}

/** How it is with a chat once somebody has looked. */
export type Ready = { readonly isThere: true } | { readonly isThere: false; readonly problem?: Problem };

/** The chats of one connection. */
export interface Chats {
  get(id: string): Chat | undefined;
  all(): readonly Chat[];
  /** The chat of that id; a new one without a session, if there is none. */
  open(id: string, isNamed: boolean): Chat;
  /** Looks for its session. `make`: one is opened where there is none. */
  ready(chat: Chat, make: boolean, then: (ready: Ready) => Actions): Actions;
  /** It is that session from now on, and is heard. */
  adopt(chat: Chat, target: Target, info?: SessionInfo): Actions;
  /** Tells it from the beginning. */
  retell(chat: Chat): Actions;
  /** Not heard any more; its session is not closed by that. */
  forget(chat: Chat): Actions;
  /** The other answer to `watch`: it cannot be heard. What answers the next one is not for this chat. */
  unheard(chat: Chat): void;
  /** The answer to `watch`; returns what the session's commands are delivered to. */
  watching(view: SessionView): string | undefined;
}

/** Without chats, unless the connection belongs to a session: that is its only one. */
export function createChats(ports: ConnectionPorts, home: Home): Chats {
  const { bound, client } = ports;
  const chats = new Map<string, Chat>();
  /** Those that we have asked to hear, in that order. */
  const awaited: Chat[] = [];
  if (bound !== undefined) {
    chats.set(bound.id, { ...newChat(bound.id, true), target: null, view: bound });
  }

  function watch(chat: Chat): Actions {
    const { id, target } = chat;
    if (typeof target !== 'string') return [];
    awaited.push(chat);
    const dialect = dialectName({
      streamsArguments: client.isModern,
      asks: client.asks,
      saysInChat: !client.showsMessages,
    });
    return [{ do: 'subscribe', session: target, as: id, ...(dialect === undefined ? {} : { dialect }) }];
  }

  function adopt(chat: Chat, target: Target): Actions {
    chat.target = target;
    return watch(chat);
  }

  /** A client that comes back under the same id goes on with its chat, which is told to it from the beginning. */
  function find(chat: Chat, then: (ready: Ready) => Actions, otherwise: () => Actions): Actions {
    const isOurs = () => home.target === chat.id || [...chats.values()].some(({ target }) => target === chat.id);
    if (!chat.isNamed || isOurs()) return otherwise();
    return ports.ask(chat.id, { type: 'query', subject: 'state' }, (outcome) => {
      if (chat.isOver) return then({ isThere: false });
      if (isOurs() || (!outcome.ok && outcome.error.code === 'not-found')) return otherwise();
      if (!outcome.ok && outcome.error.code === 'limit') return then({ isThere: false, problem: outcome.error });
      const state = outcome.ok ? QueryData.state.safeParse(outcome.data).data : undefined;
      chat.info = state?.changes;
      chat.wasRunning = state?.running === true;
      return [...adopt(chat, chat.id), ...then({ isThere: true })];
    });
  }

  function claim(chat: Chat, then: (ready: Ready) => Actions): Actions {
    return home.claim((opened) => {
      if ('problem' in opened) return then({ isThere: false, problem: opened.problem });
      if (chat.isOver) return [...discard(opened.target), ...then({ isThere: false })];
      return [...adopt(chat, opened.target), ...then({ isThere: true })];
    });
  }

  /** Its chat was deleted while it was opened. */
  function discard(target: Target): Actions {
    home.lost(target);
    return target === null ? [] : ports.ask(target, { type: 'delete-session' }, () => []);
  }

  function unheard(chat: Chat): void {
    const at = awaited.indexOf(chat);
    if (at >= 0) awaited.splice(at, 1);
  }

  return {
    get: (id) => chats.get(id),
    all: () => [...chats.values()],
    open(id, isNamed) {
      const known = chats.get(id);
      if (known !== undefined) return known;
      // Those that came to nothing.
      for (const { id: idle, target, line } of chats.values()) {
        if (target === undefined && line.isEmpty) chats.delete(idle);
      }
      const chat = newChat(id, isNamed);
      chats.set(id, chat);
      return chat;
    },
    ready(chat, make, then) {
      if (chat.isOver) return then({ isThere: false });
      if (chat.target !== undefined) return then({ isThere: true });
      return find(chat, then, () => (make ? claim(chat, then) : then({ isThere: false })));
    },
    adopt(chat, target, info) {
      chat.info = info;
      return adopt(chat, target);
    },
    retell(chat) {
      if (typeof chat.target !== 'string') return [];
      return [{ do: 'unsubscribe', session: chat.target }, ...watch(chat)];
    },
    forget(chat) {
      if (chat.target === null) return [];
      chat.isOver = true;
      chats.delete(chat.id);
      unheard(chat);
      if (typeof chat.target !== 'string') return [];
      home.lost(chat.target);
      return [{ do: 'unsubscribe', session: chat.target }];
    },
    unheard,
    watching(view) {
      // By its id, or else by a name that only the gateway can resolve.
      const named = awaited.findIndex(({ target }) => target === view.id);
      const [chat] = awaited.splice(Math.max(0, named), 1);
      if (chat === undefined) return undefined;
      chat.view = view;
      chat.target = view.id;
      return view.id;
    },
  };
}

function newChat(id: string, isNamed: boolean): Chat {
  return {
    id,
    isNamed,
    line: createLine(),
    target: undefined,
    view: undefined,
    info: undefined,
    wasRunning: false,
    isOver: false,
  };
}

/** What a client is told of a chat that is there. */
export function openedParams({ id, view, info }: Chat): { readonly chatId: string; readonly title?: string } {
  const title = (view === undefined ? undefined : titleOf(view.transcript)) ?? info?.name;
  return title === undefined ? { chatId: id } : { chatId: id, title };
}

const longestId = 256;

/** What real servers take for the id of a chat (docs/protocols/eca.md 4.13). */
export function isChatId(id: string): boolean {
  return id.length > 0 && id.length <= longestId && !id.startsWith('subagent-') && !/[\s\p{Cc}\p{Cs}]/u.test(id);
}
