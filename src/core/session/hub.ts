// Finds open sessions by id or by a client's own name for them, and limits their number.
import { type Principal, reaches } from '../contract/principal.ts';
import { GatewayError } from '../model/errors.ts';
import type { Session } from './session.ts';

/** A session and its facts for session lists. */
export interface HubEntry {
  readonly session: Session;
  readonly agent: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The name of the principal that opened the session. */
  readonly principal: string;
  /** Parts of the client's request that were left out, as sentences for the user. */
  readonly problems?: readonly string[];
}

/** The open sessions of a gateway. */
export interface Hub {
  /** Throws `conflict` if the id is taken, and `limit` if too many sessions are open. */
  add(id: string, open: () => HubEntry): HubEntry;
  /** Whether a session is open under that id or name. */
  has(id: string): boolean;
  /** Throws `not-found`. Sessions out of reach of the principal count as unknown, so that ids cannot be probed. */
  get(id: string, principal: Principal): HubEntry;
  /**
   * Adds a name under which a client finds the session. A taken name stays with its session. A session gets at most
   * {@link mostNames} names. Returns all names of the session if this one is new, else null.
   */
  name(id: string, name: string): readonly string[] | null;
  /** The sessions that the principal reaches; default all. */
  list(principal?: Principal): readonly HubEntry[];
  /** Closes and forgets a session. */
  remove(id: string, reason: string): void;
  /** The same, but a session that is kept can be opened again. `isMoved`: another gateway has it now. */
  leave(id: string, reason: string, isMoved?: boolean): void;
  leaveAll(reason: string): void;
}

/** Most names of one session beside its id. Without a limit, a client could fill the memory with new names. */
export const mostNames = 8;

/** Longest part of an unknown id that an error message quotes, characters. */
const longestShown = 256;

/** Creates an empty hub. */
export function createHub(limits: { sessions: number }): Hub {
  const entries = new Map<string, HubEntry>();
  /** Ids by the names that clients have given. */
  const names = new Map<string, string>();
  return {
    add(id, open) {
      forgetClosed();
      if (entries.has(id) || names.has(id)) throw new GatewayError('conflict', `session ${id} exists already`);
      if (entries.size >= limits.sessions) {
        throw new GatewayError('limit', `session limit reached (${limits.sessions} sessions)`);
      }
      const entry = open();
      entries.set(id, entry);
      return entry;
    },
    has(id) {
      forgetClosed();
      return entries.has(id) || names.has(id);
    },
    get(id, principal) {
      forgetClosed();
      const entry = entries.get(id) ?? entries.get(names.get(id) ?? '');
      if (entry === undefined || !reaches(principal, entry)) {
        throw new GatewayError('not-found', `session ${id.slice(0, longestShown)} not found`);
      }
      return entry;
    },
    name(id, name) {
      forgetClosed();
      if (!entries.has(id) || entries.has(name) || names.has(name)) return null;
      const known = [...names].flatMap(([one, named]) => (named === id ? [one] : []));
      if (known.length >= mostNames) return null;
      names.set(name, id);
      return [...known, name];
    },
    list(principal) {
      forgetClosed();
      const all = [...entries.values()];
      return principal === undefined ? all : all.filter((entry) => reaches(principal, entry));
    },
    remove(id, reason) {
      entries.get(id)?.session.close(reason);
      forgetClosed();
    },
    leave(id, reason, isMoved) {
      entries.get(id)?.session.leave(reason, isMoved);
      forgetClosed();
    },
    leaveAll(reason) {
      for (const { session } of entries.values()) session.leave(reason);
      entries.clear();
      names.clear();
    },
  };

  /** Removes sessions that have closed themselves (command `delete-session`). */
  function forgetClosed(): void {
    let isAny = false;
    for (const [id, { session }] of entries) if (session.state === 'closed') isAny = entries.delete(id) || isAny;
    if (!isAny) return;
    for (const [name, id] of names) if (!entries.has(id)) names.delete(name);
  }
}
