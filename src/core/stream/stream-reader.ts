// One client's place in a stream: first the rest of a snapshot, if there is one, then the frames of the window.
import { type PacedTask, unpaced, type WorkQueue } from '../contract/paced-work.ts';
import type { Entry, Reader, StreamEnd } from '../contract/reader.ts';
import { frameStart, type ReadPart } from '../contract/stretch.ts';
import { sizeOf } from '../contract/traffic.ts';
import { formatCursor, numberCursor, parseCursor } from './cursor.ts';
import type { AttachedReader } from './reader-set.ts';
import type { Snapshot } from './snapshot.ts';
import type { Window } from './window.ts';

/** What a reader needs of its stream. */
export interface ReaderSource {
  readonly work: WorkQueue;
  readonly epoch: string;
  readonly window: Window;
  /** How many readers the stream has. */
  readonly readers: number;
  /** Whether a delta is pending: it becomes frames with {@link ReaderSource.flush}. */
  readonly hasPending: boolean;
  /** How the stream ended; null while it is open. */
  readonly closed: StreamEnd | null;
  /** Puts the pending delta, if any, into the window. */
  flush(): void;
  /** Puts everything that was logged so far into the window. */
  catchUp(): void;
  /** The state as of now. */
  snapshot(): Snapshot;
  /** The reader has read. */
  caughtUp(reader: AttachedReader): void;
  detach(reader: AttachedReader): void;
}

type ResetReason = Extract<Entry, { kind: 'reset' }>['reason'];

/** A snapshot of which the reader has still to take something. */
interface OpenSnapshot {
  readonly snapshot: Snapshot;
  /** Set until the reader knows that the snapshot replaces everything before. */
  reset: ResetReason | null;
}

/**
 * `waiting`: the last read returned nothing, so the next `wake` calls `onReadable`. `called`: woken, and nothing was read
 * since. `ended`: the reader knows that the stream is closed.
 */
type Phase = 'reading' | 'waiting' | 'called' | 'ended';

/** Events of a snapshot in one portion. Many events have no frames in some dialects. */
const portion = 128;

const nothing: readonly Entry[] = Object.freeze([]);
const ignore = () => {};

/** A class: one per client, and `read` runs with each wake-up. */
export class StreamReader implements Reader, AttachedReader, PacedTask {
  readonly isHolding: boolean;
  onReadable: () => void = ignore;
  readonly #source: ReaderSource;
  #phase: Phase = 'reading';
  /** Null: the reader is among the frames of the window. */
  #snapshot: OpenSnapshot | null = null;
  #next = 0;

  /** Starts after the cursor; with a snapshot when the cursor is null or cannot be resumed at. */
  constructor(source: ReaderSource, cursor: string | null, isHolding: boolean) {
    this.#source = source;
    this.isHolding = isHolding;
    this.#startAfter(cursor);
  }

  get work(): WorkQueue {
    return this.#source.work;
  }

  get isShared(): boolean {
    return this.#source.readers > 1;
  }

  get isWaiting(): boolean {
    return this.#phase === 'waiting';
  }

  get isCalled(): boolean {
    // Where nothing is paced, a reader that was called has had its turn.
    return this.#phase === 'called' && this.work !== unpaced;
  }

  get isPreparing(): boolean {
    return this.#snapshot !== null && !this.#snapshot.snapshot.make(0);
  }

