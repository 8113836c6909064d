// The account of a run by its parts: the lines before the first delta, the deltas, and the lines that close it and repeat
// its text (docs/path-of-a-delta.md). Least values of many rounds: `node build/bench/closing.js [factor of rounds]`.
import { parseLines } from './baselines.ts';
import { claudeWriter } from './claude-stream.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { timed } from './rounds.ts';
import { chunksOf, closingLines, deltaLine, deltasOf, openingLines } from './workloads.ts';

/** The lines of one run. */
interface Run {
  readonly opening: readonly string[];
  readonly deltas: readonly string[];
  readonly closing: readonly string[];
}

function runOfPi(deltas: readonly string[]): Run {
  return {
    opening: openingLines('delta-only'),
    deltas: deltas.map((delta) => deltaLine('delta-only', delta, '')),
    closing: closingLines('delta-only', deltas.join('')),
  };
}

function runOfClaude(deltas: readonly string[]): Run {
  const writer = claudeWriter();
  const { before, behind } = writer.around(1, { kind: 'text', deltas });
  return {
    opening: [...writer.opening(), ...before],
    deltas: deltas.flatMap((delta) => writer.delta(1, 0, 'text', delta)),
    closing: [...behind, ...writer.closing(deltas.join(''))],
  };
}

const agents = { pi: runOfPi, claude: runOfClaude } as const;
const clients: readonly Pick<PipelineOptions, 'to' | 'options'>[] = [
  { to: 'claude' },
  { to: 'pi', options: { dialect: 'delta-only' } },
];
const parts = ['opening', 'deltas', 'closing'] as const;
const factor = Number(process.argv[2] ?? 1);

function measure(from: keyof typeof agents, client: (typeof clients)[number], bytes: number, isAscii: boolean): string {
  const made = deltasOf(bytes);
  const deltas = isAscii ? made.map((delta) => delta.replace(/[^ -~]/gu, '~')) : made;
  const run = agents[from](deltas);
  const chunks = parts.map((part) => [...chunksOf(run[part])]);
  const least = parts.map(() => Number.POSITIVE_INFINITY);
  let parse = Number.POSITIVE_INFINITY;
  for (let round = 0; round < (factor * 4_000_000) / bytes; round += 1) {
    const pipeline = createPipeline({ from, ...client });
    for (const [place, pieces] of chunks.entries()) {
      const cost = timed(() => pieces.forEach((piece) => void pipeline.push(piece)));
      least[place] = Math.min(least[place] ?? cost, cost);
    }
    parse = Math.min(
      parse,
      timed(() => parseLines(chunks[2] ?? [])),
    );
  }
  const us = least.map((ms) => (ms * 1000).toFixed(0).padStart(7));
  const letters = isAscii ? 'ASCII' : 'mixed';
  const whose = `${from} -> ${client.to}`.padEnd(16);
  return `${whose} ${String(bytes / 1000).padStart(4)} KB ${letters}  us: ${parts.map((part, place) => `${part} ${us[place]}`).join(', ')}; JSON.parse of the closing lines ${(parse * 1000).toFixed(0)}`;
}

for (const from of ['pi', 'claude'] as const) {
  for (const client of clients) {
    for (const bytes of [10_000, 200_000]) {
      for (const isAscii of [true, false]) process.stdout.write(`${measure(from, client, bytes, isAscii)}\n`);
    }
  }
}
