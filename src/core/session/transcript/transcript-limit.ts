// How much one session may keep (docs/limits.md 5.2): its agent is stopped, the run fails with the reason, and the
// session takes no more work until its conversation is replaced.
import type { Timers } from '../../contract/clock.ts';
import { mebibytes } from '../../model/memory-estimate.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { SessionAgent } from '../agent/session-agent.ts';

/** Growth that is worth a report, bytes. A report for each delta would cost more than the delta. */
const step = 64 * 1024;
/** What a full session may still grow by with each new agent, for answers to questions about it, bytes. */
const slack = 1024 * 1024;

/** The dependencies of the limit. */
export interface TranscriptLimitPorts {
  readonly transcript: Transcript;
  readonly timers: Timers;
  readonly agent: Pick<SessionAgent, 'abandon' | 'isStarted'>;
  readonly mostBytes: number;
  limited(rule: 'transcriptBytes'): void;
  /** Takes the size from time to time. */
  report(bytes: number): void;
}

/** The limit of one session. */
export interface TranscriptLimit {
  /** Must be called after each logged event. */
  check(): void;
  /** Why the session refuses a piece of work, which is counted; null while it has room. */
  refusal(): string | null;
}

/** Creates the limit of a session that may have a history already. */
export function createTranscriptLimit(ports: TranscriptLimitPorts): TranscriptLimit {
  const { transcript, timers, agent, mostBytes, limited } = ports;
  const reason = `the session keeps more than ${mebibytes(mostBytes)} of conversation, which is its limit (transcriptBytes)`;
  let allowed = mostBytes;
  let reported = transcript.bytes;

  function stopAgent(): void {
    allowed = transcript.bytes + slack;
    limited('transcriptBytes');
    agent.abandon(reason);
  }

  return {
    check() {
      const { bytes } = transcript;
      if (bytes <= mostBytes) allowed = mostBytes;
      // Not within the event: its readers are told first, and the agent may be in the middle of a frame.
      else if (bytes > allowed && agent.isStarted() && !timers.has('transcript'))
        timers.set('transcript', 0, stopAgent);
      if (Math.abs(bytes - reported) < step) return;
      reported = bytes;
      ports.report(bytes);
    },
    refusal() {
      if (transcript.bytes <= mostBytes) return null;
      limited('transcriptBytes');
      return `${reason}; start a new one`;
    },
  };
}
