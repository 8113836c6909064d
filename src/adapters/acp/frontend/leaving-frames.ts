// Frames of this connection alone that wait behind the last words of a turn, and may have become others when they leave.
import type { Out } from '../../../core/contract/channel.ts';

/** Frames on their way out. */
export interface LeavingFrames {
  /** `leave`: called once, when the frame leaves; gives what is sent instead. */
  add(frame: string, leave: () => string): void;
  map(out: Out): Out;
}

/** Frames that wait (docs/limits.md 5.10); an older one leaves as it is. A client behind POSTs has no such way out. */
const mostLeaving = 256;

export function createLeavingFrames(): LeavingFrames {
  const waiting = new Map<string, () => string>();
  return {
    add(frame, leave) {
      const [oldest] = waiting.keys();
      if (oldest !== undefined && waiting.size >= mostLeaving) {
        waiting.get(oldest)?.();
        waiting.delete(oldest);
      }
      waiting.set(frame, leave);
    },
    map(out) {
      if (waiting.size === 0 || typeof out !== 'string') return out;
      const leave = waiting.get(out);
      waiting.delete(out);
      return leave === undefined ? out : leave();
    },
  };
}
