// The language of plays. A play is a generator of beats; each beat delivers events and then waits for something.
// player.ts performs plays.

import type { Cause } from '../../core/log/close-run.ts';
import type { CommandOf } from '../../core/model/command.ts';
import type { Event, EventOf } from '../../core/model/event.ts';

/** The condition for continuing a play. */
export type Pause =
  /** A delay in ms. With `cut`, an abort of that target ends the delay early, with the signal `cut`. */
  | { readonly for: 'time'; readonly ms: number; readonly cut?: 'retry' | 'compaction' }
  | { readonly for: 'approval'; readonly id: string }
  | { readonly for: 'dialog'; readonly id: string; readonly kind: EventOf<'dialog-request'>['kind'] }
  /** Waits until an abort. */
  | { readonly for: 'ever' }
  /** The play is over: everything open ends for this cause. */
  | { readonly for: 'closing'; readonly cause: Cause }
  /** The agent dies in the middle of its output. */
  | { readonly for: 'death' };

/** Events that are delivered at once, and the pause after them. Null continues at once. */
export interface Beat {
  readonly events: readonly Event[];
  readonly pause: Pause | null;
}

/** Why a play continues. */
export type Signal = 'go' | 'cut' | CommandOf<'answer-approval' | 'answer-dialog'>;

/** A play. Between two pauses it delivers a bounded number of events. */
export type Play<Result = void> = Generator<Beat, Result, Signal>;

/** Delivers events and continues. */
export function say(...events: readonly Event[]): Beat {
  return { events, pause: null };
}

/** Delivers events and waits, ms. */
export function sayAndWait(ms: number, ...events: readonly Event[]): Beat {
  return { events, pause: { for: 'time', ms } };
}
