// One thing after the other: what is asked for in the middle of a step is done behind it, so that nothing is ever told out
// of turn and no chain of commands grows the stack. Pure.
import { createQueue } from './queue.ts';

/** Steps that do not interrupt each other. */
export interface Steps {
  /** At once, or behind the step that is going on and all that wait already. */
  run(step: () => void): void;
}

/** Nothing is going on yet. */
export function createSteps(): Steps {
  const waiting = createQueue<() => void>();
  let isBusy = false;
  return {
    run(step) {
      waiting.push(step);
      if (isBusy) return;
      isBusy = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
      } finally {
        isBusy = false;
      }
    },
  };
}

/** Calls out to somebody whose faults are not to become those of everybody else's commands. */
export function attempt(call: () => void): void {
  try {
    call();
  } catch {
    // Whoever is called here answers for itself: the order of things has to go on.
  }
}
