// Bytes that only grow, and views of them that stay true. Knows what UTF-8 is and nothing else.
import { appendOnlyBuffer } from '../../../core/model/append-only.ts';

/** An append-only buffer. */
export interface GrowingBytes {
  /** Bytes written so far. */
  readonly length: number;
  /** Adds the text, which has whole surrogate pairs only: half of one has no UTF-8. */
  write(text: string): void;
  /** The bytes from the first up to `end`. They never change: what is full is copied into a new buffer, not moved. */
  view(end: number): Uint8Array;
}

const encoder = new TextEncoder();
const smallest = 256;
/** A UTF-16 unit gives at most so many bytes. */
const widest = 3;
/** Up to here the loop is quicker than a call into the encoder. */
const shortText = 64;

export function createGrowingBytes(): GrowingBytes {
  let bytes = appendOnlyBuffer(smallest);
  let length = 0;

  /** Doubles, so that the copies of a long text together cost no more than the text itself. */
  function makeRoom(more: number): void {
    if (length + more <= bytes.length) return;
    const larger = appendOnlyBuffer(Math.max(bytes.length * 2, length + more));
    larger.set(bytes.subarray(0, length));
    bytes = larger;
  }

  /** Writes the plain beginning of a text; returns where the rest begins. */
  function writePlain(text: string): number {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 0x7f) return at;
      bytes[length] = code;
      length += 1;
    }
    return text.length;
  }

  return {
    get length() {
      return length;
    },
    write(text) {
      makeRoom(text.length * widest);
      const written = text.length <= shortText ? writePlain(text) : 0;
      if (written < text.length) length += encoder.encodeInto(text.slice(written), bytes.subarray(length)).written;
    },
    view: (end) => bytes.subarray(0, end),
  };
}
