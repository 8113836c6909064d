// What the creator of a ledger gives to it: the functions that the ledger calls, and the commands.

import type { CommandBroadcast } from '../contract/broadcast.ts';
import type { Clock } from '../contract/clock.ts';
import type { LedgerLimits } from '../contract/limits/ledger-limits.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';
import type { LedgerKeeper } from './ledger-records.ts';
import type { CounterOf } from './session-versions.ts';

/** The dependencies of a ledger. */
export interface LedgerPorts {
  readonly clock: Clock;
  readonly limits: LedgerLimits;
  /** Hashes a text. Collisions must be impossible in practice. */
  digest(text: string): string;
  readonly counterOf: CounterOf;
  /** Keeps commands and outcomes beyond this process: an outcome is kept before anybody is told. Absent: nobody does. */
  readonly keeper?: LedgerKeeper;
  /** Sends to all clients, in order. */
  broadcast(message: CommandBroadcast): void;
}

/** A submitted command. */
export interface Entry {
  readonly ticket: Ticket;
  /** Runs the command; settles exactly once. Never called for a repetition or a refusal. */
  run(settle: (outcome: Outcome) => void): void;
  /** Called exactly once with the answer, after the broadcast that the command has finished. */
  settle(outcome: Outcome, receipt: Receipt): void;
  /** Called if the command timed out before `run` settled. */
  undo?(): void;
}
