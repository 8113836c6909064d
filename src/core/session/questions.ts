// Approvals and dialogs: one-shot, first valid answer wins, none outlives its run or its deadline. What a user has said yes
// to beforehand is answered here (standing.ts). Knows no protocol.
import { type Clock, createTimers } from '../contract/clock.ts';
import type { CommandOf } from '../model/command.ts';
import { type Outcome, refused } from '../model/errors.ts';
import type { Event, EventOf } from '../model/event.ts';
import { jsonEqual } from '../model/json-equal.ts';
import { createStandingApprovals, mostRemembered } from './standing-approvals.ts';
import type { Transcript } from '../model/transcript.ts';

type Answer = CommandOf<'answer-approval'> | CommandOf<'answer-dialog'>;
type Asked = EventOf<'approval-request'>;
/** Who keeps a yes for the rest of the session. */
type Keeper = 'session' | 'agent' | 'nobody';
type Question = EventOf<'approval-request'> | EventOf<'dialog-request'>;

/** What the questions of a session need. */
export interface QuestionPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** For questions that bring no deadline of their own, ms. */
  readonly deadlineMs: number;
  /** Clients that may answer. */
  readers(): number;
  /** See Backend. */
  keepsPermissions(): boolean;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** Passes an accepted answer to the agent. */
  forward(answer: Answer, settle: (outcome: Outcome) => void): void;
}

/** The open questions of one session. */
export interface Questions {
  /** The event as it is logged: an approval that the session answers itself says so. */
  marked(event: Event): Event;
  /** Whether the session answers approvals itself from now on. */
  trust(isOn: boolean): void;
  answer(command: Answer, settle: (outcome: Outcome) => void): void;
  /** Watches the log: starts and stops deadlines. */
  event(event: Event): void;
  /** Nobody is there any more who could answer: what is open, and what will be asked, ends at once. */
  setUnattended(): void;
  clear(): void;
}

/** Questions of one session that may be open at once. */
export const mostOpen = 64;

/** A client that has no way to ask its user counts as nobody. */
const nobodyThere = 'nobody is there who can be asked';

