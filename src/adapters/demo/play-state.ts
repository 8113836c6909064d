// The state that a play can read and change while it runs.
import type { Env } from '../../core/contract/adapter/action.ts';
import type { Content } from '../../core/model/content.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { Transcript } from '../../core/model/transcript.ts';
import type { Settings } from './session-settings.ts';
import { type Meter, textOf } from './token-meter.ts';

/** The speed of streamed text. */
export interface Pace {
  /** Delay after each batch of deltas, ms. */
  ms: number;
  /** The most deltas in one batch, which bounds the work of one timer. */
  largestBatch: number;
}

/** Messages that came during a run. */
export interface Inbox {
  readonly steering: (readonly Content[])[];
  readonly followUps: (readonly Content[])[];
}

/** The surroundings of one run. */
export interface PlayState {
  readonly env: Env;
  /** The session's live settings. A change applies from the next message on. */
  readonly settings: Settings;
  readonly inbox: Inbox;
  readonly meter: Meter;
  /** The conversation so far. The player adds each event before the play continues. */
  readonly transcript: Transcript;
  /** The verb `slow` changes the pace for the rest of its prompt. */
  readonly pace: Pace;
  /** The prompt whose script is played. */
  readonly prompt: readonly Content[];
}

/** Takes the next message of a queue, or all of them. */
export function takeWaiting(
  queue: (readonly Content[])[],
  mode: Settings['steeringMode'],
): readonly (readonly Content[])[] {
  return queue.splice(0, mode === 'all' ? queue.length : 1);
}

/** A message of the user, as it joins the conversation. */
export function userMessage(
  { env }: PlayState,
  content: readonly Content[],
  origin: EventOf<'message-added'>['origin'],
): EventOf<'message-added'> {
  return { type: 'message-added', id: env.id('message'), role: 'user', origin, content: [...content] };
}

/** The current queues. */
export function queueChanged(inbox: Inbox): EventOf<'queue-changed'> {
  return { type: 'queue-changed', steering: inbox.steering.map(textOf), followUp: inbox.followUps.map(textOf) };
}
