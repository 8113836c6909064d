// Recorded traces of real pi programs, all versions, through `patchbay translate --from pi --to claude`: the frames are
// in order, say what pi reported, and end once for each run; a trace that breaks off is closed properly.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isResult } from '../support/claude-turn.ts';
import { checkClaudeOrder, describeViolations } from '../support/judges/claude-order.ts';
import { messagesDifferences } from '../support/judges/compare.ts';
import { finalMessages } from '../support/judges/message-stream.ts';
import { expectedFromPi, piMessages } from '../support/judges/pi-messages.ts';
import { countRuns } from '../support/judges/pi-runs.ts';
import { readTrace, type TraceRow, translate } from '../support/translate.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');

interface Trace {
  readonly name: string;
  readonly rows: readonly TraceRow[];
}

function tracesOf(version: string): Trace[] {
  const names = readdirSync(join(corpus, version)).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => ({
    name: name.replace('.jsonl', ''),
    rows: readTrace(readFileSync(join(corpus, version, name), 'utf8')),
  }));
}

const linesOut = (rows: readonly TraceRow[]) => rows.flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));

/** Since 0.84 pi sends no copy of the message with its deltas, so the signature comes after its block has ended. */
const lateSignature = (rows: readonly TraceRow[]) =>
  !linesOut(rows).some((line) => line.includes('"message_update"') && line.includes('"partial"'));

const versions = existsSync(corpus) ? readdirSync(corpus) : [];
if (versions.length === 0) process.stderr.write(`no traces at ${corpus}: set PATCHBAY_CORPUS to run them\n`);

describe.skipIf(versions.length === 0).each(versions)('pi %s (skipped where the corpus is absent)', (version) => {
  const traces = version === undefined ? [] : tracesOf(version);

  test.concurrent.each(traces)('$name', async ({ rows }) => {
    const frames = await translate('pi', 'claude', rows);
    expect(describeViolations(checkClaudeOrder(frames), frames)).toEqual([]);
    const expected = piMessages(linesOut(rows)).map(expectedFromPi);
    const allowance = { lateSignature: lateSignature(rows) };
    expect(messagesDifferences(await finalMessages(frames), expected, allowance)).toEqual([]);
    expect(frames.filter(isResult)).toHaveLength(countRuns(linesOut(rows)));
  });

  test.concurrent.each(traces)('$name, cut in the middle', async ({ rows }) => {
    const cut = rows.slice(0, Math.ceil(rows.length / 2));
    const frames = await translate('pi', 'claude', cut);
    expect(describeViolations(checkClaudeOrder(frames), frames)).toEqual([]);
    expect(frames.filter(isResult)).toHaveLength(countRuns(linesOut(cut)));
  });
});
