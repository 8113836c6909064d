// Our own backend as a client of pi passes every check.
import { expect, test } from 'vitest';
import { piClient } from '../../../src/conformance/pi/client.ts';
import { ownPiClient } from './client-steps.ts';

test('our own client passes every check', { timeout: 60_000 }, async () => {
  const results = await ownPiClient.run(piClient, { patienceMs: 15_000 });
  const others = results.filter(({ verdict }) => verdict !== 'passed');
  expect(others.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual([]);
});
