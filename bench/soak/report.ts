// What the soak prints: a line for each look, and the verdict.
import type { Sample } from './gateway.ts';
import { bytesOf, growth } from './heap.ts';

/** A sample with its place in the soak. */
export interface PlacedSample extends Sample {
  /** Cycles so far. */
  readonly cycles: number;
  /** Since the start. */
  readonly seconds: number;
}

const columns = [
  'seconds',
  'cycles',
  'heap MB',
  'data MB',
  'RSS MB',
  'descriptors',
  'timers',
  'handles',
  'children',
  'sessions',
];
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell, at) => cell.padStart(columns[at]?.length ?? 0)).join(' | ')} |\n`;

/** The head of the table. */
export const head = `${row(columns)}|${columns.map((name) => '-'.repeat(name.length + 2)).join('|')}|\n`;

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(2);

/** The line of one look. */
export function lineOf(sample: PlacedSample): string {
  const { seconds, cycles, heapUsed, data, rss, descriptors, timers, handles, children, sessions } = sample;
  const counts = [descriptors, timers, handles, children, sessions].map(String);
  return row([
    seconds.toFixed(0),
    `${cycles}`,
    megabytes(heapUsed),
    megabytes(bytesOf(data)),
    megabytes(rss),
    ...counts,
  ]);
}

/** One sentence of the verdict. */
export interface Verdict {
  readonly text: string;
  readonly isGood: boolean;
}

/** How much data may stay of 1,000 cycles, bytes: the list of stored sessions needs so much, and is bounded. */
const mostGrowth = 500_000;

/** By least squares, bytes for 1,000 cycles. */
function slope(samples: readonly PlacedSample[], bytes: (sample: PlacedSample) => number): number {
  const mean = (of: (sample: PlacedSample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [x, y] = [mean(({ cycles }) => cycles), mean(bytes)];
  const over = samples.reduce((sum, sample) => sum + (sample.cycles - x) * (bytes(sample) - y), 0);
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
  // The first look finds caches that are not full yet.
  const settled = samples.length > 3 ? samples.slice(1) : samples;
  const [from, to] = [settled[0], settled.at(-1)];
  const heap = slope(settled, ({ heapUsed }) => heapUsed);
  const data = slope(settled, (sample) => bytesOf(sample.data));
  const grown = from === undefined || to === undefined ? [] : growth(from.data, to.data);
  const perThousand = (bytes: number) => `${(bytes / 1e6).toFixed(3)} MB for 1,000 cycles`;
  return [
    { text: `failed cycles: ${failures.length} of ${samples.at(-1)?.cycles}`, isGood: failures.length === 0 },
    level('descriptors'),
    level('children'),
    level('timers'),
    level('handles'),
    level('sessions'),
    { text: `heap with code: ${perThousand(heap)}`, isGood: true },
    { text: `data: ${perThousand(data)}`, isGood: data <= mostGrowth },
    ...grown.map((text) => ({ text: `  ${text}`, isGood: true })),
  ];
}
