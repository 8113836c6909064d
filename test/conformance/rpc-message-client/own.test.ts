// The checks of front ends of rpc-message against a correct one, and against its mutants.
import { describe, expect, test } from 'vitest';
import { rpcMessageClient } from '../../../src/conformance/rpc-message/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { clientMutants } from './mutants.ts';
import { frontEnd } from './rig.ts';

describe('a correct front end', () => {
  test('violates no rule', { timeout: 30_000 }, async () => {
    const results = await frontEnd.run(rpcMessageClient);
    expect(
      results.flatMap(({ id, verdict, reason }) => (verdict === 'passed' ? [] : [`${id}: ${verdict}: ${reason}`])),
    ).toEqual([]);
  });
});

describe('broken front ends', () => {
  testBrokenClients(rpcMessageClient, clientMutants, frontEnd);
});
