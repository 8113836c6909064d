// Locates each value in a hand-written JSON text, or the first mistake with a sentence for the user. JSON.parse gives
// neither.

/** The keys from the top of a value to one of its parts. */
export type Path = readonly PropertyKey[];

/** A mistake in a text, and its offset. */
export interface JsonMistake {
  readonly offset: number;
  readonly words: string;
}

/** The places found in a text. */
export interface JsonPositions {
  /** The offset of a part, or of its name in an object. Undefined if the part does not exist. */
  at(path: Path): number | undefined;
  /** The first mistake; null if the text is JSON. */
  readonly mistake: JsonMistake | null;
}

/** The line number of an offset, 1-based. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const mostLevels = 128;
const space = /[ \t\n\r]*/y;
const string = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const literal = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
/** A word where JSON expects something else. */
const strayWord = /[^\s,:{}[\]]{1,20}/y;

/** Reads the text to its end or to the first mistake. */
export function readPositions(text: string): JsonPositions {
  const places = new Map<string, number>();
  const at = (path: Path) => places.get(keyOf(path));
  try {
    readAll(text, (path, offset) => places.set(keyOf(path), offset));
    return { at, mistake: null };
  } catch (thrown) {
    if (thrown instanceof Stop) return { at, mistake: thrown.mistake };
    throw thrown;
  }
}

/** Ends the reading at the first mistake. */
class Stop extends Error {
  readonly mistake: JsonMistake;
  constructor(offset: number, words: string) {
    super(words);
    this.mistake = { offset, words };
  }
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

function readAll(text: string, found: (path: Path, offset: number) => void): void {
  /** Offsets of the next token and of the end of the last one. */
  let next = 0;
  let end = 0;

  function match(pattern: RegExp): string | null {
    pattern.lastIndex = next;
    return pattern.exec(text)?.[0] ?? null;
  }

  function skip(): void {
    next += match(space)?.length ?? 0;
  }

  /** Advances past a token of `length`. */
  function take(length: number): void {
    next += length;
    end = next;
    skip();
  }

  function readValue(path: Path): void {
    if (path.length > mostLevels) throw new Stop(next, `nests deeper than ${mostLevels} levels`);
    const opening = text[next];
    if (opening === '{' || opening === '[') return readParts(path, opening);
    const token = match(string) ?? match(literal);
    if (token === null) throw new Stop(next, strayWords(text, next, match(strayWord)));
    take(token.length);
  }

  function readParts(path: Path, opening: '{' | '['): void {
    const start = next;
    const closing = opening === '{' ? '}' : ']';
    take(1);
    for (let count = 0; text[next] !== closing; count += 1) {
      if (count > 0) separate(start, opening);
      const offset = next;
      const part = [...path, opening === '{' ? readName(start) : count];
      found(part, offset);
      readValue(part);
    }
    take(1);
  }

  /** Reads the comma between two parts; the caller has checked that no bracket closes here. */
  function separate(start: number, opening: string): void {
    if (next >= text.length) throw new Stop(start, `this ${opening} is never closed`);
    if (text[next] !== ',') throw new Stop(end, `a comma is missing after ${lastToken(text, end)}`);
    const comma = next;
    take(1);
    if (text[next] === '}' || text[next] === ']') throw new Stop(comma, `an extra comma before ${text[next]}`);
  }

  function readName(start: number): string {
    if (next >= text.length) throw new Stop(start, 'this { is never closed');
    const token = match(string);
    if (token === null) throw new Stop(next, strayWords(text, next, match(strayWord)));
    take(token.length);
    if (text[next] !== ':') throw new Stop(end, `a colon is missing after ${token}`);
    take(1);
    return String(JSON.parse(token));
  }

  skip();
  if (next >= text.length) throw new Stop(0, 'the file is empty');
  found([], next);
  readValue([]);
  if (next < text.length) throw new Stop(next, 'there is text after the end of the JSON value');
}

/** The mistake where a value or a name should begin. */
function strayWords(text: string, at: number, word: string | null): string {
  const character = text[at];
  if (character === undefined) return 'the text ends too early';
  if (character === "'") return `text must be in double quotes: ${word?.replaceAll("'", '"') ?? '"…"'}`;
  if (character === '/' || character === '#') return 'JSON has no comments';
  if (character === '"') {
    const line = text.slice(at).split('\n', 1)[0] ?? '';
    const [closed] = /^"(?:[^"\\]|\\.)*"/u.exec(line) ?? [];
    if (closed === undefined) return 'the text that begins here has no closing quote';
    return closed.includes('\t')
      ? 'a tab in a text must be written as \\t'
      : 'a backslash in a text must be written twice: \\\\';
  }
  if (word === null) return `something is missing before ${character}`;
  return `found ${word}, but expected a text in double quotes, a number, true, false, null, { or [`;
}

/** The end of the text that was read last, as a hint for the user. */
function lastToken(text: string, end: number): string {
  const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, end).trim();
  return line.length > 40 ? `…${line.slice(-40)}` : line;
}
