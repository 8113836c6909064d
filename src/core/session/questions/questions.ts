// Approvals and dialogs of one session. Each is asked once, the first valid answer wins, and none stays open after its
// run or its deadline. Standing approvals are answered here (standing-approvals.ts).
import type { Clock } from '../../contract/clock.ts';
import { refused, type Settle } from '../../model/errors.ts';
import type { Event } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import {
  type Answer,
  type Approval,
  answerForAgent,
  endOf,
  keeperOf,
  mistakeIn,
  type Question,
  questionOf,
} from './answers.ts';
import { createExpiry } from './expiry.ts';
import { createOpenQuestions } from './open-questions.ts';
import { createRemembering } from './remember-approval.ts';
import { createStandingApprovals } from './standing-approvals.ts';

/** The dependencies of the questions of a session. */
export interface QuestionPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** Deadline of questions without their own, ms. */
  readonly deadlineMs: number;
  readonly agent: AgentPort;
  /** See SessionPorts. */
  refuseQuestion(): string | null;
  limited(rule: 'openQuestions' | 'questionMs'): void;
  /** The number of clients that may answer. */
  readers(): number;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The open questions of one session. */
export interface Questions {
  /** Returns the event for the log. Marks an approval that the session answers itself. */
  marked(event: Event): Event;
  /** Turns on or off that the session answers approvals itself. */
  trust(isOn: boolean): void;
  answer(command: Answer, settle: Settle): void;
  /** Must be called with each logged event. Starts and stops deadlines. */
  event(event: Event): void;
  /** Ends all open questions now, and each new question at once, because nobody can answer any more. */
  setUnattended(): void;
  clear(): void;
}

/** Creates the questions of a session. */
export function createQuestions(ports: QuestionPorts): Questions {
  const { transcript, admit, agent } = ports;
  const open = createOpenQuestions(transcript);
  const expiry = createExpiry({ ...ports, open });
  const standing = createStandingApprovals();
  const keep = createRemembering({ transcript, standing, admit, allow });

  /**
   * Answers with a standing approval. If the agent refuses the answer, the question is denied, because no client was
   * asked.
   */
  function allow(question: Approval): void {
    if (!open.isOpen(question) || open.isAnswered(question)) return;
    open.answer(question);
    const answer: Answer = { type: 'answer-approval', id: question.id, decision: 'allow' };
    agent.forward(answer, (outcome) => {
      open.settle(question);
      if (outcome.ok && open.isOpen(question)) admit(endOf(answer));
      else expiry.expire(question, 'the agent did not take the answer');
    });
  }

  function forwardAnswer(command: Answer, question: Question, settle: Settle): void {
    open.answer(question);
    const keeper = keeperOf(command, question, () => agent.capabilities().keepsPermissions === true);
    agent.forward(answerForAgent(command, question, keeper), (outcome) => {
      const expired = open.settle(question);
      // A refused answer leaves the question open for another answer (docs/faults.md F17). Many agents end their
      // question themselves when they take the answer.
      if (outcome.ok && open.isOpen(question)) admit(endOf(command));
      if (outcome.ok && question.type === 'approval-request') keep(question, keeper);
      settle(outcome);
      if (expired !== null) expiry.expire(question, expired);
    });
  }

  return {
    marked(event) {
      if (event.type !== 'approval-request') return event;
      const why = standing.of(event);
      return event.standing === why ? event : { ...event, standing: why };
    },
    trust: standing.trust,
    answer(command, settle) {
      const question = questionOf(command, transcript);
      if (question === undefined || open.isAnswered(question)) {
        const id = JSON.stringify(command.id);
        return settle(refused('stale', `no open question ${id}: answered, withdrawn or never asked`));
      }
      const mistake = mistakeIn(command, question, () => agent.capabilities().takesOtherAnswers === true);
      // The question stays open for another answer (docs/faults.md F17).
      if (mistake !== null) return settle(refused('invalid', mistake));
      // If a client cannot answer, the question ends only when no other client is left that could.
      if (command.unable === true && open.addUnable(question) < ports.readers()) return settle({ ok: true });
      forwardAnswer(command, question, settle);
    },
    event(event) {
      switch (event.type) {
        case 'approval-request':
          if (event.standing === undefined) expiry.ask(event);
          else expiry.soon(event, () => allow(event));
          return;
        case 'dialog-request':
          expiry.ask(event);
          return;
        case 'approval-end':
        case 'dialog-end':
          expiry.stop(event);
          return;
        default:
      }
    },
    setUnattended: expiry.setUnattended,
    clear() {
      expiry.clear();
      open.clear();
    },
  };
}
