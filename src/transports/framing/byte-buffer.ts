// Collects the pieces of one message until it is whole. Knows no framing.

/** Pieces below this size are copied together: a peer that sends single bytes must not cost an object for each. */
const smallBytes = 1024;
const pageBytes = 16 * 1024;

/** The pieces of one message so far. */
export interface ByteBuffer {
  readonly length: number;
  /** Keeps larger pieces by reference. */
  add(piece: Uint8Array): void;
  /** Whether these bytes stand there. */
  hasAt(place: number, part: Uint8Array): boolean;
  /** All of it in one piece; the buffer is empty afterwards. */
  take(): Uint8Array;
  clear(): void;
}

/** Every byte is copied at most twice, and memory stays within a small multiple of `length`. */
export function createByteBuffer(): ByteBuffer {
  let pieces: Uint8Array[] = [];
  let length = 0;
  /** Where small pieces gather; `filled` bytes of it are in use, none of them in `pieces` yet. */
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
