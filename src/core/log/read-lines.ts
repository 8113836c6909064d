// Reads lines of JSON objects from an untrusted text, with a bound on the work (docs/threats.md T12).
import type { Dictionary } from '../model/content.ts';
import { dictionaryIn } from '../model/dictionary.ts';

/** Nesting depth of a line, as for frames. Code that walks the values recurses. */
export const maxDepth = 128;

/** Longest head line or name line, characters. */
export const longestHead = 64 * 1024;

/** Yields each line without its LF. An array of all lines could be far larger than the text. */
export function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/** Bounds for reading one text. Values are members of objects and elements of arrays. */
export interface LineBounds {
  /** Longest line, characters. */
  readonly characters: number;
  /** Most values in one line. */
  readonly width: number;
  /** Most values in all lines together. */
  readonly values: number;
  /** Most useless lines; their values together are bounded by `width`. */
  readonly faults: number;
}

/** Reads the objects of one text until the bounds are used up. */
export interface ObjectReader {
  /** Parses a line. Returns null unless it is a JSON object, and null for every line once the bounds are used up. */
  read(line: string): Dictionary | null;
  /** Counts the last object as useless as well. Finding that out costs more than parsing. */
  drop(): void;
  /** True once a bound is used up. */
  readonly isOver: boolean;
}

/** Calls JSON.parse only for lines that begin like an object and are not too long, too deep or too wide. */
export function createObjectReader(bounds: LineBounds): ObjectReader {
  let { values, faults, width: vain } = bounds;
  /** Values of the last line. */
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

/** Estimates the number of values in a text. Stops counting above `most` values or below the greatest depth. */
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

/** The index of the closing quote of a string. `from`: the index after the opening quote. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

/** Whether an odd number of backslashes precedes `at`. The opening quote ends the search. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
