// What the session and the links see of the frames of one dialect. dialect-stream.ts makes these frames.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { DialectLoss } from '../contract/adapter/projection.ts';
import type { Out } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import type { WorkQueue } from '../contract/paced-work.ts';
import type { Reader, StreamEnd } from '../contract/reader.ts';
import type { Burst } from '../model/burst.ts';
import type { Event, Logged } from '../model/event.ts';
import type { Place } from './cursor.ts';
import type { PressureListener } from './reader-set.ts';
import type { WindowLimits } from './window.ts';

/**
 * The two calls for each event of a session's log, one on each side of the event's fold into the transcript. A
 * projection reads the transcript, so each event must become frames while the transcript ends with that event. A
 * pending delta breaks with the first event that does not continue it: its last chance is before that event is folded.
 */
export interface FoldListener {
  /**
   * First call: the transcript still ends with the previous event. A pending delta that does not go on becomes frames.
   */
  beforeFold(event: Event): void;
  /** Second call: the transcript ends with this event, which becomes frames or joins the pending delta. */
  afterFold(logged: Logged): void;
  /**
   * The first call for a burst, in the place of `beforeFold` for each delta. False: this stream needs each delta by
   * itself, with both calls. `at`: as in {@link Logged}.
   */
  beforeBurst(burst: Burst, at: number): boolean;
  /** The second call for a burst that `beforeBurst` has accepted: all of it is folded and becomes frames. */
  afterBurst(): void;
}

/** What a stream keeps, and how far its slowest reader is behind. */
export interface StreamMeasure {
  readonly windowBytes: number;
  /** Frames and bytes that the slowest reader has still to read. */
  readonly unreadFrames: number;
  readonly unreadBytes: number;
}

/** The frames of one (session, dialect, options). */
export interface Stream extends FoldListener {
  /** Adds a frame that answers a client which reads nothing but this stream. */
  inject(out: Out): void;
  /** Tells its readers of a loss, if the dialect has words for losses. */
  loss(loss: DialectLoss): void;
  /**
   * A reader from after that cursor; from a snapshot of now when the cursor is null or cannot be resumed at.
   * `isHolding`: the agent is slowed down rather than this reader left behind.
   */
  attach(cursor: string | null, isHolding?: boolean): Reader;
  /** Keeps the stream without a reader, until the returned function is called: somebody will come for an answer. */
  hold(): () => void;
  /**
   * The session goes on behind event `to`, because the events after the latest one may be lost: a cursor behind one of
   * them leads nowhere.
   */
  skip(to: number): void;
  /** The place of the newest frame. */
  readonly last: Place;
  /** How many readers are attached. */
  readonly readers: number;
  /** How the stream ended; null while it is open. */
  readonly closed: StreamEnd | null;
  measure(): StreamMeasure;
  /** `end`: default, the session is closed. */
  close(reason: string, end?: StreamEnd): void;
}

/** Limits and listeners of a stream. */
export interface StreamOptions extends PressureListener {
  /** Times readers that lag. Absent: only holding readers slow the agent down. */
  readonly clock?: Clock;
  /** Where sending to readers takes its turn. Absent: everything is sent at once. */
  readonly work?: WorkQueue;
  readonly limits?: WindowLimits;
  /** Nobody has read or held the stream for `unreadMs`. A stream that is closed waits for nobody. */
  unread?(): void;
  /** Default 0: `unread` is called within the leaving of the last reader. More needs a clock. */
  readonly unreadMs?: number;
  /** While the stream is made again from the records of its session, each delta becomes a frame of its own. */
  isRestoring?(): boolean;
  /** The window starts behind so many frames of the latest event; default 0. */
  readonly startSub?: number;
  /** Takes the losses and other notes of the projection. */
  note?(level: NoteLevel, text: string): void;
  /** Deltas are merged when every reader has at least so many frames to read; default 16. */
  readonly mergeAfter?: number;
}
