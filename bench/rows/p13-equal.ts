// P13, C13: the fast path and the slow path must say the same, whatever comes.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hostileConversation } from '../hostile.ts';
import { hostileClaude } from '../hostile-claude.ts';
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { atMost, type Family, type Figure, none, WrongResult } from '../report.ts';
import { sized } from '../size.ts';
import { random } from '../workloads.ts';

const lines = sized(
  { sound: 1_000_000, broken: 100_000, claude: 1_000_000 },
  { sound: 10_000, broken: 2000, claude: 2000 },
);
const linesEach = 2000;

/** What was compared. */
interface Comparison {
  readonly lines: number;
  /** Frames and notes that one path gave and the other did not. */
  readonly different: number;
  /** The share of the lines that the fast path took. */
  readonly fast: number;
  /** Where to look, if anything differs. */
  readonly first: string | null;
}

/** With less, the comparison would be one of the slow path with itself. */
const leastFast = 0.3;

export const equality: Family = {
  rows: ['P13'],
  isByName: true,
  how:
    'P13: made-up conversations: deltas full of quotes, escapes, halves of surrogate pairs and fragments of the wire; ' +
    'keys in every order, spaces, other escapes, extra and repeated keys, several open blocks; lines that are cut, glued, ' +
    'flipped in front of the delta or not UTF-8; chunks from 1 byte to 64 KiB, other ones for each path. Frames and notes of ' +
    'the pipeline with and without recognition are compared one by one. "Broken tails" damages the bytes behind a delta in ' +
    'snapshot lines, which the fast path skips by design; the figure counts how often a parser would have refused the line.',
  async *run(progress) {
    progress(`${lines.sound} lines`);
    const sound = compareMany(1, lines.sound, 'pi', (seed) =>
      hostileConversation(seed, linesEach, { brokenTails: false }),
    );
    progress(`${lines.broken} lines with broken tails`);
    const broken = compareMany(1_000_000, lines.broken, 'pi', (seed) =>
      hostileConversation(seed, linesEach, { brokenTails: true }),
    );
    if (sound.first !== null) progress(sound.first);
    yield* [
      {
        row: 'P13',
        what: 'fast path against slow path, hostile lines: different frames',
        value: sound.different,
        unit: '',
        goal: none,
        wrong: sound.different > 0,
        detail: detail(sound),
      },
      {
        row: 'P13',
        what: 'the same, 8 % of the delta lines damaged in what is skipped',
        value: broken.different,
        unit: '',
        moonshot: atMost(0),
        detail: detail(broken),
      },
    ];
  },
};

export const claudeEquality: Family = {
  rows: ['C13'],
  isByName: true,
  how:
    'C13: as P13, with the lines of a Claude Code, damaged anywhere: the fast path skips no part of these lines. Frames for clients ' +
    'of Claude and of pi (delta-only) are compared.',
  async *run(progress) {
    for (const to of ['claude', 'pi'] as const) {
      progress(`${lines.claude} lines -> ${to}`);
      const found = compareMany(1, lines.claude, 'claude', (seed) => hostileClaude(seed, linesEach), to);
      if (found.first !== null) progress(found.first);
      const figure: Figure = {
        row: 'C13',
        what: `Claude Code -> ${to}: fast path against slow path, hostile lines: different frames`,
        value: found.different,
        unit: '',
        goal: none,
        wrong: found.different > 0,
        detail: detail(found),
      };
      yield figure;
    }
  },
};

const detail = ({ lines, fast }: Comparison) => `${lines} lines, ${Math.round(fast * 100)} % of them on the fast path`;

function compareMany(
  seed: number,
  count: number,
  from: string,
  conversationOf: (seed: number) => Buffer[],
  to = 'claude',
): Comparison {
  const options = to === 'pi' ? { options: { dialect: 'delta-only' } } : {};
  let compared = 0;
  let different = 0;
  let slow = 0;
  let first: string | null = null;
  for (let turn = seed; compared < count; turn += 1) {
    const conversation = conversationOf(turn);
    const bytes = Buffer.concat(conversation);
    const one = translate(bytes, { from, to, ...options, isFastPathOn: true }, random(turn));
    const other = translate(bytes, { from, to, ...options, isFastPathOn: false }, random(-turn));
    compared += conversation.length;
    slow += one.slow;
    const differences = unmatched(one.said, other.said);
    different += differences;
    if (differences > 0) first ??= keep(turn, bytes, one.said, other.said);
  }
  const fast = 1 - slow / compared;
  if (fast < leastFast) throw new WrongResult(`only ${Math.round(fast * 100)} % of the lines were on the fast path`);
  return { lines: compared, different, fast, first };
}

/** Frames and notes, one an entry. */
function translate(bytes: Buffer, options: PipelineOptions, next: () => number): { said: string[]; slow: number } {
  const pipeline = createPipeline(options);
  const said: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(2 ** (next() * 16));
    said.push(...pipeline.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return { said: [...Buffer.concat(said).toString().split('\n'), ...pipeline.notes], slow: pipeline.slow };
}

/** Entries that only one side has. Without the ids, which count: one missing frame would change all behind it. */
function unmatched(fast: readonly string[], slow: readonly string[]): number {
  if (fast.length === slow.length && fast.every((line, place) => line === slow[place])) return 0;
  const counts = new Map<string, number>();
  const add = (line: string, one: number) => {
    const name = line.replace(/,"uuid":"[^"]+"\}$/u, '');
    counts.set(name, (counts.get(name) ?? 0) + one);
  };
  for (const line of slow) add(line, 1);
  for (const line of fast) add(line, -1);
  return Math.max(
    1,
    [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0),
  );
}

/** Leaves the conversation where it can be looked at; says where, and what differs first. */
function keep(seed: number, bytes: Buffer, fast: readonly string[], slow: readonly string[]): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'patchbay-bench-')), `difference-${seed}.jsonl`);
  writeFileSync(file, bytes);
  const at = fast.findIndex((line, place) => line !== slow[place]);
  const [one = '', other = ''] = [fast[at], slow[at]];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const show = (line: string) => JSON.stringify(line.slice(Math.max(0, same - 60), same + 60));
  return `conversation ${seed} (${file}), output line ${at + 1}: fast …${show(one)}…, slow …${show(other)}…`;
}
