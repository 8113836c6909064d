// A change of a file as people read it: from the texts that a tool's arguments tell to a unified diff. Pure.
import { structuredPatch } from 'diff';
import type { FileChange } from './content.ts';

/** One piece of a file, before and after. */
export interface Replaced {
  /** Empty: nothing was there, or nobody knows what. */
  readonly before: string;
  readonly after: string;
}

/** The change that those pieces make, in their order. */
export function fileChange(path: string, pieces: readonly Replaced[]): FileChange {
  let linesAdded = 0;
  let linesRemoved = 0;
  const diff = pieces
    .flatMap(({ before, after }) => structuredPatch(path, path, before, after).hunks)
    .flatMap(({ lines }) => {
      for (const line of lines) {
        if (line.startsWith('+')) linesAdded += 1;
        if (line.startsWith('-')) linesRemoved += 1;
      }
      return lines;
    })
    .join('\n');
  return { path, diff, linesAdded, linesRemoved };
}
