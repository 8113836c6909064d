// Collects the deltas of consecutive lines in one place, as the bytes that JSON.stringify would write for them.
import { type Asides, type Burst, unescaped } from '../model/burst.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/** Most deltas in one burst: less than half of what wakes all readers at once (core/stream/reader-set.ts). */
const mostDeltas = 256;
/** Most bytes of deltas in one burst. */
const mostBytes = 64 * 1024;

/**
 * Bursts share blocks of this many bytes and of this many ends: V8 gives an array of more than 64 bytes memory of its own,
 * which costs a microsecond. Nobody keeps a burst for long.
 */
const block = { bytes: 2 * mostBytes, ends: 16 * mostDeltas };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The letters of the escapes that JSON.stringify writes; JSON.stringify writes other escapes as `\u` and never `\/`. */
const isShortEscape = new Uint8Array(256);
for (const letter of '"\\bfnrt') isShortEscape[letter.charCodeAt(0)] = 1;

/** A class with one instance for all agents: it is empty again before anybody else is called. */
class DeltaCollector {
  #bytes = new Uint8Array(block.bytes);
  #ends = new Int32Array(block.ends);
  /** Where the bytes of this burst and its ends begin: what is before belongs to bursts that were made. */
  #start = 0;
  #firstEnd = 0;
  #count = 0;
  /** End of the last whole delta, and of the one that was added and is not kept yet. */
  #kept = 0;
  #added = 0;
  #isAscii = true;

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === mostDeltas;
  }

  clear(): void {
    if (this.#start + mostBytes > this.#bytes.length) {
      this.#bytes = new Uint8Array(block.bytes);
      this.#start = 0;
    }
    if (this.#firstEnd + mostDeltas > this.#ends.length) {
      this.#ends = new Int32Array(block.ends);
      this.#firstEnd = 0;
    }
    this.#count = 0;
    this.#kept = this.#start;
    this.#isAscii = true;
  }

  /**
   * Adds the inside of the JSON string at `from`, behind its opening quote. Returns the offset of its closing quote; -1
   * when there is none before `end`, or when JSON.stringify or the framings would write the text in another way: such a
   * line goes by itself.
   */
  add(line: Uint8Array, from: number, end: number): number {
    const bytes = this.#bytes;
    const limit = Math.min(end, from + mostBytes + this.#start - this.#kept);
    let to = this.#kept;
    let at = from;
    let byte = line[at] ?? QUOTE;
    // An empty delta is no event. A delta that begins in the middle of a character is no text.
    if (byte === QUOTE || (byte & 0xc0) === 0x80) return -1;
    for (; at < limit; at += 1) {
      byte = line[at] ?? 0;
      if (byte === QUOTE) break;
      if (byte < SPACE) return -1;
      if (byte === BACKSLASH) {
        bytes[to] = byte;
        to += 1;
        at += 1;
        byte = line[at] ?? 0;
        if (at >= limit || isShortEscape[byte] === 0) return -1;
      } else if (byte > DELETE) {
        this.#isAscii = false;
        // U+2028 and U+2029: some framings escape them (docs/threats.md T14).
        if (byte === 0xe2 && line[at + 1] === 0x80 && ((line[at + 2] ?? 0) & 0xfe) === 0xa8) return -1;
      }
      bytes[to] = byte;
      to += 1;
    }
    if (at >= limit) return -1;
    this.#added = to;
    return at;
  }

  /** The rest of the line matches as well: the delta that was added last belongs to the burst. */
  keep(): void {
    this.#kept = this.#added;
    this.#ends[this.#firstEnd + this.#count] = this.#kept - this.#start;
    this.#count += 1;
  }

  /** The first delta as text, whether it was kept or not; null when it is no UTF-8. */
  first(): string | null {
    const end = this.#count === 0 ? this.#added : this.#start + (this.#ends[this.#firstEnd] ?? 0);
    const few = this.#isAscii ? fewCharacters(this.#bytes, this.#start, end) : null;
    return few ?? textOf(this.#bytes.subarray(this.#start, end));
  }

  /** The deltas as a burst; null when they are no UTF-8. To be cleared before more is added. */
  burst(index: number, extra: Burst['extra'], asides: Asides | undefined): Burst | null {
    const bytes = this.#bytes.subarray(this.#start, this.#kept);
    const text = textOf(bytes);
    if (text === null) return null;
    const ends = this.#ends.subarray(this.#firstEnd, this.#firstEnd + this.#count);
    this.#start = this.#kept;
    this.#firstEnd += this.#count;
    const surplus = this.#isAscii ? null : surplusOf(bytes, ends);
    return { index, extra, count: this.#count, text, bytes, ends, surplus, asides };
  }
}

/** The inside of a JSON string as text; null when it is no UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return unescaped(utf8.decode(bytes));
  } catch {
    return null;
  }
}

/** Up to that many ASCII characters without an escape are joined faster than a decoder is called; null for all others. */
const most = 12;

function fewCharacters(bytes: Uint8Array, start: number, end: number): string | null {
  if (end - start > most) return null;
  let text = '';
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? BACKSLASH;
    if (byte === BACKSLASH) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** See {@link Burst.surplus}. A character of two bytes has one surplus byte, others of several bytes have two. */
function surplusOf(bytes: Uint8Array, ends: Int32Array): Int32Array {
  const surplus = new Int32Array(ends.length);
  let sum = 0;
  let at = 0;
  for (let place = 0; place < ends.length; place += 1) {
    for (const end = ends[place] ?? at; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      // Each byte within a character counts, but a character of four bytes is two units.
      if ((byte & 0xc0) === 0x80) sum += 1;
      else if (byte >= 0xf0) sum -= 1;
    }
    surplus[place] = sum;
  }
  return surplus;
}

/** The one collector. */
export const collector = new DeltaCollector();
