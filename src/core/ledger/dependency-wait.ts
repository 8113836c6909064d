// Waits for the dependencies of a command (docs/protocols/common.md 4).
import type { Outcome } from '../model/errors.ts';
import { deadlock, dependsOnItself, failedDependency, slowDependency, unknownDependency } from './dependencies.ts';
import type { Identities } from './identities.ts';
import type { Lanes } from './lanes.ts';
import type { LedgerPorts } from './ports.ts';
import type { SerialExecutor } from './serial-executor.ts';
import { setTimer, type Work } from './work.ts';

/** What the wait needs of the execution. */
export interface DependencyWaitPorts extends Pick<LedgerPorts, 'clock' | 'limits'> {
  readonly executor: SerialExecutor;
  readonly identities: Identities;
  /** A function, for lanes and executions need each other. */
  lanes(): Lanes;
  /** All dependencies have succeeded. */
  ready(work: Work): void;
  /** The command cannot run. */
  finish(work: Work, outcome: Outcome): void;
}

/** Commands that wait for their dependencies. */
export interface DependencyWait {
  /** Looks at the next dependency of a command that is waiting. */
  awaitNext(work: Work): void;
  /** The dependency of that id, for which the command waited, is over. */
  dependencyOver(work: Work, id: string, outcome: Outcome): void;
}

/** No command waits yet. */
export function createDependencyWait(ports: DependencyWaitPorts): DependencyWait {
  const { clock, limits, identities, finish } = ports;

  /**
   * Dependencies are looked at from left to right; the first that is not there decides (docs/protocols/common.md 4.3).
   */
  function awaitNext(work: Work): void {
    const { stage } = work;
    if (stage.is !== 'waiting') return;
    const { dependsOn } = work.ticket;
    for (let id = dependsOn[stage.satisfied]; id !== undefined; id = dependsOn[stage.satisfied]) {
      const dependency = identities.find(id);
      if (id === work.ticket.id) return finish(work, dependsOnItself(id));
      if (dependency !== undefined) return awaitEnd(work, dependency, id);
      const kept = identities.kept(id);
      if (kept === undefined) return finish(work, unknownDependency(id));
      if (!kept.outcome.ok) return finish(work, failedDependency(id, kept.outcome.error));
      stage.satisfied += 1;
    }
    ports.ready(work);
  }

  function awaitEnd(work: Work, dependency: Work, id: string): void {
    const { stage } = work;
    if (stage.is !== 'waiting') return;
    const stuck = deadlock(dependency, work, { find: identities.find, ahead: (other) => ports.lanes().ahead(other) });
    if (stuck !== null) return finish(work, stuck);
    stage.awaits = dependency;
    dependency.dependents.add(work);
    // One time limit for all together: 32 dependencies must not hold a lane 32 times as long.
    const left = Math.max(0, stage.startedAt + limits.dependencyWaitMs - clock.now());
    const onTimeout = () => {
      if (work.stage === stage && stage.awaits === dependency) {
        finish(work, slowDependency(id, limits.dependencyWaitMs));
      }
    };
    setTimer(work, left, onTimeout, ports);
  }

  return {
    awaitNext,
    dependencyOver(work, id, outcome) {
      if (work.stage.is !== 'waiting') return;
      if (!outcome.ok) return finish(work, failedDependency(id, outcome.error));
      work.stage.satisfied += 1;
      awaitNext(work);
    },
  };
}
