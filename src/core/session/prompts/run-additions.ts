// Prompts that join the open run. The agent is asked to accept them, as steering or as a follow-up.
import { isUnsupported, type Settle } from '../../model/errors.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import { takenBack, withTaken } from './answers.ts';
import type { Prompt } from './phase.ts';

/** What additions to a run need. */
export interface RunAdditionPorts {
  readonly agent: AgentPort;
  isRunning(): boolean;
  /** Identifies the open or imminent run; null without one. */
  currentRun(): unknown;
  /** Submits the prompt with a turn of its own. */
  submit(command: Prompt, settle: Settle): void;
  /** Keeps the prompt until a run has completed, and answers the prompt now. */
  keep(command: Prompt, settle: Settle): void;
}

/** Sends prompts into the runs of one session. */
export interface RunAdditions {
  add(command: Prompt, settle: Settle): void;
  /** Withdraws the prompt with this handle: it is not kept, whatever the agent answers. */
  takeBack(handle: string): void;
}

/** Creates the run additions of a session. */
export function createRunAdditions({ agent, isRunning, currentRun, submit, keep }: RunAdditionPorts): RunAdditions {
  /** Handles of prompts that the agent has not answered. */
  const pending = new Set<string>();

  /**
   * Handles a follow-up that the agent does not support: kept until a run has completed, or submitted if no run is
   * open.
   */
  function queueInstead(command: Prompt, settle: Settle): void {
    const later: Prompt = { ...command, whenBusy: undefined };
    // A kept prompt is answered now, so it must not be answered again at the end of its run.
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
        // If the run is over or never began, steering is a normal prompt, which may join another run.
        if (currentRun() === run) settle(outcome);
        else submit(command, settle);
      });
    },
    takeBack: (handle) => void pending.delete(handle),
  };
}
