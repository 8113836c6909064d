// The readers attached to one stream: wakes them, finds the slowest, and slows the agent down while one of them is
// behind.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { Clock } from '../contract/clock.ts';
import { faultText, guarded } from '../contract/guarded.ts';
import { SlowReaders } from './slow-readers.ts';

/** A reader, as its stream sees it. */
export interface AttachedReader {
  /** The agent is slowed down rather than this reader ever left behind. */
  readonly isHolding: boolean;
  /** The last read returned nothing: a wake-up is due. */
  readonly isWaiting: boolean;
  /** It was woken and has not had its turn since: not the reader is late, but the gateway. */
  readonly isCalled: boolean;
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
  /** Told true while the agent must wait for a reader, whenever readers are woken; false once, when it need not. */
  pressure?(pressure: boolean): void;
  note?(level: NoteLevel, text: string): void;
}

/**
 * The share of the window that a reader may have unread before the agent is paused (`high`), and the share at
 * which the agent resumes (`low`). The rest of the window takes in what the agent has already sent.
 */
export const pressureShare = { high: 1 / 8, low: 1 / 32 };

/** A class: each stream has one, and each event asks it who is waiting. */
export class ReaderSet {
  readonly #backlog: Backlog;
  readonly #listener: PressureListener;
  readonly #slow: SlowReaders;
  /** Replaced, never changed: a reader that is woken may attach and close others. */
  #readers: readonly AttachedReader[] = [];
  #isPressed = false;
  /** Number of the first frame that waiting readers were not woken for; null: there is none. */
  #firstUnannounced: number | null = null;
  #isWakeUpQueued = false;

  constructor(backlog: Backlog, listener: PressureListener, clock: Clock | undefined) {
    this.#backlog = backlog;
    this.#listener = listener;
    this.#slow = new SlowReaders(clock, () =>
      guarded(
        () => this.#tell(),
        (thrown) => this.#noteFault(thrown),
      ),
    );
  }

  get size(): number {
    return this.#readers.length;
  }

  add(reader: AttachedReader): void {
    // A spread would leave room for sixteen more.
    this.#readers = this.#readers.concat(reader);
  }

  /** False when the reader has left already. */
  remove(reader: AttachedReader): boolean {
    if (!this.#readers.includes(reader)) return false;
    this.#readers = this.#readers.filter((other) => other !== reader);
    if (this.#slow.remove(reader)) this.#tell();
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

  /** Whether each reader is late by itself and has at least so many frames to read before frame `top`. */
  areAllBehind(frames: number, top: number): boolean {
    for (const { isWaiting, isCalled, next } of this.#readers) {
      if (isWaiting || isCalled || top - next < frames) return false;
    }
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

  /** Finds the readers that have fallen behind or caught up, and tells the listener. */
  measurePressure(): void {
    if (this.#listener.pressure === undefined) return;
    for (const reader of this.#readers) this.#measure(reader);
    this.#tell();
  }

  /** That reader has read. */
  caughtUp(reader: AttachedReader): void {
    if (!this.#slow.has(reader)) return;
    this.#slow.took(reader);
    this.#measure(reader);
    if (!this.#slow.has(reader)) this.#tell();
  }

  #measure(reader: AttachedReader): void {
    const share = this.#backlog.shareFrom(reader.next);
    if (share > pressureShare.high) this.#slow.add(reader);
    else if (share < pressureShare.low) this.#slow.remove(reader);
  }

  #tell(): void {
    const { mustWait } = this.#slow;
    const wasPressed = this.#isPressed;
    // Set before: an agent that may go on says more at once, and this is called again within the call.
    this.#isPressed = mustWait;
    // Repeated each time: the session may have a new agent by now.
    if (mustWait || wasPressed) this.#listener.pressure?.(mustWait);
  }
}
