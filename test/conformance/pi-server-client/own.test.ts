// The checks of clients of a pi-server against our own backend, and against its mutants.
import { describe, expect, test } from 'vitest';
import { piServerClient } from '../../../src/conformance/pi-server/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { clientMutants } from './mutants.ts';
import { ownPiServerClient } from './rig.ts';

/** Checks that are not applicable: our backend never does this, or not in this rig. */
const silent = ['retry-key', 'depends-on-known', 'version-told', 'version-asked'].map(
  (name) => `pi-server/client/${name}`,
);

describe('our own backend', () => {
  test('violates no rule', { timeout: 30_000 }, async () => {
    const results = await ownPiServerClient.run(piServerClient);
    const wrong = results.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not-applicable');
    expect(wrong.map(({ id, verdict, reason }) => `${id}: ${verdict}: ${reason}`)).toEqual([]);
    expect(results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id] : []))).toEqual(silent);
  });
});

describe('broken clients', () => {
  testBrokenClients(piServerClient, clientMutants, ownPiServerClient, {
    patienceMs: 500,
    unbroken: new Map([['version-checked', 'it wants two connections of one client, as in version.test.ts']]),
  });
});
