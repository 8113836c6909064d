// Ends an agent from which nothing comes after its start (docs/faults.md F4, docs/limits.md 5.11).
import type { Clock } from '../contract/clock.ts';

/** The limit of one agent. The time runs from the first frame for the agent to its first message. */
export interface StartLimit {
  /** A frame was sent to the agent. */
  sent(): void;
  /** A message of its protocol came from the agent: the limit is over. */
  heard(): void;
  /** The agent is not read from now on, so the time does not count. */
  pause(): void;
  /** The agent is read again, and has its whole time. */
  resume(): void;
  clear(): void;
}

type Phase = 'unasked' | 'awaited' | 'over';

/** `ms`: null for no limit. `expired` is called once at most. */
export function createStartLimit(clock: Clock, ms: number | null, expired: (ms: number) => void): StartLimit {
  let phase: Phase = ms === null ? 'over' : 'unasked';
  let isPaused = false;
  let cancel = () => {};

  function run(): void {
    cancel();
    if (ms === null || phase !== 'awaited' || isPaused) return;
    cancel = clock.after(ms, () => {
      phase = 'over';
      expired(ms);
    });
  }

  function stop(): void {
    if (phase === 'over') return;
    phase = 'over';
    cancel();
  }

  return {
    sent() {
      if (phase !== 'unasked') return;
      phase = 'awaited';
      run();
    },
    heard: stop,
    pause() {
      isPaused = true;
      run();
    },
    resume() {
      isPaused = false;
      run();
    },
    clear: stop,
  };
}
