// The record of an admitted command, which all parts of the ledger share.
import type { Clock } from '../contract/clock.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';
import type { Entry } from './ports.ts';
import type { SerialExecutor } from './serial-executor.ts';
import type { VersionCounter } from './session-versions.ts';

/** The fields by which a command is recognised. */
export interface Identity {
  /** Empty for a command without id and key. */
  readonly fingerprint: string;
  /** The idempotency key together with its lane. */
  readonly key: string | undefined;
}

/** A repetition of a command in flight. It gets the outcome of that command. */
export interface Repetition {
  readonly entry: Entry;
  readonly number: number;
  /** Payload size in bytes. */
  readonly weight: number;
}

/** The end of a command. */
export interface Ending {
  readonly outcome: Outcome;
  readonly receipt: Receipt;
}

/** The stage of a command. */
export type Stage =
  | { readonly is: 'queued' }
  /** The command has begun and waits for its dependencies, one after the other. */
  | {
      readonly is: 'waiting';
      /** Session clock, ms. */
      readonly startedAt: number;
      /** How many dependencies have succeeded. */
      satisfied: number;
      /** The dependency that the command waits for now. */
      awaits: AdmittedCommand | null;
    }
  /** `counter`: the version counter of its session at the start. */
  | { readonly is: 'running'; readonly counter: VersionCounter | undefined }
  /** Its senders may have to wait until the ending is on disk. */
  | { readonly is: 'over'; readonly ending: Ending };

/** A command that was admitted. */
export interface AdmittedCommand {
  readonly entry: Entry;
  readonly ticket: Ticket;
  readonly number: number;
  /** Payload size in bytes. */
  readonly weight: number;
  readonly lane: string;
  /** Empty for a command without id and key. */
  readonly fingerprint: string;
  /** The idempotency key together with its lane. */
  readonly key: string | undefined;
  stage: Stage;
  /** Stops the timer of the present stage. */
  stopTimer: () => void;
  /** Commands that wait for the end of this one, in order. */
  readonly dependents: Set<AdmittedCommand>;
  readonly repetitions: Repetition[];
}

/** The lane of a ticket. The same name is the scope of its idempotency key (docs/protocols/common.md 3.1, 2.2). */
export function laneOf({ lane, session }: Ticket): string {
  return lane === 'server' ? 'server' : `session ${session ?? ''}`;
}

/** Creates the record of a new command. */
export function createAdmittedCommand(
  { entry, number, weight }: Repetition,
  { fingerprint, key }: Identity,
): AdmittedCommand {
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
  work: AdmittedCommand,
  ms: number,
  callback: () => void,
  { clock, executor }: { readonly clock: Clock; readonly executor: SerialExecutor },
): void {
  work.stopTimer();
  work.stopTimer = clock.after(ms, () => executor.run(callback));
}
