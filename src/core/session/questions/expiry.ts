// Ends questions without an answer: after their deadline, or at once if nobody can answer.
import { type Clock, createTimers } from '../../contract/clock.ts';
import type { Event, EventOf } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import { expiryOf, type Question } from './answers.ts';
import type { OpenQuestions } from './open-questions.ts';

/** Most open questions of one session. */
export const mostOpen = 64;

/** A client that cannot show questions does not count. */
const nobodyThere = 'nobody is there who can be asked';

/** The dependencies of the expiry of questions. */
export interface ExpiryPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** Deadline of questions without their own, ms. */
  readonly deadlineMs: number;
  readonly agent: AgentPort;
  limited(rule: 'openQuestions' | 'questionMs'): void;
  readonly open: OpenQuestions;
  /** See SessionPorts. */
  refuseQuestion(): string | null;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The deadlines of one session's questions. */
export interface Expiry {
  /** Starts the deadline of a new question. */
  ask(question: Question): void;
  /** Calls `act` in the next tick instead of waiting for the deadline. */
  soon(question: Question, act: () => void): void;
  /** Stops the deadline of an ended question. */
  stop(end: EventOf<'approval-end' | 'dialog-end'>): void;
  /** Ends an open question without an answer: an approval is denied, a dialog cancelled (docs/faults.md F15). */
  expire(question: Question, reason: string): void;
  /** Ends all open questions now, and each new question at once, because nobody can answer any more. */
  setUnattended(): void;
  clear(): void;
}

/** Creates the deadlines of a session's questions. */
export function createExpiry(ports: ExpiryPorts): Expiry {
  const { transcript, clock, deadlineMs, agent, limited, open, admit } = ports;
  const timers = createTimers(clock);
  let isAttended = true;

  /** Why a question is refused at once; null if it may wait for an answer. */
  function refusal(): string | null {
    if (!isAttended) return nobodyThere;
    // An agent that asks without limit gets refusals (docs/threats.md T32).
    const isFlood = transcript.approvals.size + transcript.dialogs.size > mostOpen;
    const because = isFlood ? `more than ${mostOpen} questions are open` : ports.refuseQuestion();
    if (because !== null) limited('openQuestions');
    return because;
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
      timers.set(timerOf(question), ms, () => {
        if (because === null) limited('questionMs');
        expire(question, because ?? 'nobody answered in time');
      });
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

/** The timer name. The type is part of the name because an approval and a dialog may have the same id. */
function timerOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.startsWith('approval') ? 'approval' : 'dialog'} ${id}`;
}
