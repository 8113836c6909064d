// A command between its admission and its end, as the parts of the ledger share it.
import type { Clock } from '../contract/clock.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';
import type { Entry } from './ports.ts';
import type { SerialExecutor } from './serial-executor.ts';
import type { Counter } from './versions.ts';

/** What a command is recognised by. */
export interface Identity {
  /** Empty for a command with neither id nor key. */
  readonly fingerprint: string;
  /** Its key within the scope of its lane. */
  readonly key: string | undefined;
}

/** The same command again while the first is under way: it gets the same outcome. */
export interface Repetition {
  readonly entry: Entry;
  readonly number: number;
  /** Of its payload, bytes. */
  readonly weight: number;
}

/** How a command ended. */
export interface Ending {
  readonly outcome: Outcome;
  readonly receipt: Receipt;
}

/** How far a command is. */
export type Stage =
  | { readonly is: 'queued' }
  /** The command has begun, and waits for its dependencies one by one. */
  | {
      readonly is: 'waiting';
      /** Session clock, ms. */
      readonly startedAt: number;
      /** How many of its dependencies have succeeded. */
      satisfied: number;
      /** The dependency that it is waiting for now. */
      awaits: Work | null;
    }
  /** `counter`: the version of its session when it began to run. */
  | { readonly is: 'running'; readonly counter: Counter | undefined }
  | { readonly is: 'over' };

/** A command that was admitted. */
export interface Work {
  readonly entry: Entry;
  readonly ticket: Ticket;
  readonly number: number;
  /** Of its payload, bytes. */
  readonly weight: number;
  readonly lane: string;
  /** Empty for a command with neither id nor key. */
  readonly fingerprint: string;
  /** Its key within the scope of its lane. */
  readonly key: string | undefined;
  stage: Stage;
  /** Stops the timer of its present stage. */
  stopTimer: () => void;
  /** The commands that wait for its end, in order. */
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
    stage: { is: 'queued' },
    stopTimer: () => {},
    dependents: new Set(),
    repetitions: [],
  };
}

/** Restarts the timer of a command. */
export function setTimer(
  work: Work,
  ms: number,
  callback: () => void,
  { clock, executor }: { readonly clock: Clock; readonly executor: SerialExecutor },
): void {
  work.stopTimer();
  work.stopTimer = clock.after(ms, () => executor.run(callback));
}
