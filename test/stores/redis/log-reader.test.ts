// A reader of logs whose store has lost its connection before its own one has ended: it waits between its tries.
import { expect, test, vi } from 'vitest';
import type { RedisConnection } from '../../../src/stores/redis/connection.ts';
import { createLogReader } from '../../../src/stores/redis/log-reader.ts';

test('a failure is followed by a time without commands', async () => {
  let asked = 0;
  /** Commands fail at once while the connection is away. After a thousand they stand still, so that a failed test ends. */
  const hmget = () => {
    asked += 1;
    return asked > 1_000 ? new Promise(() => {}) : Promise.reject(new Error('the connection is away'));
  };
  const own = { options: {}, status: 'ready', on: () => {}, once: () => {}, disconnect: () => {} };
  const multi = { xadd: () => multi, pexpire: () => multi, exec: async () => null };
  const redis = { duplicate: () => own, hmget, multi: () => multi };
  const waiting: (() => void)[] = [];
  const clock = {
    now: () => 1,
    after(_: number, callback: () => void) {
      waiting.push(callback);
      return () => {};
    },
  };
  const connection = { redis } as unknown as RedisConnection;
  const reader = createLogReader({
    connection,
    clock,
    token: 't',
    thrown: (thrown) => expect.unreachable(`${thrown}`),
  });
  const never = () => expect.unreachable();
  reader
    .follow({ session: 's', place: 0, fence: 1, follower: { records: never, broken: never, removed: never } })
    .begin();

  for (const tries of [1, 2, 3]) {
    await vi.waitUntil(() => waiting.length > 0 || asked > 1_000);
    expect(asked).toBe(tries);
    waiting.pop()?.();
  }
  reader.close();
});
