// The log of a session. Each event is numbered, folded into the transcript and passed on to all parts and streams, in
// one fixed order.
import type { Clock } from '../contract/clock.ts';
import type { Tap } from '../contract/tap.ts';
import { fold, foldBurst } from '../log/fold.ts';
import { type Burst, eventsIn } from '../model/burst.ts';
import type { Event, EventOf, Logged } from '../model/event.ts';
import type { SessionInfo } from '../model/session-info.ts';
import type { Transcript } from '../model/transcript.ts';
import type { Stream } from '../stream/stream.ts';
import type { DefaultModel } from './agent/default-model.ts';
import type { SessionRecorder } from './kept/session-recorder.ts';
import type { Prompts } from './prompts/prompts.ts';
import type { Questions } from './questions/questions.ts';
import type { ReentryGuard } from './reentry-guard.ts';
import { type ContextFigures, contextAfter } from './transcript/context-usage.ts';
import type { TranscriptLimit } from './transcript/transcript-limit.ts';

/** The parts that follow the log. */
export interface SessionLogPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly streams: ReadonlyMap<string, Stream>;
  readonly questions: Questions;
  readonly prompts: Prompts;
  readonly model: DefaultModel;
  readonly guard: ReentryGuard;
  readonly size: TranscriptLimit;
  /** Null: the session is not kept. */
  readonly recorder: SessionRecorder | null;
  /** The figures so far. */
  readonly context: ContextFigures;
  /** Restarts the silence limit of the agent. */
  limitSilence(): void;
  /** See SessionPorts. */
  readonly tap: Tap | undefined;
  /** See SessionPorts. */
  logged(event: Event): SessionInfo | undefined;
}

/** The log of a session. */
export interface SessionLog {
  /** Logs an event. The event must be in legal order (log/repair.ts). */
  append(event: Event): void;
  /** Logs deltas of an open block that came together. The block must be the one that the repair would continue. */
  appendBurst(burst: Burst): void;
  context(): ContextFigures;
}

/** Creates the log of a session. */
export function createSessionLog({
  transcript,
  clock,
  streams,
  questions,
  prompts,
  recorder,
  ...ports
}: SessionLogPorts): SessionLog {
  let { context } = ports;

  /** Logs one event. Returns the changes of the session that the event caused; they become an event of their own. */
  function record(event: Event): SessionInfo | undefined {
    for (const stream of streams.values()) stream.beforeFold(event);
    const logged: Logged = { seq: transcript.lastSeq + 1, at: clock.now(), event };
    fold(transcript, logged);
    recorder?.event(logged);
    if (ports.tap?.isOn === true) ports.tap.event(logged);
    context = contextAfter(context, event);
    const isDelta = event.type === 'block-delta';
    if (!isDelta) {
      questions.event(event);
      ports.model.event(event);
    }
    for (const stream of streams.values()) stream.afterFold(logged);
    const changes = isDelta ? undefined : ports.logged(event);
    ports.size.check();
    ports.limitSilence();
    prompts.event(logged);
    return changes;
  }

  /** Logs the events one by one for the streams that take no burst, and at once for the others. */
  function recordBurst(burst: Burst): void {
    const at = clock.now();
    const seq = transcript.lastSeq + 1;
    const takers = new Set<Stream>();
    for (const stream of streams.values()) if (stream.beforeBurst(burst, at)) takers.add(stream);
    if (takers.size === streams.size) foldBurst(transcript, burst, at);
    else for (const event of eventsIn(burst)) recordSingle(event, at, takers);
    recorder?.burst(burst, seq, at);
    if (ports.tap?.isOn === true) ports.tap.burst(burst, seq, at);
    for (const stream of takers) stream.afterBurst();
    ports.size.check();
    ports.limitSilence();
    const { index, text: delta } = burst;
    prompts.event({ seq: transcript.lastSeq, at, event: { type: 'block-delta', index, delta } });
  }

  /** One event of a burst, for all streams but the takers. A reader that is woken may open further streams. */
  function recordSingle(event: Event, at: number, takers: ReadonlySet<Stream>): void {
    for (const stream of streams.values()) if (!takers.has(stream)) stream.beforeFold(event);
    const logged: Logged = { seq: transcript.lastSeq + 1, at, event };
    fold(transcript, logged);
    for (const stream of streams.values()) if (!takers.has(stream)) stream.afterFold(logged);
  }

  function log(event: Event): void {
    let changes = record(event);
    // `session-changed` is legal anywhere. After a history reset, it precedes the messages that the agent repeats.
    while (changes !== undefined) changes = record({ type: 'session-changed', changes });
  }

  /** Answers the prompt before the start of its run is logged: clients expect the acceptance before the first event. */
  function startRun(event: EventOf<'run-start'>): void {
    ports.guard.run(() => {
      prompts.accept(event);
      log(event);
    });
  }

  return {
    append(event) {
      if (event.type === 'run-start') return startRun(event);
      const isTurn = event.type === 'compaction-start' && prompts.isCompactionDue();
      log(isTurn ? { ...event, asPrompt: true } : questions.marked(event));
    },
    appendBurst: recordBurst,
    context: () => context,
  };
}
