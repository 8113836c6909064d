// One client's place in a session's stream of frames. It pulls; nothing is queued for it (design rule 6).
import type { Out } from './channel.ts';

/** A frame for the client. */
export interface FrameEntry {
  readonly kind: 'frame';
  readonly out: Out;
  /**
   * Where to resume after this frame, `epoch.seq.sub`; null inside a snapshot, which has no place to resume at. Worked
   * out when it is asked for.
   */
  readonly cursor: string | null;
  /** The same as a number, see `numberCursor`; null also for a place that has none. */
  readonly number: number | null;
  /** Wall clock, ms since 1970, when the event was logged that gave this frame; null where that was before the stream. */
  readonly at: number | null;
}

/** One step of a client's stream, in order. */
export type Entry =
  | FrameEntry
  /** What follows is a snapshot: forget what came before. The first attach without a cursor has none of these. */
  | { readonly kind: 'reset'; readonly reason: 'window' | 'epoch' | 'unknown'; readonly cursor: string }
  /** The session is over; no more entries. */
  | { readonly kind: 'closed'; readonly reason: string };

/** A cursor into a session's frames. */
export interface Reader {
  /**
   * The next entries, at most about `maxBytes` on the wire and at least one if there is any; empty when up to date.
   * With a mark, nothing that came after it, and empty as soon as the reader has come there.
   */
  read(maxBytes: number, until?: number): readonly Entry[];
  /** Marks this moment, for `read`: between what has been said by now and what comes. */
  mark(): number;
  /** Set by the owner: called when entries come after `read` returned none. Never called inside `read`. */
  onReadable: () => void;
  /** Idempotent. */
  close(): void;
}
