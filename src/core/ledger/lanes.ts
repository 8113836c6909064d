// Which command may begin: one at a time in each lane, in the order in which they came, but for those that are about what is
// going on there (docs/protocols/common.md 3.1, 3.2; the departure is in the decision on tickets). Knows no protocol.
import { createQueue, type Queue } from './queue.ts';
import type { Work } from './work.ts';

/** The commands that are under way, lane by lane. */
export interface Lanes {
  /** Begins now, or when it is its turn. */
  enter(work: Work): void;
  /** It has been set going: those that may join it begin. */
  running(work: Work): void;
  /** It is over: the next one begins. */
  leave(work: Work): void;
  /** Whose end it waits for before it can begin; undefined when it has begun or is about to. */
  ahead(work: Work): Work | undefined;
  readonly size: number;
}

interface Lane {
  readonly waiting: Queue<Work>;
  /** How many of them may join a run. */
  joiners: number;
  /** Whose turn it is. */
  current: Work | null;
  /** Commands that go on for as long as the agent works. */
  readonly runs: Set<Work>;
  /** Those that are not over. */
  count: number;
}

/** No lane yet. `begin` is called once for each command, never from within itself if `later` is true to its name. */
export function createLanes(begin: (work: Work) => void, later: (step: () => void) => void): Lanes {
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

  /** Those that join a run do so in the order in which they came, also where one of them waits behind another command. */
  function mayBegin({ ticket: { place } }: Work, { runs, joiners }: Lane): boolean {
    return place === 'beside' || (place === 'joins' && runs.size > 0 && joiners === 0);
  }

  /** Who stands first and may join begins now, for only the run is before it. */
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
      if (work.stage !== 'queued') return undefined;
      const current = lanes.get(work.lane)?.current ?? undefined;
      return current === work ? undefined : current;
    },
    get size() {
      return lanes.size;
    },
  };
}
