// Follow-ups of agents that have no queue: kept here until a run has completed, then sent as prompts.
import type { CommandOf } from '../../model/command.ts';
import { dictionaryOf } from '../../model/dictionary.ts';
import { isUnsupported, type Outcome, type Settle } from '../../model/errors.ts';
import { textIn } from '../../log/messages.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../session-agent.ts';
import { withTaken } from './answers.ts';
import type { Prompt } from './phase.ts';
import type { PromptQueue } from './queue.ts';

/** What the follow-ups of a session need. */
export interface FollowUpPorts {
  readonly transcript: Transcript;
  readonly queue: PromptQueue;
  readonly agent: AgentPort;
  /** See PromptPorts. */
  complain(text: string): void;
}

/** The follow-ups of one session. The agent is asked first. */
export interface FollowUps {
  /**
   * Without a run, a kept follow-up waits for the next prompt and follows that prompt: clients of this command use it for a
   * message that comes after something, and send a prompt where nothing goes on.
   */
  submit(command: CommandOf<'follow-up'>, settle: Settle): void;
  /** The agent has no queue: the follow-up waits here, and is answered now. */
  keep(command: Prompt, settle: Settle): void;
  /** A run has completed: the follow-ups are next. After a failure or an abort they stay. */
  promote(): void;
  clear(command: CommandOf<'clear-queue'>, settle: Settle): void;
}

/** Keeps none yet. */
export function createFollowUps({ transcript, queue, agent, complain }: FollowUpPorts): FollowUps {
  function keep(command: Prompt, settle: Settle): void {
    if (queue.isFull()) return settle(queue.tooMany);
    queue.keep(command);
    settle(withTaken('queued', { ok: true }));
  }

  /** The follow-up was answered when it was kept, so a failure needs words of its own. */
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
