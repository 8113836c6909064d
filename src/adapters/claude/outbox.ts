// Collects what the parts of the agent's machine ask for during one call, in order. Knows no frame.
import type { Action, NoteLevel } from '../../core/adapter.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Event } from '../../core/event.ts';

/** Where every part of the machine puts its actions. */
export interface Outbox {
  deliver(event: Event): void;
  note(level: NoteLevel, text: string): void;
  /** One frame to the agent. */
  send(frame: object): void;
  settle(id: string, outcome: Outcome): void;
  timer(id: string, ms: number | null): void;
  /** Everything since the last call. */
  take(): Action<Event>[];
}

export function createOutbox(): Outbox {
  let actions: Action<Event>[] = [];
  return {
    deliver: (message) => void actions.push({ do: 'deliver', message }),
    note: (level, text) => void actions.push({ do: 'note', level, text }),
    send: (frame) => void actions.push({ do: 'send', frame: JSON.stringify(frame) }),
    settle: (id, outcome) => void actions.push({ do: 'settle', id, outcome }),
    timer: (id, ms) => void actions.push({ do: 'timer', id, ms }),
    take() {
      const taken = actions;
      actions = [];
      return taken;
    },
  };
}
