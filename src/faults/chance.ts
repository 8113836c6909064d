// Chance without a generator: each decision is a hash of its place. What else happens, and when, changes nothing.
import type { Direction } from './rule.ts';

/** Where something is decided. */
export interface Place {
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** The connection, counted from 0. */
  readonly connection: number;
  readonly on: Direction;
  /** The rule, counted from 0. */
  readonly rule: number;
  /** The frame of its direction, counted from 1. */
  readonly frame: number;
}

/** A number from 0 to below 1. `draw` tells apart the decisions at one place. */
export function chance({ seed, connection, on, rule, frame }: Place, draw: number): number {
  let hash = 0;
  for (const part of [seed, connection, on === 'in' ? 1 : 2, rule, frame, Math.floor(frame / 2 ** 32), draw]) {
    hash = mixed(Math.imul(hash, 31) ^ mixed(part + 0x9e37_79b9));
  }
  return hash / 2 ** 32;
}

/** The last step of MurmurHash3: each bit of the input changes each bit of the result with a chance of a half. */
function mixed(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
