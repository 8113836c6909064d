// Collects what the parts of a backend ask for during one call, in order. Knows no protocol.
import type { Action, NoteLevel } from './adapter.ts';
import type { Outcome } from '../model/errors.ts';
import type { Event, SessionInfo } from '../model/event.ts';

/** Where every part of the machine puts its actions. */
export interface Outbox {
  deliver(...events: readonly Event[]): void;
  /** `session-changed`, where something has. */
  tell(changes: SessionInfo | null): void;
  note(level: NoteLevel, text: string): void;
  /** One frame to the agent. */
  send(frame: object): void;
  settle(id: string, outcome: Outcome): void;
  /** ms; null stops it. */
  timer(id: string, ms: number | null): void;
  /** Everything since the last call. */
  take(): Action<Event>[];
}

/** Begins empty. `write` makes the text of a frame. */
export function createOutbox(write: (frame: object) => string = JSON.stringify): Outbox {
  let actions: Action<Event>[] = [];
  const outbox: Outbox = {
    deliver(...events) {
      for (const message of events) actions.push({ do: 'deliver', message });
    },
    tell(changes) {
      if (changes !== null) outbox.deliver({ type: 'session-changed', changes });
    },
    note: (level, text) => void actions.push({ do: 'note', level, text }),
    send: (frame) => void actions.push({ do: 'send', frame: write(frame) }),
    settle: (id, outcome) => void actions.push({ do: 'settle', id, outcome }),
    timer: (id, ms) => void actions.push({ do: 'timer', id, ms }),
    take() {
      const taken = actions;
      actions = [];
      return taken;
    },
  };
  return outbox;
}
