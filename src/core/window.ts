// The bounded log of frames that readers of one dialect walk through. Old frames fall off; nothing else is dropped.
import type { Out } from './channel.ts';
import { comparePlaces, formatCursor, type Place } from './cursor.ts';
import type { FrameEntry } from './reader.ts';

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
  readonly end: number;

  constructor(epoch: string, out: Out, seq: number, sub: number, end: number) {
    this.epoch = epoch;
    this.out = out;
    this.seq = seq;
    this.sub = sub;
    this.end = end;
  }

  get cursor(): string {
    return formatCursor(this.epoch, this);
  }
}

/** How much a window keeps. `bytes` are those that it holds in memory, see {@link createWindow}. */
export interface WindowLimits {
  readonly frames: number;
  readonly bytes: number;
}

/** What the reliability reference (5.1) settled on: 8,192 frames or 8 MiB. */
export const defaultWindow: WindowLimits = { frames: 8192, bytes: 8 * 1024 * 1024 };

/** Frames by absolute number: the first ever is 0. */
export interface Window {
  /** Number of the oldest frame kept. */
  readonly base: number;
  /** Number after the newest frame. */
  readonly top: number;
  /** Place of the newest frame, or where the window began. */
  readonly last: Place;
  push(out: Out, seq: number): void;
  at(number: number): Placed | undefined;
  /** Bytes held from that frame to the newest. */
  bytesFrom(number: number): number;
  /** Number of the frame after that place; null when the place is not within the window. */
  after(place: Place): number | null;
}

/** What a view costs beside the bytes that it shows. */
const viewBytes = 128;

/**
 * Starts a window after event `seq`.
 *
 * It counts what it holds in memory, not what goes over the wire: text counts in full, bytes by the buffer behind them,
 * once, with the first frame that shows it. Snapshots that grow are many views of one buffer (reference performance,
 * section 4); counted in full, 20 of them would fill the window and no reader could keep up. A buffer whose first frame
 * has fallen off is no longer counted: that is at most one for each message that is still open.
 */
export function createWindow(epoch: string, seq: number, limits: WindowLimits = defaultWindow): Window {
  /** From `head` on the frames that are kept; what is before it is let go of, only its room remains for a while. */
  let kept: (Placed | undefined)[] = [];
  let base = 0;
  let head = 0;
  /** Bytes of all frames ever, and of those that fell off. */
  let total = 0;
  let gone = 0;
  const counted = new WeakSet<ArrayBufferLike>();
  let last: Place = { seq, sub: 0 };
  /** Place of the newest frame that fell off, or where the window began: a reader may still resume right after it. */
  let floor: Place = last;
  const at = (number: number): Placed | undefined => kept[head + number - base];

  function held(out: Out): number {
    if (typeof out === 'string') return out.length;
    let bytes = 0;
    for (const piece of out) {
      if (typeof piece === 'string') bytes += piece.length;
      else {
        bytes += viewBytes;
        if (counted.has(piece.buffer)) continue;
        counted.add(piece.buffer);
        bytes += piece.buffer.byteLength;
      }
    }
    return bytes;
  }

  function evict(): void {
    while (kept.length - head > 1 && (kept.length - head > limits.frames || total - gone > limits.bytes)) {
      const oldest = kept[head];
      if (oldest === undefined) return;
      gone = oldest.end;
      floor = { seq: oldest.seq, sub: oldest.sub };
      kept[head] = undefined;
      head += 1;
      base += 1;
    }
    // Shifting an array for each frame would be quadratic; cut it now and then.
    if (head > 1024 && head * 2 > kept.length) {
      kept = kept.slice(head);
      head = 0;
    }
  }

  return {
    get base() {
      return base;
    },
    get top() {
      return base + kept.length - head;
    },
    get last() {
      return last;
    },
    push(out, at) {
      const sub = last.seq === at ? last.sub + 1 : 1;
      total += held(out);
      const placed = new PlacedFrame(epoch, out, at, sub, total);
      kept.push(placed);
      last = placed;
      evict();
    },
    at,
    bytesFrom: (number) => total - (number <= base ? gone : (at(number - 1)?.end ?? total)),
    after(place) {
      if (comparePlaces(place, floor) < 0 || comparePlaces(place, last) > 0) return null;
      let low = base;
      let high = base + kept.length - head;
      while (low < high) {
        const middle = (low + high) >> 1;
        const placed = at(middle);
        if (placed !== undefined && comparePlaces(placed, place) <= 0) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}

/** About how many bytes a frame weighs on the wire. */
export function sizeOf(out: Out): number {
  if (typeof out === 'string') return out.length;
  let size = 0;
  for (const piece of out) size += piece.length;
  return size;
}
