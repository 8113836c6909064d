// The frames of one session in one dialect: made once, kept in a window, read by any number of clients at their own
// pace.
import type { BurstProjection, DialectLoss, Projection, SessionView } from '../contract/adapter/projection.ts';
import type { Out } from '../contract/channel.ts';
import { faultText, internalError } from '../contract/guarded.ts';
import { unpaced, type WorkQueue } from '../contract/paced-work.ts';
import type { Reader, StreamEnd } from '../contract/reader.ts';
import { takesBurst } from '../fast-path/asides.ts';
import { startReplay } from '../log/replay.ts';
import type { Burst } from '../model/burst.ts';
import type { Event, Logged } from '../model/event.ts';
import { CatchUp, type CatchUpListener } from './catch-up.ts';
import type { Place } from './cursor.ts';
import { isContinuation, joinableDelta, joinDeltas, type LoggedDelta } from './merge.ts';
import { OpenBurst } from './open-burst.ts';
import { type AttachedReader, type Backlog, pressureShare, ReaderSet } from './reader-set.ts';
import { Snapshot } from './snapshot.ts';
import type { Stream, StreamMeasure, StreamOptions } from './stream.ts';
import { type ReaderSource, StreamReader } from './stream-reader.ts';
import { createWindow, defaultWindow, type Window, type WindowLimits } from './window.ts';

/**
 * Frames. While any reader has fewer frames than this to read, each delta becomes a frame of its own. Once every reader
 * has this many to read, all are behind, and deltas are merged.
 */
const mergeAfter = 16;

/** A transcript with so few items is replayed at once. */
const fewItems = 64;

/** Events that may wait for a projection that is not up to date yet: with more, the rest is done at once. */
const mostWaiting = 1024;

/** A class: each session has one per dialect, and its methods run for each event. */
class DialectStream implements Stream, ReaderSource, Backlog, CatchUpListener {
  readonly window: Window;
  readonly work: WorkQueue;
  readonly #view: SessionView;
  readonly #make: (view: SessionView) => Projection;
  readonly #options: StreamOptions;
  readonly #limits: WindowLimits;
  readonly #projection: Projection;
  readonly #readers: ReaderSet;
  /** Joined deltas of one block that are not frames yet. Set only while no reader is waiting. */
  #pending: LoggedDelta | null = null;
  /** Set while a burst is folded. What is folded of it becomes frames when somebody asks, at the latest at its end. */
  #burst: OpenBurst | null = null;
  #closed: StreamEnd | null = null;
  #holders = 0;
  /** Stops waiting for somebody who wants the stream; null while somebody does. */
  #stopWaiting: (() => void) | null = null;
  /** Null: the projection is up to date. */
  #catchUp: CatchUp | null = null;
  /** When the newest frame was made. An injected frame has the time of the frame before it, which is in the log. */
  #lastAt: number | null = null;
  /** The newest event that has become frames here. */
  #seen: number;
  /** Losses of other dialects that wait until this stream has seen the event. */
  readonly #losses: DialectLoss[] = [];

