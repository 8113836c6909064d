// The frames that one client has heard, and waiting for more of them. Knows no transport.
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';

/** A frame off the wire: some JSON object with a type. */
export const Frame = z.looseObject({ type: z.string() });
export type Frame = z.infer<typeof Frame>;

/** What a client has heard so far. */
export interface Inbox {
  readonly frames: readonly Frame[];
  /** Resolves with the first frame from index `from` on that fits, now or later; rejects at once when the line is cut. */
  waitFor(fits: (frame: Frame) => boolean, label: string, from?: number, patienceMs?: number): Promise<Frame>;
  /** Resolves as soon as that is so: asked now, and with each frame. */
  until(isSo: () => boolean, label: string, patienceMs?: number): Promise<void>;
  /** The transport heard one line of JSON; blank ones are no frames. */
  line(text: string): void;
  /** The transport says why nothing can come any more. */
  cut(reason: string): void;
}

/** Creates an empty inbox. */
export function createInbox(): Inbox {
  const frames: Frame[] = [];
  const watchers = new Set<() => void>();
  let cutBy: string | null = null;

  function wake(): void {
    for (const watcher of watchers) watcher();
  }

  function lastFrames(): string {
    const lines = frames.slice(-4).map((frame) => JSON.stringify(frame).slice(0, 300));
    return `; the last of ${frames.length} frames:\n${lines.join('\n')}`;
  }

  return {
    frames,
    line(text) {
      if (text.trim() === '') return;
      frames.push(Frame.parse(JSON.parse(text)));
      wake();
    },
    cut(reason) {
      cutBy ??= reason;
      wake();
    },
    async until(isSo, label, patienceMs) {
      function look(): true | undefined {
        if (isSo()) return true;
        if (cutBy !== null) throw new Error(`${cutBy} before ${label}${lastFrames()}`);
        return undefined;
      }
      await within(label, watchers, look, lastFrames, patienceMs);
    },
    waitFor(fits, label, from = 0, patienceMs) {
      let next = from;
      // Each frame is looked at once, however many come.
      function look(): Frame | undefined {
        for (; next < frames.length; next += 1) {
          const frame = frames[next];
          if (frame !== undefined && fits(frame)) return frame;
        }
        if (cutBy !== null) throw new Error(`${cutBy} before ${label}${lastFrames()}`);
        return undefined;
      }
      return within(label, watchers, look, lastFrames, patienceMs);
    },
  };
}
