// Decides whether a new prompt starts now, joins the open run, waits in the queue or is refused. Also withdraws
// prompts.
import { refused, type Settle } from '../../model/errors.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import { takenBack } from './answers.ts';
import type { FollowUps } from './follow-ups.ts';
import type { Turns } from './one-at-a-time.ts';
import type { Compact, PhaseMachine, Prompt } from './phase.ts';
import type { PromptQueue } from './queue.ts';
import { createRunAdditions } from './run-additions.ts';

/** The parts that take a new prompt. */
export interface SubmissionPorts {
  readonly transcript: Transcript;
  readonly phases: PhaseMachine;
  readonly queue: PromptQueue;
  readonly followUps: FollowUps;
  readonly turns: Turns;
  readonly agent: AgentPort;
}

/** Takes and withdraws prompts. */
export interface Submission {
  submit(command: Prompt | Compact, settle: Settle): void;
  /** Withdraws the prompt with this handle, unless the agent already has the prompt. */
  takeBack(handle: string): void;
}

/** Creates the submission of a session. */
export function createSubmission({ phases, queue, turns, ...ports }: SubmissionPorts): Submission {
  const additions = createRunAdditions({
    agent: ports.agent,
    isRunning: phases.isRunning,
    currentRun() {
      const phase = phases.current();
      return ports.transcript.run?.number ?? (phase.name === 'sent' ? phase.request : null);
    },
    submit,
    keep: ports.followUps.keep,
  });

  function submit(command: Prompt | Compact, settle: Settle): void {
    // The agent is free between two runs, but waiting prompts come first.
    if (turns.isIdle()) return turns.take({ command, settle });
    const whenBusy = command.type === 'prompt' ? command.whenBusy : undefined;
    const isAddition = whenBusy === 'steer' || whenBusy === 'follow-up';
    if (command.type === 'prompt' && isAddition && phases.isRunning()) return additions.add(command, settle);
    if (whenBusy === 'refuse') return settle(refused('busy', 'the agent is still working on an earlier prompt'));
    if (queue.isFull()) return settle(queue.tooMany());
    queue.add({ command, settle });
  }

  return {
    submit,
    takeBack(handle) {
      additions.takeBack(handle);
      queue.takeBack(handle)?.settle(takenBack);
      turns.tellIdle();
    },
  };
}
