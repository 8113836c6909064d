// Detects that the parent process has ended after it closed our input.
import type { Readable } from 'node:stream';

/** Interval between two checks of the parent, ms. */
const lookMs = 500;

/**
 * Aborted when the input has ended and the parent process is gone. A parent that only closed its end may still read, so
 * its requests are answered to the end (`printf … | patchbay-eca server`). If the parent was killed, nobody reads the
 * answers, and a hanging agent would run forever. Real servers also watch their editor (docs/protocols/eca.md 6.1).
 */
export function whenParentExits(input: Readable): AbortSignal {
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
