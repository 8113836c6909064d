// Collects the pieces of one message until it is complete.

/** Smaller pieces are copied together: a peer that sends single bytes must not cost an object for each. */
const smallBytes = 1024;
const pageBytes = 16 * 1024;

/** The collected pieces of one message. */
export interface ByteBuffer {
  readonly length: number;
  /** Appends a piece. Larger pieces are kept by reference. */
  add(piece: Uint8Array): void;
  /** Whether the bytes `part` are at offset `place`. */
  hasAt(place: number, part: Uint8Array): boolean;
  /** Returns all bytes in one piece and empties the buffer. */
  take(): Uint8Array;
  clear(): void;
}

/** Copies every byte at most twice, and uses a small multiple of `length` as memory. */
export function createByteBuffer(): ByteBuffer {
  let pieces: Uint8Array[] = [];
  let length = 0;
  /** Collects small pieces; `filled` of its bytes are in use and not in `pieces` yet. */
  let page: Uint8Array | undefined;
  let filled = 0;

  function closePage(): void {
    if (page !== undefined && filled > 0) pieces.push(page.subarray(0, filled));
    page = undefined;
    filled = 0;
  }

  function clear(): void {
    pieces = [];
    length = 0;
    page = undefined;
    filled = 0;
  }

  return {
    get length() {
      return length;
    },
    add(piece) {
      const joins = length > 0 && piece.length < smallBytes;
      if (!joins || filled + piece.length > pageBytes) closePage();
      if (joins) {
        page ??= Buffer.allocUnsafeSlow(pageBytes);
        page.set(piece, filled);
        filled += piece.length;
      } else {
        pieces.push(piece);
      }
      length += piece.length;
    },
    hasAt(place, part) {
      closePage();
      let at = place;
      let compared = 0;
      for (const piece of pieces) {
        if (compared === part.length) break;
        if (at >= piece.length) {
          at -= piece.length;
          continue;
        }
        const size = Math.min(part.length - compared, piece.length - at);
        const here = Buffer.from(piece.buffer, piece.byteOffset + at, size);
        if (here.compare(part, compared, compared + size) !== 0) return false;
        compared += size;
        at = 0;
      }
      return compared === part.length;
    },
    take() {
      closePage();
      const [only] = pieces;
      const whole = only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces, length);
      clear();
      return whole;
    },
    clear,
  };
}
