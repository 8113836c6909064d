// A command between its admission and its end, as the parts of the ledger share it. Knows no protocol.
import type { Outcome } from '../model/errors.ts';
import type { Entry } from './ports.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Counter } from './versions.ts';

/** What a command is recognised by. */
export interface Identity {
  /** Empty where it has neither id nor key. */
  readonly fingerprint: string;
  /** Its key within its scope. */
  readonly key: string | undefined;
}

/** The same command again while it is under way: it hears the same outcome. */
export interface Repetition {
  readonly entry: Entry;
  readonly number: number;
  /** Of its payload, bytes. */
  readonly weight: number;
}

/** How it ended. */
export interface Ending {
  readonly outcome: Outcome;
  readonly receipt: Receipt;
}

/** A command that was admitted. */
export interface Work {
  readonly entry: Entry;
  readonly ticket: Ticket;
  readonly number: number;
  /** Of its payload, bytes. */
  readonly weight: number;
  readonly lane: string;
  /** Empty where it has neither id nor key. */
  readonly fingerprint: string;
  /** Its key within its scope. */
  readonly key: string | undefined;
  /** `waiting`: started, and its dependencies are not all over. */
  stage: 'queued' | 'waiting' | 'running' | 'over';
  /** When it began. */
  startedAt: number;
  /** How many of its dependencies have succeeded. */
  satisfied: number;
  /** The one that it is waiting for. */
  awaits: Work | null;
  /** Stops the timer that goes on now. */
  stopTimer: () => void;
  /** That of its session when it began to run. */
  counter: Counter | undefined;
  /** Those that wait for its end, in order. */
  readonly dependents: Set<Work>;
  readonly repetitions: Repetition[];
}

/** The lane of a ticket: also the scope of its key (docs/protocols/common.md 3.1, 2.2). */
export function laneOf({ lane, session }: Ticket): string {
  return lane === 'server' ? 'server' : `session ${session ?? ''}`;
}

/** A command that has just been admitted. */
export function createWork({ entry, number, weight }: Repetition, { fingerprint, key }: Identity): Work {
  return {
    entry,
    ticket: entry.ticket,
    number,
    weight,
    lane: laneOf(entry.ticket),
    fingerprint,
    key,
    stage: 'queued',
    startedAt: 0,
    satisfied: 0,
    awaits: null,
    stopTimer: () => {},
    counter: undefined,
    dependents: new Set(),
    repetitions: [],
  };
}
