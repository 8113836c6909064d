// The language of plays: a play is a generator of beats, and each beat says events and then waits for something.
// Knows no verb, no machine and no clock; player.ts performs it.
import type { CommandOf } from '../../core/model/command.ts';
import type { Cause } from '../../core/log/close-run.ts';
import type { Event, EventOf } from '../../core/model/event.ts';

/** What must happen before the play goes on. */
export type Pause =
  /** So many ms pass. With `cut`, an abort of that target wakes the play early, with the signal `cut`. */
  | { readonly for: 'time'; readonly ms: number; readonly cut?: 'retry' | 'compaction' }
  | { readonly for: 'approval'; readonly id: string }
  | { readonly for: 'dialog'; readonly id: string; readonly kind: EventOf<'dialog-request'>['kind'] }
  /** Nothing helps but an abort. */
  | { readonly for: 'ever' }
  /** The play is over: whatever is open ends for this cause. */
  | { readonly for: 'closing'; readonly cause: Cause }
  /** The agent is gone, in the middle of what it said. */
  | { readonly for: 'death' };

/** Events that are said at once, and what comes after them; null goes on at once. */
export interface Beat {
  readonly events: readonly Event[];
  readonly pause: Pause | null;
}

/** Why a play goes on. */
export type Signal = 'go' | 'cut' | CommandOf<'answer-approval' | 'answer-dialog'>;

/** A play. Between two pauses it says a bounded number of events. */
export type Play<Result = void> = Generator<Beat, Result, Signal>;

/** Says events and goes on. */
export function say(...events: readonly Event[]): Beat {
  return { events, pause: null };
}

/** Says events and lets so many ms pass. */
export function sayAndWait(ms: number, ...events: readonly Event[]): Beat {
  return { events, pause: { for: 'time', ms } };
}
