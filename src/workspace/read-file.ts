// A file, or lines of it, as a model is told of it. Synchronous and bounded; never throws.
import type { Context } from '../core/model/command.ts';
import { type Budget, inWords, isFull, leftOut, named, paid, type Told } from './budget.ts';
import { limits } from './limits.ts';
import { type Chosen, countLines, fitting, type Lines, linesIn } from './lines.ts';
import { type Folder, kindOf, type Place, placeOf, shownPath } from './places.ts';
import { readText } from './read-text.ts';
import { element } from './words.ts';

/** Room for the element around it, bytes. */
const margin = 8 * 1024;

type FileContext = Extract<Context, { type: 'file' }>;

/** The path is in the client's words. */
export function readFile(
  { path: said, lines, automatic }: FileContext,
  folders: readonly Folder[],
  budget: Budget,
): Told {
  const nothing = (fault: string) => leftOut('file', said, fault);
  const place = placeOf(said, folders);
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
  // What was asked for goes on behind what was read, or behind what fits.
  const isCut = (read.isCut && asked.lines.end === whole.lines.end) || kept.text.length < asked.text.length;
  const isPart = isCut || lines !== undefined;
  const shown = fileElement(shownPath(place, folders), kept.text, isPart ? kept.lines : undefined, automatic);
  const text = paid(shown, budget);
  if (text === null) return nothing(isFull);
  if (!isCut) return { text };
  const why = most < limits.file ? isFull : `a prompt carries ${inWords(limits.file)} of a file`;
  return { text, problem: `The file ${named(said)} was cut at its line ${kept.lines.end}: ${why}.` };
}

/** The element of a file. `isCursor`: its user's cursor is there. */
export function fileElement(path: string, text: string, lines?: Lines, isCursor = false): string {
  const range = lines === undefined ? undefined : `${lines.start}-${lines.end}`;
  return element('file', { path, lines: range, cursor: isCursor ? 'true' : undefined }, text);
}

/** The same of a file that is met in a directory, if it is a text that is small enough. */
export function smallFile(place: Place, folders: readonly Folder[], most: number): string | null {
  const read = readText(place.real, most);
  return 'fault' in read || read.isCut ? null : fileElement(shownPath(place, folders), read.text);
}
