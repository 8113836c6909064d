// Runs tasks one after the other: a task submitted by a running task runs afterwards. Keeps announcements in order and
// the stack short.
import { createQueue } from './queue.ts';

/** Runs tasks without interleaving. */
export interface SerialExecutor {
  /** Runs the task at once, or after the running task and all waiting tasks. */
  run(task: () => void): void;
}

/** Creates an idle executor. */
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

/** Calls foreign code and ignores its errors: one client's error must not stop the commands of others. */
export function attempt(call: () => void): void {
  try {
    call();
  } catch {
    // The called code handles its own errors.
  }
}
