// What was opened is what was meant: looks at files through what was opened, since somebody may move folders about
// meanwhile (docs/threats.md T9). Knows no session.
import { fstatSync, lstatSync, readlinkSync, type Stats } from 'node:fs';
import { realOrNull } from './paths.ts';

/** Whether an open file lies where it was opened, no link on the way. */
export function isAt(file: string, descriptor: number): boolean {
  const isThere = isSame(statOf(file), fstatSync(descriptor));
  return isThere && realOrNull(file) === file && (openedPath(descriptor) ?? file) === file;
}

/** Whether both are the same file. */
export function isSame(found: Stats | null, opened: Stats): boolean {
  return found !== null && found.ino === opened.ino && found.dev === opened.dev;
}

/** Where the kernel says that an open file lies; null on systems that do not say. */
export function openedPath(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** What is there itself, and not what a link names; null where nothing is. */
export function statOf(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

/** The code of an error of the system, as `EEXIST`. */
export function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
