// Frames that were made together, as one piece of bytes (decision 0011).

/** Consecutive frames. Never changes, so that all readers may be sent the same bytes. */
export interface Stretch {
  /** The frames as lines: each is followed by one LF, and holds no other. */
  readonly bytes: Uint8Array;
  /** Offset of the LF of each frame. */
  readonly ends: Int32Array;
  /** All of `bytes` is ASCII. */
  readonly isAscii: boolean;
}

/** The frames of a stretch from number `from` to before number `to`; at least one. */
export interface StretchPart {
  readonly stretch: Stretch;
  readonly from: number;
  readonly to: number;
}

/** Offset of the first byte of frame `place`. */
export function frameStart({ ends }: Stretch, place: number): number {
  return place === 0 ? 0 : (ends[place - 1] ?? 0) + 1;
}

/** One frame of a stretch, without its LF. */
export function frameIn(stretch: Stretch, place: number): Uint8Array {
  return stretch.bytes.subarray(frameStart(stretch, place), stretch.ends[place]);
}

/** The frames of the part as lines. */
export function linesOf({ stretch, from, to }: StretchPart): Uint8Array {
  return stretch.bytes.subarray(frameStart(stretch, from), frameStart(stretch, to));
}
