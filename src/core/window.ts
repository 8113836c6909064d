// The bounded log of frames that readers of one dialect walk through. Old frames fall off; nothing else is dropped.
import type { Out } from './channel.ts';
import { comparePlaces, type Place } from './cursor.ts';

/** A frame and its place. */
export interface Placed extends Place {
  readonly out: Out;
  /** Bytes of all frames up to and including this one. */
  readonly end: number;
}

/** How much a window keeps. */
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
  /** Bytes from that frame to the newest. */
  bytesFrom(number: number): number;
  /** Number of the frame after that place; null when the place is not within the window. */
  after(place: Place): number | null;
}

/** Starts a window after event `seq`. */
export function createWindow(seq: number, limits: WindowLimits = defaultWindow): Window {
  /** From `head` on the frames that are kept; what is before it is let go of, only its room remains for a while. */
  let kept: (Placed | undefined)[] = [];
  let base = 0;
  let head = 0;
  /** Bytes of all frames ever, and of those that fell off. */
  let total = 0;
  let gone = 0;
  let last: Place = { seq, sub: 0 };
  /** Place of the newest frame that fell off, or where the window began: a reader may still resume right after it. */
  let floor: Place = last;
  const at = (number: number): Placed | undefined => kept[head + number - base];

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
      total += sizeOf(out);
      const placed = { seq: at, sub, out, end: total };
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
  return out.reduce((sum, piece) => sum + piece.length, 0);
}
