// Defers commands that arrive while the session is changing its state: a client may submit its next command
// synchronously from an answer.

/** Guards the state of one conversation. */
export interface ReentryGuard {
  /** Runs `act`, then the tasks that were deferred meanwhile. Calls may be nested. */
  run(act: () => void): void;
  /** Defers the task until the outermost `run` is over. Returns false outside of `run`; then the task is not kept. */
  defer(task: () => void): boolean;
}

/** Creates a guard. */
export function createReentryGuard(): ReentryGuard {
  /** The deferred tasks, in order. Null while no `run` is active. */
  let deferred: (() => void)[] | null = null;

  return {
    run(act) {
      if (deferred !== null) return act();
      const tasks: (() => void)[] = [];
      deferred = tasks;
      try {
        act();
      } finally {
        deferred = null;
      }
      for (const task of tasks) task();
    },
    defer(task) {
      deferred?.push(task);
      return deferred !== null;
    },
  };
}
