// The wire of one session, row by row, as the inspector's page reads it: one row for each event, each frame of the agent that
// gave none, and each command.
import type { Command } from '../../model/command.ts';
import type { Event } from '../../model/event.ts';

/** Text of a frame. */
export interface WireCell {
  readonly text: string;
  /** Length of the whole text, characters, if `text` is only its beginning. */
  readonly cut?: number;
}

/** A frame between the gateway and the agent. */
export interface NativeFrame extends WireCell {
  /** Counts the frames in this direction that were seen, from 1. */
  readonly n: number;
  /** Clock of the session, ms. */
  readonly at: number;
  /** Length of the whole frame, bytes. */
  readonly bytes: number;
}

/** Something that did not cross as it was. `rule`: a key of the rules' texts, e.g. `docs/limits.md 5.2`. */
export interface WireMark {
  readonly kind: 'loss' | 'repair' | 'violation' | 'ignored';
  readonly dialect?: string;
  readonly text: string;
  readonly rule?: string;
}

/** One row. */
export interface WireRow {
  /** Counts the rows of the session, from 0. Events that came together share a number. */
  readonly row: number;
  /** The place among the events that came together, from 0. */
  readonly part: number;
  /** Clock of the session, ms. */
  readonly at: number;
  /** The number of the event; null: the row has no event. */
  readonly seq: number | null;
  /** The number of the last event before the row; 0: none. */
  readonly after: number;
  readonly event?: Event;
  /** The frames of the agent that gave the event. A frame with several events stands at the first one. */
  readonly from: readonly NativeFrame[];
  /** The frames that the agent got for the row. */
  readonly to: readonly NativeFrame[];
  /** What clients get for the event, by dialect. */
  readonly frames: Readonly<Record<string, readonly WireCell[]>>;
  readonly command?: { readonly client: string; readonly id: string; readonly command: Command };
  readonly marks: readonly WireMark[];
}

/** Rows of a session. Rows before `kept` were not seen, or were let go for newer ones. */
export interface WirePage {
  readonly rows: readonly WireRow[];
  /** The first row that is kept. */
  readonly kept: number;
  /** Behind the last row. */
  readonly end: number;
}
