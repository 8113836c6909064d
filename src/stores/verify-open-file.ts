// Verifies that an open file is the intended one. Checks the descriptor, because folders may be moved between a check
// of the path and the open (docs/threats.md T9).
import { fstatSync, lstatSync, readlinkSync, type Stats } from 'node:fs';
import { realOrNull } from './paths.ts';

/** Whether an open file is still at its path, without a link on the way. */
export function isAt(file: string, descriptor: number): boolean {
  const isThere = isSame(statOf(file), fstatSync(descriptor));
  return isThere && realOrNull(file) === file && (openedPath(descriptor) ?? file) === file;
}

/** Whether both are the same file. */
export function isSame(found: Stats | null, opened: Stats): boolean {
  return found !== null && found.ino === opened.ino && found.dev === opened.dev;
}

/** The path of an open file according to the kernel; null on systems without this information. */
export function openedPath(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** The stats of the entry itself, links not followed; null if nothing exists. */
export function statOf(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

/** The code of a system error, e.g. `EEXIST`. */
export function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
