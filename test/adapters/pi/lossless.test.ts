// Every line of every recording, in both directions: from pi into our words and back, it is the same JSON, in the same
// order. What is not is data (normalised.ts), and each of those differences is one that pi's recordings need.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/adapters/pi/frontend/dialect.ts';
import { faultsIn } from '../../support/judged.ts';
import { readTrace, type TraceRow } from '../../support/translate.ts';
import { wire } from './harness.ts';
import { differenceOf, normalisations, unplayable } from './normalised.ts';
import { type Json, parsed, play } from './replay.ts';

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');
const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const readme = readFileSync(path.resolve(import.meta.dirname, '../../../src/adapters/pi/README.md'), 'utf8');

/** What a version of pi speaks (docs/protocols/pi.md 1.1). */
function dialectOf(version: string): Dialect {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 0 && minor < 16) return 'legacy';
  return major === 0 && minor < 84 ? 'growing' : 'delta-only';
}

const files = existsSync(corpus)
  ? readdirSync(corpus).flatMap((version) =>
      readdirSync(path.join(corpus, version))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => `${version}/${name}`),
    )
  : [];

function recordingOf(file: string, rows: readonly TraceRow[], dialect: Dialect) {
  const out = rows.filter(({ dir }) => dir === 'out').map(({ line }) => parsed(line) ?? line);
  const told = out.filter((line): line is Json => typeof line !== 'string');
  return { file, rows, out, dialect, barred: unplayable.find(({ isSo }) => isSo(told))?.reason };
}

const recordings = files.map((file) => {
  const rows = readTrace(readFileSync(path.join(corpus, file), 'utf8'));
  return recordingOf(file, rows, dialectOf(file.split('/')[0] ?? ''));
});

/** What no recording here has, as pi does it (docs/protocols/pi.md 4 to 6). */
const run = (messages: readonly object[]) => [
  { type: 'agent_start' },
  { type: 'turn_start' },
  ...messages.flatMap((message) => [
    { type: 'message_start', message },
    { type: 'message_end', message },
  ]),
];
const spoke = wire.assistantEnd([], {
  api: 'a',
  provider: 'p',
  model: 'm',
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: noCost },
  stopReason: 'stop',
  timestamp: 1,
}).message;
const over = [
  { type: 'turn_end', message: spoke, toolResults: [] },
  { type: 'agent_end', messages: [spoke] },
];
const sent = (line: object): TraceRow => ({ dir: 'in', line: JSON.stringify(line) });
const printed = (...lines: object[]): TraceRow[] => lines.map((line) => ({ dir: 'out', line: JSON.stringify(line) }));
const refusal = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
const byHand: readonly [name: string, rows: readonly TraceRow[]][] = [
  [
    'by hand: a prompt that comes too early',
    [
      sent({ type: 'prompt', message: 'a', id: 'p1' }),
      ...printed({ id: 'p1', type: 'response', command: 'prompt', success: true }, ...run([spoke])),
      sent({ type: 'prompt', message: 'b', id: 'p2' }),
      ...printed(
        { id: 'p2', type: 'response', command: 'prompt', success: false, error: refusal },
        { id: 'p2', type: 'response', command: 'prompt', success: true },
        ...over,
      ),
    ],
  ],
  [
    'by hand: an abort before the run has begun',
    [
      sent({ type: 'prompt', message: 'a', id: 'p1' }),
      sent({ type: 'abort', id: 'ab' }),
      ...printed(
        { id: 'p1', type: 'response', command: 'prompt', success: true },
        { id: 'ab', type: 'response', command: 'abort', success: true },
        ...run([spoke]),
        ...over,
      ),
    ],
  ],
];
for (const [file, rows] of byHand) recordings.push(recordingOf(file, rows, 'growing'));

const playable = recordings.filter(({ barred }) => barred === undefined);

test(files.length === 0 ? `no recordings at ${corpus}: nothing was checked` : `${files.length} recordings`, () => {
  expect(files.length === 0 || playable.length > 10 + byHand.length).toBe(true);
});

describe.each(recordings.filter(({ barred }) => barred !== undefined))('$file', ({ barred }) => {
  test.skip(`cannot be played: ${barred}`, () => {});
});

describe.each(playable)('$file', ({ rows, out, dialect }) => {
  const played = play(rows, dialect);

  test('a client hears what pi said', () => {
    expect(differenceOf(out, played, normalisations)).toBeNull();
  });

  test('pi hears what a client said', () => {
    const refused = new Set(played.refused.lines);
    const said = rows.filter(({ dir, line }) => dir === 'in' && !refused.has(line)).map(({ line }) => parsed(line));
    // 0.13.2 takes lines that it never answers; those that it cannot take are refused without a word.
    const isHeard = (line: Json | null) => played.toAgent.some((sent) => isDeepStrictEqual(sent, line));
    const unheard = said.filter((line) => !isHeard(line) && !isHeard(withText(line)));
    expect(unheard).toEqual([]);
    expect(played.toAgent).toHaveLength(said.length);
  });

  test.each<Dialect>(['growing', 'delta-only'])('in the %s dialect, a client can rely on the order', (other) => {
    expect(faultsIn('pi', play(rows, other).toClient, false)).toEqual([]);
  });
});

/** A document that comes without its text is read by the gateway, or 0.13.2 drops it (adapter pi-legacy). */
function withText(line: Json | null): Json | null {
  if (!Array.isArray(line?.attachments)) return line;
  const attachments = line.attachments.map((attachment: Json) =>
    attachment.type === 'document' && attachment.extractedText === undefined
      ? { ...attachment, extractedText: Buffer.from(String(attachment.content), 'base64').toString() }
      : attachment,
  );
  return { ...line, attachments };
}

describe('a difference that is allowed', () => {
  test.each(normalisations)('$name: has its row in the README', ({ row }) => {
    expect(readme).toContain(row);
  });

  test.skipIf(files.length === 0).each(normalisations)('$name: is there', ({ name }) => {
    const others = normalisations.filter((one) => one.name !== name);
    const needs = playable.some(({ rows, out, dialect }) => {
      const played = play(rows, dialect);
      return differenceOf(out, played, others) !== null;
    });
    expect(needs).toBe(true);
  });
});

describe.each(playable.filter(({ dialect }) => dialect === 'growing'))('$file', ({ rows, out, dialect }) => {
  test('its snapshots begin with ours', () => {
    const snapshots = (lines: readonly (Json | string)[]) =>
      lines.flatMap((line) => (typeof line !== 'string' && line.type === 'message_update' ? [contentIn(line)] : []));
    const theirs = snapshots(out);
    const ours = snapshots(play(rows, dialect).toClient);
    expect(ours).toHaveLength(theirs.length);
    const ahead = ours.filter((texts, at) => !texts.every((text, index) => theirs[at]?.[index]?.startsWith(text)));
    expect(ahead).toEqual([]);
  });
});

/** The texts of a snapshot; the arguments of calls are guessed while they stream, and are left out. */
function contentIn({ message }: Json): string[] {
  const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : [];
  return (Array.isArray(content) ? content : []).map(({ text, thinking }: Json) => String(text ?? thinking ?? ''));
}
