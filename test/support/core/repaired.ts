// Events through the repair into a log, as a session does it, with what the repair had to say.

import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { createRepair } from '../../../src/core/log/repair.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';

/** A log behind a repair. */
export interface RepairedLog {
  readonly transcript: Transcript;
  readonly log: Event[];
  /** `level text` of each note. */
  readonly notes: string[];
  /** Takes one event in; returns what was logged for it. */
  admit(event: Event): Event[];
  /** Logs an event past the repair. */
  append(event: Event): void;
}

/** An empty log. The clock shows the number of the entry. */
export function createRepairedLog(): RepairedLog {
  const transcript = emptyTranscript();
  const log: Event[] = [];
  const notes: string[] = [];
  function append(event: Event): void {
    log.push(event);
    fold(transcript, { seq: log.length, at: log.length, event });
  }
  const admit = createRepair({
    transcript,
    append,
    note: (level, text) => notes.push(`${level} ${text}`),
  });
  return {
    transcript,
    log,
    notes,
    append,
    admit(event) {
      const before = log.length;
      admit(event);
      return log.slice(before);
    },
  };
}

/** A log that has taken in these events. */
export function repaired(events: readonly Event[]): RepairedLog {
  const result = createRepairedLog();
  for (const event of events) result.admit(event);
  return result;
}
