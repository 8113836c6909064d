// The commands of many clients in one order: which have been carried out, which wait, what came of them. Knows no protocol
// and no session; what a command does is its caller's.
import type { Clock } from '../clock.ts';
import type { Outcome } from '../errors.ts';
import type { CommandNews } from '../news.ts';
import type { LedgerLimits } from './limits.ts';
import type { Receipt, Ticket } from './ticket.ts';

/** What a ledger needs from outside. */
export interface LedgerPorts {
  readonly clock: Clock;
  readonly limits: LedgerLimits;
  /** A short text that stands for a long one: equal for equal texts, and for no others. */
  digest(text: string): string;
  /** Whether there is a session of that name: one that the ledger has not seen opened has version 0. */
  exists(session: string): boolean;
  /** Tells all clients, in the order of things. */
  tell(news: CommandNews): void;
}

/** A command that is handed in. */
export interface Entry {
  readonly ticket: Ticket;
  /** Carries it out; calls back exactly once. Never called for a repetition or a refusal. */
  run(settle: (outcome: Outcome) => void): void;
  /** Its answer, exactly once, behind the news that it has finished. */
  settle(outcome: Outcome, receipt: Receipt): void;
  /** Its time is over, and `run` has not called back. */
  undo?(): void;
}

/** Figures for metrics. */
export interface LedgerFigures {
  readonly inFlight: number;
  readonly outcomes: number;
  readonly keys: number;
  readonly lanes: number;
  readonly versions: number;
  /** Carried out since the beginning. */
  readonly executed: number;
  readonly refused: {
    readonly busy: number;
    readonly rate: number;
    readonly allRate: number;
    readonly answers: number;
  };
  /** Commands of all lanes within the last minute. */
  readonly lastMinute: number;
}

/** The ledger of one principal: what one may not see again is not in it (threat T21). */
export interface Ledger {
  submit(entry: Entry): void;
  /** That session is gone, without a command of this ledger. */
  forget(session: string): void;
  /** Undefined for a session that there is not. */
  version(session: string): number | undefined;
  /** From now on everything is refused as `shutting-down`, without news. */
  shut(): void;
  /** Calls back once, when nothing is in flight. */
  whenIdle(callback: () => void): void;
  figures(): LedgerFigures;
}

/** An empty ledger. */
export function createLedger(_ports: LedgerPorts): Ledger {
  throw new Error('to be written');
}
