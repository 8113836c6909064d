// A compaction that takes its turn among the prompts of a session. Knows no agent and no client.
import type { Command, CommandOf } from '../model/command.ts';
import type { Outcome } from '../model/errors.ts';
import type { Event, EventOf } from '../model/event.ts';
import { OutcomeData } from '../model/outcome-data.ts';
import type { Transcript } from '../model/transcript.ts';

type Settle = (outcome: Outcome) => void;

/** What the turn needs of its session. */
export interface CompactionTurnPorts {
  readonly transcript: Transcript;
  forward(command: Command, settle: Settle): void;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** The turn is over, and no event says so. */
  over(): void;
}

/** At most one turn at a time. */
export interface CompactionTurn {
  /** The agent has the command and has not answered it. */
  isOpen(): boolean;
  /** The agent has the command, and the compaction has not begun. */
  isAwaited(): boolean;
  /** The command is answered as soon as the compaction begins, or with the agent's refusal. */
  begin(command: CommandOf<'compact'>, settle: Settle): void;
  /** The log says that a compaction has begun. */
  begun(): void;
}

/** No turn is open. */
export function createCompactionTurn({ transcript, forward, admit, over }: CompactionTurnPorts): CompactionTurn {
  /** `settle` is null once the command is answered. */
  let open: { settle: Settle | null } | null = null;

  function begun(): void {
    const settle = open?.settle ?? null;
    if (open !== null) open.settle = null;
    settle?.({ ok: true });
  }

  return {
    isOpen: () => open !== null,
    isAwaited: () => open !== null && open.settle !== null,
    begin(command, settle) {
      const turn: NonNullable<typeof open> = { settle };
      open = turn;
      forward(command, (outcome) => {
        const { settle: unanswered } = turn;
        if (outcome.ok && unanswered !== null) {
          admit({ type: 'compaction-start', trigger: 'manual', synthetic: true });
          begun();
        }
        open = null;
        if (!outcome.ok) unanswered?.(outcome);
        // An agent that told the beginning may still tell the end, unless the agent has failed.
        const isEndMissing = transcript.compaction !== null && (unanswered !== null || !outcome.ok);
        if (isEndMissing) admit(endOf(outcome));
        else over();
      });
    },
    begun,
  };
}

/** The end of a compaction of which the agent tells no more than its answer. */
function endOf(outcome: Outcome): EventOf<'compaction-end'> {
  const end = { type: 'compaction-end', trigger: 'manual', synthetic: true } as const;
  if (!outcome.ok) return { ...end, outcome: 'failed', failure: { kind: 'agent', message: outcome.error.message } };
  const { summary, tokensBefore } = OutcomeData.compact.safeParse(outcome.data).data ?? {};
  return { ...end, outcome: 'completed', summary, tokensBefore };
}
