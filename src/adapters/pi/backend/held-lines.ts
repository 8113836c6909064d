// Lines that wait for the line behind them, so that what they say is told in the order that clients need. Knows no line.
import type { Dictionary } from '../../../core/model/content.ts';

/** As many lines wait at most: whoever says more than this behind an end goes on. */
const most = 100;

/** Lines on hold. */
export interface HeldLines {
  readonly isEmpty: boolean;
  add(line: Dictionary): void;
  /** They are taken now, in their order. */
  release(): void;
}

/** None wait. `before` is called when some that did are about to be taken. */
export function createHeldLines(take: (line: Dictionary) => void, before: () => void): HeldLines {
  let lines: Dictionary[] = [];

  function release(): void {
    if (lines.length === 0) return;
    const waiting = lines;
    lines = [];
    before();
    for (const line of waiting) take(line);
  }

  return {
    get isEmpty() {
      return lines.length === 0;
    },
    add(line) {
      lines.push(line);
      if (lines.length >= most) release();
    },
    release,
  };
}
