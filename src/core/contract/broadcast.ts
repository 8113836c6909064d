// What clients are told beside what their sessions say: the course of commands, sessions that come and go, the end. Knows
// no protocol.
import type { Outcome } from '../model/errors.ts';
import type { Receipt, Ticket } from './ticket.ts';
import type { SessionState, SessionSummary } from '../model/outcome-data.ts';

/** A command of somebody has got so far. */
export interface CommandBroadcast {
  readonly kind: 'command';
  readonly phase: 'accepted' | 'started' | 'finished';
  /** What becomes of it, known from the first: only what is `executed` is ever started. */
  readonly how: 'executed' | 'replayed' | 'refused';
  readonly ticket: Ticket;
  /** Counted over the ledger's life: a name for commands without an id. */
  readonly number: number;
  /** Phase `finished`. */
  readonly ending?: { readonly outcome: Outcome; readonly receipt: Receipt };
}

/** Everything of that kind. */
export type Broadcast =
  | CommandBroadcast
  /** Said when it can be used, behind the answer to whoever opened it. */
  | { readonly kind: 'session-opened'; readonly session: SessionSummary; readonly state?: SessionState }
  | { readonly kind: 'session-closed'; readonly session: string }
  /** Nothing new is taken any more; what goes on may end within so many ms. */
  | { readonly kind: 'shutdown'; readonly graceMs: number };
