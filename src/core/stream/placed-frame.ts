// Frames with their places in the stream: single ones, and those of a stretch.
import type { Out } from '../contract/channel.ts';
import type { FrameEntry } from '../contract/reader.ts';
import { frameIn, type Stretch } from '../contract/stretch.ts';
import { formatCursor, numberCursor, type Place } from './cursor.ts';

/** A frame and its place. All readers of a stream get the same object. */
export interface Placed extends Place, FrameEntry {
  /** Bytes counted by the window for all frames up to and including this one. */
  readonly end: number;
}

/** A class: one per frame on the hot path, and its getters format a cursor only for the few readers that ask. */
export class PlacedFrame implements Placed {
  readonly kind = 'frame';
  readonly epoch: string;
  readonly out: Out;
  readonly seq: number;
  readonly sub: number;
  readonly at: number | null;
  readonly end: number;

  constructor(epoch: string, out: Out, seq: number, sub: number, at: number | null, end: number) {
    this.epoch = epoch;
    this.out = out;
    this.seq = seq;
    this.sub = sub;
    this.at = at;
    this.end = end;
  }

  get cursor(): string {
    return formatCursor(this.epoch, this);
  }

  get number(): number | null {
    return numberCursor(this.epoch, this);
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The frames of a stretch, of which the first has the number `first` in its window and belongs to event `seq`. */
export class PlacedStretch {
  readonly stretch: Stretch;
  readonly first: number;
  readonly #epoch: string;
  readonly #seq: number;
  readonly #at: number | null;
  /** As {@link Placed.end}, before the first frame. */
  readonly #start: number;
  /** See {@link charactersIn}; null where each byte is a character. */
  readonly #characters: Int32Array | null;
  /** Frames that were read one by one, so that all readers get the same objects. */
  #single: PlacedFrame[] | null = null;

  constructor(epoch: string, stretch: Stretch, first: number, seq: number, at: number | null, start: number) {
    this.stretch = stretch;
    this.first = first;
    this.#epoch = epoch;
    this.#seq = seq;
    this.#at = at;
    this.#start = start;
    this.#characters = stretch.isAscii ? null : charactersIn(stretch);
  }

  placeOf(number: number): Place {
    return { seq: this.#seq + number - this.first, sub: 1 };
  }

  /** As {@link Placed.end}: text counts by its characters, as it does in single frames. The LF behind a frame does not count. */
  endOf(number: number): number {
    const place = number - this.first;
    return this.#start + ((this.#characters ?? this.stretch.ends)[place] ?? 0) - place;
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

/**
 * UTF-16 units of all frames, and of the LFs between them, up to the end of each frame. Almost all bytes of a frame are
 * ASCII, so they are looked at four at a time.
 */
function charactersIn({ bytes, ends }: Stretch): Int32Array {
  const characters = new Int32Array(ends.length);
  const skew = bytes.byteOffset % 4;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset - skew, (skew + bytes.length) >> 2);
  let count = 0;
  let at = 0;
  for (let place = 0; place < ends.length; place += 1) {
    const end = ends[place] ?? at;
    while (at < end) {
      count += unitsOf(bytes[at] ?? 0);
      at += 1;
      if ((at + skew) % 4 !== 0) continue;
      const from = at;
      while (at + 4 <= end && ((words[(at + skew) >> 2] ?? 0) & notAscii) === 0) at += 4;
      count += at - from;
    }
    characters[place] = count;
  }
  return characters;
}

/** The bits of four bytes that none of ASCII has. */
const notAscii = 0x80808080 | 0;

/** UTF-16 units that a byte of UTF-8 begins: none within a character, two at the beginning of four bytes. */
function unitsOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}
