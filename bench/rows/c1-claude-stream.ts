// C1: as P1, with a Claude Code as the agent and clients of each kind.
import { parseLines, parseStrings } from '../baselines.ts';
import { claudeWriter, type Part } from '../claude-stream.ts';
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { atLeast, type Bound, type Family, type Figure, type Goal, short, WrongResult } from '../report.ts';
import { type Costs, interleave, median, ratio, timed } from '../rounds.ts';
import { mustBeFast, mustBeQuiet, mustSay, readClaude, readPi, type Said } from '../said.ts';
import { chunksOf, deltasOf } from '../workloads.ts';

/** What an agent said, and how often it is told in one round. */
interface Workload {
  readonly lines: readonly string[];
  readonly deltas: readonly string[];
  readonly plays: number;
}

/** A client of the rows. */
interface Reader {
  readonly what: string;
  readonly client: Pick<PipelineOptions, 'to' | 'options'>;
  readonly read: (sent: readonly Uint8Array[]) => Said;
  readonly workload: Workload;
  readonly goal?: Goal;
  readonly moonshot?: Bound;
  /** It is shown the whole message with each delta, so its cost is that of the bytes that it is sent. */
  readonly isGrowing?: boolean;
}

/** Why goals are missed. */
const whys = {
  text:
    'each `stream_event` has an id of its own, which is read and checked beside the delta; each run begins with a fresh ' +
    'session, whose first lines are parsed by code that is still cold.',
  mixed:
    'thinking comes with a `thinking_tokens` frame in front of each delta, so there are two lines to read and two frames to ' +
    'write for it; blocks of 30 KB are short beside the lines that open and close them, which are parsed.',
} as const;

/** Text alone: the same answer as in P1. */
function plainWorkload(bytes: number, plays: number): Workload {
  const writer = claudeWriter();
  const deltas = deltasOf(bytes);
  const message = writer.message(1, [{ kind: 'text', deltas }]);
  return { lines: [...writer.opening(), ...message, ...writer.closing(deltas.join(''))], deltas, plays };
}

/** A message that thinks, speaks and calls a tool, then one that says that it is done. */
function mixedWorkload(): Workload {
  const writer = claudeWriter();
  const content = deltasOf(30_000, 3);
  const input = ['{"path":"notes.md","content":"', ...content.map((text) => JSON.stringify(text).slice(1, -1)), '"}'];
  const parts: Part[] = [
    { kind: 'thinking', deltas: deltasOf(30_000, 2) },
    { kind: 'text', deltas: deltasOf(30_000) },
    { kind: 'input', deltas: input },
  ];
  const last: Part = { kind: 'text', deltas: ['Done', '.'] };
  const lines = [
    ...writer.opening(),
    ...writer.message(1, parts),
    writer.toolResult(1, 2),
    ...writer.message(2, [last]),
    ...writer.closing('Done.'),
  ];
  return { lines, deltas: [...parts, last].flatMap(({ deltas }) => deltas), plays: 1 };
}

function readers(): Reader[] {
  const long = plainWorkload(200_000, 1);
  // A client that is shown the whole message with each delta: 5 KB in the middle of this one.
  const brief = plainWorkload(10_000, 10);
  const claude = { client: { to: 'claude' }, read: readClaude };
  return [
    { ...claude, what: 'text, 200 KB -> claude', workload: long, goal: atLeast(2, whys.text), moonshot: atLeast(3) },
    {
      ...claude,
      what: 'thinking, text, arguments, 30 KB each -> claude',
      workload: mixedWorkload(),
      goal: atLeast(2, whys.mixed),
      moonshot: atLeast(3),
    },
    {
      what: 'text, 200 KB -> pi, delta-only',
      client: { to: 'pi', options: { dialect: 'delta-only' } },
      read: readPi,
      workload: long,
      goal: atLeast(2, whys.text),
      moonshot: atLeast(3),
    },
    {
      what: 'text, 10 KB -> pi, growing',
      client: { to: 'pi', options: { dialect: 'growing' } },
      read: readPi,
      workload: brief,
      isGrowing: true,
    },
    { what: 'text, 10 KB -> pi-legacy', client: { to: 'pi-legacy' }, read: readPi, workload: brief, isGrowing: true },
  ];
}

