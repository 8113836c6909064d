// Restricts client paths to given directories, after links are resolved (docs/threats.md T8, T9).
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Longest accepted path, bytes. */
const longestPath = 4096;

/** The fault of a path that is invalid in itself, as the rest of a sentence that starts with the path; else null. */
export function faultInWords(wish: string): string | null {
  if (Buffer.byteLength(wish) > longestPath) return `must not be longer than ${longestPath} bytes`;
  if (/[\p{Cc}\\]/u.test(wish)) return 'must not hold control characters or backslashes';
  if (wish.split('/').includes('..')) return 'must not hold `..`';
  if (wish.startsWith('~')) return 'must not begin with `~`, which is not expanded';
  return null;
}

/** The real path, if it exists and is one of the roots or inside one; else null. */
export function realInside(file: string, roots: readonly string[]): string | null {
  const real = realOrNull(file);
  if (real === null) return null;
  const isInside = roots.some((root) => {
    const base = realOrNull(root);
    return base !== null && (real === base || real.startsWith(base.endsWith(path.sep) ? base : base + path.sep));
  });
  return isInside ? real : null;
}

/** The real path; null if nothing exists. */
export function realOrNull(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

/** Whether the path is a directory, or a link to one. */
export function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
