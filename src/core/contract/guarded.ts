// Guards around everything that the outside calls: timers, sockets, readers, and the machines of adapters. What is
// thrown there costs one stream, client or agent, and nobody else (decision 0023).
import { messageOf } from '../model/errors.ts';
import type { Clock } from './clock.ts';

/** What a peer is told when its stream, client or agent ends through a fault of the gateway. */
export const internalError = 'an internal error of the gateway';

/** A thrown value as the text of a note of level `internal`. */
export function faultText(thrown: unknown): string {
  return `internal error: ${messageOf(thrown)}`;
}

/**
 * Calls `act`. What `act` throws goes to `failed`, which counts the fault and ends what the fault belongs to. What
 * `failed` itself throws is dropped: the first fault is counted by then, and its owner is past help.
 */
export function guarded(act: () => void, failed: (thrown: unknown) => void): void {
  try {
    act();
  } catch (thrown) {
    try {
      failed(thrown);
    } catch {
      // See above.
    }
  }
}

/** A clock whose callbacks are guarded. */
export function guardedClock(clock: Clock, failed: (thrown: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    after: (ms, callback) => clock.after(ms, () => guarded(callback, failed)),
  };
}
