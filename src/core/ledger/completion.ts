// Ends commands: updates the session version, keeps the outcome, answers the command and its repetitions, and lets
// dependents and the lane continue.
import type { CommandBroadcast } from '../contract/broadcast.ts';
import type { Receipt } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';
import type { AdmittedCommand, Ending, Repetition } from './admitted-command.ts';
import type { Lanes } from './command-lanes.ts';
import type { Identities } from './identities.ts';
import type { LedgerPorts } from './ports.ts';
import { attempt, type SerialExecutor } from './serial-executor.ts';
import { type CounterOf, countSuccess } from './session-versions.ts';

/** The dependencies of the completion. */
export interface CompletionPorts extends Pick<LedgerPorts, 'clock' | 'keeper'> {
  readonly executor: SerialExecutor;
  readonly identities: Identities;
  readonly counterOf: CounterOf;
  /** A function, because lanes and execution need each other. */
  lanes(): Lanes;
  broadcast(message: CommandBroadcast): void;
  /** Called when the command `id` is over, once for each command that waited (`dependent`). */
  dependencyOver(dependent: AdmittedCommand, id: string, outcome: Outcome): void;
  /** Called after a command is over and all its senders have been answered. */
  ended(work: AdmittedCommand): void;
}

/** Ends commands: answers their senders and releases the commands that wait for them. */
export interface Completion {
  /** Ends a command with its outcome. Later outcomes of the same command are ignored. */
  finish(work: AdmittedCommand, outcome: Outcome, timedOut?: boolean): void;
  /** Answers a repetition with the outcome of the repeated command. */
  repeat(repetition: Repetition, ending: Ending): void;
}

/** Creates the completion of a ledger. */
export function createCompletion(ports: CompletionPorts): Completion {
  const { executor, identities, counterOf, broadcast } = ports;

  function finish(work: AdmittedCommand, outcome: Outcome, timedOut = false): void {
    const { stage, ticket } = work;
    // Ignore a second answer, and an answer after the timeout (docs/protocols/common.md 6.1).
    if (stage.is === 'over') return;
    work.stopTimer();
    if (stage.is === 'waiting') stage.awaits?.dependents.delete(work);
    const hasSucceeded = outcome.ok && stage.is === 'running';
    const counted = hasSucceeded ? { before: stage.counter, data: outcome.data, counterOf } : null;
    const version = counted === null ? undefined : countSuccess(ticket, counted);
    const ending = { outcome, receipt: { replayed: false, ...(version === undefined ? {} : { version }), timedOut } };
    work.stage = { is: 'over', ending };
    // On disk before anybody is told: what a client was told once it must be told again after a restart.
    const record = ports.keeper === undefined ? null : identities.recordOf(work);
    if (record === null) return tell(work, ending, hasSucceeded, timedOut);
    const at = (ports.keeper?.timeOrigin ?? 0) + ports.clock.now();
    ports.keeper?.keep({ kind: 'outcome', ...record, ...ending, at }, () =>
      executor.run(() => tell(work, ending, hasSucceeded, timedOut)),
    );
  }

  function tell(work: AdmittedCommand, ending: Ending, hasSucceeded: boolean, timedOut: boolean): void {
    const { ticket } = work;
    const { outcome } = ending;
    const { effect, session } = ticket;
    if (hasSucceeded && effect === 'closes' && session !== undefined) identities.forget(session);
    // Keep the outcome before answering: a client that repeats the command at once must get the same outcome.
    identities.finish(work, ending);
    if (timedOut) attempt(() => work.entry.undo?.());
    conclude(work, ending, 'executed');
    for (const repetition of work.repetitions) repeat(repetition, ending);
    for (const dependent of work.dependents) release(dependent, ticket.id ?? '', outcome);
    ports.lanes().leave(work);
    ports.ended(work);
  }

  function release(dependent: AdmittedCommand, id: string, outcome: Outcome): void {
    if (dependent.stage.is === 'waiting') dependent.stage.awaits = null;
    dependent.stopTimer();
    executor.run(() => ports.dependencyOver(dependent, id, outcome));
  }

  function repeat(repetition: Repetition, { outcome, receipt }: Ending): void {
    const replayed: Receipt = { ...receipt, replayed: true };
    conclude(repetition, { outcome, receipt: replayed }, 'replayed');
  }

  function conclude({ entry, number }: Repetition, ending: Ending, how: CommandBroadcast['how']): void {
    broadcast({ kind: 'command', phase: 'finished', how, ticket: entry.ticket, number, ending });
    attempt(() => entry.settle(ending.outcome, ending.receipt));
  }

  return { finish, repeat };
}
