// One prompt from the agent's acceptance to the end of its run, and when the prompt is answered.
import { type Outcome, refused } from '../../model/errors.ts';
import type { EventOf } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../session-agent.ts';
import { createStallWatch } from '../stall-watch.ts';
import { withTaken } from './answers.ts';
import { answerAtEndOf, type PhaseMachine, type Prompt, type Request } from './phase.ts';

/** What the run of a prompt needs. */
export interface PromptRunPorts {
  readonly transcript: Transcript;
  readonly phases: PhaseMachine;
  readonly agent: AgentPort;
  /** The agent has refused the prompt, and the prompt is answered. */
  refused(): void;
}

/** Moves the session through the phases of a prompt. */
export interface PromptRun {
  send(request: Request<Prompt>): void;
  /** Before the start of a run is logged. */
  accept(event: EventOf<'run-start'>): void;
  /** After the end of a run is logged. */
  end(event: EventOf<'run-end'>): void;
  /** The agent is gone. */
  lose(outcome: Outcome): void;
}

/** Sends one prompt at a time. */
export function createPromptRun({ transcript, phases, agent, refused: afterRefusal }: PromptRunPorts): PromptRun {
  return {
    send(request) {
      phases.step({ type: 'send', request });
      agent.forward(request.command, (outcome) => {
        const phase = phases.current();
        // Once the run has started, the log tells how the prompt goes.
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

/** A model that failed is a successful answer to the prompt. An agent that says that it failed has refused the prompt. */
function refusalIn({ outcome, failure, synthetic }: EventOf<'run-end'>): Outcome | null {
  const isSaid = outcome === 'failed' && synthetic !== true;
  return isSaid && failure?.kind === 'agent' ? refused('agent-refused', failure.message) : null;
}
