// Redis that is killed, comes back, or has lost records, and owners that others took sessions from.
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/gateway/system-clock.ts';
import { openRedisStore, type RedisStore, type RedisStoreOptions } from '../../../src/stores/redis/redis-store.ts';
import { factsKey, nameOf, sessionOf } from '../../../src/stores/redis/scripts.ts';
import { hostileTexts, ownerOf, recordsOf, synced } from '../../contract/session-store.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

let server: RedisServer;
const stores: RedisStore[] = [];
beforeEach(async () => {
  server = await startRedis();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await server.dispose();
});

async function open(options: Partial<RedisStoreOptions> = {}): Promise<RedisStore> {
  const store = await openRedisStore({ url: server.url, clock: systemClock, ...options });
  stores.push(store);
  return store;
}

/** An owner whose snapshot is always up to date, and its place. */
function follower() {
  const at = { place: 0 };
  return { at, owner: ownerOf(() => at.place) };
}

/** Appends records up to a place. */
function appendTo(log: { append(record: { place: number }): void }, at: { place: number }, place: number): void {
  while (at.place < place) {
    at.place += 1;
    log.append({ place: at.place });
  }
}

const kept = (store: RedisStore) => expect.poll(() => store.obstacles(), { timeout: 60_000 }).toEqual([]);
const placesOf = async (store: RedisStore, session: string) => {
  const past = await store.read(session);
  return { snapshot: past.snapshot?.place ?? 0, places: (await recordsOf(past)).map(({ place }) => place) };
};
/** The place of the latest gap that is marked. */
async function gapOf(session: string): Promise<string | null> {
  const redis = new Redis(server.port);
  const gap = await redis.hget(factsKey(session), 'gap');
  redis.disconnect();
  return gap;
}

test('a Redis that is killed and restarted has all that was told, and gets what was appended meanwhile', async () => {
  const store = await open();
  const { at, owner } = follower();
  const log = await store.create({ session: 's' }, owner);
  appendTo(log, at, 10);
  expect(await synced(log)).toBe('kept');
  await server.kill();
  appendTo(log, at, 15);
  expect(await synced(log)).toBe('memory');
  expect(store.obstacles()).toEqual([
    expect.stringMatching(/^Redis cannot be written \(.+\); sessions are kept in memory only$/),
  ]);
  await expect(store.read('s')).rejects.toMatchObject({ code: 'timeout' });
  appendTo(log, at, 20);
  await server.start();
  await kept(store);
  appendTo(log, at, 25);
  expect(await synced(log)).toBe('kept');
  expect(await placesOf(store, 's')).toEqual({ snapshot: 0, places: Array.from({ length: 25 }, (_, i) => i + 1) });
  expect(await gapOf('s'), 'nothing is missing').toBeNull();
  expect(owner.losses).toEqual([]);
});

test('what does not fit the queue is replaced by a snapshot, and the gap is marked', async () => {
  const store = await open({ queue: { perSession: 200, all: 400 } });
  const { at, owner } = follower();
  const log = await store.create({ session: 's' }, owner);
  appendTo(log, at, 5);
  await synced(log);
  await server.kill();
  appendTo(log, at, 50);
  expect(await synced(log)).toBe('memory');
  await server.start();
  await kept(store);
  appendTo(log, at, 52);
  expect(await synced(log)).toBe('kept');
  expect(await placesOf(store, 's')).toEqual({ snapshot: 50, places: [51, 52] });
  expect(await gapOf('s')).toBe('50');
});

test('a Redis that has lost records gets a snapshot', async () => {
  const store = await open();
  const { at, owner } = follower();
  const log = await store.create({ session: 's' }, owner);
  appendTo(log, at, 10);
  await synced(log);
  const redis = new Redis(server.port);
  await redis.hset(factsKey('s'), 'place', 7);
  await redis.xtrim(`${factsKey('s')}:records`, 'MAXLEN', 0);
  redis.disconnect();
  appendTo(log, at, 12);
  expect(await synced(log)).toBe('memory');
  await kept(store);
  expect(await synced(log)).toBe('kept');
  expect(await placesOf(store, 's')).toEqual({ snapshot: 12, places: [] });
  expect(await gapOf('s')).toBe('12');
});

