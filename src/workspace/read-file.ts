// Renders a file, or a range of its lines, for the model. Synchronous and bounded; never throws.
import type { Context } from '../core/model/content.ts';
import { type Budget, type FoundText, inWords, isFull, leftOut, named, paid } from './budget.ts';
import { element } from './context-markup.ts';
import { limits } from './limits.ts';
import { type Chosen, countLines, fitting, type Lines, linesIn } from './lines.ts';
import { readText } from './read-text.ts';
import { type Folder, kindOf, type Place, placeOf, shownPath } from './resolve-path.ts';

/** Bytes reserved for the element around the text. */
const margin = 8 * 1024;

type FileContext = Extract<Context, { type: 'file' }>;

/** Renders a file. The path is as the client gave it. */
export function readFile(
  { path, lines, automatic }: FileContext,
  folders: readonly Folder[],
  budget: Budget,
): FoundText {
  const nothing = (fault: string) => leftOut('file', path, fault);
  const place = placeOf(path, folders);
  if ('fault' in place) return nothing(place.fault);
  if (kindOf(place.real) !== 'file') return nothing('it is no plain file');
  const most = Math.min(limits.file, budget.bytes - margin);
  if (most <= 0) return nothing(isFull);
  if (lines !== undefined && budget.search <= 0) return nothing('lines were looked for in too much text already');

  const read = readText(place.real, lines === undefined ? most : limits.search);
  if ('fault' in read) return nothing(read.fault);
  if (lines !== undefined) budget.search -= read.text.length;
  const whole: Chosen = { text: read.text, lines: { start: 1, end: countLines(read.text) } };
  const asked = lines === undefined ? whole : linesIn(read.text, lines);
  if (asked === null) {
    const end = read.isCut ? `in its first ${inWords(limits.search)}` : `in it: it has ${whole.lines.end}`;
    return nothing(`the lines that were chosen are not ${end}`);
  }
  const kept = lines === undefined ? asked : fitting(asked, most);
  if (kept === null) return nothing(`its first line is longer than ${inWords(limits.file)}`);
  // Part of the requested text is beyond what was read, or beyond what fits.
  const isCut = (read.isCut && asked.lines.end === whole.lines.end) || kept.text.length < asked.text.length;
  const isPart = isCut || lines !== undefined;
  const shown = fileElement(shownPath(place, folders), kept.text, isPart ? kept.lines : undefined, automatic);
  const text = paid(shown, budget);
  if (text === null) return nothing(isFull);
  if (!isCut) return { text };
  const why = most < limits.file ? isFull : `a prompt carries ${inWords(limits.file)} of a file`;
  return { text, problem: `The file ${named(path)} was cut at its line ${kept.lines.end}: ${why}.` };
}

/** The element of a file. `isCursor`: the user's cursor is in this range. */
export function fileElement(path: string, text: string, lines?: Lines, isCursor = false): string {
  const range = lines === undefined ? undefined : `${lines.start}-${lines.end}`;
  return element('file', { path, lines: range, cursor: isCursor ? 'true' : undefined }, text);
}

/** The element of a file in a rendered directory; null unless the file is a text of at most `most` bytes. */
export function smallFile(place: Place, folders: readonly Folder[], most: number): string | null {
  const read = readText(place.real, most);
  return 'fault' in read || read.isCut ? null : fileElement(shownPath(place, folders), read.text);
}
