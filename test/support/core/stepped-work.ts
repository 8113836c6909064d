// Paced work whose event loop is the test: nothing goes on until the test lets it.
import {
  createPacedWork,
  type PacedWork,
  type PacedWorkPorts,
  type WorkBudget,
} from '../../../src/core/contract/paced-work.ts';

/** Paced work in the hand of a test. */
export interface SteppedWork extends PacedWork {
  /** The time that the work sees, ms. A step may move it on. */
  now: number;
  /** Others are served, then comes the next pass. False if no pass is due. */
  pass(): boolean;
  /** All passes, until none is due. Returns how many there were. */
  passAll(): number;
}

/** A budget that is used up at once: each step needs a pass of its own. */
const none: WorkBudget = { ms: 0, bytes: 0 };

/** Work that nobody has added to. Default: nothing is done at once, and what a step throws reaches the test. */
export function createSteppedWork(budget = none, failed?: PacedWorkPorts['failed']): SteppedWork {
  const due: (() => void)[] = [];
  const afterOthers = (callback: () => void) => due.push(callback);
  const inner = createPacedWork({ now: () => work.now, afterOthers, failed }, budget);
  const work: SteppedWork = {
    now: 0,
    queue: () => inner.queue(),
    finish: () => inner.finish(),
    pass() {
      const next = due.shift();
      next?.();
      return next !== undefined;
    },
    passAll() {
      let passes = 0;
      while (work.pass()) passes += 1;
      return passes;
    },
  };
  return work;
}
