// Brings the projection of a new stream up to date in portions; what is logged meanwhile follows in order
// (docs/limits.md 6.6).
import type { PacedTask } from '../contract/paced-work.ts';
import { sizeOf } from '../contract/traffic.ts';
import type { Replaying } from '../log/replay.ts';
import type { Logged } from '../model/event.ts';

/** One portion: so many events, or frames of so many bytes. */
const portion = { events: 128, bytes: 64 * 1024 };

/** Told by a {@link CatchUp}. */
export interface CatchUpListener {
  /** The turn of an event that was logged meanwhile has come: the transcript of the projection ends with it. */
  emit(logged: Logged): void;
  /** The projection is up to date. */
  caughtUpWithLog(): void;
  failed(thrown: unknown): void;
}

/** A class: each stream begins with one. */
export class CatchUp implements PacedTask {
  readonly #replaying: Replaying;
  readonly #listener: CatchUpListener;
  readonly #later: Logged[] = [];
  #emitted = 0;
  #isReplayed = false;
  #isOver = false;

  constructor(replaying: Replaying, listener: CatchUpListener) {
    this.#replaying = replaying;
    this.#listener = listener;
  }

  /** Events that wait for their turn. */
  get waiting(): number {
    return this.#later.length - this.#emitted;
  }

  /** Adds an event that was logged meanwhile. */
  add(logged: Logged): void {
    this.#later.push(logged);
  }

  step(): number | null {
    let bytes = 0;
    for (let count = 0; count < portion.events && bytes < portion.bytes; count += 1) {
      const size = this.#goOn();
      if (size === null) return null;
      bytes += size;
    }
    return bytes;
  }

  /** Does the rest at once. */
  finish(): void {
    while (this.#goOn() !== null);
  }

  /** Nothing more is to be done. */
  drop(): void {
    this.#isOver = true;
  }

  /** Takes one event. Returns the size of its frames, bytes; null when there is none left. */
  #goOn(): number | null {
    if (this.#isOver) return null;
    try {
      return this.#isReplayed ? this.#emitNext() : this.#replayNext();
    } catch (thrown) {
      this.#isOver = true;
      this.#listener.failed(thrown);
      return null;
    }
  }

  #replayNext(): number | null {
    const frames = this.#replaying.next();
    if (frames === null) {
      this.#isReplayed = true;
      return this.#emitNext();
    }
    let size = 0;
    for (const frame of frames) size += sizeOf(frame);
    return size;
  }

  #emitNext(): number | null {
    const logged = this.#later[this.#emitted];
    if (logged === undefined) {
      this.#isOver = true;
      this.#replaying.goLive();
      this.#listener.caughtUpWithLog();
      return null;
    }
    this.#emitted += 1;
    this.#replaying.fold(logged);
    this.#listener.emit(logged);
    return 0;
  }
}
