// Recorded traces of real pi programs, all versions, from pi to claude: the frames are in order, say what pi reported, and end
// once for each run; a trace that breaks off is closed properly. The first trace of each version goes through the program
// `patchbay translate`, in `npm run test:full` every trace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isResult } from '../support/claude-turn.ts';
import { isFull } from '../support/full.ts';
import { faultsIn } from '../support/judged.ts';
import { messagesDifferences } from '../support/judges/compare.ts';
import { finalMessages } from '../support/judges/message-stream.ts';
import { expectedFromPi, piMessages } from '../support/judges/pi-messages.ts';
import { runsOf } from '../support/judges/pi-runs.ts';
import { readTrace, type TraceRow, translate, translateHere } from '../support/translate.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');

function tracesOf(version: string): [name: string, rows: TraceRow[]][] {
  const names = readdirSync(join(corpus, version)).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => [
    name.replace('.jsonl', ''),
    readTrace(readFileSync(join(corpus, version, name), 'utf8')),
  ]);
}

const linesOut = (rows: readonly TraceRow[]) => rows.flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));

/** Since 0.84 pi sends no copy of the message with its deltas, so the signature comes after its block has ended. */
const lateSignature = (rows: readonly TraceRow[]) =>
  !linesOut(rows).some((line) => line.includes('"message_update"') && line.includes('"partial"'));

const cutsOfEach = 24;
/** The beginnings of a trace, of many lengths. */
function cuts(rows: readonly TraceRow[]): TraceRow[][] {
  const step = Math.max(1, Math.floor(rows.length / cutsOfEach));
  return rows.flatMap((_, at) => (at % step === 0 ? [rows.slice(0, at)] : []));
}

const versions = existsSync(corpus) ? readdirSync(corpus) : [];
const absent = versions.length === 0;

test.skipIf(absent)(
  `there are traces at ${corpus} (skipped where PATCHBAY_CORPUS and ../shared/corpus are absent)`,
  () => {
    for (const version of versions) expect(tracesOf(version), version).not.toEqual([]);
  },
);

describe.each(versions)('pi %s', (version) => {
  const traces = tracesOf(version);

  test.concurrent.each(traces)('%s', async (name, rows) => {
    const byProgram = isFull || name === traces[0]?.[0];
    const frames = byProgram ? await translate('pi', 'claude', rows) : translateHere('pi', 'claude', rows);
    expect(faultsIn('claude', frames)).toEqual([]);
    const runs = runsOf(linesOut(rows));
    if (runs.mixed) return;
    expect(frames.filter(isResult)).toHaveLength(runs.count);
    const expected = piMessages(linesOut(rows)).map(expectedFromPi);
    const allowance = { lateSignature: lateSignature(rows) };
    expect(messagesDifferences(await finalMessages(frames), expected, allowance)).toEqual([]);
  });

  test.each(traces)('%s, in the growing dialect', (_, rows) => {
    const messages = translateHere('pi', 'rpc-message', rows);
    expect(faultsIn('rpc-message', messages)).toEqual([]);
    const runs = runsOf(linesOut(rows));
    if (!runs.mixed) expect(messages.filter(isResult)).toHaveLength(runs.count);
  });

  test.each(traces)('%s, cut off in many places', (_, rows) => {
    for (const cut of cuts(rows)) {
      const frames = translateHere('pi', 'claude', cut);
      const where = `after ${cut.length} rows of ${rows.length}`;
      expect(faultsIn('claude', frames), where).toEqual([]);
      const runs = runsOf(linesOut(cut));
      if (!runs.mixed) expect(frames.filter(isResult), where).toHaveLength(runs.count);
    }
  });
});
