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

/** A class: each connection has one or two, and nearly all of them are empty. */
class Pieces implements ByteBuffer {
  #pieces: Uint8Array[] | null = null;
  #length = 0;
  /** Collects small and copied pieces; the bytes from `#closed` to `#filled` are not in `#pieces` yet. */
  #page: Uint8Array | null = null;
  #closed = 0;
  #filled = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    if (this.#length > 0 && piece.length < smallBytes) return this.copy(piece);
    this.#closePiece().push(piece);
    this.#length += piece.length;
  }

  copy(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0; rest = this.#fill(rest));
    this.#length += piece.length;
  }

  hasAt(place: number, part: Uint8Array): boolean {
    let at = place;
    let compared = 0;
    // A loop, because the parts are short and a library call costs more.
    for (const piece of this.#closePiece()) {
      for (; compared < part.length && at < piece.length; at += 1, compared += 1) {
        if (piece[at] !== part[compared]) return false;
      }
      at -= piece.length;
    }
    return compared === part.length;
  }

  take(): Uint8Array {
    const pieces = this.#closePiece();
    const [only] = pieces;
    // What is given away must not be in a page, which others use again.
    const isLasting = only !== undefined && pieces.length === 1 && this.#page === null;
    const whole = isLasting ? only : Buffer.concat(pieces, this.#length);
    this.clear();
    return whole;
  }

  clear(): void {
    if (this.#page !== null) spare = this.#page;
    this.#pieces = null;
    this.#length = 0;
    this.#page = null;
    this.#closed = 0;
    this.#filled = 0;
  }

  /** Returns all pieces. */
  #closePiece(): Uint8Array[] {
    this.#pieces ??= [];
    if (this.#page !== null && this.#filled > this.#closed) {
      this.#pieces.push(this.#page.subarray(this.#closed, this.#filled));
    }
    this.#closed = this.#filled;
    return this.#pieces;
  }

  /** Copies as much as fits into a page; returns the rest. */
  #fill(piece: Uint8Array): Uint8Array {
    if (this.#page === null || this.#filled === this.#page.length) {
      this.#closePiece();
      this.#page = takePage();
      this.#closed = 0;
      this.#filled = 0;
    }
    const part = piece.subarray(0, this.#page.length - this.#filled);
    this.#page.set(part, this.#filled);
    this.#filled += part.length;
    return piece.subarray(part.length);
  }
}

/** Copies every byte at most twice, and uses a small multiple of `length` as memory, besides one page. */
export function createByteBuffer(): ByteBuffer {
  return new Pieces();
}
