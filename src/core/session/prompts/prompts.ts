// The prompts of a session: one run at a time, the others wait in order. Wires the parts: phase.ts has the phases and
// transitions, turns.ts the order.
import type { Timers } from '../../contract/clock.ts';
import type { CommandOf } from '../../model/command.ts';
import { type Outcome, refused, type Settle } from '../../model/errors.ts';
import type { Event, EventOf, Logged } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../agent/session-agent.ts';
import { createAborts } from './aborts.ts';
import { createCompactionTurn, isCompactionDue } from './compaction-turn.ts';
import { createFollowUps } from './follow-ups.ts';
import { createTurns } from './one-at-a-time.ts';
import { answerAtEndOf, type Compact, createPhaseMachine, handleOf, type Prompt, type Request } from './phase.ts';
import { createPromptRun } from './prompt-run.ts';
import { createPromptQueue } from './queue.ts';
import { createSubmission } from './submission.ts';

/** The dependencies of the prompts of a session. */
export interface PromptPorts {
  readonly transcript: Transcript;
  readonly timers: Timers;
  readonly limits: {
    /** Prompts and follow-ups that may wait. */
    readonly queuedPrompts: number;
    /** How long after an abort an agent may keep its run open before the agent is stopped, ms. */
    readonly abortMs: number;
  };
  readonly agent: AgentPort;
  limited(rule: 'queuedPrompts' | 'abortMs'): void;
  /** Reports a failure to the user after the command was already answered. */
  complain(text: string): void;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The prompts of one session. */
export interface Prompts {
  /** A run is open, or the agent has the prompt that will open one. */
  isRunning(): boolean;
  /** Running, or compacting. */
  isBusy(): boolean;
  /** Whether the session is not busy and no prompt waits. */
  isIdle(): boolean;
  /** Whether a queued compaction has been sent to the agent and has not begun. */
  isCompactionDue(): boolean;
  /** The number of waiting prompts, compactions and follow-ups. */
  queued(): number;
  /** Takes a prompt or a queued compaction. */
  submit(command: Prompt | Compact, settle: Settle): void;
  followUp(command: CommandOf<'follow-up'>, settle: Settle): void;
  clearQueue(command: CommandOf<'clear-queue'>, settle: Settle): void;
  abort(command: CommandOf<'abort'>, settle: Settle): void;
  /** Must be called before the start of a run is logged: the prompt of the run has succeeded. */
  accept(event: EventOf<'run-start'>): void;
  /** Must be called after each logged event. */
  event(logged: Logged): void;
  /** Must be called when back-pressure begins or ends. `at`: session clock, ms. */
  pauseStallWatch(isPaused: boolean, at: number): void;
  /** Answers the agent's prompt with a failure, because the agent has ended. */
  lose(outcome: Outcome): void;
  /** Answers all waiting prompts with this failure. */
  drop(outcome: Outcome): void;
  /** Calls back once when the session is idle, or at once if it is idle now. */
  whenIdle(callback: () => void): void;
  /** Must be called when the session may have become idle. */
  tellIdle(): void;
}

/** Creates the parts and wires them. */
function createParts(ports: PromptPorts) {
  const { transcript, timers, limits, agent, limited, admit } = ports;
  const phases = createPhaseMachine(transcript);
  const queue = createPromptQueue(limits.queuedPrompts, limited);
  const followUps = createFollowUps({ transcript, queue, agent, complain: ports.complain });
  const run = createPromptRun({ transcript, phases, agent, refused: afterRun });
  const compaction = createCompactionTurn({ transcript, phases, agent, admit, over: afterRun });
  const turns = createTurns({ phases, queue, timers, begin });
  const { isRunning } = phases;
  const aborts = createAborts({ timers, abortMs: limits.abortMs, agent, limited, isRunning, answer: aborted });

  function begin({ command, ...request }: Request): void {
    if (command.type === 'prompt') run.send({ ...request, command });
    else compaction.begin({ ...request, command });
  }

  function afterRun(): void {
    // A compaction may end before the run of its prompt begins. In that case the aborts stay open.
    if (!isRunning()) aborts.done();
    turns.advance();
  }

  function aborted(): Outcome {
    return { ok: true, data: { waiting: queue.commands() } };
  }

  return { phases, queue, followUps, run, compaction, turns, aborts, aborted, afterRun };
}

/** Creates the prompts of a session. */
export function createPrompts(ports: PromptPorts): Prompts {
  const { transcript, agent } = ports;
  const parts = createParts(ports);
  const { phases, queue, followUps, run, compaction, turns, aborts } = parts;
  const { isRunning, isBusy } = phases;
  const { submit, takeBack } = createSubmission({ ...parts, transcript, agent });

  function drop(outcome: Outcome): void {
    followUps.promote();
    for (const { settle } of queue.takeAll()) settle(outcome);
  }

  return {
    isRunning,
    isBusy,
    isIdle: turns.isIdle,
    isCompactionDue: () => isCompactionDue(phases),
    queued: queue.size,
    submit,
    followUp: followUps.submit,
    clearQueue(command, settle) {
      followUps.clear(command, (outcome) => {
        settle(outcome);
        turns.tellIdle();
      });
    },
    abort(command, settle) {
      const answer = parts.aborted;
      if (command.target !== 'run') return agent.forward(command, (outcome) => settle(outcome.ok ? answer() : outcome));
      if (command.handle !== undefined && command.handle !== handleOf(phases.current())) {
        takeBack(command.handle);
        return settle(answer());
      }
      if (command.waiting === 'drop') drop(refused('aborted', 'the user stopped what came before it'));
      if (isBusy()) aborts.abort(command, settle);
      else settle(answer());
    },
    accept: run.accept,
    event({ event, at }) {
      answerAtEndOf(phases.current())?.stallWatch.event(event, at);
      if (event.type === 'block-delta') return;
      if (event.type === 'run-start') phases.step({ type: 'run-start' });
      if (event.type === 'compaction-start') compaction.begun();
      if (event.type === 'run-end') {
        if (event.outcome === 'completed') followUps.promote();
        run.end(event);
      }
      const isEnd = event.type === 'run-end' || event.type === 'compaction-end';
      if (isEnd && transcript.run === null) parts.afterRun();
    },
    pauseStallWatch: (isPaused, at) => answerAtEndOf(phases.current())?.stallWatch.pause(isPaused, at),
    lose(outcome) {
      run.lose(outcome);
      aborts.lose(outcome);
    },
    drop,
    whenIdle: turns.whenIdle,
    tellIdle: turns.tellIdle,
  };
}
