// Collects what the parts of the machine ask for during one call, in order. Knows no rule of the protocol but one:
// how a line for pi is written.
import type { Action, NoteLevel } from '../../core/adapter.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Event } from '../../core/event.ts';

/** Where every part of the machine puts its actions. */
export interface Outbox {
  deliver(event: Event): void;
  note(level: NoteLevel, text: string): void;
  /** One line to pi. */
  send(line: object): void;
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
    send: (line) => void actions.push({ do: 'send', frame: writeLine(line) }),
    settle: (id, outcome) => void actions.push({ do: 'settle', id, outcome }),
    timer: (id, ms) => void actions.push({ do: 'timer', id, ms }),
    take() {
      const taken = actions;
      actions = [];
      return taken;
    },
  };
}

/**
 * One JSON line. U+2028 and U+2029 are escaped: pi up to 0.56 reads with readline, which splits on them on newer
 * Node versions (reference pi, section 6).
 */
export function writeLine(line: object): string {
  return JSON.stringify(line).replace(/[\u2028\u2029]/g, (mark) => (mark === '\u2028' ? '\\u2028' : '\\u2029'));
}
