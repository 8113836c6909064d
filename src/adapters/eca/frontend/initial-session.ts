// The session that a connection opens before its client has a chat. The queries at the start go to this session, and
// the first chat takes it over. A connection that belongs to a session uses that session instead.

import type { Problem } from '../../../core/model/errors.ts';
import { OutcomeData } from '../../../core/model/outcome-data.ts';
import type { Actions, ConnectionPorts, Target } from '../connection.ts';

/** A session, or why there is none. */
export type Opened = { readonly target: Target } | { readonly problem: Problem };

/** The initial session of one connection. */
export interface InitialSession {
  /** Gets the session, and opens one if needed. */
  get(then: (opened: Opened) => Actions): Actions;
  /** Takes a session for a chat: the initial session if no other chat has taken it, else a new one. */
  claim(then: (opened: Opened) => Actions): Actions;
  /** A chat has taken the session. */
  readonly isClaimed: boolean;
  /** Undefined while there is no session. */
  readonly target: Target | undefined;
  /** The command types that the agent supports; undefined while unknown. */
  readonly can: ReadonlySet<string> | undefined;
  /**
   * Drops a session that was opened for other folders than the client's, unless a chat has taken it. The next `get`
   * opens another one.
   */
  dropIfMoved(): Actions;
  /** Must be called when the session has ended. */
  sessionEnded(target: Target): void;
}

/** Requests that may wait for the session. */
const mostWaiting = 256;
const tooMany: Problem = { code: 'limit', message: 'too many requests wait for the session' };

/**
 * Creates the initial session of a connection. It is open from the start only if the connection belongs to a session.
 */
export function createInitialSession(ports: ConnectionPorts): InitialSession {
  let target: Target | undefined = ports.bound === undefined ? undefined : null;
  let isClaimed = false;
  let can: ReadonlySet<string> | undefined = ports.bound?.agent?.commands;
  /** The folders that the session was opened for. */
  let folders: readonly string[] = [];
  /** Callbacks that wait for the session; null while none is being opened. */
  let waiting: ((opened: Opened) => Actions)[] | null = null;

  function open(then: (opened: Opened) => Actions): Actions {
    return ports.ask(null, { type: 'create-session', folders: [...ports.client.folders] }, (outcome) => {
      if (!outcome.ok) return then({ problem: outcome.error });
      const read = OutcomeData['create-session'].safeParse(outcome.data);
      if (read.success) {
        const { session, problems = [] } = read.data;
        // All sessions of a connection have the same agent.
        if (read.data.can !== undefined) can = new Set(read.data.can);
        return [...problems.flatMap(ports.warnOnce), ...then({ target: session.id })];
      }
      return then({ problem: { code: 'internal', message: 'the session was opened without a name' } });
    });
  }

  function get(then: (opened: Opened) => Actions): Actions {
    if (waiting !== null) {
      if (waiting.length >= mostWaiting) return then({ problem: tooMany });
      waiting.push(then);
      return [];
    }
    if (target === undefined) return reopen(then);
    const old = target;
    if (isClaimed || old === null) return then({ target: old });
    // Nobody is subscribed to the session, so the gateway may have closed it as idle. An abort without a run only shows
    // whether the session still exists.
    return ports.ask(old, { type: 'abort', target: 'run' }, (outcome) => {
      if (outcome.ok || outcome.error.code !== 'not-found') return then({ target: old });
      lose(old);
      return get(then);
    });
  }

  function reopen(then: (opened: Opened) => Actions): Actions {
    const all = [then];
    waiting = all;
    folders = ports.client.folders;
    return open((opened) => {
      waiting = null;
      if ('target' in opened) target = opened.target;
      return all.flatMap((one) => one(opened));
    });
  }

  function lose(gone: Target): void {
    if (gone === null || gone !== target) return;
    target = undefined;
    isClaimed = false;
  }

  return {
    get,
    claim(then) {
      return get((opened) => {
        if (isClaimed) return open(then);
        isClaimed = 'target' in opened;
        return then(opened);
      });
    },
    get isClaimed() {
      return isClaimed;
    },
    get target() {
      return target;
    },
    get can() {
      return can;
    },
    dropIfMoved() {
      if (target === undefined || target === null || isClaimed) return [];
      if (folders.join('\0') === ports.client.folders.join('\0')) return [];
      const old = target;
      target = undefined;
      return ports.ask(old, { type: 'delete-session' }, () => []);
    },
    sessionEnded: lose,
  };
}
