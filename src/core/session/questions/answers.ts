// Questions of an agent and the answers to them, as data. Pure.
import type { CommandOf } from '../../model/command.ts';
import type { Event, EventOf } from '../../model/event.ts';
import { jsonEqual } from '../../model/json-equal.ts';
import type { Transcript } from '../../model/transcript.ts';

export type Answer = CommandOf<'answer-approval'> | CommandOf<'answer-dialog'>;
export type Approval = EventOf<'approval-request'>;
export type Question = Approval | EventOf<'dialog-request'>;

/** Who keeps an approval for the rest of the session. */
export type Keeper = 'session' | 'agent' | 'nobody';

/** The open question of that id. */
export function openQuestion(transcript: Transcript, type: Question['type'], id: string): Question | undefined {
  return type === 'approval-request' ? transcript.approvals.get(id) : transcript.dialogs.get(id);
}

/** The question that the client means. */
export function questionOf({ type, id }: Answer, transcript: Transcript): Question | undefined {
  return openQuestion(transcript, type === 'answer-approval' ? 'approval-request' : 'dialog-request', id);
}

/** Who is to keep that approval; null where the client wants it to count once. */
export function keeperOf(answer: Answer, question: Question, doesAgentKeep: () => boolean): Keeper | null {
  if (question.type !== 'approval-request' || answer.type !== 'answer-approval') return null;
  if (answer.decision !== 'allow' || answer.forSession !== true) return null;
  if ((question.suggestions ?? []).length > 0) return 'agent';
  return doesAgentKeep() ? 'nobody' : 'session';
}

/**
 * The answer as the agent is told. Some clients repeat the arguments that they allow: these change nothing, and an agent
 * that takes no changed arguments must not have to refuse them. The agent is not told of what others keep.
 */
export function answerForAgent(answer: Answer, question: Question, keeper: Keeper | null): Answer {
  if (answer.type !== 'answer-approval' || question.type !== 'approval-request') return answer;
  const { input, forSession, remember, ...rest } = answer;
  return {
    ...rest,
    ...(input === undefined || jsonEqual(input, question.input) ? {} : { input }),
    ...(keeper === 'session' || remember === undefined ? {} : { remember }),
    ...(keeper === 'agent' ? { forSession } : {}),
  };
}

/** The end of a question by that answer. */
export function endOf(answer: Answer): Event {
  const { id } = answer;
  if (answer.type === 'answer-approval') {
    const outcome = answer.decision === 'allow' ? 'allowed' : 'denied';
    return { type: 'approval-end', id, outcome, reason: answer.reason };
  }
  return { type: 'dialog-end', id, outcome: answer.answer.kind === 'cancelled' ? 'cancelled' : 'answered' };
}

/** The end of a question that nobody has answered, and the answer that the agent gets. */
export function expiryOf({ type, id }: Question, reason: string): { readonly event: Event; readonly answer: Answer } {
  if (type === 'dialog-request') {
    return {
      event: { type: 'dialog-end', id, outcome: 'expired', synthetic: true },
      answer: { type: 'answer-dialog', id, answer: { kind: 'cancelled' } },
    };
  }
  return {
    event: { type: 'approval-end', id, outcome: 'expired', reason, synthetic: true },
    answer: { type: 'answer-approval', id, decision: 'deny', reason },
  };
}
