// The bounded log of frames that all readers of one dialect share. Only the oldest frames are evicted.
import type { Out } from '../contract/channel.ts';
import type { ReadPart, Stretch } from '../contract/stretch.ts';
import { comparePlaces, type Place } from './cursor.ts';
import { type Placed, PlacedFrame, PlacedStretch } from './placed-frame.ts';
import type { TextPage } from './text-page.ts';

/** How much a window keeps. `bytes`: bytes in memory, see {@link createWindow}. */
export interface WindowLimits {
  readonly frames: number;
  readonly bytes: number;
}

/** docs/faults.md 2.1: 8,192 frames or 8 MiB. */
export const defaultWindow: WindowLimits = { frames: 8192, bytes: 8 * 1024 * 1024 };

/** Frames by absolute number: the first frame ever is 0. */
export interface Window {
  /** Number of the oldest frame kept. */
  readonly base: number;
  /** Number after the newest frame. */
  readonly top: number;
  /** Place of the newest frame; the start of the window where there is none yet. */
  readonly last: Place;
  /** `at`: wall clock, ms since 1970. */
  push(out: Out, seq: number, at?: number | null): void;
  /** Pushes one frame for each of consecutive events, of which the first is `seq`. */
  pushStretch(stretch: Stretch, seq: number, at: number | null): void;
  /** No event between these two has frames here, nor ever will. The window goes on behind event `to`. */
  skip(from: number, to: number): void;
  at(number: number): Placed | undefined;
  /** The frames from that number to before number `to`, as far as they belong to one stretch; null if they do not. */
  stretchAt(number: number, to: number): ReadPart | null;
  /** Bytes in memory from that frame to the newest. */
  bytesFrom(number: number): number;
  /** Number of the frame after that place; null when the place is not within the window. */
  after(place: Place): number | null;
}

/** Memory of a view beside the bytes that it shows. */
const viewBytes = 128;

/** A class, because of its getters: V8 gives each object literal with getters a dictionary and a shape of its own. */
class FrameWindow implements Window {
  readonly #epoch: string;
  readonly #limits: WindowLimits;
  readonly #neededFrom: () => number;
  /**
   * The frames kept begin at index `#head`; the slots before it are empty until the array is cut. A stretch has a slot
   * for each of its frames.
   */
  #frames: (PlacedFrame | PlacedStretch | undefined)[] = [];
  #base = 0;
  #head = 0;
  /** Bytes of all frames ever pushed. */
  #pushedBytes = 0;
  /** Bytes of all frames ever evicted. */
  #evictedBytes = 0;
  /** The buffers counted so far. Created with the first bytes: most dialects produce only text. */
  #countedBuffers: WeakSet<ArrayBufferLike> | null = null;
  #last: Place;
  /** Takes the texts of frames; null: none has come. */
  #page: TextPage | null = null;
  /** What was skipped, exclusive at both ends. Null: nothing. */
  #skipped: { readonly from: number; readonly to: number }[] | null = null;
  /** Place of the newest evicted frame, or the start of the window: the earliest place at which a reader can resume. */
  #floor: Place;

  constructor(epoch: string, start: Place, limits: WindowLimits, neededFrom: () => number) {
    this.#epoch = epoch;
    this.#limits = limits;
    this.#neededFrom = neededFrom;
    this.#last = start;
    this.#floor = this.#last;
  }

  get base(): number {
    return this.#base;
  }

  get top(): number {
    return this.#base + this.#frames.length - this.#head;
  }

  get last(): Place {
    return this.#last;
  }

