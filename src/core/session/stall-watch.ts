// How long a model says nothing while it is its turn: the longest such gap of one run. Pure; the time comes in with each
// event. Knows no protocol.
import type { Event } from '../model/event.ts';
import type { Transcript } from '../model/transcript.ts';

/** The silence of one run, measured as it goes on. Times on the session clock, ms. */
export interface StallWatch {
  /** Takes an event of the run, after it was folded. */
  event(event: Event, at: number): void;
  /** The agent is not listened to for a while, or is again: what is not heard is not silence. */
  pause(isHeld: boolean, at: number): void;
  /** The longest gap so far, ms. */
  longestMs(): number;
}

/** Starts with the run's first event. */
export function createStallWatch(transcript: Transcript, wasHeld = false): StallWatch {
  let longest = 0;
  /** Since when something has been due; null: nothing is. In the future while a retry waits. */
  let since: number | null = null;
  let held = wasHeld;
  /** A retry has been announced for then. */
  let retriesAt = 0;

  function measure(at: number): void {
    if (since !== null) longest = Math.max(longest, at - since);
  }

  function waitFrom(at: number): void {
    since = !held && isModelDue(transcript) ? Math.max(at, retriesAt) : null;
  }

  return {
    event(event, at) {
      measure(at);
      // The hot path: a delta changes nothing in what is open.
      if (event.type === 'block-delta') {
        if (since !== null) since = Math.max(at, retriesAt);
        return;
      }
      if (event.type === 'retry-start') retriesAt = at + event.delayMs;
      if (event.type === 'retry-end') retriesAt = 0;
      waitFrom(at);
    },
    pause(isHeld, at) {
      measure(at);
      held = isHeld;
      waitFrom(at);
    },
    longestMs: () => longest,
  };
}

/** It is the model's turn: no tool works, no user is asked, nothing is compacted. */
function isModelDue({ run, tools, open, approvals, dialogs, compaction }: Transcript): boolean {
  if (run === null || compaction !== null || approvals.size + dialogs.size > 0) return false;
  // A call that the model has finished writing is the agent's to start.
  const isWriting = open.size > 0;
  for (const { state } of tools.values())
    if (state === 'running' || (state === 'announced' && !isWriting)) return false;
  return true;
}
