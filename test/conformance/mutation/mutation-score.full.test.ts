// docs/conformance/mutation-score.md is made from the sets, and UPDATE=1 writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clients } from './conversations.ts';
import { scoreOf } from './score.ts';
import { scorePage } from './score-page.ts';

const file = join(import.meta.dirname, '../../../docs/conformance/mutation-score.md');

test('the page has the score of each set', () => {
  const page = scorePage([...clients.keys()].map((protocol) => scoreOf(protocol)));
  if (process.env.UPDATE === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
});
