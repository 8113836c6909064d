// Frames of the wire as a tap keeps them. Those that came together stay together, and are cut when somebody asks.
import type { ReadFrames } from '../../core/contract/tap.ts';

const LF = 0x0a;

/** One frame. */
export interface SingleFrame {
  /** See NativeFrame. */
  readonly n: number;
  /** Clock of the session, ms. */
  readonly at: number;
  readonly bytes: Buffer;
}

/** A frame, or several that came together. */
export interface KeptFrames extends SingleFrame {
  /** Where the frames stand in `bytes`; null: `bytes` are one frame. */
  readonly cut: Pick<ReadFrames, 'header'> | null;
}

/** Copies a frame: its bytes may be a part of a buffer that is used again. */
export function keptFrame(n: number, at: number, bytes: Uint8Array): KeptFrames {
  return { n, at, bytes: Buffer.from(bytes), cut: null };
}

/** Copies frames that came together; `n`: of the first one. */
export function keptTogether(n: number, at: number, { bytes, header }: ReadFrames): KeptFrames {
  return { n, at, bytes: Buffer.from(bytes), cut: { header } };
}

/** The frames one by one. */
export function* framesIn({ n, at, bytes, cut }: KeptFrames): Generator<SingleFrame> {
  if (cut === null) return yield { n, at, bytes };
  const { header } = cut;
  let number = n;
  for (let next = 0; next < bytes.length; number += 1) {
    const start = header === null ? next : header.read(bytes, next, bytes.length);
    const end = header === null ? bytes.indexOf(LF, start) : start + header.length;
    yield { n: number, at, bytes: bytes.subarray(start, end) };
    next = header === null ? end + 1 : end;
  }
}
