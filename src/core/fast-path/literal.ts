// Byte strings that are searched for and compared in raw lines.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;
/** By byte: 1 for printable ASCII without quote and backslash. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte >= DELETE || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const utf8 = new TextEncoder();

/**
 * Bytes that are compared with each line or written into each frame, eight at a time as 64-bit floats. Printable ASCII and
 * line ends only: then eight bytes are neither a zero nor a NaN as a float, so floats are equal exactly when their bytes
 * are.
 */
export interface Literal {
  readonly length: number;
  readonly words: Float64Array;
  /** The last bytes, fewer than eight. */
  readonly rest: Uint8Array;
}

/** The bytes as a literal; null when not all of them are printable ASCII. */
export function literalOf(part: Uint8Array): Literal | null {
  return part.some((byte) => byte < SPACE || byte >= DELETE) ? null : toLiteral(part);
}

/** The text as a literal: printable ASCII and line ends. */
export function literalOfLines(text: string): Literal {
  return toLiteral(utf8.encode(text));
}

function toLiteral(part: Uint8Array): Literal {
  const whole = part.length - (part.length % 8);
  // Copies, not `slice`: the part may be a Buffer, whose slices are views.
  const bytes = new Uint8Array(part);
  return { length: bytes.length, words: new Float64Array(bytes.slice(0, whole).buffer), rest: bytes.slice(whole) };
}

export function isSameLiteral(one: Literal, other: Literal): boolean {
  const isEqual = (value: number, place: number) => value === other.words[place];
  return one.length === other.length && one.words.every(isEqual) && isAt(one.rest, 0, other.rest);
}

/**
 * Whether the literal stands at this offset. Compares eight bytes at a time, because the hot path calls this function
 * for every line.
 */
export function isLiteralAt(view: DataView, from: number, { words, rest }: Literal): boolean {
  let at = from;
  for (let place = 0; place < words.length; place += 1, at += 8) {
    if (view.getFloat64(at, isLittleEndian) !== words[place]) return false;
  }
  for (let place = 0; place < rest.length; place += 1, at += 1) if (view.getUint8(at) !== rest[place]) return false;
  return true;
}

/** Writes the literal at this offset, eight bytes at a time. Returns the offset behind it. */
export function writeLiteral(bytes: Uint8Array, view: DataView, from: number, { words, rest }: Literal): number {
  let at = from;
  for (let place = 0; place < words.length; place += 1, at += 8) view.setFloat64(at, words[place] ?? 0, isLittleEndian);
  for (let place = 0; place < rest.length; place += 1, at += 1) bytes[at] = rest[place] ?? 0;
  return at;
}

/** Whether so many bytes are printable ASCII inside a JSON string, with neither a quote nor an escape among them. */
export function isPlainAt(bytes: Uint8Array, from: number, length: number): boolean {
  for (let at = from; at < from + length; at += 1) if (isPlain[bytes[at] ?? 0] === 0) return false;
  return true;
}

/** Whether those bytes stand at this offset. */
export function isAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let place = 0; place < part.length; place += 1) if (bytes[at + place] !== part[place]) return false;
  return true;
}

/** Offset of the quote that closes the delta at `from`; -1 when the line spells the delta in another way than we do. */
export function closingQuote(line: Uint8Array, from: number, delta: string): number {
  const raw = utf8.encode(JSON.stringify(delta).slice(1, -1));
  return isAt(line, from, raw) ? from + raw.length : -1;
}

/** The first offset, from `from` on, of a part that begins with a quote; -1 when there is none. */
export function findQuoted(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (isAt(bytes, at, part)) return at;
  }
  return -1;
}
