// The course of one command: started, behind its dependencies, carried out, finished; and what others make of its end
// (docs/protocols/common.md 2 to 6). Knows no protocol.
import { messageOf, type Outcome, refused } from '../model/errors.ts';
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { deadlock, dependsOnItself, failedDependency, slowDependency, unknownDependency } from './dependencies.ts';
import type { Identities } from './identities.ts';
import type { Lanes } from './lanes.ts';
import type { LedgerPorts } from './ports.ts';
import { attempt, type Steps } from './steps.ts';
import type { Receipt } from '../contract/ticket.ts';
import type { Versions } from './versions.ts';
import type { Ending, Repetition, Work } from './work.ts';

/** What the course of commands leads through. */
export interface CoursePorts extends Pick<LedgerPorts, 'clock' | 'limits'> {
  readonly steps: Steps;
  readonly identities: Identities;
  readonly versions: Versions;
  /** Asked with each command, for lanes and courses need each other. */
  lanes(): Lanes;
  broadcast(message: CommandBroadcast): void;
  /** It is over, and everybody who asked for it has been told. */
  ended(work: Work): void;
}

/** Leads commands from their start to their end. */
export interface Course {
  /** Called once for each, when it may begin. */
  begin(work: Work): void;
  /** Tells the outcome of a command to one that is the same again. */
  repeat(repetition: Repetition, ending: Ending): void;
  /** Commands that have been set going. */
  readonly executed: number;
}

/** No command yet. */
export function createCourse(ports: CoursePorts): Course {
  const { clock, limits, steps, identities, versions, broadcast } = ports;
  let executed = 0;

  function begin(work: Work): void {
    const { ticket, number } = work;
    work.stage = 'waiting';
    work.startedAt = clock.now();
    broadcast({ kind: 'command', phase: 'started', how: 'executed', ticket, number });
    goOn(work);
  }

  /** The dependencies from left to right, the first that is not there decides (docs/protocols/common.md 4.3). */
  function goOn(work: Work): void {
    const { dependsOn } = work.ticket;
    for (let id = dependsOn[work.satisfied]; id !== undefined; id = dependsOn[work.satisfied]) {
      const dependency = identities.find(id);
      if (id === work.ticket.id) return finish(work, dependsOnItself(id));
      if (dependency !== undefined) return awaitEnd(work, dependency, id);
      const kept = identities.kept(id);
      if (kept === undefined) return finish(work, unknownDependency(id));
      if (!kept.outcome.ok) return finish(work, failedDependency(id, kept.outcome.error));
      work.satisfied += 1;
    }
    carryOut(work);
  }

  function awaitEnd(work: Work, dependency: Work, id: string): void {
    const stuck = deadlock(dependency, work, { find: identities.find, ahead: (other) => ports.lanes().ahead(other) });
    if (stuck !== null) return finish(work, stuck);
    work.awaits = dependency;
    dependency.dependents.add(work);
    // One wait for all together: 32 dependencies must not hold a lane 32 times as long.
    const left = Math.max(0, work.startedAt + limits.dependencyWaitMs - clock.now());
    setTimer(work, left, () => {
      if (work.awaits === dependency) finish(work, slowDependency(id, limits.dependencyWaitMs));
    });
  }

  /** The dependency that it waited for is over. */
  function resume(work: Work, id: string, outcome: Outcome): void {
    if (work.stage !== 'waiting') return;
    if (!outcome.ok) return finish(work, failedDependency(id, outcome.error));
    work.satisfied += 1;
    goOn(work);
  }

  function carryOut(work: Work): void {
    const { ticket, entry } = work;
    const stale = versions.check(ticket);
    if (stale !== null) return finish(work, stale);
    work.stage = 'running';
    work.counter = versions.counter(ticket.session);
    executed += 1;
    const { timeoutMs } = ticket;
    if (timeoutMs !== null) {
      const late = refused('timeout', `Command '${ticket.type}' timed out after ${timeoutMs}ms`);
      setTimer(work, timeoutMs, () => finish(work, late, true));
    }
    try {
      entry.run((outcome) => steps.run(() => finish(work, outcome)));
    } catch (thrown) {
      // Behind what it may have answered before it threw.
      steps.run(() => finish(work, refused('internal', messageOf(thrown))));
    }
    ports.lanes().running(work);
  }

  function finish(work: Work, outcome: Outcome, timedOut = false): void {
    // What comes behind a timeout changes nothing any more (docs/protocols/common.md 6.1), nor does a second answer.
    if (work.stage === 'over') return;
    const wasRunning = work.stage === 'running';
    work.stage = 'over';
    work.stopTimer();
    work.awaits?.dependents.delete(work);
    work.awaits = null;
    const version = outcome.ok && wasRunning ? versions.succeeded(work.ticket, work.counter, outcome.data) : undefined;
    const ending = { outcome, receipt: { replayed: false, ...(version === undefined ? {} : { version }), timedOut } };
    const { effect, session } = work.ticket;
    if (outcome.ok && wasRunning && effect === 'closes' && session !== undefined) identities.forget(session);
    // Before anybody hears of it: whoever asks again on hearing it gets the same.
    identities.finish(work, ending);
    if (timedOut) attempt(() => work.entry.undo?.());
    conclude(work, ending, 'executed');
    for (const repetition of work.repetitions) repeat(repetition, ending);
    for (const dependent of work.dependents) {
      dependent.awaits = null;
      dependent.stopTimer();
      steps.run(() => resume(dependent, work.ticket.id ?? '', outcome));
    }
    ports.lanes().leave(work);
    ports.ended(work);
  }

  function repeat(repetition: Repetition, { outcome, receipt }: Ending): void {
    const again: Receipt = { ...receipt, replayed: true };
    conclude(repetition, { outcome, receipt: again }, 'replayed');
  }

  function conclude({ entry, number }: Repetition, ending: Ending, how: CommandBroadcast['how']): void {
    broadcast({ kind: 'command', phase: 'finished', how, ticket: entry.ticket, number, ending });
    attempt(() => entry.settle(ending.outcome, ending.receipt));
  }

  function setTimer(work: Work, ms: number, ring: () => void): void {
    work.stopTimer();
    work.stopTimer = clock.after(ms, () => steps.run(ring));
  }

  return {
    begin,
    repeat,
    get executed() {
      return executed;
    },
  };
}