test.each([
  ['emptied', async () => server.empty()],
  ['restarted without its files', async () => server.kill().then(() => server.startEmpty())],
])('a Redis that was %s gets the sessions of living owners anew', async (_, lose) => {
  const store = await open();
  const owners = await Promise.all(
    ['idle', 'busy', 'removed', 'taken'].map(async (session) => {
      const { at, owner } = follower();
      const log = await store.create({ session, title: session }, owner);
      appendTo(log, at, 10);
      return { at, owner, log, fence: log.fence };
    }),
  );
  for (const { log } of owners) expect(await synced(log)).toBe('kept');
  const [idle, busy, removed, taken] = owners;
  if (idle === undefined || busy === undefined || removed === undefined || taken === undefined) throw new Error('none');
  await lose();
  const other = await open();
  // Somebody was faster with this one.
  await other.create({ session: 'taken', title: 'theirs' }, ownerOf());
  // The deletion is refused if the store is not connected to the new Redis yet, and is made once it is.
  const refusal = await removed.log.remove().catch((thrown: unknown) => thrown);
  if (refusal !== undefined) expect(refusal).toMatchObject({ code: 'timeout' });
  appendTo(busy.log, busy.at, 12);
  appendTo(taken.log, taken.at, 12);
  // The idle one is asked for when the store finds its lease gone.
  for (const { log } of [idle, busy]) {
    await expect.poll(() => synced(log), { timeout: 60_000 }).toBe('kept');
  }
  appendTo(busy.log, busy.at, 15);
  expect(await synced(busy.log)).toBe('kept');
  await kept(store);
  expect(await placesOf(other, 'idle')).toEqual({ snapshot: 10, places: [] });
  expect(await placesOf(other, 'busy')).toEqual({ snapshot: 12, places: [13, 14, 15] });
  await vi.waitUntil(() => taken.owner.losses.length > 0, { timeout: 60_000 });
  expect(owners.map(({ owner }) => owner.losses)).toEqual([[], [], [], ['fenced']]);
  for (const { log, fence } of [idle, busy]) expect(log.fence).toBeGreaterThan(fence);
  expect(await other.list(null, 10)).toEqual([
    { session: 'busy', title: 'busy' },
    { session: 'idle', title: 'idle' },
    { session: 'taken', title: 'theirs' },
  ]);
  await expect(other.claim('idle', ownerOf())).rejects.toMatchObject({ code: 'conflict' });
});

test('a session that another owner removed is not made anew', async () => {
  const still = { ...systemClock, after: () => () => {} };
  const first = await open({ clock: still, leaseMs: 500 });
  const { at, owner } = follower();
  const log = await first.create({ session: 's' }, owner);
  const second = await open();
  await vi.waitUntil(async () => (await second.ownerOf('s')) === null, { timeout: 60_000 });
  await (await second.claim('s', ownerOf())).log.remove();
  appendTo(log, at, 1);
  expect(await synced(log)).toBe('memory');
  expect(owner.losses).toEqual(['fenced']);
  await expect(second.read('s')).rejects.toMatchObject({ code: 'not-found' });
});

test('a session is made, given up and removed while Redis is away', async () => {
  const store = await open();
  const removed = await store.create({ session: 'removed' }, ownerOf());
  const released = await store.create({ session: 'released' }, ownerOf());
  await server.kill();
  const { at, owner } = follower();
  const log = await store.create({ session: 'new' }, owner);
  appendTo(log, at, 3);
  // Nobody is told of a deletion that Redis has not made; Redis makes it later.
  await expect(removed.remove()).rejects.toMatchObject({ code: 'timeout' });
  await released.release();
  await server.start();
  await kept(store);
  expect(await synced(log)).toBe('kept');
  expect((await store.list(null, 10)).map(({ session }) => session)).toEqual(['new', 'released']);
  expect(await placesOf(store, 'new')).toMatchObject({ places: [1, 2, 3] });
  const other = await open();
  await other.claim('released', ownerOf());
});

