// Questions of an agent and the answers to them, as data. Pure.
import type { CommandOf } from '../../model/command.ts';
import type { Event, EventOf } from '../../model/event.ts';
import { jsonEqual } from '../../model/json-equal.ts';
import type { Transcript } from '../../model/transcript.ts';

export type Answer = CommandOf<'answer-approval'> | CommandOf<'answer-dialog'>;
export type Approval = EventOf<'approval-request'>;
export type Question = Approval | EventOf<'dialog-request'>;

/** Who remembers an approval for the rest of the session. */
export type Keeper = 'session' | 'agent' | 'nobody';

/** The open question with this id, if any. */
export function openQuestion(transcript: Transcript, type: Question['type'], id: string): Question | undefined {
  return type === 'approval-request' ? transcript.approvals.get(id) : transcript.dialogs.get(id);
}

/** The open question that an answer belongs to, if any. */
export function questionOf({ type, id }: Answer, transcript: Transcript): Question | undefined {
  return openQuestion(transcript, type === 'answer-approval' ? 'approval-request' : 'dialog-request', id);
}

/**
 * Who is to remember the approval; null if the answer counts once. `nobody`: the agent remembers only its own
 * suggestions, and it made none.
 */
export function keeperOf(answer: Answer, question: Question, doesAgentKeep: () => boolean): Keeper | null {
  if (question.type !== 'approval-request' || answer.type !== 'answer-approval') return null;
  if (answer.decision !== 'allow' || answer.forSession !== true) return null;
  if ((question.suggestions ?? []).length > 0) return 'agent';
  return doesAgentKeep() ? 'nobody' : 'session';
}

/** Why the answer is none to this question; null if it is one. */
export function mistakeIn(answer: Answer, question: Question, takesOther: () => boolean): string | null {
  if (answer.type !== 'answer-dialog' || question.type !== 'dialog-request' || question.kind !== 'select') return null;
  const { options } = question;
  const said = answer.answer;
  if (said.kind === 'cancelled' || options === undefined) return null;
  if (said.kind === 'value' && (options.includes(said.value) || takesOther())) return null;
  const shown = options.slice(0, mostShown).map((option) => JSON.stringify(option.slice(0, longestShown)));
  return `the answer is none of the options: ${shown.join(', ')}${options.length > mostShown ? ', …' : ''}`;
}

/** Options in a refusal, and the characters of each. */
const mostShown = 8;
const longestShown = 64;

/**
 * The answer as the agent gets it. Drops arguments that equal the call's own, because some clients repeat them and some
 * agents refuse changed arguments. Drops permissions that the agent does not remember itself.
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

/** The event that ends a question with this answer. */
export function endOf(answer: Answer): Event {
  const { id } = answer;
  if (answer.type === 'answer-approval') {
    const outcome = answer.decision === 'allow' ? 'allowed' : 'denied';
    return { type: 'approval-end', id, outcome, reason: answer.reason };
  }
  return { type: 'dialog-end', id, outcome: answer.answer.kind === 'cancelled' ? 'cancelled' : 'answered' };
}

/** The event that ends an unanswered question, and the answer for the agent. */
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
