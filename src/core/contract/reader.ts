// One client's place in a session's stream of frames. The client pulls; nothing is queued (ARCHITECTURE.md, rule 6).
import type { Out } from './channel.ts';
import type { WorkQueue } from './paced-work.ts';
import type { ReadPart } from './stretch.ts';

/** A frame for the client. */
export interface FrameEntry {
  readonly kind: 'frame';
  readonly out: Out;
  /**
   * Where to resume after this frame, `epoch.seq.sub`. Null inside a snapshot, which has no place to resume at.
   * Computed on demand.
   */
  readonly cursor: string | null;
  /** The cursor as a number, see `numberCursor`; null also for cursors without a number. */
  readonly number: number | null;
  /** Wall clock, ms since 1970, when the event of this frame was logged; null if that was before the stream began. */
  readonly at: number | null;
}

/** One step of a client's stream, in order. */
export type Entry =
  | FrameEntry
  /** A snapshot follows: discard all earlier frames. Not sent for the first attach without a cursor. */
  | { readonly kind: 'reset'; readonly reason: 'window' | 'epoch' | 'unknown'; readonly cursor: string }
  | StreamEnd;

/**
 * No more entries. `closed`: the session is over. `away`: only this gateway is over, the session is kept, and the client comes
 * back with its cursor. `isMoved`: another gateway has the session.
 */
export type StreamEnd =
  | { readonly kind: 'closed'; readonly reason: string }
  | { readonly kind: 'away'; readonly reason: string; readonly isMoved: boolean };

/** A cursor into a session's frames. */
export interface Reader {
  /** More is there to be read and is still being made; `onReadable` follows. */
  readonly isPreparing?: boolean;
  /** Other readers read the same frames. */
  readonly isShared?: boolean;
  /** Where sending what is read takes its turn. Absent: it is sent at once. */
  readonly work?: WorkQueue;
  /**
   * The next entries: about `maxBytes` on the wire at most, at least one if any is there; empty when up to date.
   * `until`: a mark; returns only entries before it. `beforeStretch`: ends before frames that `readStretch` would return.
   */
  read(maxBytes: number, until?: number, beforeStretch?: boolean): readonly Entry[];
  /**
   * The next frames in the place of `read`, if they were made together: about `maxBytes` at most, at least one. Null:
   * `read` has what comes next, or nothing comes. Absent: always `read`.
   */
  readStretch?(maxBytes: number, until?: number): ReadPart | null;
  /** A mark for `read`, behind all present entries. */
  mark(): number;
  /** Set by the owner: called when entries arrive after `read` returned none. Never called inside `read`. */
  onReadable: () => void;
  /** Idempotent. */
  close(): void;
}
