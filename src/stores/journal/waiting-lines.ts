// The lines of one session that wait for the disk.

/** Characters that are written at once: about a millisecond of the loop. Less does not keep up when each write has to wait. */
const batchChars = 2 * 1024 * 1024;
/** Characters of lines that become bytes before the end of their turn: a fraction of a millisecond. */
const pieceChars = 256 * 1024;

/**
 * Lines of one turn as bytes, outside of the heap: when the disk is slow, the collector would copy each line that waits, which
 * takes 100 ms for 30 MiB.
 */
interface Piece {
  readonly bytes: Buffer;
  /** Number of lines, and their characters. */
  readonly lines: number;
  readonly chars: number;
}

/** A class: every open session has one, and `add` is called for every record. */
export class WaitingLines {
  #pieces: Piece[] = [];
  /** The lines behind the pieces. */
  #lines: string[] = [];
  #lineChars = 0;

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#lines.length === 0;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#lineChars += line.length;
    if (this.#lineChars >= pieceChars) this.seal();
  }

  /** Makes one piece of the lines. Called at the end of a turn. */
  seal(): void {
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(''));
    this.#pieces.push({ bytes, lines: this.#lines.length, chars: this.#lineChars });
    this.#lines = [];
    this.#lineChars = 0;
  }

  /** Takes what is written at once from the beginning. */
  next(): Piece {
    this.seal();
    let [count, lines, chars] = [0, 0, 0];
    for (const piece of this.#pieces) {
      if (chars >= batchChars) break;
      count += 1;
      lines += piece.lines;
      chars += piece.chars;
    }
    const batch = this.#pieces.splice(0, count).map(({ bytes }) => bytes);
    const [first] = batch;
    return { bytes: batch.length === 1 && first !== undefined ? first : Buffer.concat(batch), lines, chars };
  }

  clear(): void {
    this.#pieces = [];
    this.#lines = [];
    this.#lineChars = 0;
  }
}
