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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The letters of the escapes that JSON.stringify writes; JSON.stringify writes other escapes as `\u` and never `\/`. */
const isShortEscape = new Uint8Array(256);
for (const letter of '"\\bfnrt') isShortEscape[letter.charCodeAt(0)] = 1;

/** A class with one instance for all agents: it is empty again before anybody else is called. */
class DeltaCollector {
  readonly #bytes = new Uint8Array(mostBytes);
  readonly #ends = new Int32Array(mostDeltas);
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
    this.#count = 0;
    this.#kept = 0;
    this.#isAscii = true;
  }

  /**
   * Adds the inside of the JSON string at `from`, behind its opening quote. Returns the offset of its closing quote; -1
   * when there is none before `end`, or when JSON.stringify or the framings would write the text in another way: such a
   * line goes by itself.
   */
  add(line: Uint8Array, from: number, end: number): number {
    const bytes = this.#bytes;
    const limit = Math.min(end, from + mostBytes - this.#kept);
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
    this.#ends[this.#count] = this.#kept;
    this.#count += 1;
  }

  /** The deltas as a burst; null when they are no UTF-8. */
  burst(index: number, extra: Burst['extra'], asides: Asides | undefined): Burst | null {
    const bytes = this.#bytes.slice(0, this.#kept);
    try {
      const text = unescaped(utf8.decode(bytes));
      const ends = this.#ends.slice(0, this.#count);
      const surplus = this.#isAscii ? null : surplusOf(bytes, ends);
      return { index, extra, count: this.#count, text, bytes, ends, surplus, asides };
    } catch {
      return null;
    }
  }
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
