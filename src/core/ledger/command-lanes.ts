// Decides which command may begin: one at a time in each lane, in order of arrival. Commands about the current run of a
// lane may begin at once (docs/protocols/common.md 3.1, 3.2; the departure is in decision 0018).

import type { AdmittedCommand } from './admitted-command.ts';
import { createQueue, type Queue } from './queue.ts';

/** The commands in flight, by lane. */
export interface Lanes {
  /** Adds a command. It begins now or when its turn comes. */
  enter(work: AdmittedCommand): void;
  /** Must be called when a command runs. Commands that may join its run begin. */
  running(work: AdmittedCommand): void;
  /** Removes a command that is over. The next one begins. */
  leave(work: AdmittedCommand): void;
  /** The command that must end before this one can begin. Undefined if this one has begun or is about to begin. */
  ahead(work: AdmittedCommand): AdmittedCommand | undefined;
  readonly size: number;
}

interface Lane {
  readonly waiting: Queue<AdmittedCommand>;
  /** Waiting commands that may join a run. */
  joiners: number;
  /** The command that has the turn. */
  current: AdmittedCommand | null;
  /** Commands that last as long as a run of the agent. */
  readonly runs: Set<AdmittedCommand>;
  /** Commands of the lane that are not over. */
  count: number;
}

/**
 * Creates empty lanes. `begin` is called once for each command, and never from within `begin`, provided that `later`
 * postpones its task.
 */
export function createLanes(begin: (work: AdmittedCommand) => void, later: (task: () => void) => void): Lanes {
  const lanes = new Map<string, Lane>();

  function laneFor(work: AdmittedCommand): Lane {
    const known = lanes.get(work.lane);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: createQueue(), joiners: 0, current: null, runs: new Set(), count: 0 };
    lanes.set(work.lane, lane);
    return lane;
  }

  function push(lane: Lane, work: AdmittedCommand): void {
    lane.waiting.push(work);
    if (work.ticket.place === 'joins') lane.joiners += 1;
  }

  function shift(lane: Lane): AdmittedCommand | undefined {
    const work = lane.waiting.shift();
    if (work?.ticket.place === 'joins') lane.joiners -= 1;
    return work;
  }

  /** Commands join a run in order of arrival, even if one of them must wait for another command. */
  function mayBegin({ ticket: { place } }: AdmittedCommand, { runs, joiners }: Lane): boolean {
    return place === 'beside' || (place === 'joins' && runs.size > 0 && joiners === 0);
  }

  /** Begins joining commands at the front of the queue: only the run is before them. */
  function joinAll(lane: Lane): void {
    while (lane.runs.size > 0 && lane.waiting.peek()?.ticket.place === 'joins') {
      const work = shift(lane);
      if (work !== undefined) later(() => begin(work));
    }
  }

  return {
    enter(work) {
      const lane = laneFor(work);
      lane.count += 1;
      if (mayBegin(work, lane)) begin(work);
      else if (lane.current !== null) push(lane, work);
      else {
        lane.current = work;
        begin(work);
      }
    },
    running(work) {
      if (work.ticket.runs !== true) return;
      const lane = laneFor(work);
      lane.runs.add(work);
      joinAll(lane);
    },
    leave(work) {
      const lane = laneFor(work);
      lane.count -= 1;
      lane.runs.delete(work);
      if (lane.count === 0) lanes.delete(work.lane);
      if (lane.current !== work) return;
      const next = shift(lane) ?? null;
      lane.current = next;
      if (next !== null) later(() => begin(next));
    },
    ahead(work) {
      if (work.stage.is !== 'queued') return undefined;
      const current = lanes.get(work.lane)?.current ?? undefined;
      return current === work ? undefined : current;
    },
    get size() {
      return lanes.size;
    },
  };
}
