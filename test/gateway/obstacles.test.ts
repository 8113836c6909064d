// A gateway that drains says so while it still serves the clients that it has.
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';

test('draining is an obstacle, from its beginning', async () => {
  const gateway = createGateway(parseConfig({}), { log: () => {} });
  expect(gateway.board.obstacles()).toEqual([]);
  const drained = gateway.drain('the test is over', 0);
  expect(gateway.board.obstacles()).toEqual(['the gateway is shutting down']);
  await drained;
});
