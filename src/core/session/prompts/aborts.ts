// Aborts of what a session is at: the answer at once or when the run is over, and the end of an agent that does not obey.
import type { Timers } from '../../contract/clock.ts';
import type { Command, CommandOf } from '../../model/command.ts';
import { isUnsupported, type Outcome, type Settle } from '../../model/errors.ts';
import type { AgentPort } from '../session-agent.ts';

/** What aborts need. */
export interface AbortPorts {
  readonly timers: Timers;
  /** An agent that does not end its run so long after an abort is stopped, ms. */
  readonly abortMs: number;
  readonly agent: AgentPort;
  isRunning(): boolean;
  /** The answer to an abort that is done. */
  answer(): Outcome;
}

/** The open aborts of one session. */
export interface Aborts {
  /** The session is busy. */
  abort(command: CommandOf<'abort'>, settle: Settle): void;
  /** No run is open, or about to be: all aborts are done. */
  done(): void;
  /** The agent is gone. */
  lose(outcome: Outcome): void;
}

/** None is open. */
export function createAborts({ timers, abortMs, agent, isRunning, answer }: AbortPorts): Aborts {
  /** Aborts that are answered when the run is over. */
  const waiting: Settle[] = [];

  function settleAll(outcome: Outcome): void {
    for (const settle of waiting.splice(0)) settle(outcome);
  }

  function stopUnwilling(): void {
    // A paused agent is not read: the agent may have stopped long ago.
    if (agent.isPaused()) timers.set('abort', abortMs, stopUnwilling);
    else agent.stop('the agent did not stop when it was aborted');
  }

  const forgiveAgent = () => timers.set('abort', null, () => {});

  function answerAtOnce(command: Command, settle: Settle): void {
    agent.forward(command, (outcome) => {
      // A compaction that an agent cannot stop is no reason to stop the agent.
      if (isUnsupported(outcome) && !isRunning()) forgiveAgent();
      settle(outcome.ok ? answer() : outcome);
    });
  }

  function answerAtEnd(command: Command, settle: Settle): void {
    waiting.push(settle);
    agent.forward(command, (outcome) => {
      // Success is answered at the end of the run. An agent that refuses gives no end to wait for.
      const at = outcome.ok ? -1 : waiting.indexOf(settle);
      if (at < 0) return;
      waiting.splice(at, 1);
      settle(outcome);
    });
  }

  return {
    abort(command, settle) {
      // Counted from the first abort: asking again must not give a hanging agent more time.
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
