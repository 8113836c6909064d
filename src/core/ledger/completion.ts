// Ends commands: settles the version, keeps the outcome, answers everybody who asked, and lets dependents and the lane
// go on.
import type { CommandBroadcast } from '../contract/broadcast.ts';
import type { Receipt } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';
import type { Identities } from './identities.ts';
import type { Lanes } from './lanes.ts';
import { attempt, type SerialExecutor } from './serial-executor.ts';
import type { Versions } from './versions.ts';
import type { Ending, Repetition, Work } from './work.ts';

/** What the end of a command concerns. */
export interface CompletionPorts {
  readonly executor: SerialExecutor;
  readonly identities: Identities;
  readonly versions: Versions;
  /** A function, for lanes and executions need each other. */
  lanes(): Lanes;
  broadcast(message: CommandBroadcast): void;
  /** A command that waited for the one of that id may go on. */
  dependencyOver(dependent: Work, id: string, outcome: Outcome): void;
  /** The command is over, and everybody who asked for it has been answered. */
  ended(work: Work): void;
}

/** Ends commands. */
export interface Completion {
  /** Only the first outcome of a command counts. */
  finish(work: Work, outcome: Outcome, timedOut?: boolean): void;
  /** Gives the outcome of a command to a repetition of that command. */
  repeat(repetition: Repetition, ending: Ending): void;
}

/** Ends commands on these ports. */
export function createCompletion(ports: CompletionPorts): Completion {
  const { executor, identities, versions, broadcast } = ports;

  function finish(work: Work, outcome: Outcome, timedOut = false): void {
    const { stage, ticket } = work;
    // An answer after a timeout changes nothing any more (docs/protocols/common.md 6.1), nor does a second answer.
    if (stage.is === 'over') return;
    work.stage = { is: 'over' };
    work.stopTimer();
    if (stage.is === 'waiting') stage.awaits?.dependents.delete(work);
    const hasSucceeded = outcome.ok && stage.is === 'running';
    const version = hasSucceeded ? versions.succeeded(ticket, stage.counter, outcome.data) : undefined;
    const ending = { outcome, receipt: { replayed: false, ...(version === undefined ? {} : { version }), timedOut } };
    const { effect, session } = ticket;
    if (hasSucceeded && effect === 'closes' && session !== undefined) identities.forget(session);
    // Before anybody is answered: a client that repeats the command on its answer gets the same outcome.
    identities.finish(work, ending);
    if (timedOut) attempt(() => work.entry.undo?.());
    conclude(work, ending, 'executed');
    for (const repetition of work.repetitions) repeat(repetition, ending);
    for (const dependent of work.dependents) release(dependent, ticket.id ?? '', outcome);
    ports.lanes().leave(work);
    ports.ended(work);
  }

  function release(dependent: Work, id: string, outcome: Outcome): void {
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
