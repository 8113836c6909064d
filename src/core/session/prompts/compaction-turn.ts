// A compaction that waits for its turn in the prompt queue of a session.
import type { Outcome } from '../../model/errors.ts';
import type { Event, EventOf } from '../../model/event.ts';
import { OutcomeData } from '../../model/outcome-data.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import type { Compact, PhaseMachine, Request } from './phase.ts';

/** The dependencies of the compaction turn. */
export interface CompactionTurnPorts {
  readonly transcript: Transcript;
  readonly phases: PhaseMachine;
  readonly agent: AgentPort;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** Called when the turn is over without an event that reports the end. */
  over(): void;
}

/** The compaction turn of a session. At most one is open. */
export interface CompactionTurn {
  /**
   * Sends the compaction to the agent. The command is answered as soon as the compaction begins, or with the agent's
   * refusal.
   */
  begin(request: Request<Compact>): void;
  /** Must be called when the log shows the start of a compaction. */
  begun(): void;
}

/** Creates a session's compaction turn. */
export function createCompactionTurn({ transcript, phases, agent, admit, over }: CompactionTurnPorts): CompactionTurn {
  function begun(): void {
    const before = phases.step({ type: 'compaction-start' });
    if (before.name === 'compacting') before.settle?.({ ok: true });
  }

  function end(outcome: Outcome): void {
    const isUntold = isCompactionDue(phases);
    if (outcome.ok && isUntold) {
      admit({ type: 'compaction-start', trigger: 'manual', synthetic: true });
      begun();
    }
    const before = phases.step({ type: 'compaction-reply' });
    if (!outcome.ok && before.name === 'compacting') before.settle?.(outcome);
    // An agent that reported the start may still report the end, unless the agent has failed.
    const isEndMissing = transcript.compaction !== null && (isUntold || !outcome.ok);
    if (isEndMissing) admit(endOf(outcome));
    else over();
  }

  return {
    begin({ command, settle }) {
      phases.step({ type: 'compact', settle });
      agent.forward(command, end);
    },
    begun,
  };
}

/** Whether the agent has the compaction command but the compaction has not begun. */
export function isCompactionDue(phases: PhaseMachine): boolean {
  const phase = phases.current();
  return phase.name === 'compacting' && phase.settle !== null;
}

/** The end of a compaction whose agent reports only the outcome of the command. */
function endOf(outcome: Outcome): EventOf<'compaction-end'> {
  const end = { type: 'compaction-end', trigger: 'manual', synthetic: true } as const;
  if (!outcome.ok) return { ...end, outcome: 'failed', failure: { kind: 'agent', message: outcome.error.message } };
  const { summary, tokensBefore } = OutcomeData.compact.safeParse(outcome.data).data ?? {};
  return { ...end, outcome: 'completed', summary, tokensBefore };
}
