// A gateway that drains, or whose store cannot keep sessions, says so while it still serves the clients that it has.
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { memoryPair } from '../../src/transports/memory.ts';

test('draining is an obstacle, from its beginning', async () => {
  const gateway = createGateway(parseConfig({}), { log: () => {} });
  expect(gateway.board.obstacles()).toEqual([]);
  const drained = gateway.drain('the test is over', 0);
  expect(gateway.board.obstacles()).toEqual(['the gateway is shutting down']);
  await drained;
});

test('a store that cannot keep anything is an obstacle, and the gateway is not healthy until it can', async () => {
  const obstacles: string[] = [];
  const refuse = () => Promise.reject(new Error('not used here'));
  const rest = { create: refuse, claim: refuse, read: refuse, list: async () => [], close: async () => {} };
  const store: SessionStore = { ...rest, obstacles: () => obstacles };
  const gateway = createGateway(parseConfig({}), { log: () => {}, store });
  const [near, far] = memoryPair();
  gateway.board.connect(near, { frontend: 'pi-server', options: {}, principal: owner });
  const answers: ((data: unknown) => void)[] = [];
  far.open({
    frame: ({ json }) => {
      const { type, data } = json as { type: string; data?: unknown };
      if (type === 'response') answers.shift()?.(data);
    },
    fault: ({ message }) => expect.fail(message),
    end: () => {},
  });
  const health = (id: string) =>
    new Promise((resolve) => {
      answers.push(resolve);
      far.send(JSON.stringify({ id, type: 'health_check' }));
    });

  expect(await health('1')).toMatchObject({ healthy: true, issues: [] });
  obstacles.push('the journal cannot be written (ENOSPC)');
  expect(await health('2')).toMatchObject({ healthy: false, issues: obstacles });
  expect(gateway.board.obstacles()).toEqual(obstacles);
  obstacles.pop();
  expect(await health('3')).toMatchObject({ healthy: true, issues: [] });
  gateway.close('the test is over');
});
