// Selects lines of a text by number and by size. Pure.

/** A range of lines, 1-based and inclusive. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Selected lines of a text, with their numbers. */
export interface Chosen {
  readonly text: string;
  readonly lines: Lines;
}

/** The requested lines, as far as the text has them; null if it has none of them. */
export function linesIn(text: string, { start, end }: Lines): Chosen | null {
  const first = Math.max(1, Math.floor(start));
  let from = 0;
  for (let line = 1; line < first && from < text.length; line += 1) from = behindLine(text, from);
  let to = from;
  let line = first;
  for (; line <= end && to < text.length; line += 1) to = behindLine(text, to);
  return to === from ? null : { text: text.slice(from, to), lines: { start: first, end: line - 1 } };
}

/** The number of lines; a final line feed does not begin another line. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at = behindLine(text, at)) count += 1;
  return count;
}

/** As many of the lines as fit into `bytes`; null if the first line does not fit. */
export function fitting({ text, lines }: Chosen, bytes: number): Chosen | null {
  let left = bytes;
  let to = 0;
  let count = 0;
  while (to < text.length) {
    const next = behindLine(text, to);
    left -= Buffer.byteLength(text.slice(to, next));
    if (left < 0) break;
    to = next;
    count += 1;
  }
  if (count === 0) return null;
  return { text: text.slice(0, to), lines: { start: lines.start, end: lines.start + count - 1 } };
}

/**
 * The offset after the line feed of the line at `from`. Avoids splitting the text: a file may have millions of lines.
 */
function behindLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}
