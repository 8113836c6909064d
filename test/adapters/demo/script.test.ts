// The demo agent's prompts as scripts: which words are verbs, and which numbers belong to them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseScript } from '../../../src/adapters/demo/script.ts';
import { usageOf, verbs } from '../../../src/adapters/demo/script-verbs.ts';

const table: readonly [prompt: string, steps: string][] = [
  ['', 'echo'],
  ['hello world', 'echo'],
  ['think', 'think'],
  ['think tool', 'think tool'],
  ['TOOL Think', 'tool think'],
  ['/tool\n\t/help', 'tool help'],
  ['please think about it', 'think echo'],
  ['tools', 'tools:3'],
  ['tools 5 think', 'tools:5 think'],
  ['tools 0 tools 9999', 'tools:1 tools:20'],
  ['tools many', 'tools:3 echo'],
  ['tools -1', 'tools:3 echo'],
  ['tool 3', 'tool echo'],
  ['long 50000', 'long:50000'],
  ['slow 7 retry 1', 'slow:7 retry:1'],
  ['constructor __proto__ toString', 'echo'],
  ['tool.', 'echo'],
];

test.each(table)('%j is read as %s', (prompt, steps) => {
  const read = parseScript(prompt).map(({ verb, amount }) => (amount === 0 ? verb : `${verb}:${amount}`));
  expect(read.join(' ')).toBe(steps);
});

describe('the README', () => {
  const readme = readFileSync(new URL('../../../src/adapters/demo/README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `([^`]+)` \| (.+) \|$/gmu)].map(([, verb, help]) => [verb, help]);

  test.each(verbs)('says what $name does', (verb) => {
    expect(rows).toContainEqual([usageOf(verb), verb.help]);
  });
});
