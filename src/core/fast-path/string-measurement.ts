// Finds the end of a JSON string in raw bytes and reads it as text.
import type { Peek } from '../contract/channel.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * The JSON string that was measured last. `text` reads exactly that string, from the same bytes. A class with one
 * reused instance: the hot path measures a string in every line and allocates nothing for it.
 */
export class StringMeasurement {
  /** Offset of the first byte behind the opening quote. */
  #from = 0;
  /** Offset of the closing quote; -1: there is none, or this is no JSON string. */
  #end = -1;
  #isAscii = true;
  #hasEscapes = false;

  /**
   * Measures the string that begins at `from`, behind its opening quote. Returns the offset of its closing quote, or
   * -1.
   */
  measure(bytes: Uint8Array, from: number, limit: number): number {
    let isAscii = true;
    let hasEscapes = false;
    let at = from;
    this.#end = -1;
    for (; at < limit; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE || byte === undefined) break;
      // A raw control character is not legal JSON: leave the error to the parser.
      if (byte < SPACE) return -1;
      if (byte >= DELETE) isAscii = false;
      if (byte === BACKSLASH) {
        hasEscapes = true;
        at += 1;
      }
    }
    this.#isAscii = isAscii;
    this.#hasEscapes = hasEscapes;
    this.#from = from;
    this.#end = at < limit ? at : -1;
    return this.#end;
  }

  /** The measured string as text, escapes resolved; null when it is no JSON string. */
  text(peek: Peek): string | null {
    if (this.#end === -1) return null;
    if (this.#isAscii && !this.#hasEscapes) return peek.ascii(this.#from, this.#end);
    try {
      const raw = this.#isAscii ? peek.ascii(this.#from, this.#end) : peek.utf8(this.#from, this.#end);
      return this.#hasEscapes ? JSON.parse(`"${raw}"`) : raw;
    } catch {
      return null;
    }
  }
}
