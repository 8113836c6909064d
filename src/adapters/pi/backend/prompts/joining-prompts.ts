// Prompts that must join a run and cannot join it yet. pi accepts a joining prompt before the run has begun and then
// loses it, and drops one that comes behind an abort.
import { type Outcome, refused } from '../../../../core/model/errors.ts';

/** A prompt that joins a run. */
export interface JoiningPrompt {
  readonly id: string;
  send(): void;
}

/** The prompts that wait for a run. */
export interface JoiningPrompts {
  hold(prompt: JoiningPrompt): void;
  /** Sends the prompts in order, because a run is open. */
  sendAll(): void;
  /** Refuses the prompts because no run will come, so that their senders can send them as plain prompts. */
  refuseAll(): void;
  /** Handles the user's abort of the prompts. */
  abort(): void;
}

/** Creates the list of joining prompts, empty at first. `settle` answers a prompt that was never sent. */
export function createJoiningPrompts(settle: (id: string, outcome: Outcome) => void): JoiningPrompts {
  let held: readonly JoiningPrompt[] = [];

  function takeAll(how: (prompt: JoiningPrompt) => void): void {
    const prompts = held;
    held = [];
    for (const prompt of prompts) how(prompt);
  }

  return {
    hold(prompt) {
      held = [...held, prompt];
    },
    sendAll: () => takeAll(({ send }) => send()),
    refuseAll: () =>
      takeAll(({ id }) => settle(id, refused('unsupported', 'pi has no run that the prompt could join'))),
    abort: () =>
      takeAll(({ id }) => settle(id, refused('aborted', 'the user stopped the run before it could be joined'))),
  };
}
