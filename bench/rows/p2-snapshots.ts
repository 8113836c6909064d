// P2, P3, P4: the snapshot dialect, in which each line repeats the message twice: what does a longer message cost?
import { parseLines, searchLines } from '../baselines.ts';
import { createPipeline } from '../pipeline.ts';
import { atLeast, atMost, type Bound, type Family, type Figure, type Goal, short, WrongResult } from '../report.ts';
import { type Costs, exponent, interleave, median, ratio, timed } from '../rounds.ts';
import { mustBeFast, mustBeQuiet, mustSay, readClaude } from '../said.ts';
import { chunksOf, closingLines, openingLines, sampledDeltas } from '../workloads.ts';

/** What is measured at one size of the message. */
interface Size {
  readonly kilobytes: number;
  /** Lines sampled from the growing message; about 6 MB in all, so that the caches are as warm as behind a pipe. */
  readonly lines: number;
  /** How often they are played in one round, by each side: some 20 ms of work. */
  readonly plays: { readonly ours: number; readonly parse: number; readonly search: number };
  readonly goal: Goal;
  readonly moonshot: Bound;
}

/** Why a size misses its goal. */
const looks =
  'each line is recognised on its own: its head is compared, its delta copied, its LF searched and its end compared, and ' +
  'the search is all that grows with the length; what does not grow weighs most where JSON.parse has little to do.';

const sizes: readonly Size[] = [
  {
    kilobytes: 1,
    lines: 250,
    plays: { ours: 60, parse: 12, search: 400 },
    goal: atLeast(12, looks),
    moonshot: atLeast(25),
  },
  {
    kilobytes: 10,
    lines: 250,
    plays: { ours: 40, parse: 3, search: 60 },
    goal: atLeast(40, looks),
    moonshot: atLeast(60),
  },
  {
    kilobytes: 50,
    lines: 120,
    plays: { ours: 30, parse: 1, search: 40 },
    goal: atLeast(80, looks),
    moonshot: atLeast(100),
  },
  {
    kilobytes: 200,
    lines: 32,
    plays: { ours: 40, parse: 1, search: 50 },
    goal: atLeast(120, looks),
    moonshot: atLeast(140),
  },
];

type Sides = 'ours' | 'parse' | 'search';

export const snapshots: Family = {
  rows: ['P2', 'P3', 'P4'],
  how:
    'P2 to P4: delta lines sampled evenly from a message that grows to 1, 10, 50 and 200 KB in pieces of 4 characters, ' +
    'each line with its two snapshots, played over and over inside one open block. Sides as in P1, and the newline ' +
    'search alone. P3 is the exponent, by least squares, of (ours minus newline search) over the size.',
  async *run(progress) {
    const measured: { size: Size; costs: Costs<Sides> }[] = [];
    for (const size of sizes) {
      progress(`snapshots of ${size.kilobytes} KB`);
      measured.push({ size, costs: await measure(size) });
    }
    const last = measured.at(-1);
    yield* [
      ...measured.map(({ size, costs }) => translated(size, costs)),
      growth(measured),
      {
        row: 'P4',
        what: 'snapshots of 200 KB: whole translation / newline search',
        value: last === undefined ? null : ratio(last.costs.ours, last.costs.search),
        unit: 'x',
        goal: atMost(
          2,
          'the search is the floor itself, a vectorised walk over 400 KB; a line has its recognition, its share of the ' +
            'chunk in which it was cut, and its frame above that.',
        ),
        moonshot: atMost(1.1),
      },
    ];
  },
};

function translated({ kilobytes, goal, moonshot }: Size, { ours, parse, search }: Costs<Sides>): Figure {
  const us = (values: readonly number[]) => short(median(values));
  return {
    row: 'P2',
    what: `snapshots of ${kilobytes} KB: JSON.parse alone / whole translation`,
    value: ratio(parse, ours),
    unit: 'x',
    goal,
    moonshot,
    detail: `us/event: ours ${us(ours)}, JSON.parse ${us(parse)}, newline search ${us(search)}`,
    points: [
      { plot: 'length', line: 'patchbay', x: kilobytes, y: median(ours) },
      { plot: 'length', line: 'peer', x: kilobytes, y: median(parse) },
      { plot: 'length', line: 'floor', x: kilobytes, y: median(search) },
    ],
  };
}

function growth(measured: readonly { size: Size; costs: Costs<Sides> }[]): Figure {
  // Below a hundredth of a microsecond the difference is nothing but noise, and its logarithm would be all there is.
  const points = measured.map(({ size, costs }) => {
    const above = median(costs.ours.map((cost, round) => cost - (costs.search[round] ?? 0)));
    return [size.kilobytes, Math.max(0.01, above)] as const;
  });
  return {
    row: 'P3',
    what: 'exponent of (ours minus newline search) over the size, 1 to 200 KB',
    value: exponent(points),
    unit: '',
    goal: atMost(
      0.1,
      'many lines of 1 KB come with one read and go as one burst, where a line of 50 KB or more is cut by a read and goes as an ' +
        'event of its own. That is how the figures read; no floor is proved.',
    ),
    moonshot: atMost(0.05),
    detail: `us/event above the search: ${points.map(([kilobytes, us]) => `${short(us)} at ${kilobytes} KB`).join(', ')}`,
  };
}

function measure({ kilobytes, lines: count, plays }: Size): Promise<Costs<Sides>> {
  const { lines, deltas } = sampledDeltas('snapshot', kilobytes * 1000, count);
  const chunks = [...chunksOf(lines)];
  const each = (ms: number, played: number) => (ms * 1000) / (deltas.length * played);
  const counted = (played: number, work: (chunks: readonly Buffer[]) => number) => {
    let found = 0;
    const cost = timed(() => {
      for (let play = 0; play < played; play += 1) found += work(chunks);
    });
    if (found !== lines.length * played) throw new WrongResult(`${found} lines instead of ${lines.length * played}`);
    return each(cost, played);
  };
  return interleave<Sides>(
    {
      ours() {
        const pipeline = createPipeline();
        const sent = say(pipeline, openingLines('snapshot'));
        const cost = timed(() => {
          for (let play = 0; play < plays.ours; play += 1) {
            for (const chunk of chunks) sent.push(...pipeline.push(chunk));
          }
        });
        const text = deltas.join('').repeat(plays.ours);
        sent.push(...say(pipeline, [...closingLines('snapshot', text), JSON.stringify({ type: 'agent_start' })]));
        mustSay(readClaude(sent), { deltas: deltas.length * plays.ours, text, results: 1 });
        mustBeQuiet(pipeline.notes);
        mustBeFast(pipeline.slow, deltas.length * plays.ours);
        return each(cost, plays.ours);
      },
      parse: () => counted(plays.parse, parseLines),
      search: () => counted(plays.search, searchLines),
    },
    { rounds: 9, warmUp: 2 },
  );
}

function say(pipeline: ReturnType<typeof createPipeline>, lines: readonly string[]): Uint8Array[] {
  return [...chunksOf(lines)].flatMap((chunk) => [...pipeline.push(chunk)]);
}
