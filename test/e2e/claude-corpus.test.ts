// Recorded traces of Claude Code, of the SDK with it, and of the SDK with a stub: each is read without a violation, is in
// order as it stands, and comes out of the gateway as it went in, up to a declared list of differences.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { normalisations, type Pair, strandOf } from '../support/claude-normalised.ts';
import { isRecord, type Json, type Played, parsed, play } from '../support/claude-replay.ts';
import { handMade } from '../support/claude-traces.ts';
import type { TraceRow } from '../support/translate.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk');
const folders = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.startsWith('cli-')) : [];

/** The rows of a trace that are frames. */
function rowsOf(file: string): TraceRow[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const row = parsed(line);
    if ((row?.dir !== 'in' && row?.dir !== 'out') || typeof row.line !== 'string') return [];
    // Blank lines are no frames, and neither is the end of the input.
    return row.line.trim() === '' || row.line === '<EOF>' ? [] : [{ dir: row.dir, line: row.line }];
  });
}

const recorded = folders.flatMap((folder) =>
  readdirSync(join(corpus, folder))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name): [string, TraceRow[]] => [
      `${folder}/${name.replace('.jsonl', '')}`,
      rowsOf(join(corpus, folder, name)),
    ]),
);

const traces = [...recorded, ...[...handMade].map(([name, rows]): [string, TraceRow[]] => [name, [...rows]])];

const played = new Map<string, Played>();
function playedOf(name: string, rows: readonly TraceRow[]): Played {
  const known =
    played.get(name) ??
    play(
      rows,
      rows.some(({ dir, line }) => dir === 'out' && line.includes('"stream_event"')),
    );
  played.set(name, known);
  return known;
}

/** The agent repeats a prompt: marked, so that the table need not know the prompts. */
function pairOf({ theirs, ours }: Played, rows: readonly TraceRow[]): Pair {
  const prompts = new Set(rows.flatMap(({ dir, line }) => (dir === 'in' ? [wordsOf(parsed(line))] : [])));
  const marked = (frame: Json) => (prompts.has(wordsOf(frame)) ? { ...frame, isPrompt: true } : frame);
  return { ours: ours.map(marked), theirs: theirs.map(marked) };
}

function wordsOf(frame: Json | null): string | null {
  const content = isRecord(frame?.message) ? frame.message.content : undefined;
  if (frame?.type !== 'user' || content === undefined) return null;
  return JSON.stringify(typeof content === 'string' ? [{ type: 'text', text: content }] : content);
}

const normalised = (pair: Pair, without?: string): Pair =>
  normalisations.filter(({ name }) => name !== without).reduce((now, { apply }) => apply(now), pair);

/** Frames by strand, each as text whose keys are in order. */
function strandsOf(frames: readonly Json[]): Record<string, string[]> {
  const strands: Record<string, string[]> = {};
  for (const { isPrompt: _, ...frame } of frames) {
    const strand = strandOf(frame);
    strands[strand] = [...(strands[strand] ?? []), JSON.stringify(sorted(frame))];
  }
  return strands;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

/**
 * A recorded answer to what the gateway answers by itself; and the end of a message whose stream the provider broke
 * (docs/protocols/claude.md 5).
 */
const harmless: ReadonlySet<string> = new Set(['repair: control_response: ignored an answer that nobody waits for']);

test.skipIf(folders.length === 0)(
  `there are traces at ${corpus} (skipped where PATCHBAY_CORPUS and ../shared/corpus are absent)`,
  () => {
    expect(recorded.length).toBeGreaterThan(10);
  },
);

describe('a Claude agent', () => {
  test.each(traces)('%s: no violation and nothing to mend, and nothing stays open', (name, rows) => {
    const { faults, transcript } = playedOf(name, rows);
    expect(faults.filter((fault) => !harmless.has(fault) && !fault.startsWith('client: '))).toEqual([]);
    const { open, tools, approvals, dialogs } = transcript;
    const results = rows.filter(({ dir, line }) => dir === 'out' && parsed(line)?.type === 'result').length;
    expect([open.size, tools.size, approvals.size, dialogs.size, transcript.run]).toEqual([0, 0, 0, 0, null]);
    expect(transcript.runs).toBe(results);
  });

  test.each(traces)('%s: told as it was, up to what is declared', (name, rows) => {
    const { theirs, ours } = normalised(pairOf(playedOf(name, rows), rows));
    expect(strandsOf(ours)).toEqual(strandsOf(theirs));
  });

  // The recorded traces have most of them, so where they are absent nothing is proven.
  test.skipIf(folders.length === 0).each(normalisations)('declared with reason: $name', ({ name }) => {
    const isNeeded = traces.some(([trace, rows]) => {
      const pair = normalised(pairOf(playedOf(trace, rows), rows), name);
      return JSON.stringify(strandsOf(pair.ours)) !== JSON.stringify(strandsOf(pair.theirs));
    });
    expect(isNeeded).toBe(true);
  });
});
