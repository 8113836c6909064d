// The core's own repair and transcript behind a backend, as a session has them.

import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { createRepair } from '../../../src/core/log/repair.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';

/** Events in legal order, what they add up to, and what had to be mended. */
export interface Ordered {
  readonly events: readonly Event[];
  readonly transcript: Transcript;
  readonly notes: readonly string[];
}

export function inOrder(delivered: readonly Event[]): Ordered {
  const transcript = emptyTranscript();
  const events: Event[] = [];
  const notes: string[] = [];
  const admit = createRepair({
    transcript,
    append(event) {
      events.push(event);
      fold(transcript, { seq: events.length, at: 0, event });
    },
    note: (level, text) => void notes.push(`${level}: ${text}`),
  });
  for (const event of delivered) admit(event);
  return { events, transcript, notes };
}
