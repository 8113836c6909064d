// A compaction that takes its turn among the prompts of a session.
import type { Outcome } from '../../model/errors.ts';
import type { Event, EventOf } from '../../model/event.ts';
import { OutcomeData } from '../../model/outcome-data.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../session-agent.ts';
import type { Compact, PhaseMachine, Request } from './phase.ts';

/** What the turn needs of its session. */
export interface CompactionTurnPorts {
  readonly transcript: Transcript;
  readonly phases: PhaseMachine;
  readonly agent: AgentPort;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** The turn is over, and no event says so. */
  over(): void;
}

/** At most one turn at a time. */
export interface CompactionTurn {
  /** The command is answered as soon as the compaction begins, or with the agent's refusal. */
  begin(request: Request<Compact>): void;
  /** The log says that a compaction has begun. */
  begun(): void;
}

/** No turn is open. */
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
    // An agent that told the beginning may still tell the end, unless the agent has failed.
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

/** The agent has the command of a compaction, and the compaction has not begun. */
export function isCompactionDue(phases: PhaseMachine): boolean {
  const phase = phases.current();
  return phase.name === 'compacting' && phase.settle !== null;
}

/** The end of a compaction of which the agent tells no more than its answer. */
function endOf(outcome: Outcome): EventOf<'compaction-end'> {
  const end = { type: 'compaction-end', trigger: 'manual', synthetic: true } as const;
  if (!outcome.ok) return { ...end, outcome: 'failed', failure: { kind: 'agent', message: outcome.error.message } };
  const { summary, tokensBefore } = OutcomeData.compact.safeParse(outcome.data).data ?? {};
  return { ...end, outcome: 'completed', summary, tokensBefore };
}
