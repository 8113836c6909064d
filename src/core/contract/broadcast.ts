// Messages for all clients of a protocol, besides the events of their sessions: progress of commands, sessions that
// open and close, shutdown.
import type { Outcome } from '../model/errors.ts';
import type { SessionState, SessionSummary } from '../model/outcome-data.ts';
import type { Receipt, Ticket } from './ticket.ts';

/** The progress of a command, from any client. */
export interface CommandBroadcast {
  readonly kind: 'command';
  readonly phase: 'accepted' | 'started' | 'finished';
  /** How the command is handled, known from the first phase on. Only `executed` commands have a phase `started`. */
  readonly how: 'executed' | 'replayed' | 'refused';
  readonly ticket: Ticket;
  /** Counts the commands of the ledger. Names commands without an id. */
  readonly number: number;
  /** Phase `finished`. */
  readonly ending?: { readonly outcome: Outcome; readonly receipt: Receipt };
}

/** A message for all clients of a protocol. */
export type Broadcast =
  | CommandBroadcast
  /** Sent once the session can be used, behind the answer to the client that opened the session. */
  | { readonly kind: 'session-opened'; readonly session: SessionSummary; readonly state?: SessionState }
  | { readonly kind: 'session-closed'; readonly session: string }
  /** New commands are refused; open runs may end within `graceMs`. */
  | { readonly kind: 'shutdown'; readonly graceMs: number };
