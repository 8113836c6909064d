// Commands that are about what the server is at, and so must not wait behind it: steer, follow_up, answers, the aborts of
// all but a run. Real servers let them wait all the same (docs/protocols/pi-server.md 7.7, 18.4); whether this one
// does is found out here. Knows no run.
import type { Outcome } from '../../../core/model/errors.ts';
import { refused } from '../../../core/model/errors.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import type { AgentRequests, Answer, Line } from './requests.ts';

/** How a command is to be said beside another. */
export interface BesideManner {
  /** It is tried only while the session is as it is now: said later it would do harm. */
  readonly isForNow: boolean;
  /** The answer to the client where the server lets it wait. Default: it cannot be done. */
  readonly late?: Outcome;
  outcome(answer: Answer): Outcome;
}

/** What may be said beside a prompt. */
export interface Beside {
  /** The server has let something wait that was about a prompt. */
  waits(): void;
  /** Sends the line of that command and answers it. */
  say(id: string, line: Line, manner: BesideManner): void;
  /** Whether the timer was one of these. */
  wake(timer: string): boolean;
}

const timerPrefix = 'beside:';
/** How often something is said again because the session has moved on meanwhile. */
const mostTries = 3;

/** `graceMs`: how long the server may take to begin with what it does not let wait. */
export function createBeside(out: Outbox, requests: AgentRequests, graceMs: number): Beside {
  /** What a server does with commands beside a prompt; null until it was seen. */
  let letsWait: boolean | null = null;
  const giveUp = new Map<string, () => void>();

  function unable({ type }: Line): Outcome {
    return refused('unsupported', `this pi-server does nothing about ${type} before what it is at is over`);
  }

  function say(id: string, line: Line, manner: BesideManner, tries = 1): void {
    const isBeside = requests.isBlocked;
    const late = manner.late ?? unable(line);
    if (isBeside && letsWait === true) return out.settle(id, late);
    let isSettled = false;
    let timer = '';
    const settle = (outcome: Outcome) => {
      if (isSettled) return;
      isSettled = true;
      out.settle(id, outcome);
    };
    const stop = () => {
      if (giveUp.delete(timer)) out.timer(timer, null);
    };
    const wire = requests.send(line, {
      isForNow: isBeside && manner.isForNow,
      started: stop,
      done(answer) {
        stop();
        if (isBeside && answer.kind === 'data' && requests.isBlocked) letsWait = false;
        if (isSettled) {
          if (manner.isForNow && answer.kind === 'data') out.note('repair', `${line.type}: done after all, and late`);
          return;
        }
        const isStale = isBeside && manner.isForNow && answer.kind === 'refused' && answer.code === 'stale';
        if (!isStale) return settle(manner.outcome(answer));
        if (requests.isBlocked && tries < mostTries) return say(id, line, manner, tries + 1);
        settle(late);
      },
    });
    if (!isBeside || letsWait === false) return;
    timer = timerPrefix + wire;
    giveUp.set(timer, () => {
      letsWait = true;
      settle(late);
    });
    out.timer(timer, graceMs);
  }

  return {
    waits() {
      letsWait = true;
    },
    say,
    wake(timer) {
      if (!timer.startsWith(timerPrefix)) return false;
      const act = giveUp.get(timer);
      giveUp.delete(timer);
      act?.();
      return true;
    },
  };
}
