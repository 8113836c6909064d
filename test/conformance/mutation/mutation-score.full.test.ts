// docs/conformance/mutation-score.md is made from the sets, and UPDATE=1 writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sets } from '../../../src/conformance/index.ts';
import { type Score, scoreOf } from './score.ts';
import { scorePage } from './score-page.ts';

const file = join(import.meta.dirname, '../../../docs/conformance/mutation-score.md');

/** The sets that notice less. */
const below98: readonly string[] = [];

test('the page has the score of each set', { timeout: 600_000 }, async () => {
  const scores: Score[] = [];
  for (const { protocol, side } of sets) scores.push(await scoreOf(protocol, side));
  const page = scorePage(scores);
  if (process.env.UPDATE === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
  const low = scores.filter(({ normative, caught }) => caught < 0.98 * normative);
  expect(low.map(({ protocol, side }) => `${protocol} ${side}s`)).toEqual(below98);
});
