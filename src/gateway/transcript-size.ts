// Measures the text in a transcript: each item is measured once, after its end, so that a scrape costs only what is new.
import type { Item, Transcript } from '../core/model/transcript.ts';

/** The growing size of one transcript. */
export class TranscriptSize {
  readonly #transcript: Transcript;
  /** Characters in the first items, which do not change any more. */
  #settled = 0;
  #count = 0;
  /** The last of those items: another one in its place means that the history was replaced. */
  #last: Item | undefined;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** Characters of text, and of names and values beside the text. */
  measure(): number {
    const { items } = this.#transcript;
    if (items[this.#count - 1] !== this.#last) this.#restart();
    for (let item = items[this.#count]; item !== undefined && isOver(item); item = items[this.#count]) {
      this.#settled += sizeOfItem(item);
      this.#count += 1;
      this.#last = item;
    }
    let open = 0;
    for (let at = this.#count; at < items.length; at += 1) open += sizeOfItem(items[at]);
    return this.#settled + open;
  }

  #restart(): void {
    this.#settled = 0;
    this.#count = 0;
    this.#last = undefined;
  }
}

function isOver(item: Item): boolean {
  return item.kind === 'event' || item.message.end !== undefined;
}

function sizeOfItem(item: Item | undefined): number {
  if (item === undefined) return 0;
  if (item.kind === 'event') return textIn(item.logged.event);
  return item.message.blocks.reduce((sum, block) => sum + block.text.length + textIn(block.end?.input), 0);
}

/** Characters of all strings in a value. The wire limits the depth of values (docs/threats.md T12). */
function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const part of Object.values(value)) sum += textIn(part);
  return sum;
}
