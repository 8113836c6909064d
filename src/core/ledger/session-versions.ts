// The versions of sessions: how many commands have changed each session since its opening (docs/protocols/common.md 5).

import type { Ticket } from '../contract/ticket.ts';
import { dictionaryOf } from '../model/dictionary.ts';
import { type Outcome, refused } from '../model/errors.ts';

/** The version of one open session. A later session of the same name gets a new counter. */
export interface Counter {
  value: number;
}

/** The versions of all sessions. */
export interface SessionVersions {
  /** The version; undefined for an unknown session. */
  of(session: string): number | undefined;
  /** The counter; undefined for an unknown session. */
  counter(session: string | undefined): Counter | undefined;
  /** Checks the version that a ticket expects. Null if it matches, else the refusal. */
  check(ticket: Ticket): Outcome | null;
  /**
   * Counts a successful command. Returns the version for the answer. `before`: the counter of the session at the start
   * of the command.
   */
  succeeded(ticket: Ticket, before: Counter | undefined, data: unknown): number | undefined;
  /** Counts a change by a command outside of every ledger. */
  changed(session: string): void;
  forget(session: string): void;
  readonly size: number;
}

/** The session that a command has opened (OutcomeData `create-session`, `load-session`). */
function openedBy(data: unknown): string | undefined {
  const { id } = dictionaryOf(dictionaryOf(data).session);
  return typeof id === 'string' ? id : undefined;
}

/** What is kept of the versions beyond this process. */
export interface KeptVersions {
  /** The version of a session that exists and was not seen before. */
  of(session: string): number;
  set(session: string, version: number): void;
}

const unkept: KeptVersions = { of: () => 0, set: () => {} };

/** Creates an empty store. Without `kept`, a session that exists but was not seen opened has version 0. */
export function createSessionVersions(exists: (session: string) => boolean, kept = unkept): SessionVersions {
  const counters = new Map<string, Counter>();

  function open(session: string): Counter {
    const counter = { value: kept.of(session) };
    counters.set(session, counter);
    return counter;
  }

  function raise(session: string, counter: Counter): number {
    counter.value += 1;
    kept.set(session, counter.value);
    return counter.value;
  }

  function of(session: string): number | undefined {
    return counters.get(session)?.value ?? (exists(session) ? kept.of(session) : undefined);
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
      if (changed !== undefined) raise(session, changed);
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
          // The session was closed meanwhile. A new session of the same name was not changed.
          if (!isSame) return undefined;
          return raise(session, before);
        case 'opens': {
          const opened = openedBy(data) ?? session;
          // Do not open a counter for a session that is closed already: nothing would remove it.
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
