// What a ledger needs from outside, and what is handed in to it. Knows no protocol.
import type { Clock } from '../contract/clock.ts';
import type { Outcome } from '../model/errors.ts';
import type { CommandBroadcast } from '../contract/broadcast.ts';
import type { LedgerLimits } from '../contract/ledger-limits.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';

/** What a ledger needs from outside. */
export interface LedgerPorts {
  readonly clock: Clock;
  readonly limits: LedgerLimits;
  /** A short text that stands for a long one: equal for equal texts, and for no others. */
  digest(text: string): string;
  /** Whether there is a session of that name: one that the ledger has not seen opened has version 0. */
  exists(session: string): boolean;
  /** Tells all clients, in the order of things. */
  broadcast(message: CommandBroadcast): void;
}

/** A command that is handed in. */
export interface Entry {
  readonly ticket: Ticket;
  /** Carries it out; calls back exactly once. Never called for a repetition or a refusal. */
  run(settle: (outcome: Outcome) => void): void;
  /** Its answer, exactly once, behind the broadcast that it has finished. */
  settle(outcome: Outcome, receipt: Receipt): void;
  /** Its time is over, and `run` has not called back. */
  undo?(): void;
}
