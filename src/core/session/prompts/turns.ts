// Whose turn is next in a session: one prompt or compaction at a time, the rest in the order of the queue.
import type { Timers } from '../../contract/clock.ts';
import type { PhaseMachine, Request } from './phase.ts';
import type { PromptQueue } from './queue.ts';

/** What the order of turns needs. */
export interface TurnPorts {
  readonly phases: PhaseMachine;
  readonly queue: PromptQueue;
  readonly timers: Timers;
  /** Gives the request to the agent. */
  begin(request: Request): void;
}

/** The turns of one session. */
export interface Turns {
  /** Nothing runs, and nothing waits that will run by itself. */
  isIdle(): boolean;
  /** Takes a request while the session is idle. */
  take(request: Request): void;
  /** A turn may be over. */
  advance(): void;
  /** Calls back once, when the session is idle; at once if the session is idle now. */
  whenIdle(callback: () => void): void;
  /** The queue may have become empty. */
  tellIdle(): void;
}

/** It is nobody's turn. */
export function createTurns({ phases, queue, timers, begin }: TurnPorts): Turns {
  let idleCallbacks: (() => void)[] = [];

  const isIdle = () => !phases.isBusy() && queue.isEmpty();

  function tellIdle(): void {
    if (!isIdle()) return;
    const callbacks = idleCallbacks;
    idleCallbacks = [];
    for (const callback of callbacks) callback();
  }

  function beginNext(): void {
    if (phases.isBusy()) return;
    const request = queue.next();
    if (request !== undefined) begin(request);
  }

  return {
    isIdle,
    take(request) {
      // In the phases around the end of a run, the agent may be in the middle of telling about the end.
      if (phases.current().name === 'idle') begin(request);
      else queue.add(request);
    },
    advance() {
      if (phases.isBusy()) return;
      // Not in this tick: the agent may be in the middle of telling about the end.
      if (queue.isEmpty()) tellIdle();
      else timers.set('next', 0, beginNext);
    },
    whenIdle(callback) {
      idleCallbacks.push(callback);
      tellIdle();
    },
    tellIdle,
  };
}
