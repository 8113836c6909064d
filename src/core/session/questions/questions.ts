// Approvals and dialogs of one session: each is asked once, the first valid answer wins, and none outlives its run or its
// deadline. What a user has approved beforehand is answered here (standing-approvals.ts).
import type { Clock } from '../../contract/clock.ts';
import { refused, type Settle } from '../../model/errors.ts';
import type { Event } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../session-agent.ts';
import { type Answer, type Approval, answerForAgent, endOf, keeperOf, type Question, questionOf } from './answers.ts';
import { createExpiry } from './expiry.ts';
import { createOpenQuestions } from './open-questions.ts';
import { createRemembering } from './remembering.ts';
import { createStandingApprovals } from './standing-approvals.ts';

/** What the questions of a session need. */
export interface QuestionPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** For questions without a deadline of their own, ms. */
  readonly deadlineMs: number;
  readonly agent: AgentPort;
  /** Clients that may answer. */
  readers(): number;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The open questions of one session. */
export interface Questions {
  /** The event as it is logged: an approval that the session answers itself says so. */
  marked(event: Event): Event;
  /** Whether the session answers approvals itself from now on. */
  trust(isOn: boolean): void;
  answer(command: Answer, settle: Settle): void;
  /** Watches the log: starts and stops deadlines. */
  event(event: Event): void;
  /** Nobody can answer any more: what is open, and what will be asked, ends at once. */
  setUnattended(): void;
  clear(): void;
}

/** Nothing is asked. */
export function createQuestions(ports: QuestionPorts): Questions {
  const { transcript, admit, agent } = ports;
  const open = createOpenQuestions(transcript);
  const expiry = createExpiry({ ...ports, open });
  const standing = createStandingApprovals();
  const keep = createRemembering({ transcript, standing, admit, allow });

  /** The user has approved beforehand. Where the agent does not take the approval, it is denied: nobody was asked. */
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
      // A refused answer leaves the question open for a better one (docs/faults.md F17).
      // Many agents end their own question as they take the answer.
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
      // The refusal of one client counts once no other client is left that could answer.
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
