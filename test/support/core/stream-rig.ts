// A session's log with one stream on it, and readers that write down what they were given.
import type { Projection, SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Out } from '../../../src/core/contract/channel.ts';
import type { Entry, Reader } from '../../../src/core/contract/reader.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Event, Logged } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { createStream } from '../../../src/core/stream/dialect-stream.ts';
import type { Stream, StreamOptions } from '../../../src/core/stream/stream.ts';
import { recordingProjection } from './recording.ts';

export const epoch = '0123456789ab';

/** A log and what it says in the recording dialect. */
export interface StreamRig {
  readonly stream: Stream;
  readonly transcript: Transcript;
  /** Logs events, one after the other; the clock shows their number. */
  say(...events: Event[]): void;
}

/** An empty log; `before` is said before the stream begins. */
export function createStreamRig(
  options: StreamOptions = {},
  before: readonly Event[] = [],
  make: (view: SessionView) => Projection = recordingProjection,
): StreamRig {
  const transcript = emptyTranscript();
  const log = (event: Event): Logged => {
    const logged = { seq: transcript.lastSeq + 1, at: transcript.lastSeq + 1, event };
    fold(transcript, logged);
    return logged;
  };
  for (const event of before) log(event);
  const stream = createStream({ id: 's', epoch, timeOrigin: 0, transcript }, make, options);
  return {
    stream,
    transcript,
    say(...events) {
      for (const event of events) {
        stream.beforeFold(event);
        stream.afterFold(log(event));
      }
    },
  };
}

/** All that a reader has now, taken in bites of so many bytes. */
export function drain(reader: Reader, maxBytes = 1000): Entry[] {
  const entries: Entry[] = [];
  for (let bite = reader.read(maxBytes); bite.length > 0; bite = reader.read(maxBytes)) entries.push(...bite);
  return entries;
}

/** The frames of those entries since the last reset: what a client that obeys resets goes by. */
export function framesOf(entries: readonly Entry[]): Out[] {
  const since = entries.findLastIndex(({ kind }) => kind === 'reset');
  return entries.slice(since + 1).flatMap((entry) => (entry.kind === 'frame' ? [entry.out] : []));
}

/** The entries in short: frames as such, the rest in words. */
export function kindsOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => (entry.kind === 'frame' ? 'frame' : `${entry.kind} ${entry.reason}`));
}
