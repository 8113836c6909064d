// Counts the messages of an agent that are none of its protocol (docs/faults.md F9).
import type { Action } from '../contract/adapter/action.ts';
import type { Event } from '../model/event.ts';

/** So many in a row end the agent (docs/limits.md 5.4). */
export const mostJunk = 100;

/** The count of one agent. */
export interface JunkCount {
  /** Takes what the backend made of a message, and returns it. */
  counted(actions: readonly Action<Event>[]): readonly Action<Event>[];
  /** A message was in order without being decoded. */
  reset(): void;
  /** The last message was none of the protocol. */
  isJunk(): boolean;
  isTooMuch(): boolean;
}

/** Creates the count of an agent that has said nothing. */
export function createJunkCount(): JunkCount {
  let inARow = 0;
  return {
    counted(actions) {
      inARow = isJunk(actions) ? inARow + 1 : 0;
      return actions;
    },
    reset() {
      inARow = 0;
    },
    isJunk: () => inARow > 0,
    isTooMuch: () => inARow >= mostJunk,
  };
}

/** The backend could only complain. A message that is unknown but well formed leads to an event. */
function isJunk(actions: readonly Action<Event>[]): boolean {
  let isViolation = false;
  for (const action of actions) {
    if (action.do !== 'note') return false;
    if (action.level === 'violation') isViolation = true;
  }
  return isViolation;
}