  /** Goes on with a snapshot of which no frame can be taken yet. */
  step(): number | null {
    if (!this.isPreparing) return null;
    if (this.#snapshot?.snapshot.make(portion) !== true) return 1;
    this.wake();
    return null;
  }

  get next(): number {
    return this.#next;
  }

  wake(): void {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'called';
    this.onReadable();
  }

  mark(): number {
    this.#source.catchUp();
    return this.#source.window.top;
  }

  close(): void {
    this.#snapshot = null;
    this.#source.detach(this);
  }

  read(maxBytes: number, until?: number, beforeStretch = false): readonly Entry[] {
    const { window } = this.#source;
    let entries = nothing;
    if (this.#phase === 'called') this.#phase = 'reading';
    do {
      if (this.#next < window.base) this.#startWithSnapshot('window');
      entries = this.#take(maxBytes, until ?? Number.POSITIVE_INFINITY, beforeStretch);
      // Again when the reader was evicted meanwhile: flushing the pending delta may give more frames than the window
      // keeps.
    } while (entries.length === 0 && this.#next < window.base);
    if (entries.length === 0 && this.isPreparing) {
      this.#phase = 'reading';
      this.work.run(this);
      // What is made by now is read now.
      if (!this.isPreparing) return this.read(maxBytes, until, beforeStretch);
      this.#phase = 'waiting';
    } else if (entries.length === 0 && until === undefined && this.#phase !== 'ended') {
      const { closed } = this.#source;
      if (closed !== null) {
        this.#phase = 'ended';
        return [closed];
      }
      this.#phase = 'waiting';
    }
    this.#source.caughtUp(this);
    return entries;
  }

  readStretch(maxBytes: number, until = Number.POSITIVE_INFINITY): ReadPart | null {
    const { window } = this.#source;
    if (this.#snapshot !== null || this.#next < window.base || this.#next >= until) return null;
    const part = window.stretchAt(this.#next, until);
    if (part === null) return null;
    const taken = cutStretch(part, maxBytes);
    if (this.#phase === 'called') this.#phase = 'reading';
    this.#next += taken.to - taken.from;
    this.#source.caughtUp(this);
    return taken;
  }

  #startAfter(cursor: string | null): void {
    if (cursor === null) return this.#startWithSnapshot(null);
    const place = parseCursor(this.#source.epoch, cursor);
    if (typeof place === 'string') return this.#startWithSnapshot(place);
    const next = this.#source.window.after(place);
    if (next === null) return this.#startWithSnapshot('window');
    this.#next = next;
  }

  #startWithSnapshot(reset: ResetReason | null): void {
    const snapshot = this.#source.snapshot();
    snapshot.make(portion);
    this.#snapshot = reset === null && snapshot.isOver ? null : { snapshot, reset };
    this.#next = snapshot.next;
  }

  #take(maxBytes: number, until: number, beforeStretch: boolean): readonly Entry[] {
    const { window, hasPending } = this.#source;
    if (this.#snapshot === null && !hasPending && this.#next === window.top) return nothing;
    const entries: Entry[] = [];
    const left = this.#snapshot === null ? maxBytes : this.#takeSnapshot(this.#snapshot, entries, maxBytes);
    if (this.#snapshot === null) this.#takeFrames(entries, left, until, beforeStretch);
    return entries;
  }

  /** Returns how many of the bytes are left. */
  #takeSnapshot(open: OpenSnapshot, entries: Entry[], maxBytes: number): number {
    const { epoch } = this.#source;
    const { snapshot, reset } = open;
    const { place } = snapshot;
    if (reset !== null) {
      entries.push({ kind: 'reset', reason: reset, cursor: formatCursor(epoch, place) });
      open.reset = null;
    }
    let left = maxBytes;
    // Where nothing is paced, everything is made at once.
    const events = this.work === unpaced ? Number.POSITIVE_INFINITY : portion;
    while (left > 0 && snapshot.make(events)) {
      const out = snapshot.take();
      if (out === undefined) break;
      left -= sizeOf(out);
      // Only behind its last frame does a snapshot have a place to resume at.
      const isLast = snapshot.isOver;
      const cursor = isLast ? formatCursor(epoch, place) : null;
      const number = isLast ? numberCursor(epoch, place) : null;
      entries.push({ kind: 'frame', out, cursor, number, at: null });
    }
    if (snapshot.isOver) this.#snapshot = null;
    return left;
  }

  #takeFrames(entries: Entry[], maxBytes: number, until: number, beforeStretch: boolean): void {
    const { window } = this.#source;
    let left = maxBytes;
    while (left > 0 && this.#next < until) {
      if (this.#next === window.top) this.#source.flush();
      if (beforeStretch && entries.length > 0 && window.stretchAt(this.#next, until) !== null) break;
      const placed = window.at(this.#next);
      if (placed === undefined) break;
      this.#next += 1;
      left -= sizeOf(placed.out);
      entries.push(placed);
    }
  }
}

/** The beginning of the part: its first frame, and the others that begin within so many bytes. */
function cutStretch({ stretch, from, to, places }: ReadPart, maxBytes: number): ReadPart {
  const end = frameStart(stretch, from) + maxBytes;
  let low = from + 1;
  let high = to;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frameStart(stretch, middle - 1) < end) low = middle;
    else high = middle - 1;
  }
  return { stretch, from, to: low, places };
}
