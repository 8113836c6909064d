// The versions of sessions: how many commands have changed each session since its opening (docs/protocols/common.md 5).

import type { Ticket } from '../contract/ticket.ts';
import { dictionaryOf } from '../model/dictionary.ts';
import { type Outcome, refused } from '../model/errors.ts';

/** The version of one open session, the same for all ledgers. A later session of the same name has another counter. */
export interface VersionCounter {
  readonly version: number;
  /** Counts a command that has changed the session. */
  countChange(): void;
}

/** Finds the counter of a session; undefined for an unknown session. */
export type CounterOf = (session: string) => VersionCounter | undefined;

/** The session that a command has opened (OutcomeData `create-session`, `load-session`). */
function openedBy(data: unknown): string | undefined {
  const { id } = dictionaryOf(dictionaryOf(data).session);
  return typeof id === 'string' ? id : undefined;
}

/** Checks the version that a ticket expects. Null if it matches, else the refusal. */
export function refuseStale({ session, ifVersion }: Ticket, counterOf: CounterOf): Outcome | null {
  if (ifVersion === undefined) return null;
  const version = session === undefined ? undefined : counterOf(session)?.version;
  if (version === ifVersion) return null;
  return version === undefined
    ? refused('not-found', `Session ${session ?? ''} not found`)
    : refused('stale', `Session version mismatch: expected ${ifVersion}, got ${version}`);
}

/**
 * Counts a successful command. Returns the version for the answer. `before`: the counter of the session at the start of the
 * command.
 */
export function countSuccess(
  { session, effect }: Ticket,
  { before, data, counterOf }: { before: VersionCounter | undefined; data: unknown; counterOf: CounterOf },
): number | undefined {
  const now = session === undefined ? undefined : counterOf(session);
  switch (effect) {
    case 'none':
      return now?.version;
    case 'changes':
      // The session was closed meanwhile. A new session of the same name was not changed.
      if (now === undefined || now !== before) return undefined;
      now.countChange();
      return now.version;
    case 'opens': {
      const opened = openedBy(data) ?? session;
      return opened === undefined ? undefined : counterOf(opened)?.version;
    }
    case 'closes':
      return undefined;
    default:
      return effect satisfies never;
  }
}
