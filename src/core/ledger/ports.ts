// What a ledger needs from outside, and the commands that are handed in to it.
import type { Clock } from '../contract/clock.ts';
import type { Outcome } from '../model/errors.ts';
import type { CommandBroadcast } from '../contract/broadcast.ts';
import type { LedgerLimits } from '../contract/ledger-limits.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';

/** What a ledger needs from outside. */
export interface LedgerPorts {
  readonly clock: Clock;
  readonly limits: LedgerLimits;
  /** A short text that is equal for equal texts, and for no others. */
  digest(text: string): string;
  /** Whether the session exists. A session that the ledger has not seen opened has version 0. */
  exists(session: string): boolean;
  /** Sends to all clients, in order. */
  broadcast(message: CommandBroadcast): void;
}

/** A command that is handed in. */
export interface Entry {
  readonly ticket: Ticket;
  /** Runs the command; settles exactly once. Never called for a repetition or a refusal. */
  run(settle: (outcome: Outcome) => void): void;
  /** Takes the answer, exactly once, after the broadcast that the command has finished. */
  settle(outcome: Outcome, receipt: Receipt): void;
  /** The command timed out before `run` settled. */
  undo?(): void;
}
