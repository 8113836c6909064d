// Runs tasks one after the other: a task that is submitted within another one runs behind it. So nothing is announced
// out of order, and no chain of commands grows the stack.
import { createQueue } from './queue.ts';

/** Tasks that do not interrupt each other. */
export interface SerialExecutor {
  /** Runs the task at once, or behind the running task and all that wait already. */
  run(task: () => void): void;
}

/** Nothing is running yet. */
export function createSerialExecutor(): SerialExecutor {
  const waiting = createQueue<() => void>();
  let isBusy = false;
  return {
    run(task) {
      waiting.push(task);
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

/** Calls code outside the ledger. Its errors are ignored here: they must not stop the commands of others. */
export function attempt(call: () => void): void {
  try {
    call();
  } catch {
    // The called code answers for its own errors.
  }
}
