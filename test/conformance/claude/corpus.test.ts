// The rules of native Claude agents against every recording of the real Claude Code. The corpus is no part of the
// project (PATCHBAY_CORPUS is its folder); without the corpus the test says that nothing was judged.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { LoggedMessage } from '../../../src/conformance/check/check.ts';
import { judgeRules } from '../../../src/conformance/check/judge.ts';
import { claudeAgent } from '../../../src/conformance/claude/agent.ts';

const corpus = process.env.PATCHBAY_CORPUS ?? '../shared/corpus';
const folder = process.env.PATCHBAY_CLAUDE_TRACES ?? join(corpus, 'claude-sdk', 'cli-2.1.329');
const Row = z.object({ dir: z.string(), line: z.string() });

/** Where the real program violates a rule, and why the rule is right nevertheless. */
const departures: ReadonlyMap<string, readonly string[]> = new Map();

function exchangesIn(file: string): LoggedMessage[] {
  const lines = readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines
    .map((line) => Row.parse(JSON.parse(line)))
    .filter(({ dir }) => dir === 'in' || dir === 'out')
    .map(({ dir, line }) => ({ at: 0, by: dir === 'out' ? 'peer' : 'us', text: line }));
}

const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
if (files.length === 0) console.log(`no traces in ${folder}`);

test.each(files)('%s', (file) => {
  const conversation = { connection: file, log: exchangesIn(file) };
  const results = judgeRules(claudeAgent.rules, [{ conversation, us: 'client', isComplete: true }], []);
  const levels = new Map(claudeAgent.rules.map(({ id, level }) => [id, level]));
  const failed = results.filter(({ id, verdict }) => verdict === 'failed' && levels.get(id) !== 'MAY');
  const unexpected = failed.filter(({ id }) => departures.get(id)?.includes(file.replace('.jsonl', '')) !== true);
  expect(unexpected.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
});
