// Drives a backend with no agent behind it: counts what it settles, keeps its timers, checks every action.
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { Backend } from '../../src/core/contract/adapter/backend.ts';
import type { Frame } from '../../src/core/contract/channel.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import { Event } from '../../src/core/model/event.ts';
import { textOf } from './telling.ts';

/** A backend at work. */
export interface AgentDriver {
  /** The outcomes of each command, in order: more than one is a fault. */
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>;
  readonly delivered: readonly Event[];
  /** How many frames it sent. */
  readonly sent: number;
  frame(frame: Frame): void;
  /** Asks, and returns the id of the command. */
  ask(command: Command): string;
  /** Rings every timer, also those that ring leaves behind, up to so many times. */
  ring(times: number): void;
  wake(timer: string): void;
  end(): void;
}

/** Starts a backend. Throws where an action is not what it should be. */
export function driveBackend(backend: Backend): AgentDriver {
  const outcomes = new Map<string, Outcome[]>();
  const delivered: Event[] = [];
  const timers = new Set<string>();
  let sent = 0;
  let asked = 0;

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          delivered.push(Event.parse(action.message));
          break;
        case 'send':
          sent += 1;
          if (textOf(action.frame).includes('\n')) throw new Error('a frame with a line end in it');
          break;
        case 'settle':
          outcomes.set(action.id, [...(outcomes.get(action.id) ?? []), action.outcome]);
          break;
        case 'timer':
          if (action.ms === null) timers.delete(action.id);
          else timers.add(action.id);
          if (action.ms !== null && !(action.ms >= 0)) throw new Error(`a timer of ${action.ms} ms`);
          break;
        case 'note':
          if (action.text === '' || action.text.length > 500)
            throw new Error(`a note of ${action.text.length} characters`);
          break;
        case 'close':
          if (action.reason === '') throw new Error('a close without a reason');
          break;
        case 'subscribe':
        case 'unsubscribe':
          throw new Error('an agent watches nothing');
        default:
          action satisfies never;
      }
    }
  }

  perform(backend.start?.() ?? []);
  return {
    outcomes,
    delivered,
    get sent() {
      return sent;
    },
    frame: (frame) => perform(backend.decode(frame)),
    ask(command) {
      asked += 1;
      perform(backend.encode(command, `c${asked}`));
      return `c${asked}`;
    },
    ring(times) {
      for (let round = 0; round < times && timers.size > 0; round += 1) {
        const [timer] = timers;
        if (timer === undefined) return;
        timers.delete(timer);
        perform(backend.onTimer?.(timer) ?? []);
      }
    },
    wake: (timer) => perform(backend.onTimer?.(timer) ?? []),
    end: () => perform(backend.end?.() ?? []),
  };
}
