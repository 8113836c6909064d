// The streams of a session: made on first use, shared, and let go when nobody reads them any more. Each open stream
// costs work for every event of the session, so the dialects that clients once chose may not add up for ever.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { DialectLoss, Projection, SessionView } from '../contract/adapter/projection.ts';
import type { StreamEnd } from '../contract/reader.ts';
import { comparePlaces, type Place } from '../stream/cursor.ts';
import { createStream } from '../stream/dialect-stream.ts';
import type { Stream, StreamMeasure } from '../stream/stream.ts';
import type { SessionRecorder } from './kept/session-recorder.ts';
import type { SessionPorts } from './session-ports.ts';

/** How long a stream stays that nobody reads, ms: a client that comes back within it resumes (docs/limits.md 5.9). */
export const unreadStreamMs = 60_000;

const unreadReason = 'nobody has read it for a while';

/** What streams need of their session. */
export interface SessionStreamsPorts extends Pick<SessionPorts, 'limits' | 'note' | 'clock' | 'work' | 'limited'> {
  /** Null: the session is not kept, or is being made again. */
  recorder(): SessionRecorder | null;
  /** The session is being made again from its records. */
  isRestoring(): boolean;
  /** Tells the gateway that writes the session of a stream that is read here. */
  opened?: ((key: string, source: unknown) => void) | undefined;
  /** Another gateway writes the session, and this one shows it: streams have the frames and places of its streams. */
  readonly isFollowed: boolean;
  /** The agent must wait for a reader of the stream with this key, or need not. */
  pressure(key: string, isPressed: boolean): void;
}

type MakeProjection = (view: SessionView) => Projection;

/** How a stream is used. */
export interface StreamUse {
  /** The stream goes with its last reader, because its key may be chosen by a client and no reader resumes it. */
  readonly isFleeting?: boolean;
  /** The words, as JSON, by which the projection is found again if the session is kept. Absent: nobody resumes. */
  readonly source?: unknown;
  /** The name of the dialect in what others are told of its losses; default the key. */
  readonly dialect?: string;
}

/** A class: each session has one. */
export class SessionStreams {
  /** The open streams, by key; all streams once the session is closed. */
  readonly open = new Map<string, Stream>();
  readonly #view: SessionView;
  readonly #ports: SessionStreamsPorts;
  /** The keys of the open streams that have a record. */
  #recorded: Set<string> | null = null;
  /** Streams that the gateway of the session has open: a client of them may come. Null: none. */
  #held: Map<string, () => void> | null = null;
  /** The last place in any stream that was let go. */
  #endedAt: Place | null = null;
  /** How the session ended; null while open. */
  #closed: StreamEnd | null = null;

  constructor(view: SessionView, ports: SessionStreamsPorts) {
    this.#view = view;
    this.#ports = ports;
  }

  /** The dialects of the open streams. */
  get dialects(): readonly string[] {
    return [...new Set([...this.open.keys()].map(dialectOf))];
  }

  /** How many readers the open streams have together. */
  get readers(): number {
    let sum = 0;
    for (const stream of this.open.values()) sum += stream.readers;
    return sum;
  }

  /** All windows together, and the reader that is furthest behind. */
  measure(): StreamMeasure {
    let [windowBytes, unreadFrames, unreadBytes] = [0, 0, 0];
    for (const stream of this.open.values()) {
      const one = stream.measure();
      windowBytes += one.windowBytes;
      unreadFrames = Math.max(unreadFrames, one.unreadFrames);
      unreadBytes = Math.max(unreadBytes, one.unreadBytes);
    }
    return { windowBytes, unreadFrames, unreadBytes };
  }

