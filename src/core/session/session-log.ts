// The log of a session: each event is numbered, folded into the transcript and told to everybody, in one fixed order.
import type { Clock } from '../contract/clock.ts';
import { fold } from '../log/fold.ts';
import type { Event, EventOf, Logged, SessionInfo } from '../model/event.ts';
import type { Transcript } from '../model/transcript.ts';
import type { Stream } from '../stream/stream.ts';
import { type ContextFigures, contextAfter, unknownContext } from './context-usage.ts';
import type { DefaultModel } from './default-model.ts';
import type { Prompts } from './prompts/prompts.ts';
import type { Questions } from './questions/questions.ts';
import type { ReentryGuard } from './reentry-guard.ts';

/** What follows the log. */
export interface SessionLogPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly streams: ReadonlyMap<string, Stream>;
  readonly questions: Questions;
  readonly prompts: Prompts;
  readonly model: DefaultModel;
  readonly guard: ReentryGuard;
  /** Starts the time anew in which the agent may say nothing. */
  limitSilence(): void;
  /** See SessionPorts. */
  logged(event: Event): SessionInfo | undefined;
}

/** The log of one session. */
export interface SessionLog {
  /** Logs an event that is in legal order: see log/repair.ts. */
  append(event: Event): void;
  context(): ContextFigures;
}

/** Appends to the transcript. */
export function createSessionLog({
  transcript,
  clock,
  streams,
  questions,
  prompts,
  ...ports
}: SessionLogPorts): SessionLog {
  let context = unknownContext;

  /** Returns what the event has changed in the session; the change is an event of its own. */
  function record(event: Event): SessionInfo | undefined {
    for (const stream of streams.values()) stream.beforeFold(event);
    const logged: Logged = { seq: transcript.lastSeq + 1, at: clock.now(), event };
    fold(transcript, logged);
    context = contextAfter(context, event);
    const isDelta = event.type === 'block-delta';
    if (!isDelta) {
      questions.event(event);
      ports.model.event(event);
    }
    for (const stream of streams.values()) stream.afterFold(logged);
    const changes = isDelta ? undefined : ports.logged(event);
    ports.limitSilence();
    prompts.event(logged);
    return changes;
  }

  function log(event: Event): void {
    let changes = record(event);
    // Legal anywhere. After a history reset, the change comes before the messages that the agent repeats.
    while (changes !== undefined) changes = record({ type: 'session-changed', changes });
  }

  /** The prompt is answered first: clients hear that their prompt was accepted before they hear of its run. */
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
    context: () => context,
  };
}
