// A text that arrives in many small pieces.

/** Pieces that are joined at once. A rope of single deltas costs the garbage collector more than the text itself. */
const batch = 128;

/** A growing text. It is a class because its methods run for every delta. */
export class GrowingText {
  #whole = '';
  #recent: string[] = [];

  /** The whole text so far. */
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

  /** Replaces the text. */
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
