// Lines of a text: which were asked for, and how many fit. Pure.

/** Lines that follow each other; the first counts as 1, both ends are meant. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Some lines of a text, and which they are. */
export interface Chosen {
  readonly text: string;
  readonly lines: Lines;
}

/** Those lines as far as the text has them; null when it has none of them. */
export function linesIn(text: string, { start, end }: Lines): Chosen | null {
  const first = Math.max(1, Math.floor(start));
  let from = 0;
  for (let line = 1; line < first && from < text.length; line += 1) from = behindLine(text, from);
  let to = from;
  let line = first;
  for (; line <= end && to < text.length; line += 1) to = behindLine(text, to);
  return to === from ? null : { text: text.slice(from, to), lines: { start: first, end: line - 1 } };
}

/** How many lines a text has; a line feed ends one and begins none. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at = behindLine(text, at)) count += 1;
  return count;
}

/** As many of them as fit into so many bytes; null when not one does. */
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

/** Where the line ends that begins there, behind its line feed. Lines are never all made: a file may have millions. */
function behindLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}
