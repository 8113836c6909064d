// Buffers that are written once at each place, before anybody is shown it: what was found out about their bytes stays
// true. Knows no frame.

const known = new WeakSet<ArrayBufferLike>();

/** A new buffer of so many bytes, whose owner only ever adds behind what it has written. */
export function appendOnlyBuffer(bytes: number): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(bytes);
  known.add(buffer.buffer);
  return buffer;
}

/** Whether the bytes are a view of such a buffer. */
export function isAppendOnly(bytes: Uint8Array): boolean {
  return known.has(bytes.buffer);
}
