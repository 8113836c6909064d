// Aborts of runs and compactions: when an abort is answered, and when an agent that ignores an abort is stopped.
import type { Timers } from '../../contract/clock.ts';
import type { Command, CommandOf } from '../../model/command.ts';
import { isUnsupported, type Outcome, type Settle } from '../../model/errors.ts';
import type { AgentPort } from '../agent/session-agent.ts';

/** What aborts need. */
export interface AbortPorts {
  readonly timers: Timers;
  /** How long after an abort an agent may keep its run open before the agent is stopped, ms. */
  readonly abortMs: number;
  readonly agent: AgentPort;
  limited(rule: 'abortMs'): void;
  isRunning(): boolean;
  /** Returns the answer to a completed abort. */
  answer(): Outcome;
}

/** The open aborts of one session. */
export interface Aborts {
  /** Takes an abort while the session is busy. */
  abort(command: CommandOf<'abort'>, settle: Settle): void;
  /** Answers all aborts: no run is open or about to open. */
  done(): void;
  /** Answers all aborts: the agent has ended. */
  lose(outcome: Outcome): void;
}

/** Creates the aborts of one session. */
export function createAborts({ timers, abortMs, agent, limited, isRunning, answer }: AbortPorts): Aborts {
  /** Aborts that are answered at the end of the run. */
  const waiting: Settle[] = [];

  function settleAll(outcome: Outcome): void {
    for (const settle of waiting.splice(0)) settle(outcome);
  }

  function stopUnwilling(): void {
    // A paused agent is not read, so it may have stopped unnoticed. Give it another period.
    if (agent.isPaused()) return timers.set('abort', abortMs, stopUnwilling);
    limited('abortMs');
    agent.abandon('the agent did not stop when it was aborted');
  }

  const forgiveAgent = () => timers.set('abort', null, () => {});

  function answerAtOnce(command: Command, settle: Settle): void {
    agent.forward(command, (outcome) => {
      // Do not stop an agent only because it cannot abort a compaction.
      if (isUnsupported(outcome) && !isRunning()) forgiveAgent();
      settle(outcome.ok ? answer() : outcome);
    });
  }

  function answerAtEnd(command: Command, settle: Settle): void {
    waiting.push(settle);
    agent.forward(command, (outcome) => {
      // A success is answered at the end of the run. A refusal is answered now, because no end will follow.
      const at = outcome.ok ? -1 : waiting.indexOf(settle);
      if (at < 0) return;
      waiting.splice(at, 1);
      settle(outcome);
    });
  }

  return {
    abort(command, settle) {
      // The period starts with the first abort. A repeated abort must not extend the time of a hanging agent.
      if (!timers.has('abort')) timers.set('abort', abortMs, stopUnwilling);
      if (command.untilIdle === true && isRunning()) answerAtEnd(command, settle);
      else answerAtOnce(command, settle);
    },
    done() {
      forgiveAgent();
      settleAll(answer());
    },
    lose: settleAll,
  };
}
