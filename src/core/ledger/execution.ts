// Executes commands: waits for their dependencies, runs them, ends them (docs/protocols/common.md 2 to 6).
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { messageOf, refused } from '../model/errors.ts';
import { type Completion, createCompletion } from './completion.ts';
import { createDependencyWait, type DependencyWait } from './dependency-wait.ts';
import type { Identities } from './identities.ts';
import type { Lanes } from './lanes.ts';
import type { LedgerPorts } from './ports.ts';
import type { SerialExecutor } from './serial-executor.ts';
import type { Versions } from './versions.ts';
import { type Ending, type Repetition, setTimer, type Work } from './work.ts';

/** What executions share with the rest of the ledger. */
export interface ExecutionPorts extends Pick<LedgerPorts, 'clock' | 'limits'> {
  readonly executor: SerialExecutor;
  readonly identities: Identities;
  readonly versions: Versions;
  /** A function, for lanes and executions need each other. */
  lanes(): Lanes;
  broadcast(message: CommandBroadcast): void;
  /** The command is over, and everybody who asked for it has been answered. */
  ended(work: Work): void;
}

/** Leads commands from their start to their end. */
export interface Execution {
  /** Called once for each command, when its turn has come. */
  begin(work: Work): void;
  /** Gives the outcome of a command to a repetition of that command. */
  repeat(repetition: Repetition, ending: Ending): void;
  /** How many commands have been run. */
  readonly executed: number;
}

/** No command yet. */
export function createExecution(ports: ExecutionPorts): Execution {
  const { executor, versions } = ports;
  const completion: Completion = createCompletion({
    ...ports,
    dependencyOver: (work, id, outcome) => dependencies.dependencyOver(work, id, outcome),
  });
  const dependencies: DependencyWait = createDependencyWait({ ...ports, ready: run, finish: completion.finish });
  const { finish } = completion;
  let executed = 0;

  function begin(work: Work): void {
    const { ticket, number } = work;
    work.stage = { is: 'waiting', startedAt: ports.clock.now(), satisfied: 0, awaits: null };
    ports.broadcast({ kind: 'command', phase: 'started', how: 'executed', ticket, number });
    dependencies.awaitNext(work);
  }

  function run(work: Work): void {
    const { ticket, entry } = work;
    const stale = versions.check(ticket);
    if (stale !== null) return finish(work, stale);
    work.stage = { is: 'running', counter: versions.counter(ticket.session) };
    executed += 1;
    const { timeoutMs } = ticket;
    if (timeoutMs !== null) {
      const late = refused('timeout', `Command '${ticket.type}' timed out after ${timeoutMs}ms`);
      setTimer(work, timeoutMs, () => finish(work, late, true), ports);
    }
    try {
      entry.run((outcome) => executor.run(() => finish(work, outcome)));
    } catch (thrown) {
      // Behind an outcome that it may have given before it threw.
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
