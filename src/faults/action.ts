// What a caller of the engine has to do, as plain data.
import type { Direction } from './rule.ts';

/** One step. Steps of one direction are done in order, each not before its time. */
export type FaultAction =
  /** One write. */
  | { readonly type: 'write'; readonly on: Direction; readonly bytes: Buffer; readonly at: number }
  /** So many bytes of one value, on a direction or on stderr. Never whole in memory. */
  | {
      readonly type: 'fill';
      readonly on: Direction | 'err';
      readonly byte: number;
      readonly bytes: number;
      readonly at: number;
    }
  /** The direction is over. `isFault`: not because its source ended. */
  | { readonly type: 'end'; readonly on: Direction; readonly at: number; readonly isFault: boolean }
  /** The deeds below wait for the direction of their rule as well, so that what came before has left. */
  | { readonly type: 'reset'; readonly on: Direction; readonly at: number }
  | { readonly type: 'kill'; readonly on: Direction; readonly at: number }
  /** `ms` may be `Infinity`. */
  | { readonly type: 'pause'; readonly on: Direction; readonly ms: number; readonly at: number }
  | { readonly type: 'exit'; readonly on: Direction; readonly code: number; readonly at: number };

/** A fault that happened, as a row of a tape. */
export interface FaultRow {
  readonly dir: 'fault';
  /** The rule as it was written. */
  readonly fault: string;
  readonly on: Direction;
  /** The frame of that direction, counted from 1; null for a fault that happened at its time, between frames. */
  readonly frame: number | null;
  /** ms since the start. */
  readonly at: number;
}
