// What a play can see and touch while it runs. Knows no verb.
import type { Env } from '../../core/contract/adapter.ts';
import type { Content } from '../../core/model/content.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { Transcript } from '../../core/model/transcript.ts';
import { type Meter, textOf } from './meter.ts';
import type { Settings } from './settings.ts';

/** How fast text flows. */
export interface Pace {
  /** Wait after each batch of deltas. */
  ms: number;
  /** Deltas in one batch at most, so that the work of one wake stays bounded. */
  largestBatch: number;
}

/** What came while a run was going on. */
export interface Inbox {
  readonly steering: (readonly Content[])[];
  readonly followUps: (readonly Content[])[];
}

/** The surroundings of one run. */
export interface Stage {
  readonly env: Env;
  /** The session's own settings, live: a change counts from the next message on. */
  readonly settings: Settings;
  readonly inbox: Inbox;
  readonly meter: Meter;
  /** The conversation so far. The player folds each event in before the play goes on. */
  readonly transcript: Transcript;
  /** The verb `slow` changes it for the rest of its prompt. */
  readonly pace: Pace;
  /** The prompt whose script is being played. */
  readonly prompt: readonly Content[];
}

/** Takes the next message of a queue, or all of them. */
export function takeWaiting(
  queue: (readonly Content[])[],
  mode: Settings['steeringMode'],
): readonly (readonly Content[])[] {
  return queue.splice(0, mode === 'all' ? queue.length : 1);
}

/** What the user says, as it joins the conversation. */
export function userMessage(
  { env }: Stage,
  content: readonly Content[],
  origin: EventOf<'message-added'>['origin'],
): EventOf<'message-added'> {
  return { type: 'message-added', id: env.id('message'), role: 'user', origin, content: [...content] };
}

/** The queues as they stand. */
export function queueChanged(inbox: Inbox): EventOf<'queue-changed'> {
  return { type: 'queue-changed', steering: inbox.steering.map(textOf), followUp: inbox.followUps.map(textOf) };
}
