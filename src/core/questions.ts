// Approvals and dialogs: one-shot, first valid answer wins, none outlives its run or its deadline. Knows no protocol.
import type { Clock } from './clock.ts';
import { createTimers } from './clock.ts';
import type { CommandOf } from './command.ts';
import { type Outcome, refused } from './errors.ts';
import type { Event } from './event.ts';
import type { Transcript } from './transcript.ts';

type Answer = CommandOf<'answer-approval'> | CommandOf<'answer-dialog'>;

/** What the questions of a session need. */
export interface QuestionPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** For questions that bring no deadline of their own, ms. */
  readonly deadlineMs: number;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** Passes an accepted answer to the agent. */
  forward(answer: Answer, settle: (outcome: Outcome) => void): void;
}

/** The open questions of one session. */
export interface Questions {
  answer(command: Answer, settle: (outcome: Outcome) => void): void;
  /** Watches the log: starts and stops deadlines. */
  event(event: Event): void;
  clear(): void;
}

/** Nobody answers: an approval is denied, a dialog cancelled; never the other way (reliability F15). */
export function createQuestions(ports: QuestionPorts): Questions {
  const { transcript, clock, admit } = ports;
  const timers = createTimers(clock);
  /** Answered and on its way to the agent: nobody may answer a second time meanwhile. */
  const taken = new Set<string>();

  function expire(id: string, kind: 'approval' | 'dialog'): void {
    const settle = () => {};
    if (kind === 'dialog') {
      if (!transcript.dialogs.has(id)) return;
      admit({ type: 'dialog-end', id, outcome: 'expired', synthetic: true });
      ports.forward({ type: 'answer-dialog', id, answer: { kind: 'cancelled' } }, settle);
      return;
    }
    if (!transcript.approvals.has(id) || taken.has(id)) return;
    const reason = 'nobody answered in time';
    admit({ type: 'approval-end', id, outcome: 'expired', reason, synthetic: true });
    ports.forward({ type: 'answer-approval', id, decision: 'deny', reason }, settle);
  }

  const isOpen = ({ type, id }: Answer) =>
    type === 'answer-approval' ? transcript.approvals.has(id) : transcript.dialogs.has(id);

  return {
    answer(command, settle) {
      if (!isOpen(command) || taken.has(command.id)) {
        return settle(
          refused('stale', `no open question ${JSON.stringify(command.id)}: answered, withdrawn or never asked`),
        );
      }
      taken.add(command.id);
      ports.forward(command, (outcome) => {
        taken.delete(command.id);
        // A refused answer leaves the question open for a better one (reliability F17).
        // Many agents end their own question as they take the answer.
        if (outcome.ok && isOpen(command)) admit(endingOf(command));
        settle(outcome);
      });
    },
    event(event) {
      switch (event.type) {
        case 'approval-request':
          timers.set(`approval ${event.id}`, event.timeoutMs ?? ports.deadlineMs, () => expire(event.id, 'approval'));
          return;
        case 'dialog-request':
          timers.set(`dialog ${event.id}`, event.timeoutMs ?? ports.deadlineMs, () => expire(event.id, 'dialog'));
          return;
        case 'approval-end':
          timers.set(`approval ${event.id}`, null, () => {});
          return;
        case 'dialog-end':
          timers.set(`dialog ${event.id}`, null, () => {});
          return;
        default:
      }
    },
    clear() {
      timers.clear();
      taken.clear();
    },
  };
}

function endingOf(command: Answer): Event {
  if (command.type === 'answer-approval') {
    const outcome = command.decision === 'allow' ? 'allowed' : 'denied';
    return { type: 'approval-end', id: command.id, outcome, reason: command.reason };
  }
  const outcome = command.answer.kind === 'cancelled' ? 'cancelled' : 'answered';
  return { type: 'dialog-end', id: command.id, outcome };
}
