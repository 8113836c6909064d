// The chats of one connection: which session each chat is, and how chats are found, opened and left
// (docs/protocols/eca.md 8.2).
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import type { Actions, ConnectionPorts, Target } from '../connection.ts';
import { dialectName } from './dialect.ts';
import type { InitialSession } from './initial-session.ts';
import { createTaskQueue } from './task-queue.ts';
import { titleOf } from './titles.ts';

/** A chat of the client. */
export interface Chat {
  readonly id: string;
  /** Tasks of the chat, done one after the other. */
  readonly queue: ReturnType<typeof createTaskQueue>;
  /** The client chose the id. The id may name a session of an earlier connection. */
  readonly isNamed: boolean;
  /** Undefined while the chat has no session. */
  target: Target | undefined;
  /** Undefined until the subscription to the session is confirmed. */
  view: SessionView | undefined;
  /** The agent's answer to a state query. The view has later changes. */
  info: SessionInfo | undefined;
  /** A run of another client was going on when the session was found. */
  wasRunning: boolean;
  isOver: boolean;
}

/** A prompt would wait: a run or a compaction is going on, or a run is about to begin. */
export function isBusy(chat: Chat): boolean {
  return isRunning(chat) || (chat.view !== undefined && chat.view.transcript.compaction !== null);
}

/** A run is going on. The end of that run frees the chat. */
export function isRunning({ view, wasRunning }: Chat): boolean {
  return view === undefined ? wasRunning : view.transcript.run !== null;
}

/** Whether a chat has a session, after the lookup. */
export type Ready = { readonly isThere: true } | { readonly isThere: false; readonly problem?: Problem };

/** The chats of one connection. */
export interface Chats {
  get(id: string): Chat | undefined;
  all(): readonly Chat[];
  /** The chat with that id. Adds a chat without a session if there is none. */
  open(id: string, isNamed: boolean): Chat;
  /** Looks up the session of the chat. `make`: opens a session if there is none. */
  ready(chat: Chat, make: boolean, then: (ready: Ready) => Actions): Actions;
  /** Makes `target` the session of the chat and subscribes to it. */
  adopt(chat: Chat, target: Target, info?: SessionInfo): Actions;
  /** Sends the chat again from its beginning. */
  replay(chat: Chat): Actions;
  /** Unsubscribes from the chat. Its session stays open. */
  forget(chat: Chat): Actions;
  /** Must be called when the subscription failed. The next confirmation belongs to another chat. */
  subscriptionFailed(chat: Chat): void;
  /** Confirms a subscription. Returns the name that commands of the session are delivered to. */
  subscribed(view: SessionView): string | undefined;
}

/**
 * Creates the chats of one connection, none at first. A connection that belongs to a session has that session as its
 * only chat.
 */
export function createChats(ports: ConnectionPorts, initialSession: InitialSession): Chats {
  const { bound, client } = ports;
  const chats = new Map<string, Chat>();
  /** Chats whose subscription is not confirmed yet, in order. */
  const unconfirmed: Chat[] = [];
  if (bound !== undefined) {
    chats.set(bound.id, { ...newChat(bound.id, true), target: null, view: bound });
  }

  function subscribe(chat: Chat): Actions {
    const { id, target } = chat;
    if (typeof target !== 'string') return [];
    unconfirmed.push(chat);
    const dialect = dialectName({
      streamsArguments: client.isModern,
      asks: client.asks,
      saysInChat: !client.showsMessages,
    });
    return [{ do: 'subscribe', session: target, as: id, ...(dialect === undefined ? {} : { dialect }) }];
  }

  function adopt(chat: Chat, target: Target): Actions {
    chat.target = target;
    return subscribe(chat);
  }

  /**
   * Looks for a session of an earlier connection. A client that returns with the same id continues its chat and gets it
   * from the beginning.
   */
  function find(chat: Chat, then: (ready: Ready) => Actions, otherwise: () => Actions): Actions {
    const isOurs = () =>
      initialSession.target === chat.id || [...chats.values()].some(({ target }) => target === chat.id);
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
    return initialSession.claim((opened) => {
      if ('problem' in opened) return then({ isThere: false, problem: opened.problem });
      if (chat.isOver) return [...discard(opened.target), ...then({ isThere: false })];
      return [...adopt(chat, opened.target), ...then({ isThere: true })];
    });
  }

  /** Deletes a session whose chat was deleted while the session was being opened. */
  function discard(target: Target): Actions {
    initialSession.sessionEnded(target);
    return target === null ? [] : ports.ask(target, { type: 'delete-session' }, () => []);
  }

  function subscriptionFailed(chat: Chat): void {
    const at = unconfirmed.indexOf(chat);
    if (at >= 0) unconfirmed.splice(at, 1);
  }

  return {
    get: (id) => chats.get(id),
    all: () => [...chats.values()],
    open(id, isNamed) {
      const known = chats.get(id);
      if (known !== undefined) return known;
      // Drop the chats that never got a session.
      for (const { id: idle, target, queue } of chats.values()) {
        if (target === undefined && queue.isEmpty) chats.delete(idle);
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
    replay(chat) {
      if (typeof chat.target !== 'string') return [];
      return [{ do: 'unsubscribe', session: chat.target }, ...subscribe(chat)];
    },
    forget(chat) {
      if (chat.target === null) return [];
      chat.isOver = true;
      chats.delete(chat.id);
      subscriptionFailed(chat);
      if (typeof chat.target !== 'string') return [];
      initialSession.sessionEnded(chat.target);
      return [{ do: 'unsubscribe', session: chat.target }];
    },
    subscriptionFailed,
    subscribed(view) {
      // Match by id. A chat under another name is the oldest that waits: only the gateway can resolve such a name.
      const named = unconfirmed.findIndex(({ target }) => target === view.id);
      const [chat] = unconfirmed.splice(Math.max(0, named), 1);
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
    queue: createTaskQueue(),
    target: undefined,
    view: undefined,
    info: undefined,
    wasRunning: false,
    isOver: false,
  };
}

/** The params that describe an open chat to its client. */
export function openedParams({ id, view, info }: Chat): { readonly chatId: string; readonly title?: string } {
  const title = (view === undefined ? undefined : titleOf(view.transcript)) ?? info?.name;
  return title === undefined ? { chatId: id } : { chatId: id, title };
}

const longestId = 256;

/** Whether real servers accept the id for a chat (docs/protocols/eca.md 4.13). */
export function isChatId(id: string): boolean {
  return id.length > 0 && id.length <= longestId && !id.startsWith('subagent-') && !/[\s\p{Cc}\p{Cs}]/u.test(id);
}
