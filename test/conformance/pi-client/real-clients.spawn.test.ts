// Real clients of pi with our fake agent pass every MUST and SHOULD.
import { expect, test } from 'vitest';
import { piClient } from '../../../src/conformance/pi/client.ts';
import { RpcClient } from '../../support/rpc-tour.ts';
import { judgePiAcp, judgeRpcClient } from './real-clients.ts';

const asked = new Set(piClient.rules.flatMap(({ id, level }) => (level === 'MAY' ? [] : [id])));

test.each([
  ["pi's own RpcClient", () => judgeRpcClient(RpcClient), 30],
  ['pi-acp', judgePiAcp, 20],
] as const)('%s', { timeout: 60_000 }, async (_, judge, least) => {
  const results = (await judge()).filter(({ id }) => asked.has(id));
  const wrong = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'unclear');
  expect(wrong.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThanOrEqual(least);
});
