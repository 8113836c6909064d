// What one session says in one dialect, made once and read by any number of clients at their own pace.
import type { NoteLevel, Projection, SessionView } from './adapter.ts';
import type { Out } from './channel.ts';
import { formatCursor, parseCursor, type Place } from './cursor.ts';
import { messageOf } from './errors.ts';
import type { Logged } from './event.ts';
import type { Entry, Reader } from './reader.ts';
import { retell } from './replay.ts';
import { createWindow, defaultWindow, sizeOf, type WindowLimits } from './window.ts';

/** The frames of one (session, dialect, options). */
export interface Stream {
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
  /** Told true when a holding reader falls behind, false when it has caught up. */
  pressure?(pressure: boolean): void;
  /** Takes the losses and other notes of the projection. */
  note?(level: NoteLevel, text: string): void;
}

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

/** Starts speaking now: what was before reaches clients as a snapshot. */
export function createStream(
  view: SessionView,
  make: (view: SessionView) => Projection,
  options: StreamOptions = {},
): Stream {
  const { projection } = retell(view, make);
  const { limits = defaultWindow } = options;
  const window = createWindow(view.transcript.lastSeq, limits);
  const readers = new Set<{ wake(): void; behind(): number; holds: boolean }>();
  let closed: string | null = null;

  const wakeAll = () => {
    for (const reader of readers) reader.wake();
  };

  function fromSnapshot(reset: Position['reset']): Position {
    return { snapshot: retell(view, make).frames, told: 0, place: window.last, next: window.top, reset };
  }

  function positionOf(cursor: string | null): Position {
    if (cursor === null) return fromSnapshot(null);
    const place = parseCursor(view.epoch, cursor);
    if (typeof place === 'string') return fromSnapshot(place);
    const next = window.after(place);
    return next === null ? fromSnapshot('window') : { snapshot: [], told: 0, place, next, reset: null };
  }

  function measure(): void {
    const behind = Math.max(0, ...[...readers].filter((reader) => reader.holds).map((reader) => reader.behind()));
    if (behind > pressureShare.high) options.pressure?.(true);
    else if (behind < pressureShare.low) options.pressure?.(false);
  }

  /** The share of the window that comes after that frame. */
  function shareFrom(next: number): number {
    return Math.max(window.bytesFrom(next) / limits.bytes, (window.top - next) / limits.frames);
  }

  function attach(cursor: string | null, holds = false): Reader {
    let position = positionOf(cursor);
    let waiting = false;
    let finished = false;
    const self = {
      wake: () => {
        if (!waiting) return;
        waiting = false;
        reader.onReadable();
      },
      behind: () => shareFrom(position.next),
      holds,
    };
    const reader: Reader = {
      onReadable: () => {},
      close: () => {
        readers.delete(self);
        if (holds) measure();
      },
      read(maxBytes) {
        if (position.next < window.base) position = fromSnapshot('window');
        const entries = take(position, maxBytes);
        if (entries.length === 0 && closed !== null && !finished) {
          finished = true;
          entries.push({ kind: 'closed', reason: closed });
        }
        waiting = entries.length === 0 && !finished;
        if (holds) measure();
        return entries;
      },
    };
    readers.add(self);
    return reader;
  }

  function take(position: Position, maxBytes: number): Entry[] {
    const entries: Entry[] = [];
    const { snapshot } = position;
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
      entries.push({ kind: 'frame', out, cursor: position.told === snapshot.length ? place() : null });
    }
    while (position.told === snapshot.length && bytes < maxBytes) {
      const placed = window.at(position.next);
      if (placed === undefined) break;
      position.next += 1;
      bytes += sizeOf(placed.out);
      entries.push({ kind: 'frame', out: placed.out, cursor: formatCursor(view.epoch, placed) });
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

  return {
    event(logged) {
      if (closed !== null) return;
      const outs = project(logged);
      for (const { level, text } of projection.notes?.() ?? []) options.note?.(level, text);
      if (outs.length === 0) return;
      for (const out of outs) window.push(out, logged.seq);
      wakeAll();
      measure();
    },
    inject(out) {
      if (closed !== null) return;
      window.push(out, view.transcript.lastSeq);
      wakeAll();
    },
    attach,
    get readers() {
      return readers.size;
    },
    close(reason) {
      closed ??= reason;
      wakeAll();
    },
  };
}
