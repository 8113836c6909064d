// The frames that lead to the state of one moment, for readers that do not know what came before. They are made while
// the reader takes them, so that a long conversation keeps nobody waiting (docs/limits.md 6.6).
import type { Out } from '../contract/channel.ts';
import { guarded } from '../contract/guarded.ts';
import type { Replaying } from '../log/replay.ts';
import type { Place } from './cursor.ts';

const none: readonly Out[] = [];

/** A class: each reader that comes late has one, and `take` runs for each frame. */
export class Snapshot {
  /** The place behind the last frame. */
  readonly place: Place;
  /** Number of the first frame of the window behind it. */
  readonly next: number;
  readonly #failed: (thrown: unknown) => void;
  /** Null: all frames are made. */
  #replaying: Replaying | null;
  #made: Out[] = [];
  #taken = 0;

  /** `failed` takes what a projection throws; the snapshot is over then. */
  constructor(replaying: () => Replaying, place: Place, next: number, failed: (thrown: unknown) => void) {
    this.place = place;
    this.next = next;
    this.#failed = failed;
    this.#replaying = null;
    guarded(() => {
      this.#replaying = replaying();
    }, failed);
  }

  /** Whether every frame was taken. */
  get isOver(): boolean {
    return this.#replaying === null && this.#taken === this.#made.length;
  }

  /**
   * Makes frames of at most so many events, until the next frame can be taken. Returns false if it cannot be taken yet:
   * the frame after it is made first, because the last frame of all is marked.
   */
  make(events: number): boolean {
    for (let left = events; left > 0 && this.#replaying !== null && this.#made.length - this.#taken < 2; left -= 1) {
      this.#makeMore(this.#replaying);
    }
    return this.#replaying === null || this.#made.length - this.#taken >= 2;
  }

  /** The next frame; undefined when there is none. To be called after {@link Snapshot.make} has returned true. */
  take(): Out | undefined {
    const out = this.#made[this.#taken];
    if (out !== undefined) this.#taken += 1;
    return out;
  }

  #makeMore(replaying: Replaying): void {
    let made: readonly Out[] | null = null;
    guarded(() => {
      made = replaying.next();
    }, this.#failed);
    this.#made = [...this.#made.slice(this.#taken), ...(made ?? none)];
    this.#taken = 0;
    if (made === null) this.#replaying = null;
  }
}