test('a session stays with its owner while the lease lasts, and an owner whose session was taken is told', async () => {
  // A clock that stands still renews no lease: so is a gateway that was stopped.
  const still = { ...systemClock, after: () => () => {} };
  const first = await open({ clock: still, leaseMs: 500, nodeUrl: 'http://first' });
  const { at, owner } = follower();
  const log = await first.create({ session: 's' }, owner);
  appendTo(log, at, 3);
  await synced(log);
  const second = await open({ nodeUrl: 'http://second' });
  await vi.waitUntil(async () => (await second.ownerOf('s')) === null, { timeout: 60_000 });
  const claimed = await second.claim('s', ownerOf());
  expect(claimed.log.fence).toBeGreaterThan(log.fence);
  expect(await second.ownerOf('s')).toBe('http://second');
  await expect(first.claim('s', ownerOf())).rejects.toMatchObject({ code: 'conflict' });
  claimed.log.append({ place: 4, by: 'second' });
  expect(await synced(claimed.log)).toBe('kept');
  expect(owner.losses).toEqual([]);
  appendTo(log, at, 5);
  expect(await synced(log)).toBe('memory');
  expect(owner.losses).toEqual(['fenced']);
  appendTo(log, at, 6);
  await log.remove();
  expect(await recordsOf(await second.read('s'))).toMatchObject([
    { place: 1 },
    { place: 2 },
    { place: 3 },
    { by: 'second' },
  ]);
});

test('an idle owner learns that its session was taken while its lease had run out', async () => {
  const alarms: (() => void)[] = [];
  const clock = {
    ...systemClock,
    after: (_: number, alarm: () => void) => {
      alarms.push(alarm);
      return () => {};
    },
  };
  const first = await open({ clock, leaseMs: 300 });
  const { owner } = follower();
  await first.create({ session: 's' }, owner);
  const second = await open();
  await vi.waitUntil(async () => (await second.ownerOf('s')) === null, { timeout: 60_000 });
  await second.claim('s', ownerOf());
  for (const alarm of alarms.splice(0)) alarm();
  await expect.poll(() => owner.losses, { timeout: 60_000 }).toEqual(['fenced']);
});

test('a lease that is renewed lasts', async () => {
  const first = await open({ leaseMs: 600 });
  await first.create({ session: 's' }, ownerOf());
  const second = await open({ leaseMs: 600, nodeUrl: 'http://second' });
  await second.create({ session: 'other' }, ownerOf());
  const redis = new Redis(server.port);
  // Twice the time of a lease by the clock of Redis.
  const start = Number((await redis.time())[0]);
  await vi.waitUntil(async () => Number((await redis.time())[0]) - start > 2, { timeout: 60_000 });
  redis.disconnect();
  await expect(second.claim('s', ownerOf())).rejects.toMatchObject({ code: 'conflict' });
});

test('a Redis that stands still is taken for one that is away', async () => {
  // As long as a busy machine may need for the connection.
  const store = await open({ answerMs: 5_000 });
  const { at, owner } = follower();
  const log = await store.create({ session: 's' }, owner);
  server.signal('SIGSTOP');
  appendTo(log, at, 5);
  expect(await synced(log)).toBe('memory');
  expect(store.obstacles()).toHaveLength(1);
  server.signal('SIGCONT');
  await kept(store);
  await expect.poll(() => synced(log), { timeout: 60_000 }).toBe('kept');
  expect(await placesOf(store, 's')).toEqual({ snapshot: 0, places: [1, 2, 3, 4, 5] });
});

test('no Redis at the start is said, without the password', async () => {
  await server.kill();
  const url = `redis://user:secret@127.0.0.1:${server.port}`;
  const thrown = await openRedisStore({ url, clock: systemClock }).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: 'internal', message: 'Redis cannot be reached (ECONNREFUSED)' });
});

test('names in Redis stand for any string', () => {
  expect(hostileTexts.map((text) => sessionOf(nameOf(text)))).toEqual(hostileTexts);
  expect(new Set(hostileTexts.map(nameOf)).size).toBe(hostileTexts.length);
});
