// Waits for the dependencies of a command (docs/protocols/common.md 4).
import type { Outcome } from '../model/errors.ts';
import { type AdmittedCommand, setTimer } from './admitted-command.ts';
import type { Lanes } from './command-lanes.ts';
import { deadlock, dependsOnItself, failedDependency, slowDependency, unknownDependency } from './dependencies.ts';
import type { Identities } from './identities.ts';
import type { LedgerPorts } from './ports.ts';
import type { SerialExecutor } from './serial-executor.ts';

/** The dependencies of the wait. */
export interface DependencyWaitPorts extends Pick<LedgerPorts, 'clock' | 'limits'> {
  readonly executor: SerialExecutor;
  readonly identities: Identities;
  /** A function, because lanes and execution need each other. */
  lanes(): Lanes;
  /** Called when all dependencies have succeeded. */
  ready(work: AdmittedCommand): void;
  /** Called when the command cannot run. */
  finish(work: AdmittedCommand, outcome: Outcome): void;
}

/** Lets commands wait for their dependencies. */
export interface DependencyWait {
  /** Checks the next dependency of a waiting command. */
  awaitNext(work: AdmittedCommand): void;
  /** Must be called when a dependency with waiting commands is over. */
  dependencyOver(work: AdmittedCommand, id: string, outcome: Outcome): void;
}

/** Creates the waiting room of a ledger. */
export function createDependencyWait(ports: DependencyWaitPorts): DependencyWait {
  const { clock, limits, identities, finish } = ports;

  /** Checks dependencies from left to right. The first one that is missing decides (docs/protocols/common.md 4.3). */
  function awaitNext(work: AdmittedCommand): void {
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

  function awaitEnd(work: AdmittedCommand, dependency: AdmittedCommand, id: string): void {
    const { stage } = work;
    if (stage.is !== 'waiting') return;
    const stuck = deadlock(dependency, work, { find: identities.find, ahead: (other) => ports.lanes().ahead(other) });
    if (stuck !== null) return finish(work, stuck);
    stage.awaits = dependency;
    dependency.dependents.add(work);
    // All dependencies share one time limit, so that 32 dependencies do not block a lane 32 times as long.
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
