// How a program that we start ends, and how we end as it did. Shared by the commands that stand in front of a program.
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { constants } from 'node:os';

/** How a program ended, or why it could not be started. */
export type Exit =
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly code: number; readonly failure: string };

/** Resolves when the program is gone and everything that it said was read. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      // As shells have it.
      if (child.pid === undefined) resolve({ code: error.code === 'ENOENT' ? 127 : 126, failure: error.message });
    });
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}

/** Ends this process by the signal, so that its parent sees what the program's parent would have seen. */
export function dieOf(signal: NodeJS.Signals): never {
  // A handler of ours would catch the signal, and pass it on to a program that is gone.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Only if the signal is ignored.
  process.exit(128 + constants.signals[signal]);
}

/** Closes stdout. Node's own stream of it never does. */
export function closeOutput(): void {
  try {
    closeSync(1);
  } catch {
    // Closed already.
  }
}
