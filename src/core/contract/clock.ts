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

/** A class, and the map made late: a session has several of these, and most of the time no timer runs. */
class NamedTimers implements Timers {
  readonly #clock: Clock;
  #running: Map<string, () => void> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(name: string): boolean {
    return this.#running?.has(name) === true;
  }

  set(name: string, ms: number | null, callback: () => void): void {
    this.#running?.get(name)?.();
    this.#running?.delete(name);
    if (ms === null) return;
    this.#running ??= new Map();
    const cancel = this.#clock.after(ms, () => {
      this.#running?.delete(name);
      callback();
    });
    this.#running.set(name, cancel);
  }

  clear(): void {
    for (const cancel of this.#running?.values() ?? []) cancel();
    this.#running?.clear();
  }
}

/** Keeps the timers of one machine, so that they can all be stopped at its end. */
export function createTimers(clock: Clock): Timers {
  return new NamedTimers(clock);
}
