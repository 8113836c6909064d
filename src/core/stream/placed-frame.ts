// Frames with their places in the stream: single ones, and those of a stretch.
import type { Out } from '../contract/channel.ts';
import type { FrameEntry } from '../contract/reader.ts';
import { frameIn, type Stretch, type StretchPlaces } from '../contract/stretch.ts';
import { formatCursor, numberCursor, type Place } from './cursor.ts';
import { isPackable, PackedText, TextPage } from './text-page.ts';

/** A frame and its place. All readers of a stream get the same object. */
export interface Placed extends Place, FrameEntry {
  /** Bytes counted by the window for all frames up to and including this one. */
  readonly end: number;
}

/** A class: one per frame on the hot path, and its getters format a cursor only for the few readers that ask. */
export class PlacedFrame implements Placed {
  readonly kind = 'frame';
  readonly epoch: string;
  readonly seq: number;
  readonly sub: number;
  readonly at: number | null;
  readonly end: number;
  #out: Out | PackedText;

  constructor(epoch: string, out: Out, seq: number, sub: number, at: number | null, end: number) {
    this.epoch = epoch;
    this.#out = out;
    this.seq = seq;
    this.sub = sub;
    this.at = at;
    this.end = end;
  }

  get out(): Out {
    return this.#out instanceof PackedText ? this.#out.text : this.#out;
  }

  get cursor(): string {
    return formatCursor(this.epoch, this);
  }

  get number(): number | null {
    return numberCursor(this.epoch, this);
  }

  /** Moves a text out of V8's heap. Returns the page for the next one. */
  pack(page: TextPage | null): TextPage | null {
    const text = this.#out;
    if (typeof text !== 'string' || !isPackable(text)) return page;
    const taking = page?.hasRoom(text) === true ? page : new TextPage(page);
    this.#out = taking.add(text);
    return taking;
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The frames of a stretch, of which the first has the number `first` in its window and belongs to event `seq`. */
export class PlacedStretch implements StretchPlaces {
  readonly stretch: Stretch;
  readonly first: number;
  readonly #epoch: string;
  readonly #seq: number;
  readonly #at: number | null;
  /** As {@link Placed.end}, before the first frame. */
  readonly #start: number;
  /** Frames that were read one by one, so that all readers get the same objects. */
  #single: PlacedFrame[] | null = null;

  constructor(epoch: string, stretch: Stretch, first: number, seq: number, at: number | null, start: number) {
    this.stretch = stretch;
    this.first = first;
    this.#epoch = epoch;
    this.#seq = seq;
    this.#at = at;
    this.#start = start;
  }

  cursorAt(place: number): string {
    return formatCursor(this.#epoch, this.placeOf(this.first + place));
  }

  placeOf(number: number): Place {
    return { seq: this.#seq + number - this.first, sub: 1 };
  }

  /** As {@link Placed.end}: text counts by its characters, as it does in single frames. The LF behind a frame does not count. */
  endOf(number: number): number {
    const place = number - this.first;
    const { ends, surplus } = this.stretch;
    return this.#start + (ends[place] ?? 0) - place - (surplus?.[place] ?? 0);
  }

  frame(number: number): Placed {
    const place = number - this.first;
    this.#single ??= [];
    const known = this.#single[place];
    if (known !== undefined) return known;
    const out = utf8.decode(frameIn(this.stretch, place));
    const placed = new PlacedFrame(this.#epoch, out, this.#seq + place, 1, this.#at, this.endOf(number));
    this.#single[place] = placed;
    return placed;
  }
}
