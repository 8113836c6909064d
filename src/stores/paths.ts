// Where paths that clients name may lead: inside given directories and nowhere else, links followed (docs/threats.md T8, T9).
// Knows no session.
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Longest path that is looked at, bytes. */
const longestPath = 4096;

/** What can be wrong with a path before any file is looked at, as the end of a sentence that begins with it; or null. */
export function faultInWords(wish: string): string | null {
  if (Buffer.byteLength(wish) > longestPath) return `must not be longer than ${longestPath} bytes`;
  if (/[\p{Cc}\\]/u.test(wish)) return 'must not hold control characters or backslashes';
  if (wish.split('/').includes('..')) return 'must not hold `..`';
  if (wish.startsWith('~')) return 'must not begin with `~`, which is not expanded';
  return null;
}

/** The path without links, if something is there and lies inside one of the roots or is one of them; else null. */
export function realInside(file: string, roots: readonly string[]): string | null {
  const real = realOrNull(file);
  if (real === null) return null;
  const isInside = roots.some((root) => {
    const base = realOrNull(root);
    return base !== null && (real === base || real.startsWith(base.endsWith(path.sep) ? base : base + path.sep));
  });
  return isInside ? real : null;
}

/** The path without links; null where nothing is. */
export function realOrNull(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

/** Whether a directory is there, or a link to one. */
export function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