  push(out: Out, seq: number, at: number | null = null): void {
    const sub = this.#last.seq === seq ? this.#last.sub + 1 : 1;
    this.#pushedBytes += this.#memoryOf(out);
    this.#packNewest();
    const placed = new PlacedFrame(this.#epoch, out, seq, sub, at, this.#pushedBytes);
    this.#frames.push(placed);
    this.#last = placed;
    this.#evict();
  }

  pushStretch(stretch: Stretch, seq: number, at: number | null): void {
    const count = stretch.ends.length;
    this.#packNewest();
    const placed = new PlacedStretch(this.#epoch, stretch, this.top, seq, at, this.#pushedBytes);
    for (let slot = 0; slot < count; slot += 1) this.#frames.push(placed);
    this.#pushedBytes = placed.endOf(placed.first + count - 1);
    this.#last = { seq: seq + count - 1, sub: 1 };
    this.#evict();
  }

  /** Most readers have read a frame when the next one comes. */
  #packNewest(): void {
    const newest = this.#frames.at(-1);
    if (newest instanceof PlacedFrame) this.#page = newest.pack(this.#page);
  }

  skip(from: number, to: number): void {
    this.#skipped ??= [];
    this.#skipped.push({ from, to });
    this.#last = { seq: to, sub: 0 };
  }

  at(number: number): Placed | undefined {
    const slot = this.#slot(number);
    return slot instanceof PlacedStretch ? slot.frame(number) : slot;
  }

  stretchAt(number: number, to: number): ReadPart | null {
    const slot = this.#slot(number);
    if (!(slot instanceof PlacedStretch)) return null;
    const { stretch, first } = slot;
    return { stretch, from: number - first, to: Math.min(to - first, stretch.ends.length), places: slot };
  }

  bytesFrom(number: number): number {
    const before = number <= this.#base ? this.#evictedBytes : this.#endOf(number - 1);
    return this.#pushedBytes - before;
  }

  #slot(number: number): PlacedFrame | PlacedStretch | undefined {
    return this.#frames[this.#head + number - this.#base];
  }

  /** Bytes of all frames up to and including that one. */
  #endOf(number: number): number {
    const slot = this.#slot(number);
    return slot instanceof PlacedStretch ? slot.endOf(number) : (slot?.end ?? this.#pushedBytes);
  }

  #placeOf(number: number): Place | undefined {
    const slot = this.#slot(number);
    return slot instanceof PlacedStretch ? slot.placeOf(number) : slot;
  }

  after(place: Place): number | null {
    if (comparePlaces(place, this.#floor) < 0 || comparePlaces(place, this.#last) > 0) return null;
    if (this.#skipped?.some(({ from, to }) => place.seq > from && place.seq < to) === true) return null;
    let low = this.#base;
    let high = this.top;
    while (low < high) {
      const middle = (low + high) >> 1;
      const placed = this.#placeOf(middle);
      if (placed !== undefined && comparePlaces(placed, place) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #memoryOf(out: Out): number {
    if (typeof out === 'string') return out.length;
    let bytes = 0;
    for (const piece of out) {
      if (typeof piece === 'string') bytes += piece.length;
      else {
        bytes += viewBytes;
        this.#countedBuffers ??= new WeakSet();
        if (this.#countedBuffers.has(piece.buffer)) continue;
        this.#countedBuffers.add(piece.buffer);
        bytes += piece.buffer.byteLength;
      }
    }
    return bytes;
  }

  #evict(): void {
    if (!this.#isOverfull()) return;
    const needed = this.#neededFrom();
    let newest: PlacedFrame | PlacedStretch | undefined;
    while (this.#isOverfull() && this.#base < needed) {
      this.#evictedBytes = this.#endOf(this.#base);
      newest = this.#frames[this.#head];
      this.#frames[this.#head] = undefined;
      this.#head += 1;
      this.#base += 1;
    }
    if (newest === undefined) return;
    this.#floor = newest instanceof PlacedStretch ? newest.placeOf(this.#base - 1) : newest;
    // Shifting the array for each frame would be quadratic: cut the empty slots off now and then.
    if (this.#head > 1024 && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head);
      this.#head = 0;
    }
  }

  #isOverfull(): boolean {
    const { frames, bytes } = this.#limits;
    const count = this.#frames.length - this.#head;
    return count > 1 && (count > frames || this.#pushedBytes - this.#evictedBytes > bytes);
  }
}

/**
 * Starts a window at a place: its first frame comes behind it.
 *
 * The byte limit counts memory, not wire bytes: text counts in full; bytes count by the buffer behind them, once, with
 * the first frame that shows the buffer. Growing snapshots are many views of one buffer (docs/limits.md 2.1): counted
 * in full, 20 of them would fill the window and no reader could keep up. A buffer whose first frame was evicted is no
 * longer counted; there is at most one such buffer per open message.
 *
 * Frames from number `neededFrom()` on are never evicted, whatever the limits: the reader that needs them slows the
 * agent down instead.
 */
export function createWindow(
  epoch: string,
  start: Place,
  limits: WindowLimits = defaultWindow,
  neededFrom: () => number = () => Number.POSITIVE_INFINITY,
): Window {
  return new FrameWindow(epoch, start, limits, neededFrom);
}
