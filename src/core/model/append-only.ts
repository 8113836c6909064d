// Buffers whose bytes never change once they are written. A fact about these bytes, such as valid UTF-8, stays true and
// can be cached.

const known = new WeakSet<ArrayBufferLike>();

/** Allocates a buffer of `bytes` bytes. Its owner may only append; it must never overwrite. */
export function appendOnlyBuffer(bytes: number): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(bytes);
  known.add(buffer.buffer);
  return buffer;
}

/** Declares that nobody writes into the buffer of these bytes any more. The whole buffer must belong to the caller. */
export function neverChanges(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  known.add(bytes.buffer);
  return bytes;
}

/** Whether `bytes` is a view of an append-only buffer. */
export function isAppendOnly(bytes: Uint8Array): boolean {
  return known.has(bytes.buffer);
}
