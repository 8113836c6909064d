// The real clock: monotonic time and timers of the process.
import type { Clock } from '../core/contract/clock.ts';

/** Longest delay of a Node timer, ms. Longer timers would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/** Monotonic time and real timers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    let immediate: NodeJS.Immediate | undefined;
    // On a busy machine a timer and the bytes that would cancel it may be due together: read the bytes first.
    const timer = setTimeout(
      () => {
        immediate = setImmediate(callback);
      },
      Math.min(ms, longestTimeout),
    );
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
  },
};
