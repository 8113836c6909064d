// A projection that hides nothing: its frames hold the events, so that a test can fold what a client was told.
import type { Projection } from '../../../src/core/contract/adapter/projection.ts';
import type { Out } from '../../../src/core/contract/channel.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Event, Logged } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';

/** One frame. */
interface Said {
  readonly seq: number;
  readonly at: number;
  readonly event: Event;
}

/** Speaks in no frame of an activity, in two halves of a delta, in one frame of all else. Deterministic. */
export function recordingProjection(): Projection {
  return { event: ({ seq, at, event }) => saidOf(event).map((part) => JSON.stringify({ seq, at, event: part })) };
}

function saidOf(event: Event): Event[] {
  if (event.type === 'activity') return [];
  if (event.type !== 'block-delta') return [event];
  const middle = event.delta.length >> 1;
  return [
    { ...event, delta: event.delta.slice(0, middle) },
    { ...event, delta: event.delta.slice(middle) },
  ];
}

/** The events of those frames. */
export function heard(frames: readonly Out[]): Event[] {
  return frames.map((frame) => parse(frame).event);
}

/** What a client knows who was told those frames. */
export function foldFrames(frames: readonly Out[]): Transcript {
  const transcript = emptyTranscript();
  for (const frame of frames) fold(transcript, parse(frame) satisfies Logged);
  return transcript;
}

function parse(frame: Out): Said {
  if (typeof frame !== 'string') throw new Error('the recording projection speaks in strings');
  return JSON.parse(frame);
}
