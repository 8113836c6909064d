// Collects the pieces of one message until it is complete.

/** Smaller pieces are copied together: a peer that sends single bytes must not cost an object for each. */
const smallBytes = 1024;
const pageBytes = 64 * 1024;

/** A page that nobody uses. Most messages that come in pieces are complete with the next chunk, so all share one page. */
let spare: Uint8Array | undefined;

function takePage(): Uint8Array {
  const page = spare ?? Buffer.allocUnsafeSlow(pageBytes);
  spare = undefined;
  return page;
}

/** The collected pieces of one message. */
export interface ByteBuffer {
  readonly length: number;
  /** Appends a piece. Larger pieces are kept by reference. */
  add(piece: Uint8Array): void;
  /** Appends a piece that does not last. */
  copy(piece: Uint8Array): void;
  /** Whether the bytes `part` are at offset `place`. */
  hasAt(place: number, part: Uint8Array): boolean;
  /** Returns all bytes in one piece and empties the buffer. */
  take(): Uint8Array;
  clear(): void;
}

/** Copies every byte at most twice, and uses a small multiple of `length` as memory, besides one page. */
export function createByteBuffer(): ByteBuffer {
  let pieces: Uint8Array[] = [];
  let length = 0;
  /** Collects small and copied pieces; the bytes from `closed` to `filled` are not in `pieces` yet. */
  let page: Uint8Array | undefined;
  let closed = 0;
  let filled = 0;

  function closePiece(): void {
    if (page !== undefined && filled > closed) pieces.push(page.subarray(closed, filled));
    closed = filled;
  }

  /** Copies as much as fits into a page; returns the rest. */
  function fill(piece: Uint8Array): Uint8Array {
    if (page === undefined || filled === page.length) {
      closePiece();
      page = takePage();
      closed = 0;
      filled = 0;
    }
    const part = piece.subarray(0, page.length - filled);
    page.set(part, filled);
    filled += part.length;
    return piece.subarray(part.length);
  }

  function clear(): void {
    if (page !== undefined) spare = page;
    pieces = [];
    length = 0;
    page = undefined;
    closed = 0;
    filled = 0;
  }

  function copy(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0; rest = fill(rest));
    length += piece.length;
  }

  return {
    get length() {
      return length;
    },
    add(piece) {
      if (length > 0 && piece.length < smallBytes) return copy(piece);
      closePiece();
      pieces.push(piece);
      length += piece.length;
    },
    copy,
    hasAt(place, part) {
      closePiece();
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
      closePiece();
      const [only] = pieces;
      // What is given away must not be in a page, which others use again.
      const isLasting = only !== undefined && pieces.length === 1 && page === undefined;
      const whole = isLasting ? only : Buffer.concat(pieces, length);
      clear();
      return whole;
    },
    clear,
  };
}