  constructor(view: SessionView, make: (view: SessionView) => Projection, options: StreamOptions) {
    this.#view = view;
    this.#make = make;
    this.#options = options;
    this.work = options.work ?? unpaced;
    this.#limits = options.limits ?? defaultWindow;
    const replaying = startReplay(view, make);
    this.#projection = replaying.projection;
    this.#readers = new ReaderSet(this, options, options.clock);
    this.#seen = view.transcript.lastSeq;
    const start = { seq: view.transcript.lastSeq, sub: options.startSub ?? 0 };
    this.window = createWindow(view.epoch, start, this.#limits, () => this.#readers.neededFrom());
    if (options.unreadMs !== undefined && options.unreadMs > 0) this.#left();
    this.#catchUp = new CatchUp(replaying, this);
    if (view.transcript.items.length <= fewItems) this.#catchUp.finish();
    else this.work.run(this.#catchUp);
  }

  get epoch(): string {
    return this.#view.epoch;
  }

  get hasPending(): boolean {
    return this.#pending !== null || this.#burst !== null;
  }

  get closed(): StreamEnd | null {
    return this.#closed;
  }

  get readers(): number {
    return this.#readers.size;
  }

  get last(): Place {
    return this.window.last;
  }

  #wanted(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
  }

  /** A reader or holder has left, or the stream is new. */
  #left(): void {
    const { unread, unreadMs = 0, clock } = this.#options;
    if (unread === undefined || this.#readers.size > 0 || this.#holders > 0) return;
    this.#wanted();
    // Nobody comes back to a stream that is closed.
    if (unreadMs === 0 || this.#closed !== null) unread();
    else this.#stopWaiting = clock?.after(unreadMs, unread) ?? null;
  }

  measure(): StreamMeasure {
    const { window } = this;
    const next = Math.max(window.base, Math.min(window.top, this.#readers.slowest()));
    const windowBytes = window.bytesFrom(window.base);
    return { windowBytes, unreadFrames: window.top - next, unreadBytes: window.bytesFrom(next) };
  }

  beforeFold(event: Event): void {
    if (this.#pending !== null && !isContinuation(this.#pending, event)) this.flush();
  }

  afterFold(logged: Logged): void {
    if (this.#closed !== null) return;
    if (this.#catchUp !== null) this.#wait(this.#catchUp, logged);
    else if (!this.#isHeldBack(logged)) this.emit(logged);
    this.#seen = logged.seq;
    if (this.#losses.length > 0) this.#tellLosses();
  }

  beforeBurst(burst: Burst, at: number): boolean {
    if (this.#closed !== null) return true;
    const { bursts, mergesDeltas } = this.#projection;
    const isBehind = this.#catchUp !== null;
    if (isBehind || bursts === undefined || mergesDeltas === true || !this.#takes(bursts, burst)) return false;
    this.#burst = new OpenBurst(burst, bursts, this.#view.transcript.lastSeq + 1, at, this.#limits);
    return true;
  }

  afterBurst(): void {
    this.#flushBurst();
    this.#burst = null;
    this.#seen = this.#view.transcript.lastSeq;
    if (this.#losses.length > 0) this.#tellLosses();
  }

  inject(out: Out): void {
    if (this.#closed !== null) return;
    this.catchUp();
    this.window.push(out, this.#view.transcript.lastSeq, this.#lastAt);
    this.#readers.wake();
  }

  skip(to: number): void {
    this.catchUp();
    this.window.skip(this.#view.transcript.lastSeq, to);
    this.#seen = to;
  }

  loss(loss: DialectLoss): void {
    if (this.#closed !== null || this.#projection.loss === undefined) return;
    this.#losses.push(loss);
    // A loss stands behind the event that lost something: cursors of events never depend on losses.
    if (this.#seen === this.#view.transcript.lastSeq) this.#tellLosses();
  }

  #tellLosses(): void {
    for (const loss of this.#losses.splice(0)) {
      try {
        for (const out of this.#projection.loss?.(loss) ?? []) this.inject(out);
      } catch (thrown) {
        this.failed(thrown);
      }
    }
  }

  attach(cursor: string | null, isHolding = false): Reader {
    const reader = new StreamReader(this, cursor, isHolding);
    this.#readers.add(reader);
    this.#wanted();
    return reader;
  }

  hold(): () => void {
    this.#holders += 1;
    this.#wanted();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      this.#left();
    };
  }

  detach(reader: AttachedReader): void {
    if (!this.#readers.remove(reader)) return;
    this.#left();
  }

  close(reason: string, end: StreamEnd = { kind: 'closed', reason }): void {
    this.catchUp();
    this.#catchUp?.drop();
    this.#wanted();
    this.#closed ??= end;
    this.#readers.wake();
  }

  flush(): void {
    const logged = this.#pending;
    this.#pending = null;
    if (logged !== null) this.emit(logged);
    if (this.#burst !== null) this.#flushBurst();
  }

  catchUp(): void {
    if (this.#catchUp !== null && this.#catchUp.waiting > 0) this.#catchUp.finish();
    this.flush();
  }

  /** The event becomes frames when the projection has come that far. */
  #wait(catchUp: CatchUp, logged: Logged): void {
    catchUp.add(logged);
    if (catchUp.waiting > mostWaiting) catchUp.finish();
  }

  caughtUpWithLog(): void {
    this.#catchUp = null;
  }

  snapshot(): Snapshot {
    this.catchUp();
    const replaying = () => startReplay(this.#view, this.#make);
    return new Snapshot(replaying, this.window.last, this.window.top, (thrown) => this.failed(thrown));
  }

  caughtUp(reader: AttachedReader): void {
    this.#readers.caughtUp(reader);
  }

  /** Includes the pending delta, which every reader has still to read. */
  shareFrom(next: number): number {
    const frames = this.window.top - next;
    if (frames === 0 && this.#pending === null) return 0;
    const bytes = this.window.bytesFrom(next) + this.#pendingBytes();
    return Math.max(bytes / this.#limits.bytes, frames / this.#limits.frames);
  }

  #pendingBytes(): number {
    return this.#pending === null ? 0 : this.#pending.event.delta.length;
  }

  #takes(bursts: BurstProjection, burst: Burst): boolean {
    try {
      return takesBurst(bursts, burst);
    } catch (thrown) {
      this.failed(thrown);
      return true;
    }
  }

  /** Turns what is folded of the open burst into frames. Readers that are woken may ask for the rest. */
  #flushBurst(): void {
    const open = this.#burst;
    while (open !== null && this.#closed === null) {
      const first = this.window.top;
      this.#lastAt = this.#view.timeOrigin + open.at;
      try {
        const part = open.take(this.#view.transcript.lastSeq);
        if (part === null) return;
        this.window.pushStretch(part.stretch, part.seq, this.#lastAt);
      } catch (thrown) {
        return this.failed(thrown);
      }
      this.#readers.wakeSoon(first);
    }
  }

  /** Makes the event the pending delta, or joins it to that, where every reader has enough to read. */
  #isHeldBack(logged: Logged): boolean {
    if (this.#projection.mergesDeltas !== true || this.#options.isRestoring?.() === true) return false;
    const delta = joinableDelta(logged);
    if (this.#pending !== null && delta !== null && isContinuation(this.#pending, delta.event)) {
      this.#pending = joinDeltas(this.#pending, delta);
      if (this.#pendingBytes() / this.#limits.bytes > pressureShare.high) this.#readers.measurePressure();
      return true;
    }
    this.flush();
    const patience = this.#options.mergeAfter ?? mergeAfter;
    if (delta === null || !this.#readers.areAllBehind(patience, this.window.top)) return false;
    this.#pending = delta;
    return true;
  }

  emit(logged: Logged): void {
    const outs = this.#project(logged);
    if (outs.length === 0) return;
    const first = this.window.top;
    this.#lastAt = this.#view.timeOrigin + logged.at;
    for (const out of outs) this.window.push(out, logged.seq, this.#lastAt);
    // A merging dialect wakes at once: whether deltas may merge depends on readers having taken the previous one.
    if (logged.event.type === 'block-delta' && this.#projection.mergesDeltas !== true) this.#readers.wakeSoon(first);
    else this.#readers.wakeAndMeasure();
  }

  /** A projection that throws closes its own stream; the session and its other dialects go on. */
  #project(logged: Logged): readonly Out[] {
    try {
      const outs = this.#projection.event(logged);
      const notes = this.#projection.notes?.();
      if (notes !== undefined) for (const { level, text } of notes) this.#options.note?.(level, text);
      return outs;
    } catch (thrown) {
      this.failed(thrown);
      return [];
    }
  }

  failed(thrown: unknown): void {
    this.#options.note?.('internal', faultText(thrown));
    this.#closed ??= { kind: 'closed', reason: internalError };
    this.#catchUp?.drop();
    this.#catchUp = null;
    this.#readers.wake();
  }
}

/** Starts with the next event: earlier ones reach clients as a snapshot. */
export function createStream(
  view: SessionView,
  make: (view: SessionView) => Projection,
  options: StreamOptions = {},
): Stream {
  return new DialectStream(view, make, options);
}
