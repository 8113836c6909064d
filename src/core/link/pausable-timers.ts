// The timers of one backend, which can be paused: an agent inside this process is paused by its timers, for there is no
// pipe to leave unread.
import { type Clock, createTimers } from '../contract/clock.ts';

/** Named timers. */
export interface PausableTimers {
  /** (Re)starts the timer of that name; `null` stops it. */
  set(name: string, ms: number | null): void;
  /** From now on, timers that pass wait for {@link PausableTimers.resume}. */
  pause(): void;
  /**
   * The timers that passed meanwhile fire soon, but not within this call: the caller may be in the middle of reading.
   */
  resume(): void;
  clear(): void;
}

/** No timer runs yet. */
export function createPausableTimers(clock: Clock, fire: (name: string) => void): PausableTimers {
  const timers = createTimers(clock);
  /** The timers that passed during the pause; null: there is no pause. */
  let passed: Set<string> | null = null;

  function onTimer(name: string): void {
    if (passed !== null) passed.add(name);
    else fire(name);
  }

  return {
    set: (name, ms) => timers.set(name, ms, () => onTimer(name)),
    pause() {
      passed ??= new Set();
    },
    resume() {
      const due = passed;
      passed = null;
      for (const name of due ?? []) timers.set(`due ${name}`, 0, () => onTimer(name));
    },
    clear() {
      timers.clear();
      passed?.clear();
    },
  };
}
