// The prompts of a session: one run at a time, the rest wait in order. This file joins the parts: phase.ts has the phases
// and their transitions, turns.ts the order.
import type { Timers } from '../../contract/clock.ts';
import type { CommandOf } from '../../model/command.ts';
import { type Outcome, refused, type Settle } from '../../model/errors.ts';
import type { Event, EventOf, Logged } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { AgentPort } from '../session-agent.ts';
import { createAborts } from './aborts.ts';
import { createCompactionTurn, isCompactionDue } from './compaction-turn.ts';
import { createFollowUps } from './follow-ups.ts';
import { answerAtEndOf, type Compact, createPhaseMachine, handleOf, type Prompt, type Request } from './phase.ts';
import { createPromptRun } from './prompt-run.ts';
import { createPromptQueue } from './queue.ts';
import { createSubmission } from './submission.ts';
import { createTurns } from './turns.ts';

/** What the prompts of a session need. */
export interface PromptPorts {
  readonly transcript: Transcript;
  readonly timers: Timers;
  readonly limits: {
    /** Prompts and follow-ups that may wait. */
    readonly queuedPrompts: number;
    /** An agent that does not end its run so long after an abort is stopped, ms. */
    readonly abortMs: number;
  };
  readonly agent: AgentPort;
  /** Tells users what went wrong after their command was answered. */
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
  /** Not busy, and nothing waits that will run by itself. */
  isIdle(): boolean;
  /** A compaction that takes its turn as a prompt does is about to begin. */
  isCompactionDue(): boolean;
  /** How many prompts, compactions and follow-ups wait. */
  queued(): number;
  /** Takes a prompt, or a compaction that takes its turn among the prompts. */
  submit(command: Prompt | Compact, settle: Settle): void;
  followUp(command: CommandOf<'follow-up'>, settle: Settle): void;
  clearQueue(command: CommandOf<'clear-queue'>, settle: Settle): void;
  abort(command: CommandOf<'abort'>, settle: Settle): void;
  /** A run is about to be logged: its prompt has succeeded, and from now on the log tells how the run goes. */
  accept(event: EventOf<'run-start'>): void;
  /** After an event was logged. */
  event(logged: Logged): void;
  /** Back-pressure begins or ends; session clock, ms. */
  pauseStallWatch(isPaused: boolean, at: number): void;
  /** The agent is gone: what the agent had has failed. */
  lose(outcome: Outcome): void;
  /** What waits will never run. */
  drop(outcome: Outcome): void;
  /** Calls back once, when the session is idle; at once if the session is idle now. */
  whenIdle(callback: () => void): void;
  /** The session may have become idle. */
  tellIdle(): void;
}

/** The machines behind the prompts of one session. */
function createParts(ports: PromptPorts) {
  const { transcript, timers, limits, agent, admit } = ports;
  const phases = createPhaseMachine(transcript);
  const queue = createPromptQueue(limits.queuedPrompts);
  const followUps = createFollowUps({ transcript, queue, agent, complain: ports.complain });
  const run = createPromptRun({ transcript, phases, agent, refused: afterRun });
  const compaction = createCompactionTurn({ transcript, phases, agent, admit, over: afterRun });
  const turns = createTurns({ phases, queue, timers, begin });
  const { isRunning } = phases;
  const aborts = createAborts({ timers, abortMs: limits.abortMs, agent, isRunning, answer: aborted });

  function begin({ command, ...request }: Request): void {
    if (command.type === 'prompt') run.send({ ...request, command });
    else compaction.begin({ ...request, command });
  }

  function afterRun(): void {
    // A compaction may end before the run that its prompt is to begin: the aborts are still open.
    if (!isRunning()) aborts.done();
    turns.advance();
  }

  function aborted(): Outcome {
    return { ok: true, data: { waiting: queue.commands() } };
  }

  return { phases, queue, followUps, run, compaction, turns, aborts, aborted, afterRun };
}

/** An empty queue. */
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
