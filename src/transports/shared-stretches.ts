// The frames of a stretch in the form in which peers get them. Made once for all readers of the stretch.
import type { Stretch, StretchPart } from '../core/contract/stretch.ts';
import { createSharedBytes } from './shared-bytes.ts';

/** Frames shorter than this are copied by a loop. */
const short = 1024;

/** All frames of a stretch in one form, behind one another. */
export interface FormedFrames {
  readonly bytes: Buffer;
  /** Where each frame begins in that form, and where the last one ends. */
  readonly starts: Int32Array;
}

interface KeptFrames extends FormedFrames {
  readonly length: number;
  /** What was asked for last: readers at the same place get the very same chunk. */
  last: { readonly from: number; readonly to: number; readonly chunk: Buffer } | null;
}

/** Gives the frames of a part the form that `form` gives to all frames of its stretch. */
export function sharedStretches<Part extends StretchPart>(form: (part: Part) => FormedFrames): (part: Part) => Buffer {
  const shared = createSharedBytes<Stretch, KeptFrames>();
  return (part) => {
    const { from, to } = part;
    const kept = shared.get(part.stretch, () => keep(form(part)));
    const { bytes, starts, last } = kept;
    if (last?.from === from && last.to === to) return last.chunk;
    const chunk = bytes.subarray(starts[from], starts[to]);
    kept.last = { from, to, chunk };
    return chunk;
  };
}

function keep({ bytes, starts }: FormedFrames): KeptFrames {
  return { bytes, starts, length: bytes.length, last: null };
}

/** Copies `size` bytes of whole characters. A library call for each frame costs more than the loop. */
export function copyFrame(from: DataView, begin: number, to: DataView, at: number, size: number): void {
  if (size < short) return copyShort(from, begin, to, at, size);
  const source = new Uint8Array(from.buffer, from.byteOffset + begin, size);
  new Uint8Array(to.buffer, to.byteOffset + at, size).set(source);
}

/**
 * Eight bytes at a time, as floats. A NaN could lose bits, but eight bytes of UTF-8 are none: read with the lowest byte
 * first, it ends in 0xff, which no UTF-8 has, or in a byte from 0xf0 up before 0x7f, which is half a character.
 */
function copyShort(from: DataView, begin: number, to: DataView, at: number, size: number): void {
  let byte = 0;
  for (; byte + 8 <= size; byte += 8) to.setFloat64(at + byte, from.getFloat64(begin + byte, true), true);
  for (; byte < size; byte += 1) to.setUint8(at + byte, from.getUint8(begin + byte));
}
