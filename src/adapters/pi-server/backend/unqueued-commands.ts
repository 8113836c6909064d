// Commands about the current work of the server, which must not queue behind that work: steer, follow_up, answers, and
// all aborts except the abort of a run. Real servers queue them nevertheless (docs/protocols/pi-server.md 7.7, 18.4).
// This file finds out whether the server at hand does.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import { refused } from '../../../core/model/errors.ts';
import type { AgentRequests, Answer, Line } from './requests.ts';

/** How to send a command beside a running one. */
export interface UnqueuedSupport {
  /** Whether the command applies only to the current state of the session. Running it later would do harm. */
  readonly isForNow: boolean;
  /** The outcome for the client if the server queues the command. Default: unsupported. */
  readonly late?: Outcome;
  outcome(answer: Answer): Outcome;
}

/** Sends commands beside a prompt. */
export interface UnqueuedCommands {
  /** Called when the server has queued an abort behind its prompt. */
  waits(): void;
  /** Sends the line of that command and settles the command. */
  say(id: string, line: Line, manner: UnqueuedSupport): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
}

const timerPrefix = 'beside:';
/** How often a command is sent again because the session's version has changed meanwhile. */
const mostTries = 3;

/**
 * Creates the sender of these commands. `graceMs`: how long a server that does not queue may take to start a command,
 * ms.
 */
export function createUnqueuedCommands(out: Outbox, requests: AgentRequests, graceMs: number): UnqueuedCommands {
  /** Whether the server queues commands beside a prompt. Null until observed. */
  let letsWait: boolean | null = null;
  const giveUp = new Map<string, () => void>();

  function unable({ type }: Line): Outcome {
    return refused('unsupported', `this pi-server does nothing about ${type} before what it is at is over`);
  }

  function say(id: string, line: Line, manner: UnqueuedSupport, tries = 1): void {
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
    onTimer(timer) {
      if (!timer.startsWith(timerPrefix)) return false;
      const act = giveUp.get(timer);
      giveUp.delete(timer);
      act?.();
      return true;
    },
  };
}
