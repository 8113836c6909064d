// Decides which command may begin: one at a time in each lane, in order of arrival, except commands about the run that
// is going on there (docs/protocols/common.md 3.1, 3.2; the departure is in decision 0018).
import { createQueue, type Queue } from './queue.ts';
import type { Work } from './work.ts';

/** The commands that are under way, lane by lane. */
export interface Lanes {
  /** The command begins now, or in its turn. */
  enter(work: Work): void;
  /** The command runs: commands that may join it begin. */
  running(work: Work): void;
  /** The command is over: the next one begins. */
  leave(work: Work): void;
  /** The command that must end before this one can begin; undefined when this one has begun or is about to. */
  ahead(work: Work): Work | undefined;
  readonly size: number;
}

interface Lane {
  readonly waiting: Queue<Work>;
  /** How many of the waiting commands may join a run. */
  joiners: number;
  /** The command whose turn it is. */
  current: Work | null;
  /** Commands that last for as long as the agent works. */
  readonly runs: Set<Work>;
  /** All commands of the lane that are not over. */
  count: number;
}

/** No lane yet. `begin` is called once for each command; never within itself, as long as `later` postpones its task. */
export function createLanes(begin: (work: Work) => void, later: (task: () => void) => void): Lanes {
  const lanes = new Map<string, Lane>();

  function laneFor(work: Work): Lane {
    const known = lanes.get(work.lane);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: createQueue(), joiners: 0, current: null, runs: new Set(), count: 0 };
    lanes.set(work.lane, lane);
    return lane;
  }

  function push(lane: Lane, work: Work): void {
    lane.waiting.push(work);
    if (work.ticket.place === 'joins') lane.joiners += 1;
  }

  function shift(lane: Lane): Work | undefined {
    const work = lane.waiting.shift();
    if (work?.ticket.place === 'joins') lane.joiners -= 1;
    return work;
  }

  /** Commands join a run in order of arrival, even where one of them waits behind another command. */
  function mayBegin({ ticket: { place } }: Work, { runs, joiners }: Lane): boolean {
    return place === 'beside' || (place === 'joins' && runs.size > 0 && joiners === 0);
  }

  /** A command at the front of the queue that may join begins now: only the run is ahead of it. */
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