/** us for each delta; `copy`: for copying what ours sent, in its pieces, into one block; `kilobytes`: of that, for each delta. */
type Sides = 'ours' | 'parse' | 'strings' | 'copy' | 'kilobytes';

/** What a growing client is sent is copied into a block of this size, bytes: the caches of the processor hold no more. */
const blockBytes = 1024 * 1024;

export const claudeStream: Family = {
  rows: ['C1'],
  how:
    'C1: as P1, with the lines of a Claude Code 2.1.329, each delta a `stream_event` with an id of its own, a thinking ' +
    'delta with a `thinking_tokens` frame in front of it. Ours: framing, Claude backend, repair, transcript, the ' +
    'projection of that client, bytes joined for each chunk. Dialects of pi that repeat the message get a message of 10 KB; ' +
    'their cost is that of a KB, beside copying the same pieces once more.',
  async *run(progress) {
    for (const reader of readers()) {
      progress(reader.what);
      yield figure(reader, await measure(reader));
    }
  },
};

function measure({ client, read, workload }: Reader): Promise<Costs<Sides>> {
  const { lines, deltas, plays } = workload;
  const chunks = [...chunksOf(lines)];
  const text = deltas.join('');
  const each = (ms: number) => (ms * 1000) / (deltas.length * plays);
  const counted = (parse: () => number) => {
    let objects = 0;
    const cost = timed(() => {
      for (let play = 0; play < plays; play += 1) objects += parse();
    });
    if (objects !== lines.length * plays) throw new WrongResult(`${objects} objects in ${lines.length * plays} lines`);
    return each(cost);
  };
  let last: readonly Uint8Array[] = [];
  const block = Buffer.alloc(blockBytes);
  return interleave<Sides>(
    {
      ours() {
        let cost = 0;
        for (let play = 0; play < plays; play += 1) {
          const pipeline = createPipeline({ from: 'claude', ...client });
          const sent: Uint8Array[] = [];
          cost += timed(() => {
            for (const chunk of chunks) sent.push(...pipeline.push(chunk));
          });
          if (play > 0) continue;
          last = sent;
          mustSay(read(sent), { deltas: deltas.length, text, results: 1 });
          mustBeQuiet(pipeline.notes.filter((note) => !note.startsWith('loss')));
          mustBeFast(pipeline.slow, deltas.length, lines.length - deltas.length);
        }
        return each(cost);
      },
      parse: () => counted(() => parseLines(chunks)),
      strings: () => counted(() => parseStrings(lines)),
      copy: () => (timed(() => copyInto(block, last)) * 1000) / deltas.length,
      kilobytes: () => last.reduce((sum, { length }) => sum + length, 0) / 1024 / deltas.length,
    },
    { rounds: 7, warmUp: 2 },
  );
}

function copyInto(block: Uint8Array, pieces: readonly Uint8Array[]): void {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += block.length) block.set(piece.subarray(at, at + block.length));
  }
}

function figure({ what, goal, moonshot, isGrowing = false }: Reader, costs: Costs<Sides>): Figure {
  const us = (values: readonly number[]) => short(median(values));
  if (isGrowing) {
    const kilobytes = median(costs.kilobytes);
    return {
      row: 'C1',
      what: `Claude Code, ${what}: for each KB written`,
      value: median(costs.ours) / kilobytes,
      unit: 'us',
      detail:
        `copying it: ${(median(costs.copy) / kilobytes).toFixed(3)} us; ${short(kilobytes)} KB and ${us(costs.ours)} us for each ` +
        `delta, JSON.parse of what was read ${us(costs.parse)}`,
    };
  }
  return {
    row: 'C1',
    what: `Claude Code, ${what}: JSON.parse alone / whole translation`,
    value: ratio(costs.parse, costs.ours),
    unit: 'x',
    ...(goal && { goal }),
    ...(moonshot && { moonshot }),
    detail: `us/event: ours ${us(costs.ours)}, JSON.parse from bytes ${us(costs.parse)}, from ready strings ${us(costs.strings)}`,
  };
}
