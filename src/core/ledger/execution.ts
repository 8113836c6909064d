// Executes commands: waits for their dependencies, runs them, ends them (docs/protocols/common.md 2 to 6).
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { messageOf, refused } from '../model/errors.ts';
import { type AdmittedCommand, type Ending, type Repetition, setTimer } from './admitted-command.ts';
import type { Lanes } from './command-lanes.ts';
import { type Completion, createCompletion } from './completion.ts';
import { createDependencyWait, type DependencyWait } from './dependency-wait.ts';
import type { Identities } from './identities.ts';
import type { LedgerPorts } from './ports.ts';
import type { SerialExecutor } from './serial-executor.ts';
import { type CounterOf, refuseStale } from './session-versions.ts';

/** The dependencies of the execution. */
export interface ExecutionPorts extends Pick<LedgerPorts, 'clock' | 'limits' | 'keeper'> {
  readonly executor: SerialExecutor;
  readonly identities: Identities;
  readonly counterOf: CounterOf;
  /** A function, because lanes and execution need each other. */
  lanes(): Lanes;
  broadcast(message: CommandBroadcast): void;
  /** Called after a command is over and all its senders have been answered. */
  ended(work: AdmittedCommand): void;
}

/** Executes the commands whose turn has come. */
export interface Execution {
  /** Starts a command. Called once for each command, when its turn has come. */
  begin(work: AdmittedCommand): void;
  /** Answers a repetition with the outcome of the repeated command. */
  repeat(repetition: Repetition, ending: Ending): void;
  /** How many commands have run. */
  readonly executed: number;
}

/** Creates the execution of a ledger. */
export function createExecution(ports: ExecutionPorts): Execution {
  const { executor, counterOf } = ports;
  const completion: Completion = createCompletion({
    ...ports,
    dependencyOver: (work, id, outcome) => dependencies.dependencyOver(work, id, outcome),
  });
  const dependencies: DependencyWait = createDependencyWait({ ...ports, ready: run, finish: completion.finish });
  const { finish } = completion;
  let executed = 0;

  function begin(work: AdmittedCommand): void {
    const { ticket, number } = work;
    work.stage = { is: 'waiting', startedAt: ports.clock.now(), satisfied: 0, awaits: null };
    ports.broadcast({ kind: 'command', phase: 'started', how: 'executed', ticket, number });
    dependencies.awaitNext(work);
  }

  function run(work: AdmittedCommand): void {
    const { ticket, entry } = work;
    const stale = refuseStale(ticket, counterOf);
    if (stale !== null) return finish(work, stale);
    work.stage = { is: 'running', counter: ticket.session === undefined ? undefined : counterOf(ticket.session) };
    executed += 1;
    const { timeoutMs } = ticket;
    if (timeoutMs !== null) {
      const late = refused('timeout', `Command '${ticket.type}' timed out after ${timeoutMs}ms`);
      setTimer(work, timeoutMs, () => finish(work, late, true), ports);
    }
    try {
      entry.run((outcome) => executor.run(() => finish(work, outcome)));
    } catch (thrown) {
      // Queued behind any outcome that the command may have given before throwing.
      executor.run(() => finish(work, refused('internal', messageOf(thrown))));
    }
    ports.lanes().running(work);
  }

  return {
    begin,
    repeat: completion.repeat,
    get executed() {
      return executed;
    },
  };
}
