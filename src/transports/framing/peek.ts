// Reads text from bytes that are not cut into frames yet.
import type { FrameHeader, Peek } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';

const LF = 0x0a;
/** Above this many bytes per line, one call per piece is cheaper than one call for all. */
const farApart = 600;

/** U+FEFF at the start of a piece is not a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Creates a peek at one chunk. `header`: what stands in front of each frame; null for lines. */
export function createPeek(bytes: Buffer, header: FrameHeader | null = null): Peek {
  return new ChunkGlimpse(bytes, header);
}

/** A class, because the hot path uses it for every line. */
class ChunkGlimpse implements Peek {
  readonly bytes: Buffer;
  readonly header: FrameHeader | null;
  /** What was searched last: the first LF from `#from` on is at `#lineEnd`, which is behind all bytes if there is none. */
  #from = 0;
  #lineEnd = -1;
  #asked = 0;
  /** All bytes as Latin-1 text: one native call instead of one per line. */
  #all: string | undefined;

  constructor(bytes: Buffer, header: FrameHeader | null) {
    this.bytes = bytes;
    this.header = header;
  }

  lineEnd(from: number): number {
    const { bytes } = this;
    if (from < this.#from || from > this.#lineEnd) {
      const found = bytes.indexOf(LF, from);
      this.#from = from;
      this.#lineEnd = found === -1 ? bytes.length : found;
    }
    return this.#lineEnd === bytes.length ? -1 : this.#lineEnd;
  }

  ascii(from: number, to: number): string {
    if (this.#all !== undefined) return this.#all.slice(from, to);
    this.#asked += 1;
    if (this.#asked < 3 || from > this.#asked * farApart) return this.bytes.toString('latin1', from, to);
    this.#all = this.bytes.toString('latin1');
    return this.#all.slice(from, to);
  }

  utf8(from: number, to: number): string {
    try {
      return utf8.decode(this.bytes.subarray(from, to));
    } catch (cause) {
      throw new GatewayError('bad-frame', 'the frame is not valid UTF-8', { cause });
    }
  }
}
