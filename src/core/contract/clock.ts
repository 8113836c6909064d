// Time for core. Passed in from outside, so that tests control the clock.

/** A clock with timers. */
export interface Clock {
  /** Monotonic ms. */
  now(): number;
  /** Calls back once after `ms`. The returned function cancels the timer. */
  after(ms: number, callback: () => void): () => void;
}

/** Named timers of one owner. */
export interface Timers {
  /** True while the timer runs. */
  has(name: string): boolean;
  /** Starts or restarts the timer; null stops it. */
  set(name: string, ms: number | null, callback: () => void): void;
  clear(): void;
}

/** The map is created on first use: a session has several of these, and most of the time no timer runs. */
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

/** Creates the timers of one state machine, so that all can be stopped at its end. */
export function createTimers(clock: Clock): Timers {
  return new NamedTimers(clock);
}
