// How questions end that nobody answers: after their deadline, or at once where nobody can be asked.
import { type Clock, createTimers } from '../../contract/clock.ts';
import type { Event, EventOf } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../session-agent.ts';
import { expiryOf, type Question } from './answers.ts';
import type { OpenQuestions } from './open-questions.ts';

/** Questions of one session that may be open at once. */
export const mostOpen = 64;

/** A client that has no way to ask its user counts as nobody. */
const nobodyThere = 'nobody is there who can be asked';

/** What the end of questions needs. */
export interface ExpiryPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** For questions without a deadline of their own, ms. */
  readonly deadlineMs: number;
  readonly agent: AgentPort;
  readonly open: OpenQuestions;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The deadlines of one session's questions. */
export interface Expiry {
  /** A question was asked: its time begins. */
  ask(question: Question): void;
  /** Does something with a question in the next tick, instead of waiting for its deadline. */
  soon(question: Question, act: () => void): void;
  /** A question has ended. */
  stop(end: EventOf<'approval-end' | 'dialog-end'>): void;
  /** Ends an open question without an answer: an approval is denied, a dialog cancelled (docs/faults.md F15). */
  expire(question: Question, reason: string): void;
  /** Nobody can answer any more: what is open, and what will be asked, ends at once. */
  setUnattended(): void;
  clear(): void;
}

/** Attended, and no question is open. */
export function createExpiry({ transcript, clock, deadlineMs, agent, open, admit }: ExpiryPorts): Expiry {
  const timers = createTimers(clock);
  let isAttended = true;

  /** Why a question is put to nobody; null where the question waits for an answer. */
  function refusal(): string | null {
    if (!isAttended) return nobodyThere;
    // An agent that asks without end is not listened to (docs/threats.md T32).
    const isFlood = transcript.approvals.size + transcript.dialogs.size > mostOpen;
    return isFlood ? `more than ${mostOpen} questions are open` : null;
  }

  function expire(question: Question, reason: string): void {
    if (!open.isOpen(question)) return;
    if (open.isAnswered(question)) return open.expireUnlessTaken(question, reason);
    const { event, answer } = expiryOf(question, reason);
    admit(event);
    agent.forward(answer, () => {});
  }

  return {
    ask(question) {
      const because = refusal();
      const ms = because === null ? (question.timeoutMs ?? deadlineMs) : 0;
      timers.set(timerOf(question), ms, () => expire(question, because ?? 'nobody answered in time'));
    },
    soon: (question, act) => timers.set(timerOf(question), 0, act),
    stop: (end) => timers.set(timerOf(end), null, () => {}),
    expire,
    setUnattended() {
      isAttended = false;
      const questions = [...transcript.approvals.values(), ...transcript.dialogs.values()];
      for (const question of questions) expire(question, nobodyThere);
    },
    clear: () => timers.clear(),
  };
}

/** An approval and a dialog may have the same id. */
function timerOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.startsWith('approval') ? 'approval' : 'dialog'} ${id}`;
}
