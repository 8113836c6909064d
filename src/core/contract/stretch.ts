// Frames that were made together, as one piece of bytes (decision 0011).

/** Consecutive frames. Never changes, so that all readers may be sent the same bytes. */
export interface Stretch {
  /** The frames as lines: each is followed by one LF, and holds no other. */
  readonly bytes: Uint8Array;
  /** Offset of the LF of each frame. */
  readonly ends: Int32Array;
  /** How many bytes more than UTF-16 units there are up to the end of each frame; null: all of `bytes` is ASCII. */
  readonly surplus: Int32Array | null;
}

/** The frames of a stretch from number `from` to before number `to`; at least one. */
export interface StretchPart {
  readonly stretch: Stretch;
  readonly from: number;
  readonly to: number;
}

/** Frames of a stretch that a reader has read. */
export interface ReadPart extends StretchPart {
  readonly places: StretchPlaces;
}

/** The places of the frames of a stretch in their stream. */
export interface StretchPlaces {
  /** The cursor behind frame `place` of the stretch, see FrameEntry.cursor. */
  cursorAt(place: number): string;
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

/** The surplus of some frames or deltas of several, from place `from` to before place `to`. */
export function surplusIn(
  { surplus, ends }: Pick<Stretch, 'surplus' | 'ends'>,
  from: number,
  to: number,
): Int32Array | null {
  if (surplus === null || (from === 0 && to === ends.length)) return surplus;
  const before = surplus[from - 1] ?? 0;
  return surplus.slice(from, to).map((sum) => sum - before);
}
