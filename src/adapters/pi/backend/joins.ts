// Prompts that must join a run and cannot join it yet. pi accepts a joining prompt before the run has begun and then
// loses it, and drops one that comes behind an abort.
import { type Outcome, refused } from '../../../core/model/errors.ts';

/** A prompt that joins a run. */
export interface Joining {
  readonly id: string;
  send(): void;
}

/** The prompts that wait for a run. */
export interface Joins {
  hold(prompt: Joining): void;
  /** A run is open: sends the prompts, in order. */
  release(): void;
  /** No run will come: refuses the prompts, so that their senders can send them as plain prompts. */
  handBack(): void;
  /** The user aborted the prompts. */
  abort(): void;
}

/** `settle` answers a prompt that was never sent. */
export function createJoins(settle: (id: string, outcome: Outcome) => void): Joins {
  let held: readonly Joining[] = [];

  function empty(how: (prompt: Joining) => void): void {
    const prompts = held;
    held = [];
    for (const prompt of prompts) how(prompt);
  }

  return {
    hold(prompt) {
      held = [...held, prompt];
    },
    release: () => empty(({ send }) => send()),
    handBack: () => empty(({ id }) => settle(id, refused('unsupported', 'pi has no run that the prompt could join'))),
    abort: () =>
      empty(({ id }) => settle(id, refused('aborted', 'the user stopped the run before it could be joined'))),
  };
}
