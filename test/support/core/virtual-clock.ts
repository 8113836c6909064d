// Time that stands still until a test moves it. Knows nothing of what is timed.
import type { Clock } from '../../../src/core/contract/clock.ts';

/** A clock that a test owns. */
export interface VirtualClock extends Clock {
  /** Rings all that falls due within so many ms, by time and then in the order of setting; also what is set meanwhile. */
  advance(ms: number): void;
  /** Timers that are set and have not rung. */
  readonly pending: number;
}

/** More rings than any test means: a timer that sets itself again without waiting. */
const tooMany = 100_000;

/** A clock that shows 0. */
export function createVirtualClock(): VirtualClock {
  let now = 0;
  let count = 0;
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();

  /** The number of the timer that is due first, at the latest at that time. */
  function firstDue(until: number): number | undefined {
    const due = [...timers].filter(([, { at }]) => at <= until);
    return due.sort(([first, a], [second, b]) => a.at - b.at || first - second)[0]?.[0];
  }

  return {
    now: () => now,
    after(ms, callback) {
      count += 1;
      const number = count;
      timers.set(number, { at: now + Math.max(0, ms), callback });
      return () => void timers.delete(number);
    },
    advance(ms) {
      const until = now + ms;
      for (let rings = 0; ; rings += 1) {
        if (rings > tooMany) throw new Error('the timers never come to rest');
        const number = firstDue(until);
        const timer = number === undefined ? undefined : timers.get(number);
        if (number === undefined || timer === undefined) break;
        timers.delete(number);
        now = timer.at;
        timer.callback();
      }
      now = until;
    },
    get pending() {
      return timers.size;
    },
  };
}
