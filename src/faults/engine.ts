// The faults of one connection: takes bytes of both directions, gives timed steps. Pure: the same bytes and the same seed
// give the same faults at the same frames, however the directions interleave. Holds one unfinished frame and what
// `reorder` and `join` keep back.
import type { CutFraming } from '../tape/cutter.ts';
import type { FaultAction, FaultRow } from './action.ts';
import { createLane } from './lane.ts';
import type { Direction, FaultRule } from './rule.ts';

/** What an engine is given. */
export interface EngineOptions {
  readonly rules: readonly FaultRule[];
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** The connection, counted from 0. */
  readonly connection?: number;
  /** Default `detect`. */
  readonly framing?: CutFraming;
  /** Called for each fault that happens, before its steps are given. */
  acted?(row: FaultRow): void;
}

/** All times are ms since the start of the connection. */
export interface FaultEngine {
  /** Some bytes of a direction, cut anywhere. The bytes must not change. */
  push(on: Direction, chunk: Buffer, now: number): FaultAction[];
  /** The source of the direction is over. */
  end(on: Direction, now: number): FaultAction[];
  /** When `wake` has something to do; null: never. */
  wakeAt(): number | null;
  wake(now: number): FaultAction[];
}

/** The engine of one connection. */
export function createFaultEngine({
  rules,
  seed,
  connection = 0,
  framing = 'detect',
  acted = () => {},
}: EngineOptions): FaultEngine {
  const lane = (on: Direction) => createLane({ rules, on, seed, connection, framing, acted });
  const lanes = { in: lane('in'), out: lane('out') };
  const both = [lanes.in, lanes.out];
  return {
    push: (on, chunk, now) => lanes[on].push(chunk, now),
    end: (on, now) => lanes[on].end(now),
    wakeAt() {
      const times = both.map((one) => one.wakeAt());
      const first = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
      return Number.isFinite(first) ? first : null;
    },
    wake: (now) => both.flatMap((one) => one.wake(now)),
  };
}
