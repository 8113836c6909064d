// A text that is told in many small pieces. Knows no protocol.

/** So many pieces are joined at once: a rope of single deltas costs the garbage collector more than the text itself. */
const batch = 128;

/** A text that grows. A class, for its methods are called for every delta. */
export class GrowingText {
  #whole = '';
  #recent: string[] = [];

  /** All of it so far. */
  get text(): string {
    this.#gather();
    return this.#whole;
  }

  get isEmpty(): boolean {
    return this.#whole === '' && this.#recent.length === 0;
  }

  add(piece: string): void {
    if (piece === '') return;
    this.#recent.push(piece);
    if (this.#recent.length === batch) this.#gather();
  }

  /** Puts another text in its place. */
  set(text: string): void {
    this.#whole = text;
    this.#recent = [];
  }

  #gather(): void {
    if (this.#recent.length === 0) return;
    this.#whole += this.#recent.join('');
    this.#recent = [];
  }
}
