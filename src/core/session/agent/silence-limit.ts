// Stops an agent that stays silent too long inside a run (docs/faults.md F4).
import type { Timers } from '../../contract/clock.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from './session-agent.ts';

/** The dependencies of the silence limit. */
export interface SilenceLimitPorts {
  readonly transcript: Transcript;
  readonly timers: Timers;
  readonly agent: AgentPort;
  /** Ms; null: no limit. */
  readonly silenceMs: number | null;
  limited(rule: 'silenceMs'): void;
}

/**
 * Creates the function that restarts the limit. Must be called after each event, and when back-pressure begins or ends.
 */
export function createSilenceLimit({ transcript, timers, agent, silenceMs, limited }: SilenceLimitPorts): () => void {
  if (silenceMs === null) return () => {};

  /** Paused by back-pressure: the agent is not read, so the time does not count. */
  function mayBeSilent(): boolean {
    const waitsForUser = transcript.approvals.size + transcript.dialogs.size > 0;
    return agent.isSessionClosed() || transcript.run === null || waitsForUser || agent.isPaused();
  }

  function stop(): void {
    limited('silenceMs');
    agent.abandon('agent unresponsive');
  }

  return () => timers.set('silence', mayBeSilent() ? null : silenceMs, stop);
}
