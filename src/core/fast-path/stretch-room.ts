// The memory of one stretch: its bytes and the ends of its frames.

/** Room for a stretch that is about to be written. */
export interface StretchRoom {
  readonly bytes: Uint8Array;
  /** Of the bytes. */
  readonly view: DataView;
  readonly ends: Int32Array;
}

/**
 * Room for so many frames of `length` bytes in all. One piece of memory for both, because a piece costs V8 a microsecond and
 * a further view of it a tenth.
 */
export function stretchRoom(frames: number, length: number): StretchRoom {
  const endsBytes = frames * Int32Array.BYTES_PER_ELEMENT;
  const memory = new ArrayBuffer(endsBytes + length);
  return {
    bytes: new Uint8Array(memory, endsBytes),
    view: new DataView(memory, endsBytes),
    ends: new Int32Array(memory, 0, frames),
  };
}
