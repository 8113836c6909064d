// Our own backend as a client of pi-legacy passes every check, and each mutant fails its own.
import { expect, test } from 'vitest';
import { piLegacyClient } from '../../../src/conformance/pi-legacy/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { clientMutants } from './client-mutants.ts';
import { ownLegacyClient } from './client-steps.ts';

test('our own client passes every check', { timeout: 60_000 }, async () => {
  const results = await ownLegacyClient.run(piLegacyClient, { patienceMs: 15_000 });
  const others = results.filter(({ verdict }) => verdict !== 'passed');
  expect(others.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual([]);
});

testBrokenClients(piLegacyClient, clientMutants, ownLegacyClient);
