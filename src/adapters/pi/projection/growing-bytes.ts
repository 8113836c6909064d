// An append-only buffer of UTF-8, whose views stay valid.
import { appendOnlyBuffer } from '../../../core/model/append-only.ts';

/** An append-only buffer. */
export interface GrowingBytes {
  /** Bytes written so far. */
  readonly length: number;
  /** Appends the text, which must not contain a lone surrogate: a lone surrogate has no UTF-8 form. */
  write(text: string): void;
  /** The bytes from 0 to `end`. Views never change: a full buffer is copied into a new one, not moved. */
  view(end: number): Uint8Array;
}

const encoder = new TextEncoder();
const smallest = 256;
/** The most UTF-8 bytes per UTF-16 unit. */
const widest = 3;
/** Up to this length, the loop is faster than a call of the encoder. */
const shortText = 64;

export function createGrowingBytes(): GrowingBytes {
  let bytes = appendOnlyBuffer(smallest);
  let length = 0;

  /** Doubles the size, so that the copies of a long text cost no more in total than the text itself. */
  function makeRoom(more: number): void {
    if (length + more <= bytes.length) return;
    const larger = appendOnlyBuffer(Math.max(bytes.length * 2, length + more));
    larger.set(bytes.subarray(0, length));
    bytes = larger;
  }

  /** Writes the ASCII prefix of a text. Returns where the rest begins. */
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
