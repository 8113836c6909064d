// Follows one prompt from its start to the end of its run, and decides when the prompt is answered.
import { type Outcome, refused } from '../../model/errors.ts';
import type { EventOf } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import { createStallWatch } from '../agent/stall-watch.ts';
import { withTaken } from './answers.ts';
import { answerAtEndOf, type PhaseMachine, type Prompt, type Request } from './phase.ts';

/** The dependencies of the run of a prompt. */
export interface PromptRunPorts {
  readonly transcript: Transcript;
  readonly phases: PhaseMachine;
  readonly agent: AgentPort;
  /** Called after the agent has refused the prompt and the refusal was answered. */
  refused(): void;
}

/** Follows the prompts of a session, one at a time. */
export interface PromptRun {
  send(request: Request<Prompt>): void;
  /** Must be called before the start of a run is logged. */
  accept(event: EventOf<'run-start'>): void;
  /** Must be called after the end of a run is logged. */
  end(event: EventOf<'run-end'>): void;
  /** Answers the open prompt with a failure, because the agent has ended. */
  lose(outcome: Outcome): void;
}

/** Creates the runner of a session's prompts. */
export function createPromptRun({ transcript, phases, agent, refused: afterRefusal }: PromptRunPorts): PromptRun {
  return {
    send(request) {
      phases.step({ type: 'send', request });
      agent.forward(request.command, (outcome) => {
        const phase = phases.current();
        // After the start of the run, the result of the prompt comes from the log.
        if (phase.name !== 'sent' || phase.request !== request) return;
        phases.step({ type: 'reply', outcome });
        if (outcome.ok) return;
        request.settle(outcome);
        afterRefusal();
      });
    },
    accept({ empty }) {
      const phase = phases.current();
      if (phase.name !== 'sent') return;
      const { command, settle } = phase.request;
      const isAnsweredNow = command.untilIdle !== true;
      const stallWatch = () => createStallWatch(transcript, agent.isPaused());
      const atEnd = isAnsweredNow ? null : { settle, stallWatch: stallWatch(), lost: null };
      phases.step({ type: 'accept', atEnd });
      if (isAnsweredNow) settle(empty === true ? withTaken('handled', phase.reply) : phase.reply);
    },
    end(event) {
      const atEnd = answerAtEndOf(phases.step({ type: 'run-end' }));
      if (atEnd === null) return;
      const { outcome, failure } = event;
      const data = { outcome, failure, longestSilenceMs: atEnd.stallWatch.longestMs() };
      try {
        atEnd.settle(atEnd.lost ?? refusalIn(event) ?? { ok: true, data });
      } finally {
        phases.step({ type: 'answered' });
      }
    },
    lose(outcome) {
      const before = phases.step({ type: 'lose', outcome, isRunOpen: transcript.run !== null });
      if (before.name === 'sent') before.request.settle(outcome);
      else if (transcript.run === null) answerAtEndOf(before)?.settle(outcome);
    },
  };
}

/**
 * The refusal in the end of a run, if any. A failure of the model is a successful answer to the prompt. A failure that
 * the agent reports about itself is a refusal.
 */
function refusalIn({ outcome, failure, synthetic }: EventOf<'run-end'>): Outcome | null {
  const isReported = outcome === 'failed' && synthetic !== true;
  return isReported && failure?.kind === 'agent' ? refused('agent-refused', failure.message) : null;
}
