// The versions of sessions: how many commands have changed each session since it was opened (docs/protocols/common.md
// 5).
import { dictionaryOf } from '../model/dictionary.ts';
import { type Outcome, refused } from '../model/errors.ts';
import type { Ticket } from '../contract/ticket.ts';

/** The version of one session, from its opening to its end. A later session of the same name has another counter. */
export interface Counter {
  value: number;
}

/** The versions of all sessions. */
export interface Versions {
  /** Undefined for a session that does not exist. */
  of(session: string): number | undefined;
  /** Undefined for a session that does not exist. */
  counter(session: string | undefined): Counter | undefined;
  /** The refusal of a command that expects another version; null when the version is as expected. */
  check(ticket: Ticket): Outcome | null;
  /**
   * Applies a success, and returns the version for the answer. `before`: the session's counter when the command began.
   */
  succeeded(ticket: Ticket, before: Counter | undefined, data: unknown): number | undefined;
  /** A command outside every ledger has changed the session. */
  changed(session: string): void;
  forget(session: string): void;
  readonly size: number;
}

/** The session that a command has opened (OutcomeData `create-session`, `load-session`). */
function openedBy(data: unknown): string | undefined {
  const { id } = dictionaryOf(dictionaryOf(data).session);
  return typeof id === 'string' ? id : undefined;
}

/** No version yet. A session that exists and was not seen opened has version 0. */
export function createVersions(exists: (session: string) => boolean): Versions {
  const counters = new Map<string, Counter>();

  function open(session: string): Counter {
    const counter = { value: 0 };
    counters.set(session, counter);
    return counter;
  }

  function of(session: string): number | undefined {
    return counters.get(session)?.value ?? (exists(session) ? 0 : undefined);
  }

  function counter(session: string | undefined): Counter | undefined {
    if (session === undefined) return undefined;
    return counters.get(session) ?? (exists(session) ? open(session) : undefined);
  }

  return {
    of,
    counter,
    changed(session) {
      const changed = counter(session);
      if (changed !== undefined) changed.value += 1;
    },
    check({ session, ifVersion }) {
      if (ifVersion === undefined) return null;
      const version = session === undefined ? undefined : of(session);
      if (version === ifVersion) return null;
      return version === undefined
        ? refused('not-found', `Session ${session ?? ''} not found`)
        : refused('stale', `Session version mismatch: expected ${ifVersion}, got ${version}`);
    },
    succeeded({ session, effect }, before, data) {
      const isSame = session !== undefined && before !== undefined && counters.get(session) === before;
      switch (effect) {
        case 'none':
          return session === undefined ? undefined : of(session);
        case 'changes':
          // A session that is gone has no version, and a new session of the same name is not the changed one.
          if (!isSame) return undefined;
          before.value += 1;
          return before.value;
        case 'opens': {
          const opened = openedBy(data) ?? session;
          // The session may be gone again: its counter would never be forgotten.
          return opened !== undefined && exists(opened) ? open(opened).value : undefined;
        }
        case 'closes':
          if (isSame) counters.delete(session);
          return undefined;
        default:
          return effect satisfies never;
      }
    },
    forget: (session) => void counters.delete(session),
    get size() {
      return counters.size;
    },
  };
}
