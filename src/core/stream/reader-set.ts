// The readers attached to one stream: wakes them, finds the slowest, and slows the agent down while one of them is
// behind.
import type { NoteLevel } from '../contract/adapter.ts';
import { faultText, guarded } from '../contract/guarded.ts';

/** A reader, as its stream sees it. */
export interface AttachedReader {
  /** The agent is slowed down rather than this reader left behind. */
  readonly isHolding: boolean;
  /** The last read returned nothing: a wake-up is due. */
  readonly isWaiting: boolean;
  /** Number of the next frame that it reads. */
  readonly next: number;
  wake(): void;
}

/** Measures what is still unread. */
export interface Backlog {
  /** The share of the window's limits that frame `next` and everything after it take: 1 is a full window. */
  shareFrom(next: number): number;
}

/** Learns what becomes of the readers. */
export interface PressureListener {
  /** Told true while a holding reader is behind, whenever readers are woken; false once, when it has caught up. */
  pressure?(pressure: boolean): void;
  note?(level: NoteLevel, text: string): void;
}

/**
 * The share of the window that a holding reader may have unread before the agent is paused (`high`), and the share at
 * which the agent resumes (`low`). The rest of the window takes in what the agent has already sent.
 */
export const pressureShare = { high: 1 / 8, low: 1 / 32 };

/** A class: each stream has one, and each event asks it who is waiting. */
export class ReaderSet {
  readonly #backlog: Backlog;
  readonly #listener: PressureListener;
  /** Replaced, never changed: a reader that is woken may attach and close others. */
  #readers: readonly AttachedReader[] = [];
  #isPressed = false;
  /** Number of the first frame that waiting readers were not woken for; null: there is none. */
  #firstUnannounced: number | null = null;
  #isWakeUpQueued = false;

  constructor(backlog: Backlog, listener: PressureListener) {
    this.#backlog = backlog;
    this.#listener = listener;
  }

  get size(): number {
    return this.#readers.length;
  }

  add(reader: AttachedReader): void {
    this.#readers = [...this.#readers, reader];
  }

  /** False when the reader has left already. */
  remove(reader: AttachedReader): boolean {
    if (!this.#readers.includes(reader)) return false;
    this.#readers = this.#readers.filter((other) => other !== reader);
    return true;
  }

  /** Number of the first frame that a holding reader has still to read: one burst may be more than the window keeps. */
  neededFrom(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const reader of this.#readers) if (reader.isHolding) first = Math.min(first, reader.next);
    return first;
  }

  /** Number of the next frame of the slowest reader; infinite without readers. */
  slowest(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const reader of this.#readers) first = Math.min(first, reader.next);
    return first;
  }

  /** Whether each reader has at least so many frames to read before frame `top`. */
  areAllBehind(frames: number, top: number): boolean {
    for (const reader of this.#readers) if (reader.isWaiting || top - reader.next < frames) return false;
    return true;
  }

  wake(): void {
    this.#firstUnannounced = null;
    for (const reader of this.#readers) {
      try {
        reader.wake();
      } catch (thrown) {
        this.#noteFault(thrown);
      }
    }
  }

  /** A reader or listener that throws has its own guard as a rule; the others are woken all the same. */
  #noteFault(thrown: unknown): void {
    this.#listener.note?.('internal', faultText(thrown));
  }

  wakeAndMeasure(): void {
    this.wake();
    this.measurePressure();
  }

  /**
   * Wakes in a microtask for frame `first` and what follows: one read from the agent often gives hundreds of deltas,
   * and readers are woken once for all of them, before anything else happens. Wakes at once when much is unannounced.
   */
  wakeSoon(first: number): void {
    this.#firstUnannounced ??= first;
    if (this.#backlog.shareFrom(this.#firstUnannounced) > pressureShare.low) return this.wakeAndMeasure();
    if (this.#isWakeUpQueued) return;
    this.#isWakeUpQueued = true;
    queueMicrotask(() => {
      this.#isWakeUpQueued = false;
      if (this.#firstUnannounced === null) return;
      guarded(
        () => this.wakeAndMeasure(),
        (thrown) => this.#noteFault(thrown),
      );
    });
  }

  measurePressure(): void {
    if (this.#listener.pressure === undefined) return;
    let most = 0;
    for (const reader of this.#readers) {
      if (reader.isHolding) most = Math.max(most, this.#backlog.shareFrom(reader.next));
    }
    if (most > pressureShare.high) {
      this.#isPressed = true;
      // Repeated each time: the session may have a new agent by now.
      this.#listener.pressure(true);
    } else if (this.#isPressed && most < pressureShare.low) {
      this.#isPressed = false;
      this.#listener.pressure(false);
    }
  }
}
