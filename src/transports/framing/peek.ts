// Text out of bytes that are not cut into frames yet. Knows no framing and no protocol.
import type { Peek } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';

/** From so many bytes a line on, one call for each piece is cheaper than one for all. */
const farApart = 600;

/** A piece of a frame may begin with U+FEFF, which is no byte order mark there. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A look at one chunk. */
export function createPeek(bytes: Buffer): Peek {
  return new ChunkGlimpse(bytes);
}

/** A class for the same reason as WireFrame: the hot path asks it for every line. */
class ChunkGlimpse implements Peek {
  readonly bytes: Buffer;
  #asked = 0;
  /** All bytes as one character each: one native call instead of one a line. */
  #all: string | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
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
