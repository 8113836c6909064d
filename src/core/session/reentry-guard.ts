// Keeps commands out of the middle of something: a client that hears an answer there may submit the next command at once.

/** Guards the state of one conversation. */
export interface ReentryGuard {
  /** Does something that answers clients; then runs what was deferred meanwhile. Calls may be nested. */
  run(act: () => void): void;
  /** Keeps the task until the outermost `run` is over; false where nothing runs, and the task is not kept. */
  defer(task: () => void): boolean;
}

/** Nothing runs. */
export function createReentryGuard(): ReentryGuard {
  /** Null while nothing runs. */
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
