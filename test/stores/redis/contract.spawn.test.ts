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

describeStore('redis', async (options) => {
  const store = await openRedisStore({ ...options, url: server.url, clock: systemClock });
  return {
    store,
    async dispose() {
      await store.close();
      // The next test finds an empty Redis.
      await server.empty();
    },
  };
});
