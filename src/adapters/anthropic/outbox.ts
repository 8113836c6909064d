// Collects what the machine asks for during one call, in order.
import type { Action } from '../../core/adapter.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Event, SessionInfo } from '../../core/event.ts';
import type { Order } from './wire.ts';

/** The longest note that is worth reading, in characters. */
const longestNote = 400;

/** What is asked for. */
export interface Outbox {
  deliver(...events: readonly Event[]): void;
  /** `session-changed`, where something has. */
  tell(changes: SessionInfo | null): void;
  settle(id: string, outcome: Outcome): void;
  note(level: 'loss' | 'violation', text: string): void;
  order(order: Order): void;
  /** ms; null stops it. */
  timer(id: string, ms: number | null): void;
  /** Everything since the last call. */
  flush(): Action<Event>[];
}

/** Begins empty. */
export function createOutbox(): Outbox {
  let actions: Action<Event>[] = [];
  const add = (...more: readonly Action<Event>[]): void => {
    actions.push(...more);
  };
  const deliver = (...events: readonly Event[]) =>
    add(...events.map((message) => ({ do: 'deliver' as const, message })));
  return {
    deliver,
    tell(changes) {
      if (changes !== null) deliver({ type: 'session-changed', changes });
    },
    settle: (id, outcome) => add({ do: 'settle', id, outcome }),
    note: (level, text) => add({ do: 'note', level, text: text.slice(0, longestNote) }),
    order: (order) => add({ do: 'send', frame: JSON.stringify(order) }),
    timer: (id, ms) => add({ do: 'timer', id, ms }),
    flush() {
      const flushed = actions;
      actions = [];
      return flushed;
    },
  };
}
