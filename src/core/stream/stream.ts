// What one session says in one dialect, made once and read by any number of clients at their own pace.
import type { NoteLevel, Projection, SessionView } from '../contract/adapter.ts';
import type { Out } from '../contract/channel.ts';
import { formatCursor, numberCursor, parseCursor, type Place } from './cursor.ts';
import { messageOf } from '../model/errors.ts';
import type { Event, Logged } from '../model/event.ts';
import { deltaIn, goesOn, joinDeltas, type LoggedDelta } from './merge.ts';
import type { Entry, Reader } from '../contract/reader.ts';
import { replayCurrent } from '../log/replay.ts';
import { createWindow, defaultWindow, sizeOf, type WindowLimits } from './window.ts';

/** The frames of one (session, dialect, options). */
export interface Stream {
  /**
   * To be called before the event is folded into the transcript: what is held back and the event does not go on with
   * is told now, while the transcript still ends with it.
   */
  before(event: Event): void;
  /** Takes the next event of the session's log. */
  event(logged: Logged): void;
  /** Places a frame that answers a client whose only way to hear is this stream. */
  inject(out: Out): void;
  /**
   * A reader from after that cursor, or from a snapshot of now when it is null or cannot be resumed at.
   * With `holds`, the agent is slowed down rather than this reader left behind.
   */
  attach(cursor: string | null, holds?: boolean): Reader;
  readonly readers: number;
  close(reason: string): void;
}

/**
 * How much of the window a holding reader may have before it when it slows the agent, and when it lets it go on. What
 * is left of the window takes in what the agent has said already.
 */
const pressureShare = { high: 1 / 8, low: 1 / 32 };

/** What a stream may be told. */
export interface StreamOptions {
  readonly limits?: WindowLimits;
  /** Told true while a holding reader is behind, whenever readers are woken; false once, when it has caught up. */
  pressure?(pressure: boolean): void;
  /** The last reader has gone. */
  unread?(): void;
  /** Takes the losses and other notes of the projection. */
  note?(level: NoteLevel, text: string): void;
  /** So many frames every reader must have before it until deltas are merged; default {@link mergeAfter}. */
  readonly mergeAfter?: number;
}

/** A reader that is a moment late is not behind: it still sees each delta. */
const mergeAfter = 16;

/** What a reader has before it: the rest of a snapshot, then the window from `next`. */
interface Position {
  readonly snapshot: readonly Out[];
  /** Frames of the snapshot that were taken. */
  told: number;
  /** The place of the snapshot among the frames. */
  readonly place: Place;
  next: number;
  reset: Extract<Entry, { kind: 'reset' }>['reason'] | null;
}

/** A reader, as its stream sees it. */
interface Attached {
  readonly holds: boolean;
  /** It was told that there is nothing more. */
  readonly waits: boolean;
  wake(): void;
  /** Number of the next frame that it reads. */
  next(): number;
  /** The share of the window that it has before it. */
  behind(): number;
}

const nothing: readonly Entry[] = Object.freeze([]);

