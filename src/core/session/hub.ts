// All sessions by id. Knows no protocol and no agent: it is told how to open a session.
import { GatewayError } from '../model/errors.ts';
import type { Session } from './session.ts';

/** A session and what lists show of it. */
export interface HubEntry {
  readonly session: Session;
  readonly agent: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Who may use it. */
  readonly principal: string;
  /** What of the wish for it was left out, in sentences for its user. */
  readonly problems?: readonly string[];
}

/** The sessions of a gateway. */
export interface Hub {
  /** Throws `conflict` when the id is taken, `limit` when there are too many sessions. */
  add(id: string, open: () => HubEntry): HubEntry;
  /** Throws `not-found`; also for another principal's session, so that ids cannot be probed. */
  get(id: string, principal: string): HubEntry;
  /**
   * Another name under which it is found: what its client calls it. A name that is taken stays where it is, and nothing
   * gets more than {@link mostNames}.
   */
  name(id: string, name: string): void;
  list(): readonly HubEntry[];
  /** Closes and forgets it. */
  remove(id: string, reason: string): void;
  closeAll(reason: string): void;
}

/** Names that one session may have beside its id: a client that makes up new ones must not fill the hub with them. */
export const mostNames = 8;

/** Characters of an id that nobody knows in the sentence about it. */
const longestShown = 256;

/** An empty hub. */
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
    get(id, principal) {
      forgetClosed();
      const entry = entries.get(id) ?? entries.get(names.get(id) ?? '');
      if (entry === undefined || entry.principal !== principal) {
        throw new GatewayError('not-found', `session ${id.slice(0, longestShown)} not found`);
      }
      return entry;
    },
    name(id, name) {
      forgetClosed();
      if (!entries.has(id) || entries.has(name) || names.has(name)) return;
      let count = 0;
      for (const named of names.values()) if (named === id) count += 1;
      if (count < mostNames) names.set(name, id);
    },
    list: () => {
      forgetClosed();
      return [...entries.values()];
    },
    remove(id, reason) {
      entries.get(id)?.session.close(reason);
      forgetClosed();
    },
    closeAll(reason) {
      for (const { session } of entries.values()) session.close(reason);
      entries.clear();
      names.clear();
    },
  };

  /** A session may close itself (command `delete-session`). */
  function forgetClosed(): void {
    let isAny = false;
    for (const [id, { session }] of entries) if (session.state === 'closed') isAny = entries.delete(id) || isAny;
    if (!isAny) return;
    for (const [name, id] of names) if (!entries.has(id)) names.delete(name);
  }
}
