// Follow-ups for agents without a queue: kept here until a run has completed, then sent as prompts.

import { textIn } from '../../log/messages.ts';
import type { CommandOf } from '../../model/command.ts';
import { dictionaryOf } from '../../model/dictionary.ts';
import { isUnsupported, type Outcome, type Settle } from '../../model/errors.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import { withTaken } from './answers.ts';
import type { Prompt } from './phase.ts';
import type { PromptQueue } from './queue.ts';

/** The dependencies of the follow-ups of a session. */
export interface FollowUpPorts {
  readonly transcript: Transcript;
  readonly queue: PromptQueue;
  readonly agent: AgentPort;
  /** See PromptPorts. */
  complain(text: string): void;
}

/** The follow-ups of one session. */
export interface FollowUps {
  /**
   * Asks the agent first. Without an open run, a kept follow-up waits for the next prompt and its run: clients send a
   * follow-up to come after something, and a prompt if nothing is running.
   */
  submit(command: CommandOf<'follow-up'>, settle: Settle): void;
  /** Keeps the follow-up because the agent has no queue, and answers now. */
  keep(command: Prompt, settle: Settle): void;
  /** Moves the follow-ups to the front of the queue after a completed run. They stay after a failure or an abort. */
  promote(): void;
  clear(command: CommandOf<'clear-queue'>, settle: Settle): void;
}

/** Creates the follow-ups of one session. */
export function createFollowUps({ transcript, queue, agent, complain }: FollowUpPorts): FollowUps {
  function keep(command: Prompt, settle: Settle): void {
    if (queue.isFull()) return settle(queue.tooMany());
    queue.keep(command);
    settle(withTaken('queued', { ok: true }));
  }

  /** Reports a failure as a message: the follow-up was already answered when it was kept. */
  function complainOf(outcome: Outcome): void {
    if (!outcome.ok && outcome.error.code !== 'aborted') complain(`A follow-up was not sent: ${outcome.error.message}`);
  }

  return {
    submit(command, settle) {
      const { content, extra } = command;
      agent.forward(command, (outcome) => {
        if (isUnsupported(outcome)) keep({ type: 'prompt', content, extra }, settle);
        else settle(outcome);
      });
    },
    keep,
    promote: () => queue.promote(complainOf),
    clear(command, settle) {
      const { steering, followUp } = transcript.queue;
      agent.forward(command, (outcome) => {
        const kept = queue.takeFollowUps();
        const own: Outcome = kept.length > 0 && isUnsupported(outcome) ? { ok: true } : outcome;
        const data = { steering, followUp: [...followUp, ...kept.map(({ content }) => textIn(content))] };
        settle(own.ok ? { ok: true, data: { ...data, ...dictionaryOf(own.data) } } : own);
      });
    },
  };
}