/** Nobody answers: an approval is denied, a dialog cancelled; never the other way (docs/faults.md F15). */
export function createQuestions(ports: QuestionPorts): Questions {
  const { transcript, clock, admit } = ports;
  const timers = createTimers(clock);
  /** Answered and on its way to the agent: nobody may answer a second time meanwhile. */
  const taken = new Set<Question>();
  /** How many clients have said that they cannot answer it. */
  const unable = new WeakMap<Question, number>();
  /** Why those end whose answer is on its way, unless the agent takes the answer. */
  const overdue = new Map<Question, string>();

  // By identity: agents use ids again, and the answer to an old question must not end a new one (docs/threats.md T22).
  const isOpen = (question: Question) => openOf(transcript, question) === question;

  const standing = createStandingApprovals();
  let isAttended = true;

  /** Why a question is not put to anybody; null when it is. */
  function unheardBecause(): string | null {
    if (!isAttended) return nobodyThere;
    // An agent that asks without end is not listened to (docs/threats.md T32).
    const isFlood = transcript.approvals.size + transcript.dialogs.size > mostOpen;
    return isFlood ? `more than ${mostOpen} questions are open` : null;
  }

  /** Its user has said yes beforehand. An agent that does not take the yes gets a no, for nobody was asked. */
  function allow(question: Asked): void {
    if (!isOpen(question) || taken.has(question)) return;
    taken.add(question);
    const answer = { type: 'answer-approval', id: question.id, decision: 'allow' } as const;
    ports.forward(answer, (outcome) => {
      taken.delete(question);
      if (outcome.ok && isOpen(question)) admit(endingOf(answer));
      else expire(question, 'the agent did not take the answer');
    });
  }

  /** Whose business it is to keep that yes; null where its client wants it to count once. */
  function keeperOf(answer: Answer, { suggestions = [] }: Asked): Keeper | null {
    if (answer.type !== 'answer-approval' || answer.decision !== 'allow' || answer.forSession !== true) return null;
    if (suggestions.length === 0) return ports.keepsPermissions() ? 'nobody' : 'session';
    return 'agent';
  }

  function say(level: 'info' | 'warning', text: string): void {
    admit({ type: 'notice', level, source: 'gateway', text });
  }

  /** All who watch hear what became of a yes that is to be kept. */
  function keep(keeper: Keeper | null, question: Asked): void {
    const tool = JSON.stringify(question.name);
    if (keeper === 'nobody') return say('warning', `The yes to ${tool} counts once: the agent offers none to keep.`);
    if (keeper === 'session') remember(question, tool);
  }

  function remember(question: Asked, tool: string): void {
    const kept = standing.remember(question);
    if (kept === 'full') {
      say('warning', `The yes to ${tool} counts once: the session keeps it for ${mostRemembered} tools and no more.`);
    }
    if (kept !== 'kept') return;
    say('info', `${tool} is allowed for the rest of this session.`);
    for (const open of [...transcript.approvals.values()]) if (standing.of(open) === 'remembered') allow(open);
  }

  function expire(question: Question, reason: string): void {
    if (!isOpen(question)) return;
    if (taken.has(question)) {
      overdue.set(question, reason);
      return;
    }
    const { id } = question;
    if (question.type === 'dialog-request') {
      admit({ type: 'dialog-end', id, outcome: 'expired', synthetic: true });
      ports.forward({ type: 'answer-dialog', id, answer: { kind: 'cancelled' } }, () => {});
      return;
    }
    admit({ type: 'approval-end', id, outcome: 'expired', reason, synthetic: true });
    ports.forward({ type: 'answer-approval', id, decision: 'deny', reason }, () => {});
  }

  function ask(question: Question): void {
    const because = unheardBecause();
    const ms = because === null ? (question.timeoutMs ?? ports.deadlineMs) : 0;
    timers.set(timerOf(question), ms, () => expire(question, because ?? 'nobody answered in time'));
  }

  return {
    marked(event) {
      if (event.type !== 'approval-request') return event;
      const why = standing.of(event);
      return event.standing === why ? event : { ...event, standing: why };
    },
    trust: standing.trust,
    answer(command, settle) {
      const { type, id } = command;
      const question = openOf(transcript, {
        type: type === 'answer-approval' ? 'approval-request' : 'dialog-request',
        id,
      });
      if (question === undefined || taken.has(question)) {
        return settle(refused('stale', `no open question ${JSON.stringify(id)}: answered, withdrawn or never asked`));
      }
      if (command.unable === true) {
        const count = (unable.get(question) ?? 0) + 1;
        unable.set(question, count);
        if (count < ports.readers()) return settle({ ok: true });
      }
      taken.add(question);
      const keeper = question.type === 'approval-request' ? keeperOf(command, question) : null;
      ports.forward(forAgent(command, question, keeper), (outcome) => {
        taken.delete(question);
        // A refused answer leaves the question open for a better one (docs/faults.md F17).
        // Many agents end their own question as they take the answer.
        if (outcome.ok && isOpen(question)) admit(endingOf(command));
        if (outcome.ok && question.type === 'approval-request') keep(keeper, question);
        settle(outcome);
        const late = overdue.get(question);
        overdue.delete(question);
        if (late !== undefined) expire(question, late);
      });
    },
    event(event) {
      switch (event.type) {
        case 'approval-request':
          if (event.standing !== undefined) return timers.set(timerOf(event), 0, () => allow(event));
          ask(event);
          return;
        case 'dialog-request':
          ask(event);
          return;
        case 'approval-end':
        case 'dialog-end':
          timers.set(timerOf(event), null, () => {});
          return;
        default:
      }
    },
    setUnattended() {
      isAttended = false;
      const questions = [...transcript.approvals.values(), ...transcript.dialogs.values()];
      for (const question of questions) expire(question, nobodyThere);
    },
    clear() {
      timers.clear();
      taken.clear();
      overdue.clear();
    },
  };
}

/**
 * What the agent is told of an answer. Some clients repeat the arguments that they allow: that changes nothing, and an
 * agent that cannot take changed ones must not have to refuse it. What is not the agent's to keep it does not hear of.
 */
function forAgent(answer: Answer, question: Question, keeper: Keeper | null): Answer {
  if (answer.type !== 'answer-approval' || question.type !== 'approval-request') return answer;
  const { input, forSession, remember, ...rest } = answer;
  return {
    ...rest,
    ...(input === undefined || jsonEqual(input, question.input) ? {} : { input }),
    ...(keeper === 'session' || remember === undefined ? {} : { remember }),
    ...(keeper === 'agent' ? { forSession } : {}),
  };
}

function openOf(transcript: Transcript, { type, id }: Pick<Question, 'type' | 'id'>): Question | undefined {
  return type === 'approval-request' ? transcript.approvals.get(id) : transcript.dialogs.get(id);
}

/** An approval and a dialog may have the same id. */
function timerOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.startsWith('approval') ? 'approval' : 'dialog'} ${id}`;
}

function endingOf(command: Answer): Event {
  if (command.type === 'answer-approval') {
    const outcome = command.decision === 'allow' ? 'allowed' : 'denied';
    return { type: 'approval-end', id: command.id, outcome, reason: command.reason };
  }
  const outcome = command.answer.kind === 'cancelled' ? 'cancelled' : 'answered';
  return { type: 'dialog-end', id: command.id, outcome };
}
