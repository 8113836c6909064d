// Whether the program that has started us is still there, when it says nothing more. Knows no protocol.
import type { Readable } from 'node:stream';

/** How often it is looked for, ms. */
const lookMs = 500;

/**
 * Aborted when the input has ended and the program behind it is gone. One that has only closed its end may still read: what
 * it has asked for is said to the end (`printf … | patchbay-eca server`). For one that was killed nobody waits, and an agent
 * that goes on, or hangs, would do so for ever; real servers look for their editor, too (docs/protocols/eca.md 6.1).
 */
export function whenOrphaned(input: Readable): AbortSignal {
  const parent = process.ppid;
  const gone = new AbortController();
  input.once('end', () => {
    const look = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(look);
      gone.abort('the program that started us is gone');
    }, lookMs);
    look.unref();
  });
  return gone.signal;
}
