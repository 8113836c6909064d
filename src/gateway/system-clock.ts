// The real clock: monotonic time and timers of the process.
import type { Clock } from '../core/contract/clock.ts';
import type { PacedWorkPorts } from '../core/contract/paced-work.ts';

/** Longest delay of a Node timer, ms. Longer timers would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/** The loop of the process: an immediate comes after due timers and sockets. */
export const systemLoop: PacedWorkPorts = {
  now: () => performance.now(),
  afterOthers: (callback) => void setImmediate(callback),
};

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
