// Lines that wait for the next line, so that their events come in the order that clients need.
import type { Dictionary } from '../../../../core/model/content.ts';

/** The limit of waiting lines. Reaching the limit releases all of them. */
const most = 100;

/** Lines on hold. */
export interface HeldLines {
  isEmpty(): boolean;
  add(line: Dictionary): void;
  /** Takes all held lines, in order. */
  release(): void;
}

/** Creates an empty buffer of lines. Calls `before` when held lines are about to be taken. */
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
    isEmpty: () => lines.length === 0,
    add(line) {
      lines.push(line);
      if (lines.length >= most) release();
    },
    release,
  };
}