/** Starts speaking now: what was before reaches clients as a snapshot. */
export function createStream(
  view: SessionView,
  make: (view: SessionView) => Projection,
  options: StreamOptions = {},
): Stream {
  const { projection } = replayCurrent(view, make);
  const { limits = defaultWindow } = options;
  const window = createWindow(view.epoch, view.transcript.lastSeq, limits, () => neededFrom());
  /** Copied when it changes: who is woken may attach and close others. */
  let readers: readonly Attached[] = [];
  /** Deltas of one block that are not told yet. While there are any, nobody waits. */
  let held: LoggedDelta | null = null;
  let isPressed = false;
  let closed: string | null = null;
  /** Number of the first frame that waiting readers have not heard of; null: they know of all. */
  let unheard: number | null = null;
  let isWaking = false;
  /** When the newest frame was said. An answer has the time of what it follows: that is in the log. */
  let lastAt: number | null = null;

  function wakeAll(): void {
    unheard = null;
    for (const reader of readers) reader.wake();
  }

  function wakeNow(): void {
    wakeAll();
    measure();
  }

  /** One read of the agent often gives hundreds of deltas: readers are woken for all of them, before anything else happens. */
  function wakeSoon(first: number): void {
    unheard ??= first;
    if (shareFrom(unheard) > pressureShare.low) return wakeNow();
    if (isWaking) return;
    isWaking = true;
    queueMicrotask(() => {
      isWaking = false;
      if (unheard !== null) wakeNow();
    });
  }

  /** One burst of the agent may be more than the window keeps: a reader that holds must not lose it. */
  function neededFrom(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const reader of readers) if (reader.holds) first = Math.min(first, reader.next());
    return first;
  }

  function fromSnapshot(reset: Position['reset']): Position {
    tellHeld();
    return { snapshot: replayCurrent(view, make).frames, told: 0, place: window.last, next: window.top, reset };
  }

  function positionOf(cursor: string | null): Position {
    if (cursor === null) return fromSnapshot(null);
    const place = parseCursor(view.epoch, cursor);
    if (typeof place === 'string') return fromSnapshot(place);
    const next = window.after(place);
    return next === null ? fromSnapshot('window') : { snapshot: [], told: 0, place, next, reset: null };
  }

  function measure(): void {
    if (options.pressure === undefined) return;
    let most = 0;
    for (const reader of readers) {
      if (reader.holds) most = Math.max(most, reader.behind());
    }
    if (most > pressureShare.high) {
      isPressed = true;
      // Each time: the agent may be another one by now.
      options.pressure(true);
    } else if (isPressed && most < pressureShare.low) {
      isPressed = false;
      options.pressure(false);
    }
  }

  /** The share of the window that comes after that frame; what is held back is still to come, too. */
  function shareFrom(next: number): number {
    const frames = window.top - next;
    if (frames === 0 && held === null) return 0;
    return Math.max((window.bytesFrom(next) + heldBytes()) / limits.bytes, frames / limits.frames);
  }

  const heldBytes = () => held?.event.delta.length ?? 0;

  function attach(cursor: string | null, holds = false): Reader {
    let position = positionOf(cursor);
    let waits = false;
    let finished = false;
    const self: Attached = {
      holds,
      get waits() {
        return waits;
      },
      wake: () => {
        if (!waits) return;
        waits = false;
        reader.onReadable();
      },
      next: () => position.next,
      behind: () => shareFrom(position.next),
    };
    const reader: Reader = {
      onReadable: () => {},
      mark() {
        tellHeld();
        return window.top;
      },
      close: () => {
        if (!readers.includes(self)) return;
        readers = readers.filter((other) => other !== self);
        if (holds) measure();
        if (readers.length === 0) options.unread?.();
      },
      read(maxBytes, until) {
        let entries = nothing;
        do {
          if (position.next < window.base) position = fromSnapshot('window');
          entries = take(position, maxBytes, until);
          // What was held back may be more than the window holds.
        } while (entries.length === 0 && position.next < window.base);
        if (entries.length === 0 && until === undefined) {
          if (closed !== null && !finished) {
            finished = true;
            return [{ kind: 'closed', reason: closed }];
          }
          waits = !finished;
        }
        if (holds) measure();
        return entries;
      },
    };
    readers = [...readers, self];
    return reader;
  }

  function take(position: Position, maxBytes: number, until = Number.POSITIVE_INFINITY): readonly Entry[] {
    const { snapshot } = position;
    const isPlain = position.reset === null && position.told === snapshot.length;
    if (isPlain && held === null && position.next === window.top) return nothing;
    const entries: Entry[] = [];
    const place = () => formatCursor(view.epoch, position.place);
    if (position.reset !== null) {
      entries.push({ kind: 'reset', reason: position.reset, cursor: place() });
      position.reset = null;
    }
    let bytes = 0;
    while (position.told < snapshot.length && bytes < maxBytes) {
      const out = snapshot[position.told];
      if (out === undefined) break;
      position.told += 1;
      bytes += sizeOf(out);
      const isLast = position.told === snapshot.length;
      const number = isLast ? numberCursor(view.epoch, position.place) : null;
      entries.push({ kind: 'frame', out, cursor: isLast ? place() : null, number, at: null });
    }
    while (position.told === snapshot.length && bytes < maxBytes && position.next < until) {
      if (position.next === window.top) tellHeld();
      const placed = window.at(position.next);
      if (placed === undefined) break;
      position.next += 1;
      bytes += sizeOf(placed.out);
      entries.push(placed);
    }
    return entries;
  }

  /** A projection that fails ends its own stream; the session and its other dialects go on. */
  function project(logged: Logged): readonly Out[] {
    try {
      return projection.event(logged);
    } catch (thrown) {
      options.note?.('violation', `internal error: ${messageOf(thrown)}`);
      closed = 'an internal error of the gateway';
      wakeAll();
      return [];
    }
  }

  function tell(logged: Logged): void {
    const outs = project(logged);
    const notes = projection.notes?.();
    if (notes !== undefined) for (const { level, text } of notes) options.note?.(level, text);
    if (outs.length === 0) return;
    const first = window.top;
    lastAt = view.timeOrigin + logged.at;
    for (const out of outs) window.push(out, logged.seq, lastAt);
    // What merges must not buffer up before a reader that may turn out to be busy.
    if (logged.event.type === 'block-delta' && projection.mergesDeltas !== true) wakeSoon(first);
    else wakeNow();
  }

  function tellHeld(): void {
    const logged = held;
    held = null;
    if (logged !== null) tell(logged);
  }

  const patience = options.mergeAfter ?? mergeAfter;
  const isKeepingUp = (reader: Attached) => reader.waits || window.top - reader.next() < patience;

  /** Adds the event to what is held back, where all readers have enough before them. */
  function holdBack(logged: Logged): boolean {
    if (projection.mergesDeltas !== true) return false;
    const delta = deltaIn(logged);
    if (held !== null && delta !== null && goesOn(held, delta.event)) {
      held = joinDeltas(held, delta);
      if (heldBytes() / limits.bytes > pressureShare.high) measure();
      return true;
    }
    tellHeld();
    if (delta === null || readers.some(isKeepingUp)) return false;
    held = delta;
    return true;
  }

  return {
    before(event) {
      if (held !== null && !goesOn(held, event)) tellHeld();
    },
    event(logged) {
      if (closed !== null || holdBack(logged)) return;
      tell(logged);
    },
    inject(out) {
      if (closed !== null) return;
      tellHeld();
      window.push(out, view.transcript.lastSeq, lastAt);
      wakeAll();
    },
    attach,
    get readers() {
      return readers.length;
    },
    close(reason) {
      tellHeld();
      closed ??= reason;
      wakeAll();
    },
  };
}
