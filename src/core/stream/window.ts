// The bounded log of frames that readers of one dialect walk through. Old frames fall off; nothing else is dropped.
import type { Out } from '../contract/channel.ts';
import { comparePlaces, formatCursor, numberCursor, type Place } from './cursor.ts';
import type { FrameEntry } from '../contract/reader.ts';

/** A frame and its place: what every reader is given, the same object. */
export interface Placed extends Place, FrameEntry {
  /** Bytes held by all frames up to and including this one. */
  readonly end: number;
}

/** A class, for one is made on each step of the hot path, and few readers ever ask for the cursor. */
class PlacedFrame implements Placed {
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

/** How much a window keeps. `bytes` are those that it holds in memory, see {@link createWindow}. */
export interface WindowLimits {
  readonly frames: number;
  readonly bytes: number;
}

/** docs/faults.md 2.1: 8,192 frames or 8 MiB. */
export const defaultWindow: WindowLimits = { frames: 8192, bytes: 8 * 1024 * 1024 };

/** Frames by absolute number: the first ever is 0. */
export interface Window {
  /** Number of the oldest frame kept. */
  readonly base: number;
  /** Number after the newest frame. */
  readonly top: number;
  /** Place of the newest frame, or where the window began. */
  readonly last: Place;
  /** `at`: wall clock, ms since 1970. */
  push(out: Out, seq: number, at?: number | null): void;
  at(number: number): Placed | undefined;
  /** Bytes held from that frame to the newest. */
  bytesFrom(number: number): number;
  /** Number of the frame after that place; null when the place is not within the window. */
  after(place: Place): number | null;
}

/** What a view costs beside the bytes that it shows. */
const viewBytes = 128;

/** A class, for its getters: V8 gives each object literal with getters a dictionary and a shape of its own. */
class FrameWindow implements Window {
  readonly #epoch: string;
  readonly #limits: WindowLimits;
  readonly #neededFrom: () => number;
  /** From `head` on the frames that are kept; what is before it is let go of, only its room remains for a while. */
  #kept: (Placed | undefined)[] = [];
  #base = 0;
  #head = 0;
  /** Bytes of all frames ever, and of those that fell off. */
  #total = 0;
  #gone = 0;
  /** Made with the first bytes: most dialects only ever give text. */
  #counted: WeakSet<ArrayBufferLike> | null = null;
  #last: Place;
  /** Place of the newest frame that fell off, or where the window began: a reader may still resume right after it. */
  #floor: Place;

  constructor(epoch: string, seq: number, limits: WindowLimits, neededFrom: () => number) {
    this.#epoch = epoch;
    this.#limits = limits;
    this.#neededFrom = neededFrom;
    this.#last = { seq, sub: 0 };
    this.#floor = this.#last;
  }

  get base(): number {
    return this.#base;
  }

  get top(): number {
    return this.#base + this.#kept.length - this.#head;
  }

  get last(): Place {
    return this.#last;
  }

  push(out: Out, seq: number, at: number | null = null): void {
    const sub = this.#last.seq === seq ? this.#last.sub + 1 : 1;
    this.#total += this.#held(out);
    const placed = new PlacedFrame(this.#epoch, out, seq, sub, at, this.#total);
    this.#kept.push(placed);
    this.#last = placed;
    this.#evict();
  }

  at(number: number): Placed | undefined {
    return this.#kept[this.#head + number - this.#base];
  }

  bytesFrom(number: number): number {
    return this.#total - (number <= this.#base ? this.#gone : (this.at(number - 1)?.end ?? this.#total));
  }

  after(place: Place): number | null {
    if (comparePlaces(place, this.#floor) < 0 || comparePlaces(place, this.#last) > 0) return null;
    let low = this.#base;
    let high = this.top;
    while (low < high) {
      const middle = (low + high) >> 1;
      const placed = this.at(middle);
      if (placed !== undefined && comparePlaces(placed, place) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #held(out: Out): number {
    if (typeof out === 'string') return out.length;
    let bytes = 0;
    for (const piece of out) {
      if (typeof piece === 'string') bytes += piece.length;
      else {
        bytes += viewBytes;
        this.#counted ??= new WeakSet();
        if (this.#counted.has(piece.buffer)) continue;
        this.#counted.add(piece.buffer);
        bytes += piece.buffer.byteLength;
      }
    }
    return bytes;
  }

  #evict(): void {
    const { frames, bytes } = this.#limits;
    const kept = this.#kept;
    let needed: number | undefined;
    while (kept.length - this.#head > 1 && (kept.length - this.#head > frames || this.#total - this.#gone > bytes)) {
      const oldest = kept[this.#head];
      needed ??= this.#neededFrom();
      if (oldest === undefined || this.#base >= needed) return;
      this.#gone = oldest.end;
      this.#floor = { seq: oldest.seq, sub: oldest.sub };
      kept[this.#head] = undefined;
      this.#head += 1;
      this.#base += 1;
    }
    // Shifting an array for each frame would be quadratic; cut it now and then.
    if (this.#head > 1024 && this.#head * 2 > kept.length) {
      this.#kept = kept.slice(this.#head);
      this.#head = 0;
    }
  }
}

/**
 * Starts a window after event `seq`.
 *
 * It counts what it holds in memory, not what goes over the wire: text counts in full, bytes by the buffer behind them,
 * once, with the first frame that shows it. Snapshots that grow are many views of one buffer (docs/limits.md 2.1); counted in full, 20 of them would fill the window and no reader could keep up. A buffer whose first frame
 * has fallen off is no longer counted: that is at most one for each message that is still open.
 *
 * From the frame `neededFrom` on nothing falls off, whatever the limits: its reader slows the agent instead.
 */
export function createWindow(
  epoch: string,
  seq: number,
  limits: WindowLimits = defaultWindow,
  neededFrom: () => number = () => Number.POSITIVE_INFINITY,
): Window {
  return new FrameWindow(epoch, seq, limits, neededFrom);
}

/** About how many bytes a frame weighs on the wire. */
export function sizeOf(out: Out): number {
  if (typeof out === 'string') return out.length;
  let size = 0;
  for (const piece of out) size += piece.length;
  return size;
}
