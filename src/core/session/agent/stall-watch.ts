// Measures the longest pause of the model within one run. Pure: the time comes with each event.
import type { Event } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';

/** Measures the pauses of one run. Times on the session clock, ms. */
export interface StallWatch {
  /** Must be called with each event of the run, after the event was folded. */
  event(event: Event, at: number): void;
  /**
   * Must be called when back-pressure begins or ends. The agent is not read meanwhile, so the time does not count as a
   * pause.
   */
  pause(isHeld: boolean, at: number): void;
  /** The longest gap so far, ms. */
  longestMs(): number;
}

/** Creates the watch at the first event of a run. */
export function createStallWatch(transcript: Transcript, wasHeld = false): StallWatch {
  let longest = 0;
  /** Start of the current pause; null while the model is not expected to write. In the future while a retry waits. */
  let since: number | null = null;
  let held = wasHeld;
  /** When the announced retry starts. */
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
      // Hot path: a delta opens and closes nothing.
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

/** Whether the model is expected to write: no tool runs, no question is open, no compaction runs. */
function isModelDue({ run, tools, open, approvals, dialogs, compaction }: Transcript): boolean {
  if (run === null || compaction !== null || approvals.size + dialogs.size > 0) return false;
  // After the model has finished writing a call, the agent is expected to start the call.
  const isWriting = open.size > 0;
  for (const { state } of tools.values())
    if (state === 'running' || (state === 'announced' && !isWriting)) return false;
  return true;
}
