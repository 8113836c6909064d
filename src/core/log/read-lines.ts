// Lines of JSON objects that anybody may have written: read one by one, and only so much work is done for them (docs/threats.md T12).
// Pure; knows no file and no protocol.
import type { Dictionary } from '../model/content.ts';
import { dictionaryIn } from '../model/dictionary.ts';

/** Levels of `[` and `{` that a line may open, as for frames: all that walks its values does so by recursion. */
export const maxDepth = 128;

/** Longest line that only says what a file is, or what it is called, characters. */
export const longestHead = 64 * 1024;

/** Each line, without its LF, as it is asked for: a list of all of them may be far larger than the text. */
export function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/** How much is read of one text. Values are members and elements. */
export interface LineBounds {
  /** Longest line, characters. */
  readonly characters: number;
  /** Values of one line. */
  readonly width: number;
  /** Values of all lines together. */
  readonly values: number;
  /** Lines that say nothing, and as many values in them as one line may have. */
  readonly faults: number;
}

/** Reads the objects of one text, until its bounds are used up. */
export interface ObjectReader {
  /** The object that a line is; null for anything else, and for all when too much was read. */
  read(line: string): Dictionary | null;
  /** The object that was read last says nothing either: to find that out costs more than to read it. */
  drop(): void;
  /** Too much was read, or too much in vain. */
  readonly isOver: boolean;
}

/** A line that begins as no object does costs no JSON.parse, and neither does one that is too long, too deep or too wide. */
export function createObjectReader(bounds: LineBounds): ObjectReader {
  let { values, faults, width: vain } = bounds;
  /** Values of the line that was read last. */
  let width = 0;
  const isOver = () => values < 0 || faults < 0 || vain < 0;

  function objectIn(line: string): Dictionary | null {
    width = 0;
    if (line.length > bounds.characters || !/^\s*\{/u.test(line)) return null;
    const { count, isTooDeep } = measure(line, Math.min(bounds.width, values));
    values -= count;
    if (isTooDeep || count > bounds.width || values < 0) return null;
    width = count;
    return dictionaryIn(line);
  }

  function drop(): void {
    faults -= 1;
    vain -= width;
    width = 0;
  }

  return {
    read(line) {
      if (isOver()) return null;
      const found = objectIn(line);
      if (found === null) drop();
      return found;
    },
    drop,
    get isOver() {
      return isOver();
    },
  };
}

/** The values that a text seems to hold; counted no further when they are more than `most`, or lie too deep. */
function measure(text: string, most: number): { readonly count: number; readonly isTooDeep: boolean } {
  let count = 0;
  let depth = 0;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        depth += 1;
        count += 1;
        if (depth > maxDepth) return { count, isTooDeep: true };
        break;
      case ',':
        count += 1;
        break;
      case '}':
      case ']':
        depth -= 1;
        break;
      case '"':
        at = endOfString(text, at + 1);
        break;
      default:
    }
  }
  return { count, isTooDeep: false };
}

/** The place of the quote that closes the string whose first character is at `from`. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

/** Whether an odd number of backslashes stands before it. The quote that opens the string ends the search. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
