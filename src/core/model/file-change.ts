// Turns the texts in a tool's arguments or results into a unified diff, in bounded time. The diff has hunks only:
// editors show the path separately, so the lines that name the file are left out.
import { parsePatch, structuredPatch } from 'diff';
import type { FileChange } from './content.ts';

/** A text before and after. */
export interface Replaced {
  /** Empty if there was no text, or if it is unknown. */
  readonly before: string;
  readonly after: string;
}

/** Consecutive lines of a diff. Each begins with a space, `-`, `+` or `\`. Starts count from 1, even for no lines. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Unchanged lines around a change. */
const context = 3;
/** UTF-16 units of all texts of a change. Longer texts are not compared line by line. */
const longestCompared = 1024 * 1024;
/** Lines removed and added. Above this, two texts count as wholly different: the search time grows with the square. */
const mostEdits = 400;
/** Bound for the sum of the squared edit counts over all pieces of a change. */
const mostWork = 4 * mostEdits ** 2;

/** Marks a last line without a line feed. */
const unended = '\\ No newline at end of file';

/** The change when a whole file is written. */
export function wholeFileChange(path: string, replaced: Replaced): FileChange {
  return changeOfHunks(path, createComparison()(replaced));
}

/**
 * The change when pieces of a file are replaced. Their line numbers are unknown, so they count as if the file consisted
 * of these pieces. Each piece counts as whole lines, because it may not be the end of the file.
 */
export function fileChange(path: string, pieces: readonly Replaced[]): FileChange {
  const compare = createComparison();
  let oldOffset = 0;
  let newOffset = 0;
  const hunks = pieces.map(asLines).flatMap((piece) => {
    const placed = compare(piece).map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + oldOffset,
      newStart: hunk.newStart + newOffset,
    }));
    oldOffset += linesOf(piece.before).length;
    newOffset += linesOf(piece.after).length;
    return placed;
  });
  const [only, ...others] = pieces;
  // The texts of several pieces are told by the diff alone.
  return { ...changeOfHunks(path, hunks), ...(others.length === 0 ? only : {}) };
}

/** The change, from hunks that the agent computed. */
export function changeOfHunks(path: string, hunks: readonly Hunk[]): FileChange {
  let linesAdded = 0;
  let linesRemoved = 0;
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) linesAdded += 1;
      if (line.startsWith('-')) linesRemoved += 1;
    }
  }
  const diff = hunks.map((hunk) => [headOf(hunk), ...hunk.lines].join('\n')).join('\n');
  return { path, diff, linesAdded, linesRemoved };
}

/** The change, from a unified diff of one file that the agent computed. Null if `patch` is not such a diff. */
export function changeOfPatch(path: string, patch: string): FileChange | null {
  if (patch.length > longestCompared) return null;
  try {
    const [only, ...others] = parsePatch(patch);
    if (only === undefined || others.length > 0 || only.hunks.length === 0) return null;
    return changeOfHunks(path, only.hunks);
  } catch {
    return null;
  }
}

/** An empty side of a hunk starts one line earlier, as in the unified format. */
function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

function asLines({ before, after }: Replaced): Replaced {
  const isWhole = (text: string) => text === '' || text.endsWith('\n');
  if (isWhole(before) && isWhole(after)) return { before, after };
  // If one text lacks the final line feed, both texts get one more. A final line feed that was added or removed then
  // shows as an empty line.
  const ended = (text: string) => (text === '' ? '' : `${text}\n`);
  return { before: ended(before), after: ended(after) };
}

/** Compares texts within bounds for all of them together. Beyond the bounds, a text is replaced as a whole. */
function createComparison(): (replaced: Replaced) => readonly Hunk[] {
  let units = longestCompared;
  let work = mostWork;

  function search(before: string, after: string): readonly Hunk[] | undefined {
    units -= before.length + after.length;
    const maxEditLength = Math.min(mostEdits, Math.floor(Math.sqrt(work)));
    if (units < 0 || maxEditLength === 0) return undefined;
    const patch = structuredPatch('', '', before, after, undefined, undefined, { context, maxEditLength });
    const edits = patch?.hunks.flatMap(({ lines }) => lines.filter((line) => /^[+-]/u.test(line))).length;
    work -= (edits ?? maxEditLength) ** 2;
    return patch?.hunks;
  }

  return ({ before, after }) => {
    if (before === after) return [];
    const found = before === '' || after === '' ? undefined : search(before, after);
    return found ?? [hunkOfAll(linesOf(before), linesOf(after))];
  };
}

/** Replaces everything between the first and the last difference. */
function hunkOfAll(old: readonly string[], fresh: readonly string[]): Hunk {
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const start = Math.max(0, head - context);
  const past = tail - Math.min(tail, context);
  const marked = (mark: string, lines: readonly string[]) =>
    lines.flatMap((line) => (line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, unended]));
  return {
    oldStart: start + 1,
    oldLines: old.length - past - start,
    newStart: start + 1,
    newLines: fresh.length - past - start,
    lines: [
      ...marked(' ', old.slice(start, head)),
      ...marked('-', old.slice(head, old.length - tail)),
      ...marked('+', fresh.slice(head, fresh.length - tail)),
      ...marked(' ', old.slice(old.length - tail, old.length - past)),
    ],
  };
}

/** The lines of a text, each with its line feed. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = lines.pop() ?? '\n';
  return last === '\n' ? lines : [...lines, last.slice(0, -1)];
}
