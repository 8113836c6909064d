// Time, as core sees it: given from outside, so that tests own it.

/** A clock with timers. */
export interface Clock {
  /** Monotonic ms. */
  now(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** Named timers of one owner: setting a name again restarts it. */
export interface Timers {
  /** True while that timer runs. */
  has(name: string): boolean;
  set(name: string, ms: number | null, callback: () => void): void;
  clear(): void;
}

/** Keeps the timers of one machine, so that they can all be stopped at its end. */
export function createTimers(clock: Clock): Timers {
  const running = new Map<string, () => void>();
  return {
    has: (name) => running.has(name),
    set(name, ms, callback) {
      running.get(name)?.();
      running.delete(name);
      if (ms === null) return;
      const cancel = clock.after(ms, () => {
        running.delete(name);
        callback();
      });
      running.set(name, cancel);
    },
    clear() {
      for (const cancel of running.values()) cancel();
      running.clear();
    },
  };
}
