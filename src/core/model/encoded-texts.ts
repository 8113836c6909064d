// Long texts as the bytes that JSON.stringify writes for them. The lines that end a block, a message, a turn and a run
// repeat one text, so the text is encoded once, and afterwards recognised and written by its bytes (decision 0011).
import { neverChanges } from './append-only.ts';

/** Shorter texts are parsed and printed faster than they are looked up, UTF-16 units. */
export const leastLongText = 1024;

/** Most texts that are kept encoded, for all sessions together: the lines that repeat a text come soon behind it. */
const mostTexts = 8;
/** Most bytes of them. A longer text is encoded again each time. */
const mostBytes = 4 * 1024 * 1024;

const utf8 = new TextEncoder();
const lineSeparator = /[\u2028\u2029]/;

/** An encoded text. `json`: with its quotes; null: some framing would write the text in another way. */
interface EncodedText {
  readonly text: string;
  readonly json: Uint8Array | null;
}

/** The texts that were needed last. A class with one instance for all sessions. */
class RecentTexts {
  #bytes = 0;
  /** The newest first. */
  readonly #texts: EncodedText[] = [];

  json(text: string): Uint8Array | null {
    // Equal strings are mostly the same object, and others mostly differ in length, so that nothing is compared.
    const place = this.#texts.findIndex((encoded) => encoded.text === text);
    const [known] = place === -1 ? [] : this.#texts.splice(place, 1);
    const encoded = known ?? { text, json: encode(text) };
    if (known === undefined) this.#bytes += sizeOf(encoded);
    this.#texts.unshift(encoded);
    while (this.#texts.length > mostTexts || this.#bytes > mostBytes) {
      const oldest = this.#texts.pop();
      if (oldest === undefined) break;
      this.#bytes -= sizeOf(oldest);
    }
    return encoded.json;
  }
}

const sizeOf = ({ json }: EncodedText) => json?.length ?? 0;

function encode(text: string): Uint8Array | null {
  // U+2028 and U+2029 are escaped on some wires and not on others (docs/threats.md T14).
  return lineSeparator.test(text) ? null : neverChanges(utf8.encode(JSON.stringify(text)));
}

const recent = new RecentTexts();

/**
 * The bytes of JSON.stringify for this text, with the quotes. Null if a framing would write the text in another way. The
 * bytes never change.
 */
export function jsonOfText(text: string): Uint8Array | null {
  return recent.json(text);
}

/** The first bytes of {@link jsonOfText}, without encoding the rest. */
export function firstJsonOf(text: string): Uint8Array {
  return utf8.encode(JSON.stringify(text.slice(0, firstUnits)).slice(0, -1));
}

/** Enough to tell texts from each other, UTF-16 units. */
const firstUnits = 16;
