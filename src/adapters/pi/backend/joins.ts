// The prompts that are to join a run and cannot yet. pi accepts one before the run has begun and then loses it, and one that
// comes behind an abort goes down with the run. Knows no line of the wire.
import { type Outcome, refused } from '../../../core/model/errors.ts';

/** A prompt that joins. */
export interface Joining {
  readonly id: string;
  send(): void;
}

/** The prompts that wait for a run to join. */
export interface Joins {
  hold(prompt: Joining): void;
  /** There is a run that they can join: they are sent, in their order. */
  release(): void;
  /** There is none any more: they are handed back, and whoever sent them sees that they are plain prompts now. */
  handBack(): void;
  /** The user stopped them. */
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
