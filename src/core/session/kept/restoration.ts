// Makes the transcript, the streams and the figures of a session again from its records, by the same steps in which they
// were made (decision 0026).
import type { Projection, SessionView } from '../../contract/adapter/projection.ts';
import type { Clock } from '../../contract/clock.ts';
import { type Cause, closeRun } from '../../log/close-run.ts';
import { fold } from '../../log/fold.ts';
import type { SessionRecord } from '../../log/stored-records.ts';
import type { Content } from '../../model/content.ts';
import type { Event, Logged } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { OpenPrompts } from '../prompts/open-prompts.ts';
import type { SessionStreams } from '../session-streams.ts';
import { type ContextFigures, contextAfter } from '../transcript/context-usage.ts';
import type { SessionPosts } from './session-posts.ts';
import type { SessionRecorder } from './session-recorder.ts';
import type { SessionTickets } from './session-tickets.ts';
import type { SessionVersion } from './session-version.ts';

/**
 * Events that may be lost: logged and told to clients, but not written before the end of the process. A session that is
 * made again goes on behind them, so that no number is used twice.
 */
const skippedEvents = 65_536;

const interruption: Cause = {
  outcome: 'failed',
  failure: { kind: 'gateway', message: 'the gateway was restarted during the run' },
};

/** The beginning of the run of a prompt that was taken, and of which nothing else is known. */
const lostRun = (content: Content[]): Event[] => [
  { type: 'run-start', synthetic: true },
  { type: 'turn-start', synthetic: true },
  { type: 'message-added', role: 'user', origin: 'prompt', content, synthetic: true },
];

/** Makes the projection of a stream by the words that were kept with it; null if nobody speaks that dialect any more. */
export type DialectOf = (key: string, source: unknown) => ((view: SessionView) => Projection) | null;

/** The parts of a session that are made again. */
export interface RestorationPorts {
  readonly transcript: Transcript;
  readonly streams: SessionStreams;
  readonly context: ContextFigures;
  dialectOf: DialectOf;
  posts(): SessionPosts;
  tickets(): SessionTickets;
  version(): SessionVersion;
  /** The prompts that the conversation does not show yet. */
  readonly prompts: OpenPrompts;
}

/** A class: it takes each record of a session. */
export class Restoration {
  readonly #ports: RestorationPorts;
  #context: ContextFigures;

  constructor(ports: RestorationPorts) {
    this.#ports = ports;
    this.#context = ports.context;
  }

  /** The figures so far. */
  get context(): ContextFigures {
    return this.#context;
  }

  /** Does again what a record says. */
  take(record: Exclude<SessionRecord, { kind: 'state' }>): void {
    const { streams, dialectOf } = this.#ports;
    switch (record.kind) {
      case 'event':
        return this.log({ seq: record.seq, at: record.at, event: record.event });
      case 'burst':
        return this.#logDeltas(record);
      case 'stream': {
        const make = dialectOf(record.key, record.source);
        if (make !== null) streams.again(record.key, make, record.sub);
        return;
      }
      case 'stream-end':
        return streams.end(record.key);
      case 'restart':
        return this.skip(record.seq);
      case 'posted':
        return this.#ports.posts().restore(record);
      case 'prompt':
        return this.#ports.prompts.taken(record.prompt, record.content);
      case 'prompt-answered':
        return this.#ports.prompts.answered(record.prompt, record.isOver);
      case 'ticket':
        return this.#ports.tickets().restore(record);
      case 'version':
        return this.#ports.version().learn(record.version);
      default:
        record satisfies never;
    }
  }

  /** Logs an event for the transcript and the streams. */
  log(logged: Logged): void {
    const { streams, transcript, prompts } = this.#ports;
    for (const stream of streams.open.values()) stream.beforeFold(logged.event);
    prompts.event(logged.event);
    fold(transcript, logged);
    this.#context = contextAfter(this.#context, logged.event);
    for (const stream of streams.open.values()) stream.afterFold(logged);
  }

  /** The session goes on behind that event. */
  skip(seq: number): void {
    const { streams, transcript } = this.#ports;
    for (const stream of streams.open.values()) stream.skip(seq);
    transcript.lastSeq = seq;
  }

  /** The records have ended: closes what is open as interrupted. What follows is recorded. */
  goOn(recorder: SessionRecorder, clock: Clock): void {
    const { transcript, prompts } = this.#ports;
    this.skip(transcript.lastSeq + skippedEvents);
    recorder.restart(transcript.lastSeq);
    const log = (event: Event) => {
      const logged = { seq: transcript.lastSeq + 1, at: clock.now(), event };
      this.log(logged);
      recorder.event(logged);
    };
    for (const event of closeRun(transcript, interruption)) log(event);
    for (const { content } of [...prompts.all()]) {
      for (const event of lostRun(content)) log(event);
      for (const event of closeRun(transcript, interruption)) log(event);
    }
  }

  /** One by one: the frames are the same as those of the burst. */
  #logDeltas({ seq, at, index, extra, text, ends }: Extract<SessionRecord, { kind: 'burst' }>): void {
    let start = 0;
    for (const [place, end] of ends.entries()) {
      const plain: Event = { type: 'block-delta', index, delta: text.slice(start, end) };
      this.log({ seq: seq + place, at, event: extra === undefined ? plain : { ...plain, extra } });
      start = end;
    }
  }
}

/** The clock of a session that goes on in another process. */
export class SessionClock implements Clock {
  readonly #clock: Clock;
  /** Ms between that clock and this one. */
  #ahead: number;

  constructor(clock: Clock, ahead: number) {
    this.#clock = clock;
    this.#ahead = ahead;
  }

  now(): number {
    return this.#clock.now() + this.#ahead;
  }

  after(ms: number, callback: () => void): () => void {
    return this.#clock.after(ms, callback);
  }

  /** Goes on from that time, if this clock is behind it: the clock of the machine may have been set back. */
  notBefore(at: number): void {
    this.#ahead = Math.max(this.#ahead, at - this.#clock.now());
  }
}
