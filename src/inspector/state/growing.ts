// Text that streams in, cut into pieces: a closed piece is rendered once, so that a long answer costs no more than a
// short one for each delta.
import { type Signal, signal } from '@preact/signals';
import { count } from './pace.ts';

/** Characters from which on a piece is closed at the next blank line. */
const softLimit = 1024;
/** Characters at which a piece is closed wherever it is. */
const hardLimit = 2048;

/** One streaming text. `changed` counts its changes. */
export interface Growing {
  readonly changed: Signal<number>;
  readonly closed: string[];
  /** Piece `i` goes on in the paragraph of the piece before. */
  readonly joins: Set<number>;
  open: string;
  length: number;
}

export function createGrowing(text = ''): Growing {
  const growing: Growing = { changed: signal(0), closed: [], joins: new Set(), open: '', length: 0 };
  append(growing, text);
  return growing;
}

/** The whole text. A fence that was cut has its opening line in each piece; the text does not repeat it. */
export function textOf({ closed, open }: Growing): string {
  return closed.join('') + open;
}

export function append(growing: Growing, text: string): void {
  growing.open += text;
  growing.length += text.length;
  while (growing.open.length > softLimit && close(growing)) {}
  count(growing.changed);
}

/** Replaces the text, if the agent says another one in the end. */
export function replace(growing: Growing, text: string): void {
  if (growing.length === text.length && textOf(growing) === text) return;
  growing.closed.length = 0;
  growing.joins.clear();
  growing.open = '';
  growing.length = 0;
  append(growing, text);
}

/** Closes a piece if there is a place for that. */
function close(growing: Growing): boolean {
  const { open } = growing;
  // No further than it matters: a long line would be searched to its end for each of its pieces.
  const at = blankLine(open.slice(0, hardLimit + 1));
  if (at > 0) return cut(growing, at, false);
  if (open.length <= hardLimit) return false;
  const line = open.lastIndexOf('\n', hardLimit);
  if (line > softLimit) return cut(growing, line + 1, true);
  const space = open.lastIndexOf(' ', hardLimit);
  return cut(growing, space > softLimit ? space + 1 : evenly(open, hardLimit), true);
}

/** Never between the halves of a pair. */
function evenly(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

function cut(growing: Growing, at: number, joins: boolean): boolean {
  growing.closed.push(growing.open.slice(0, at));
  growing.open = growing.open.slice(at);
  if (joins) growing.joins.add(growing.closed.length);
  return true;
}

/** Behind the first blank line outside a fence that is past the soft limit; 0 if there is none. */
function blankLine(text: string): number {
  let isFenced = false;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    const line = text.slice(start, end).trim();
    if (/^(?:```|~~~)/u.test(line)) isFenced = !isFenced;
    start = end + 1;
    if (line === '' && !isFenced && start > softLimit) return start;
    if (start > hardLimit) return 0;
  }
  return 0;
}
