// The rules on clients of pi against recorded clients, most of them wrong on purpose. Reports when the corpus is
// absent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { judgeRules } from '../../../src/conformance/check/judge.ts';
import { piClient } from '../../../src/conformance/pi/client.ts';
import { piLegacyClient } from '../../../src/conformance/pi-legacy/client.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');
const Row = z.object({ dir: z.enum(['in', 'out']), line: z.string() });
if (!existsSync(corpus)) console.log(`there are no traces at ${corpus}`);

/** Intended violations, by scenario. */
const theirs: ReadonlyMap<string, readonly string[]> = new Map([
  ['attachments', ['document-text']],
  ['bad_input', ['json-lines', 'known-commands', 'prompt-message', 'prompt-words', 'prompt-fields']],
  ['null_line', ['json-lines']],
  ['prompt_while_streaming', ['one-prompt-at-a-time', 'prompt-while-streaming']],
  // The client requests a level that does not exist.
  ['state_cmds', ['set-thinking-level-values']],
]);

function tracesOf(version: string): readonly string[] {
  const dir = join(corpus, version);
  return existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.jsonl')) : [];
}

describe.each(['0.13.2', '0.54.2', '0.73.1', '0.87.1'])('%s', (version) => {
  test.each(tracesOf(version))('%s', (name) => {
    const rows = readFileSync(join(corpus, version, name), 'utf8')
      .trim()
      .split('\n');
    const log = rows.map((row) => {
      const { dir, line } = Row.parse(JSON.parse(row));
      return { at: 0, by: dir === 'in' ? 'peer' : 'us', text: line } as const;
    });
    const set = version === '0.13.2' ? piLegacyClient : piClient;
    const conversation = { connection: name, log };
    const results = judgeRules(set.rules, [{ conversation, us: 'agent', isComplete: false }], []);
    const failed = results.filter(({ verdict }) => verdict === 'failed');
    const found = failed.map(({ id }) => id.replace(/^.*\/client\//u, ''));
    const expected = theirs.get(name.replace('.jsonl', '')) ?? [];
    expect(found.filter((one) => !expected.includes(one))).toEqual([]);
    if (expected.length > 0) expect(found, 'what is wrong on purpose is found').not.toEqual([]);
    expect(results.some(({ verdict }) => verdict === 'passed')).toBe(true);
  });
});
