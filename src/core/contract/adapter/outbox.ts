// Collects the actions of a backend's parts during one call, in order.

import type { Outcome } from '../../model/errors.ts';
import type { Event } from '../../model/event.ts';
import type { SessionInfo } from '../../model/session-info.ts';
import type { Action, NoteLevel } from './action.ts';

/** Takes the actions of all parts of a backend. */
export interface Outbox {
  deliver(...events: readonly Event[]): void;
  /** Delivers `session-changed`, unless null. */
  deliverChanges(changes: SessionInfo | null): void;
  note(level: NoteLevel, text: string): void;
  /** Sends one frame to the agent. */
  send(frame: object): void;
  settle(id: string, outcome: Outcome): void;
  /** Starts or restarts a timer. `ms`: delay; null stops the timer. */
  timer(id: string, ms: number | null): void;
  /** The agent has reached a limit that ends it. `reason`: one sentence for the user. */
  exceed(reason: string): void;
  /** Removes and returns all actions since the last call. */
  take(): Action<Event>[];
}

/** Creates an empty outbox. `write` serialises a frame. */
export function createOutbox(write: (frame: object) => string = JSON.stringify): Outbox {
  let actions: Action<Event>[] = [];
  const outbox: Outbox = {
    deliver(...events) {
      for (const message of events) actions.push({ do: 'deliver', message });
    },
    deliverChanges(changes) {
      if (changes !== null) outbox.deliver({ type: 'session-changed', changes });
    },
    note: (level, text) => void actions.push({ do: 'note', level, text }),
    send: (frame) => void actions.push({ do: 'send', frame: write(frame) }),
    settle: (id, outcome) => void actions.push({ do: 'settle', id, outcome }),
    timer: (id, ms) => void actions.push({ do: 'timer', id, ms }),
    exceed: (reason) => void actions.push({ do: 'close', code: 'error', reason, limit: 'agentState' }),
    take() {
      const taken = actions;
      actions = [];
      return taken;
    },
  };
  return outbox;
}
