// Kills and cancels at random over all pairs of ACP: 39 prompts here, 1,001 in `npm run test:full`.
import { expect, test } from 'vitest';
import { acpPairs, playEnds } from '../support/acp-random-ends.ts';
import { isFull } from '../support/full.ts';

test.each(acpPairs)('a client of %s before an agent of %s', async (...pair) => {
  const seed = isFull ? Date.now() : 22;
  expect(await playEnds(pair, isFull ? 77 : 3, seed), `seed ${seed}`).toEqual([]);
});
