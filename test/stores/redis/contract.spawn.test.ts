// The store in Redis keeps the contract of all stores.
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../../src/gateway/system-clock.ts';
import { openRedisStore } from '../../../src/stores/redis/redis-store.ts';
import { describeStore } from '../../contract/session-store.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.dispose());

/** Machines that run these tests are busy. */
const patient = { answerMs: 60_000, leaseMs: 120_000 };

describeStore('redis', async (options) => {
  const store = await openRedisStore({ ...options, url: server.url, clock: systemClock, ...patient });
  return {
    store,
    async dispose() {
      await store.close();
      // The next test finds an empty Redis.
      await server.empty();
    },
  };
});
