// The commands that a backend has not answered yet.
import { guarded } from '../contract/guarded.ts';
import type { Outcome } from '../model/errors.ts';

/** The receivers of outcomes, by the ids of their commands. */
export interface PendingCommands {
  /** The id of the new command. */
  add(settle: (outcome: Outcome) => void): string;
  /** Only the first outcome for an id counts. */
  settle(id: string, outcome: Outcome): void;
  settleAll(outcome: Outcome): void;
}

/** No commands yet. `failed` takes what a receiver throws: that is no fault of the agent. */
export function createPendingCommands(failed: (thrown: unknown) => void): PendingCommands {
  const receivers = new Map<string, (outcome: Outcome) => void>();
  let count = 0;

  function settle(id: string, outcome: Outcome): void {
    const receiver = receivers.get(id);
    receivers.delete(id);
    if (receiver !== undefined) guarded(() => receiver(outcome), failed);
  }

  return {
    add(receiver) {
      count += 1;
      const id = `c${count}`;
      receivers.set(id, receiver);
      return id;
    },
    settle,
    settleAll(outcome) {
      for (const id of [...receivers.keys()]) settle(id, outcome);
    },
  };
}
