// The order checker against the real program: recorded traces of the Claude CLI show only the departures from the
// strict grammar that are known (docs/protocols/claude.md 5). So a rule that is too strict, or a checker that is blind, shows.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { finalMessages } from '../support/judges/message-stream.ts';
import { checkClaudeOrder, describeViolations } from './order/claude/order.ts';
import type { Rule } from './order/claude/rules.ts';

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk/cli-2.1.329');
const Row = z.looseObject({ dir: z.string(), line: z.string() });

/** Its own interface updates before a turn, and estimates between the deltas of a thought: in any trace. */
const everywhere: readonly Rule[] = ['outside-turn', 'system-inside'];
/** A marker inside the message that was interrupted, results of quick tools, broken API streams, errors without one. */
const known: readonly Rule[] = [
  ...everywhere,
  'user-inside',
  'message-delta',
  'assistant-place',
  'stop-reason',
  'assistant-content',
];
/** Traces in which nothing goes wrong: there the strict rules hold. */
const plain = [
  'text',
  'thinking-text',
  'parallel-tools',
  'multi-turn',
  'perm-allow',
  'perm-deny',
  'tool-errors',
  'unknown-blocks',
];

const traces = existsSync(folder) ? readdirSync(folder) : [];

test.skipIf(traces.length === 0)(`there are traces at ${folder} (skipped where the corpus is absent)`, () => {
  expect(traces).toEqual(expect.arrayContaining(plain.map((name) => `${name}.jsonl`)));
});

test.each(traces)('%s', async (name) => {
  const rows = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
  const lines = rows.map((row) => Row.parse(JSON.parse(row))).filter(({ dir }) => dir === 'out');
  const frames = lines.map(({ line }): unknown => JSON.parse(line));
  const allowed = plain.includes(name.replace('.jsonl', '')) ? everywhere : known;
  const violations = checkClaudeOrder(frames, { whole: name.startsWith('no-partial') });
  const unknown = violations.filter(({ rule }) => !allowed.includes(rule));
  expect(describeViolations(unknown, frames)).toEqual([]);
  await expect(finalMessages(frames)).resolves.toBeDefined();
});
