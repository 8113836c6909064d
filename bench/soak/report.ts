// What the soak prints: a line for each look, and the verdict.
import type { Sample } from './gateway.ts';

/** A sample with its place in the soak. */
export interface PlacedSample extends Sample {
  /** Cycles so far. */
  readonly cycles: number;
  /** Since the start. */
  readonly seconds: number;
}

const columns = ['seconds', 'cycles', 'heap MB', 'RSS MB', 'descriptors', 'timers', 'handles', 'children', 'sessions'];
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell, at) => cell.padStart(columns[at]?.length ?? 0)).join(' | ')} |\n`;

/** The head of the table. */
export const head = `${row(columns)}|${columns.map((name) => '-'.repeat(name.length + 2)).join('|')}|\n`;

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(2);

/** The line of one look. */
export function lineOf(sample: PlacedSample): string {
  const { seconds, cycles, heapUsed, rss, descriptors, timers, handles, children, sessions } = sample;
  const counts = [descriptors, timers, handles, children, sessions].map(String);
  return row([seconds.toFixed(0), `${cycles}`, megabytes(heapUsed), megabytes(rss), ...counts]);
}

/** One sentence of the verdict. */
export interface Verdict {
  readonly text: string;
  readonly isGood: boolean;
}

/** How much the heap may grow in 1,000 cycles, bytes: less than the index of stored sessions needs. */
const mostGrowth = 500_000;

/** By least squares, bytes for 1,000 cycles. */
function slope(samples: readonly PlacedSample[]): number {
  const mean = (of: (sample: PlacedSample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [x, y] = [mean(({ cycles }) => cycles), mean(({ heapUsed }) => heapUsed)];
  const over = samples.reduce((sum, { cycles, heapUsed }) => sum + (cycles - x) * (heapUsed - y), 0);
  const under = samples.reduce((sum, { cycles }) => sum + (cycles - x) ** 2, 0);
  return under === 0 ? 0 : (over / under) * 1000;
}

/** Compares the looks with the first one, at which all code is loaded and everything is closed as well. */
export function verdicts(samples: readonly PlacedSample[], failures: readonly string[]): readonly Verdict[] {
  const [first] = samples;
  if (first === undefined) return [{ text: 'nothing was sampled', isGood: false }];
  const level = (name: 'descriptors' | 'children' | 'timers' | 'handles' | 'sessions'): Verdict => {
    const last = samples.at(-1)?.[name] ?? 0;
    return { text: `${name}: ${first[name]} at first, ${last} at last`, isGood: last <= first[name] };
  };
  const growth = slope(samples);
  return [
    { text: `failed cycles: ${failures.length} of ${samples.at(-1)?.cycles}`, isGood: failures.length === 0 },
    level('descriptors'),
    level('children'),
    level('timers'),
    level('handles'),
    level('sessions'),
    { text: `heap: ${(growth / 1e6).toFixed(3)} MB for 1,000 cycles`, isGood: growth <= mostGrowth },
  ];
}