  /** See Session. */
  stream(key: string, make: MakeProjection, use: StreamUse): Stream {
    const existing = this.open.get(key);
    // A stream that a fault has closed makes room for a new one.
    if (existing !== undefined && (existing.closed === null || this.#closed !== null)) return existing;
    if (existing !== undefined) this.#remove(key, existing);
    const startSub = this.#startSub();
    const recorder = use.source === undefined ? null : this.#ports.recorder();
    if (recorder !== null) this.#record(recorder, key, startSub, use.source);
    if (use.source !== undefined) this.#ports.opened?.(key, use.source);
    return this.#create(key, make, use, startSub);
  }

  /** A stream is read at another gateway. Recorded only: a next owner makes it again. */
  readElsewhere(key: string, source: unknown): void {
    const recorder = this.#ports.recorder();
    if (recorder !== null && !this.open.has(key)) this.#record(recorder, key, this.#startSub(), source);
  }

  #record(recorder: SessionRecorder, key: string, startSub: number, source: unknown): void {
    // A stream that is read elsewhere has begun before.
    if (this.#recorded?.has(key) === true) return;
    recorder.stream(key, startSub, source);
    this.#recorded = withKey(this.#recorded, key);
  }

  /** Makes a stream again, of which nobody but its record knows. */
  again(key: string, make: MakeProjection, startSub: number): void {
    this.end(key);
    const use = { dialect: dialectOf(key) };
    if (this.#ports.isFollowed) {
      // Clients of this gateway may read it already.
      const open = this.open.get(key);
      const stream = open?.closed === null ? open : this.#create(key, make, use, startSub);
      this.#held ??= new Map();
      this.#held.set(key, stream.hold());
      return;
    }
    this.#recorded = withKey(this.#recorded, key);
    this.#create(key, make, use, startSub);
  }

  /** Lets a stream go that was let go before. */
  end(key: string): void {
    const letGo = this.#held?.get(key);
    this.#held?.delete(key);
    letGo?.();
    if (this.#ports.isFollowed) return;
    const stream = this.open.get(key);
    if (stream !== undefined) this.#remove(key, stream);
  }

  #create(
    key: string,
    make: MakeProjection,
    { isFleeting = false, dialect = key }: StreamUse,
    startSub: number,
  ): Stream {
    const { limits, clock, work, pressure, isRestoring, isFollowed } = this.#ports;
    const stream = createStream(this.#view, make, {
      limits: limits.window,
      startSub,
      isRestoring: () => isFollowed || isRestoring(),
      pressure: (isPressed) => pressure(key, isPressed),
      unreadMs: isFleeting ? 0 : unreadStreamMs,
      unread: () => this.#letGo(key, stream, isFleeting),
      note: (level, text) => this.#note(level, text, dialect),
      clock,
      work,
    });
    this.open.set(key, stream);
    if (this.#closed !== null) stream.close(this.#closed.reason, this.#closed);
    return stream;
  }

  /** Closes all streams. Readers may still read why. */
  close(end: StreamEnd): void {
    this.#closed = end;
    for (const stream of this.open.values()) stream.close(end.reason, end);
  }

  /** Tells a loss in all dialects that have words for losses. */
  loss(loss: DialectLoss): void {
    for (const stream of this.open.values()) stream.loss(loss);
  }

  #note(level: NoteLevel, text: string, dialect: string): void {
    this.#ports.note(level, text);
    if (level === 'loss' && !this.#ports.isRestoring()) this.loss({ dialect, text });
  }

  #letGo(key: string, stream: Stream, isFleeting: boolean): void {
    if (this.#closed !== null || this.open.get(key) !== stream) return;
    if (!isFleeting && stream.closed === null) this.#ports.limited?.('unreadStreamMs');
    this.#remove(key, stream);
  }

  #remove(key: string, stream: Stream): void {
    this.open.delete(key);
    stream.close(unreadReason);
    if (this.#recorded?.delete(key) === true) this.#ports.recorder()?.streamEnd(key);
    if (this.#endedAt === null || comparePlaces(stream.last, this.#endedAt) > 0) this.#endedAt = stream.last;
  }

  /**
   * A stream that follows one that is gone has other frames: answers to clients are in no snapshot. So it starts where
   * that one ended. A client that had read to there goes on; with an earlier cursor it gets a `reset`.
   */
  #startSub(): number {
    return this.#endedAt?.seq === this.#view.transcript.lastSeq ? this.#endedAt.sub : 0;
  }
}

/** Most sessions are not kept, and have no such set. */
function withKey(keys: Set<string> | null, key: string): Set<string> {
  return (keys ?? new Set()).add(key);
}

/** Keys of streams that are kept begin with the name of their dialect. */
function dialectOf(key: string): string {
  return key.split(' ', 1).join('');
}
