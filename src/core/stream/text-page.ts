// Texts outside of V8's heap. A collection of the young generation copies each object that lives on, twice, and every session
// waits meanwhile. The texts of the frames in windows were most of what lived on.

/** Bytes of the first page of a window, and of those after a full one. */
const pageBytes = { first: 4 * 1024, next: 32 * 1024 };
/** Lengths of the texts that are moved, UTF-16 units. A packed text takes about as much of the heap as the shortest of them. */
const packable = { from: 64, to: 1024 };
/** Most bytes of one UTF-16 unit. */
const widest = 3;

/** Whether the text is moved into a page. */
export function isPackable(text: string): boolean {
  return text.length >= packable.from && text.length <= packable.to;
}

/** Memory that is filled once, with the texts of one window. A page lives as long as one of its texts. */
export class TextPage {
  readonly #bytes: Buffer;
  #used = 0;

  /** `before`: the page that is full; null: there was none. */
  constructor(before: TextPage | null) {
    this.#bytes = Buffer.allocUnsafeSlow(before === null ? pageBytes.first : pageBytes.next);
  }

  hasRoom(text: string): boolean {
    return text.length * widest <= this.#bytes.length - this.#used;
  }

  /** Adds a text for which there is room. */
  add(text: string): PackedText {
    const from = this.#used;
    // As many bytes as units: the text is ASCII.
    const isAscii = this.#bytes.write(text, from, 'utf8') === text.length;
    const encoding = isAscii ? 'latin1' : 'utf16le';
    this.#used += isAscii ? text.length : this.#bytes.write(text, from, encoding);
    return new PackedText(this.#bytes, encoding, from, this.#used);
  }
}

/** A text in a page. */
export class PackedText {
  readonly #bytes: Buffer;
  readonly #encoding: 'latin1' | 'utf16le';
  readonly #from: number;
  readonly #to: number;

  constructor(bytes: Buffer, encoding: 'latin1' | 'utf16le', from: number, to: number) {
    this.#bytes = bytes;
    this.#encoding = encoding;
    this.#from = from;
    this.#to = to;
  }

  get text(): string {
    return this.#bytes.toString(this.#encoding, this.#from, this.#to);
  }
}
