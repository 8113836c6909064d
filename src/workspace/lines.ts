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
  const all = splitLines(text);
  const first = Math.max(1, Math.floor(start));
  const chosen = all.slice(first - 1, Math.max(0, Math.floor(end)));
  if (chosen.length === 0) return null;
  return { text: chosen.join(''), lines: { start: first, end: first + chosen.length - 1 } };
}

/** How many lines a text has; a line feed ends one and begins none. */
export function countLines(text: string): number {
  return splitLines(text).length;
}

/** As many of them as fit into so many bytes; null when not one does. */
export function fitting({ text, lines }: Chosen, bytes: number): Chosen | null {
  let left = bytes;
  const kept: string[] = [];
  for (const line of splitLines(text)) {
    left -= Buffer.byteLength(line);
    if (left < 0) break;
    kept.push(line);
  }
  if (kept.length === 0) return null;
  return { text: kept.join(''), lines: { start: lines.start, end: lines.start + kept.length - 1 } };
}

/** Each with its line feed. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/gu) ?? [];
}
