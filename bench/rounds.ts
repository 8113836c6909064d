// How two things are compared: in turns within one run, the order turned round each time, medians of many rounds.

import { sized } from './size.ts';

/**
 * One side: does the work once and says what it cost, in any unit that all sides share. `isShown`: the result is to be
 * looked at too, which takes time of its own.
 */
export type Side = (isShown: boolean) => number | Promise<number>;

/** How many rounds there are. */
export interface Rounds {
  readonly rounds?: number;
  /** Rounds before them that are not counted, the same number for each side. */
  readonly warmUp?: number;
}

/** Rounds of 100,000 deltas until V8 has compiled what they run: the cost falls until about a million. */
export const rowsOfPrograms = { rounds: 5, warmUp: 15 } as const satisfies Rounds;

/** The costs of each side, one for each round. */
export type Costs<Name extends string> = Record<Name, number[]>;

/** Runs all sides in turns. The first `warmUp` rounds are not counted. A quick run has two rounds of each side. */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  how: Rounds = {},
): Promise<Costs<Name>> {
  return (await interleaveFresh(sides, how)).costs;
}

/** As {@link interleave}; `first`: what the first round of all cost, which is not counted. */
export async function interleaveFresh<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { rounds = 7, warmUp = 2 }: Rounds = {},
): Promise<{ readonly costs: Costs<Name>; readonly first: Readonly<Record<Name, number>> }> {
  const names = Object.keys(sides) as Name[];
  const [counted, uncounted] = sized([rounds, warmUp], [1, 1]);
  const costs = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Costs<Name>;
  const first = Object.fromEntries(names.map((name) => [name, Number.NaN])) as Record<Name, number>;
  for (let round = -uncounted; round < counted; round += 1) {
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) {
      const isFirst = round === -uncounted;
      const cost = await sides[name](isFirst || round >= 0);
      if (isFirst) first[name] = cost;
      if (round >= 0) costs[name].push(cost);
    }
  }
  return { costs, first };
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value below which that share lies, 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The median of the rounds' ratios: both parts of a ratio come from the same moment of the machine. */
export function ratio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((cost, round) => cost / (below[round] ?? Number.NaN)));
}

/** The exponent k of y = c·x^k by least squares on logarithms. */
export function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Wall time of some work, ms. */
export function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
