// The mutators change one place each, and the score of one set is what its page says. mutation-score.full.test.ts makes the
// whole page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientSetOf } from '../../../src/conformance/index.ts';
import { conversationsOf } from './conversations.ts';
import { mutantsOf, type Row } from './mutators.ts';
import { faultsIn, places, scoreOf } from './score.ts';
import { sectionOf } from './score-page.ts';

const page = join(import.meta.dirname, '../../../docs/conformance/mutation-score.md');

test('each mutator changes what the agent told, once at each place', () => {
  const rows: Row[] = [
    { by: 'client', json: { type: 'prompt' } },
    { by: 'agent', json: { type: 'a', list: [{ word: 'ab' }, { word: 'cd' }], is: true, args: { free: 1 } } },
    { by: 'agent', json: { type: 'b' } },
  ];
  const mutants = [...mutantsOf(rows, 'agent', places, new Set())];
  const names = mutants.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('swap a and b');
  expect(names).toContain('remove a list.[].word');
  expect(names.filter((name) => name.includes('free'))).toEqual([]);
  const at = (wanted: string) => mutants.find(({ name }) => name === wanted)?.rows.map(({ json }) => json);
  expect(at('drop a')).toEqual([{ type: 'prompt' }, { type: 'b' }]);
  expect(at('truncate a list.[].word')?.[1]).toMatchObject({ list: [{ word: 'a' }, { word: 'cd' }] });
  expect(at('other a is')?.[1]).toMatchObject({ is: false });
});

test.each([
  ['rpc-message', 'agent'],
  ['rpc-message', 'client'],
] as const)('the score of %s %ss', async (protocol, side) => {
  expect(readFileSync(page, 'utf8')).toContain(sectionOf(await scoreOf(protocol, side)));
});

test('nothing is said against a client that is as it was', async () => {
  for (const protocol of ['pi-legacy', 'claude', 'rpc-message', 'acp']) {
    const set = clientSetOf(protocol);
    for (const rows of await conversationsOf(protocol, 'client'))
      expect([...faultsIn(set?.rules ?? [], rows)], protocol).toEqual([]);
  }
});
