// The frames of a stretch as text messages of a WebSocket server. Made once for all readers of the stretch.
import { frameStart, type Stretch, type StretchPart } from '../core/contract/stretch.ts';
import { createSharedBytes } from './shared-bytes.ts';
import { headBytesOf, writeHead } from './text-message.ts';

/** Frames shorter than this are copied by a loop. */
const short = 1024;

/** All frames of a stretch as messages behind one another. */
interface Messages {
  readonly bytes: Buffer;
  readonly length: number;
  /** Where each message begins, and where the last one ends. */
  readonly starts: Int32Array;
  /** What was asked for last: readers at the same place get the very same chunk. */
  last: { readonly from: number; readonly to: number; readonly chunk: Buffer } | null;
}

/** Messages of one kind, by stretch. `lineEnd`: bytes of the LF that belongs to a message. */
function encoder(lineEnd: 0 | 1): (part: StretchPart) => Buffer {
  const shared = createSharedBytes<Stretch, Messages>();
  return ({ stretch, from, to }) => {
    const messages = shared.get(stretch, () => messagesOf(stretch, lineEnd));
    const { bytes, starts, last } = messages;
    if (last?.from === from && last.to === to) return last.chunk;
    const chunk = bytes.subarray(starts[from], starts[to]);
    messages.last = { from, to, chunk };
    return chunk;
  };
}

/** Messages that are the frames of the part. */
export const textMessages = encoder(0);
/** Messages that end in LF. */
export const lineMessages = encoder(1);

function messagesOf(stretch: Stretch, lineEnd: number): Messages {
  const { bytes: source, ends } = stretch;
  const count = ends.length;
  const starts = new Int32Array(count + 1);
  for (let place = 0; place < count; place += 1) {
    const length = (ends[place] ?? 0) + lineEnd - frameStart(stretch, place);
    starts[place + 1] = (starts[place] ?? 0) + headBytesOf(length) + length;
  }
  const length = starts[count] ?? 0;
  const bytes = Buffer.allocUnsafeSlow(length);
  const to = new DataView(bytes.buffer);
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (let place = 0; place < count; place += 1) {
    const begin = frameStart(stretch, place);
    const size = (ends[place] ?? 0) + lineEnd - begin;
    const at = writeHead(bytes, starts[place] ?? 0, size);
    if (size < short) copyShort(from, begin, to, at, size);
    else bytes.set(source.subarray(begin, begin + size), at);
  }
  return { bytes, length, starts, last: null };
}

/**
 * Eight bytes at a time, as floats: a library call for each frame costs more. A NaN could lose bits, but eight bytes of
 * UTF-8 are none: read with the lowest byte first, it ends in 0xff, which no UTF-8 has, or in a byte from 0xf0 up before
 * 0x7f, which is half a character.
 */
function copyShort(from: DataView, begin: number, to: DataView, at: number, size: number): void {
  let byte = 0;
  for (; byte + 8 <= size; byte += 8) to.setFloat64(at + byte, from.getFloat64(begin + byte, true), true);
  for (; byte < size; byte += 1) to.setUint8(at + byte, from.getUint8(begin + byte));
}
