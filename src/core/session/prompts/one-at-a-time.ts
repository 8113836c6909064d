// Gives the agent one prompt or compaction at a time, in the order of the queue.
import type { Timers } from '../../contract/clock.ts';
import type { PhaseMachine, Request } from './phase.ts';
import type { PromptQueue } from './queue.ts';

/** The dependencies of the turns. */
export interface TurnPorts {
  readonly phases: PhaseMachine;
  readonly queue: PromptQueue;
  readonly timers: Timers;
  /** Gives the request to the agent. */
  begin(request: Request): void;
}

/** The turns of one session. */
export interface Turns {
  /** Whether nothing runs and no prompt waits. */
  isIdle(): boolean;
  /** Takes a request while the session is idle. */
  take(request: Request): void;
  /** Must be called when a turn may be over. Starts the next one. */
  advance(): void;
  /** Calls back once when the session is idle, or at once if it is idle now. */
  whenIdle(callback: () => void): void;
  /** Must be called when the queue may have become empty. */
  tellIdle(): void;
}

/** Creates the turns of a session. */
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
      // Between the end of a run and the answer to its prompt, the phase is `ending`: the request waits in the queue.
      if (phases.current().name === 'idle') begin(request);
      else queue.add(request);
    },
    advance() {
      if (phases.isBusy()) return;
      // The backend may have returned more actions behind the end of the run. They come first, so wait for the next
      // tick.
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
