// The rules of pi-legacy against recordings of the real pi 0.13.2: no violation. test/conformance/pi-client judges the
// recorded client. Reports when the corpus is absent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { judgeRules } from '../../../src/conformance/check/judge.ts';
import { piLegacyAgent } from '../../../src/conformance/pi-legacy/agent.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi/0.13.2');
const Row = z.object({ dir: z.enum(['in', 'out']), line: z.string() });
const files = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];
if (files.length === 0) console.log(`there are no traces at ${corpus}`);

test.each(files)('%s', (name) => {
  const rows = readFileSync(join(corpus, name), 'utf8').trim().split('\n');
  const log = rows.map((row) => {
    const { dir, line } = Row.parse(JSON.parse(row));
    return { at: 0, by: dir === 'in' ? 'us' : 'peer', text: line } as const;
  });
  const conversation = { connection: name, log };
  const results = judgeRules(piLegacyAgent.rules, [{ conversation, us: 'client', isComplete: false }], []);
  const failed = results.filter(({ verdict }) => verdict === 'failed');
  expect(failed.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  const passed = results.filter(({ verdict }) => verdict === 'passed');
  expect(passed.length, 'there was something to judge').toBeGreaterThanOrEqual(name.startsWith('eof') ? 1 : 20);
});
