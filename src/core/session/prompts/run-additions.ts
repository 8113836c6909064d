// Prompts for the run that is open: the agent is asked to take them in, by steering or as a follow-up.
import { isUnsupported, type Settle } from '../../model/errors.ts';
import type { AgentPort } from '../session-agent.ts';
import { takenBack, withTaken } from './answers.ts';
import type { Prompt } from './phase.ts';

/** What additions to a run need. */
export interface RunAdditionPorts {
  readonly agent: AgentPort;
  isRunning(): boolean;
  /** Identifies the run that is open or about to be; null where there is none. */
  currentRun(): unknown;
  /** Takes the prompt as one of its own turn. */
  submit(command: Prompt, settle: Settle): void;
  /** Keeps the prompt until a run has completed, and answers the prompt now. */
  keep(command: Prompt, settle: Settle): void;
}

/** Additions to the runs of one session. */
export interface RunAdditions {
  add(command: Prompt, settle: Settle): void;
  /** The client has withdrawn the prompt of that handle: the prompt is not kept here, whatever the agent answers. */
  takeBack(handle: string): void;
}

/** Nothing is added yet. */
export function createRunAdditions({ agent, isRunning, currentRun, submit, keep }: RunAdditionPorts): RunAdditions {
  /** Handles of additions that the agent has not answered. */
  const pending = new Set<string>();

  /** The agent takes no additions. A follow-up is the next prompt, which needs nobody; steering needs the agent. */
  function queueInstead(command: Prompt, settle: Settle): void {
    const later: Prompt = { ...command, whenBusy: undefined };
    // A kept prompt is answered when it is kept, so not again at the end of its run.
    if (isRunning()) keep({ ...later, untilIdle: undefined }, settle);
    else submit(later, settle);
  }

  return {
    add(command, settle) {
      const { handle } = command;
      if (handle !== undefined) pending.add(handle);
      const run = currentRun();
      agent.forward(command, (outcome) => {
        const isTakenBack = handle !== undefined && !pending.delete(handle);
        if (!isUnsupported(outcome)) return settle(withTaken('queued', outcome));
        if (isTakenBack) return settle(takenBack);
        if (command.whenBusy === 'follow-up') return queueInstead(command, settle);
        // Where the run is over, or never began, steering is a prompt like any other, which may join another run.
        if (currentRun() === run) settle(outcome);
        else submit(command, settle);
      });
    },
    takeBack: (handle) => void pending.delete(handle),
  };
}
