// What a gateway brings to the gateway that has the session (decision 0033): commands, and what belongs between them.
import type { Outcome, Problem } from '../model/errors.ts';

/** The end of an item. */
export interface Settlement {
  readonly outcome: Outcome;
  /** Of the session, behind the item. */
  readonly version: number;
}

/** Things for one session, in order, as JSON. */
export interface Delivery {
  /** Origin of the gateway that has the session. */
  readonly to: string;
  readonly session: string;
  readonly items: readonly object[];
  /** All have arrived there: what is sent next comes behind them. */
  taken(): void;
  /** The item at that place is settled. */
  settled(at: number, settlement: Settlement): void;
  /** Nothing more is settled. The last call. */
  over(problem: Problem): void;
}

/** Brings them there. Calls back later. */
export type Deliver = (delivery: Delivery) => void;
