// Sessions that are read at a gateway which does not have them: every dialect has the bytes and cursors of the owner there,
// whatever becomes of Redis and of the owner meanwhile. With Debian's Redis.
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Reader } from '../../../src/core/contract/reader.ts';
import type { StoredLog, StoredLogOwner } from '../../../src/core/contract/store/session-store.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { FollowedSession } from '../../../src/core/session/kept/follow-session.ts';
import type { Session } from '../../../src/core/session/session.ts';
import { formatCursor } from '../../../src/core/stream/cursor.ts';
import { systemClock } from '../../../src/gateway/system-clock.ts';
import { openRedisStore, type RedisStore, type RedisStoreOptions } from '../../../src/stores/redis/redis-store.ts';
import { factsKey, recordsKey } from '../../../src/stores/redis/scripts.ts';
import { recordsOf, synced } from '../../contract/session-store.ts';
import { createKeptRig, followKept, type KeptRig, restoreKept, streamOf } from '../../support/core/kept-session.ts';
import { clients, dialects, isFrame, type Said, saidIn, speak } from '../../support/core/said-frames.ts';
import { drain } from '../../support/core/stream-rig.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';
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

/** An owner in a store, with a stream of each dialect. */
async function own(store: RedisStore): Promise<KeptRig & { readonly log: StoredLog; readonly losses: string[] }> {
  const losses: string[] = [];
  const owner: StoredLogOwner = { snapshot: () => rig.session.snapshot(), lost: (reason) => losses.push(reason) };
  const log = await store.create({ session: 's' }, owner);
  const rig = createKeptRig({ kept: { log, place: 0 } });
  for (const [name] of clients) streamOf(rig.session, dialects, name);
  return { ...rig, log, losses };
}

const endOf = ({ epoch, transcript }: Session) => formatCursor(epoch, { seq: transcript.lastSeq, sub: 0 });

/** Resolves when both have come equally far. */
async function together(owner: Session, followed: FollowedSession): Promise<void> {
  await followed.reached(endOf(owner));
  expect(followed.session.transcript.lastSeq).toBe(owner.transcript.lastSeq);
}

/** A reader of each dialect that takes what is there. */
function readersOf(session: Session) {
  const readers = clients.map(([name]) => [name, streamOf(session, dialects, name).attach(null)] as const);
  const said = new Map<string, Said[]>(clients.map(([name]) => [name, []]));
  return {
    said,
    take() {
      for (const [name, reader] of readers) said.get(name)?.push(...saidIn(drain(reader, 1 << 20)));
    },
  };
}

/** What a client that comes with that cursor is told. */
function from(
  session: Session,
  name: string,
  cursor: string | null,
): { readonly kinds: Set<string>; readonly said: Said[] } {
  const reader: Reader = streamOf(session, dialects, name).attach(cursor);
  const entries = drain(reader, 1 << 20);
  reader.close();
  return { kinds: new Set(entries.filter((entry) => !isFrame(entry)).map(({ kind }) => kind)), said: saidIn(entries) };
}

/** Says the events, and each client is moved between the gateways behind each event. */
async function move(owner: Session, followed: FollowedSession, events: readonly Event[], say: (event: Event) => void) {
  const told = readersOf(owner);
  const moved = new Map(clients.map(([name]) => [name, [] as Said[]]));
  const cursors = new Map<string, string>();
  for (const [name] of clients) cursors.set(name, endOf(owner));
  for (const [at, event] of events.entries()) {
    say(event);
    told.take();
    await together(owner, followed);
    for (const [place, [name]] of clients.entries()) {
      const at2 = (at + place) % 2 === 0 ? followed.session : owner;
      const { kinds, said } = from(at2, name, cursors.get(name) ?? null);
      expect([...kinds], `${name} behind event ${at}`).toEqual([]);
      moved.get(name)?.push(...said);
      cursors.set(name, said.at(-1)?.cursor ?? cursors.get(name) ?? '');
    }
  }
  return { told: told.said, moved };
}

describe.each(scenarioNames)('%s', (scenario) => {
  test('a follower has the bytes and cursors of the owner, and clients move between them anywhere', async () => {
    const owner = await own(await open());
    const followed = await followKept({ store: await open() }, dialects);
    const there = readersOf(followed.session);
    const events = canonicalEvents(scenario);
    const { told, moved } = await move(owner.session, followed, events, (event) => {
      speak(owner, [event]);
    });
    there.take();
    for (const [name] of clients) {
      const said = told.get(name) ?? [];
      expect(said.length, name).toBeGreaterThan(0);
      expect(there.said.get(name), name).toEqual(said);
      expect(moved.get(name), name).toEqual(said);
      for (const [place, { cursor }] of said.entries())
        for (const session of [owner.session, followed.session])
          expect(from(session, name, cursor), `${name} at ${cursor}`).toEqual({
            kinds: new Set(),
            said: said.slice(place + 1),
          });
    }
  });
});

const [first = ''] = scenarioNames;
const events = canonicalEvents(first);
const middle = events.length >> 1;

/** Both have told the same from the beginning. */
function expectSame(told: ReturnType<typeof readersOf>, there: ReturnType<typeof readersOf>): void {
  told.take();
  there.take();
  for (const [name] of clients) expect(there.said.get(name), name).toEqual(told.said.get(name));
}

test('one that begins in the middle, and one that was followed and is followed again', async () => {
  const owner = await own(await open());
  const told = readersOf(owner.session);
  speak(owner, events.slice(0, middle));
  told.take();
  await synced(owner.log);
  const store = await open();
  for (const half of [events.slice(middle, middle + 2), events.slice(middle + 2)]) {
    const followed = await followKept({ store }, dialects);
    await expect(followKept({ store }, dialects)).rejects.toMatchObject({ code: 'conflict' });
    speak(owner, half);
    told.take();
    await together(owner.session, followed);
    for (const [name] of clients) {
      const said = told.said.get(name) ?? [];
      expect(from(followed.session, name, said[0]?.cursor ?? null)).toEqual({ kinds: new Set(), said: said.slice(1) });
    }
    const reader = streamOf(followed.session, dialects, 'claude').attach(null);
    drain(reader, 1 << 20);
    followed.end('nobody reads it');
    expect(drain(reader)).toEqual([{ kind: 'away', reason: 'nobody reads it', isMoved: false }]);
  }
});

test('Redis is killed and restarted meanwhile', async () => {
  const owner = await own(await open());
  const followed = await followKept({ store: await open() }, dialects);
  const [told, there] = [readersOf(owner.session), readersOf(followed.session)];
  for (const event of events) {
    if (event === events[middle]) await server.kill();
    speak(owner, [event]);
    told.take();
    if (event === events[middle + 3]) await server.start();
    if (event === events[1]) await together(owner.session, followed);
  }
  await together(owner.session, followed);
  expectSame(told, there);
});

test('another gateway takes the session: its followers go on, and hear how the run ended', async () => {
  // A clock that stands still renews no lease: so is a gateway that was stopped.
  const still = { ...systemClock, after: () => () => {} };
  const owner = await own(await open({ clock: still, leaseMs: 500 }));
  const store = await open();
  const followed = await followKept({ store }, dialects);
  const [told, there] = [readersOf(owner.session), readersOf(followed.session)];
  speak(owner, events.slice(0, middle));
  told.take();
  await together(owner.session, followed);
  const other = await open();
  await vi.waitUntil(async () => (await other.ownerOf('s')) === null, { timeout: 60_000 });
  const { log, past } = await other.claim('s', { snapshot: () => ({ place: 0, state: null }), lost: () => {} });
  const lines = (await recordsOf(past)).map((record) => JSON.stringify(record));
  const next = await restoreKept(lines, dialects, { log });
  await together(next.session, followed);
  there.take();
  for (const [name] of clients) {
    const said = there.said.get(name) ?? [];
    expect(said.length).toBeGreaterThanOrEqual(told.said.get(name)?.length ?? 0);
    for (const [place, { cursor }] of said.entries())
      expect(from(next.session, name, cursor), `${name} at ${cursor}`).toEqual({
        kinds: new Set(),
        said: said.slice(place + 1),
      });
  }
  expect(followed.session.transcript.run).toBeNull();
});

test('Redis has lost what was read: clients are told to come back, and get a reset', async () => {
  const owner = await own(await open());
  const store = await open();
  const followed = await followKept({ store }, dialects);
  const there = readersOf(followed.session);
  speak(owner, events.slice(0, middle));
  await together(owner.session, followed);
  there.take();
  const reader = streamOf(followed.session, dialects, 'claude').attach(null);
  drain(reader, 1 << 20);
  const redis = new Redis(server.port);
  const records = (await store.read('s')).records();
  expect((await records[Symbol.asyncIterator]().next()).done).toBe(false);
  await redis.hset(factsKey('s'), 'place', 9);
  await redis.xtrim(recordsKey('s'), 'MAXLEN', 0);
  redis.disconnect();
  speak(owner, events.slice(middle));
  await vi.waitUntil(() => followed.session.state === 'closed', { timeout: 60_000 });
  expect(drain(reader, 1 << 20).at(-1)).toMatchObject({ kind: 'away' });
  await vi.waitUntil(async () => (await synced(owner.log)) === 'kept', { timeout: 60_000 });
  const again = await followKept({ store }, dialects);
  await together(owner.session, again);
  for (const [name] of clients) {
    const cursor = there.said.get(name)?.at(-1)?.cursor ?? null;
    expect([...from(again.session, name, cursor).kinds], name).toEqual(['reset']);
  }
});

test('Redis comes back empty: the owner writes the session anew, and its followers go on', async () => {
  const owner = await own(await open());
  const followed = await followKept({ store: await open() }, dialects);
  const [told, there] = [readersOf(owner.session), readersOf(followed.session)];
  speak(owner, events.slice(0, middle));
  await synced(owner.log);
  await together(owner.session, followed);
  told.take();
  await server.empty();
  expect(await synced(owner.log)).toBe('memory');
  await vi.waitUntil(async () => (await synced(owner.log)) === 'kept', { timeout: 60_000 });
  speak(owner, events.slice(middle));
  await together(owner.session, followed);
  expectSame(told, there);
  expect(owner.losses).toEqual([]);
});

test('commands go to the owner, or are refused; no agent is started', async () => {
  const owner = await own(await open());
  const store = await open();
  const command = { type: 'abort', target: 'run' } as const;
  const refusing = await followKept({ store }, dialects);
  refusing.session.start();
  const settle = vi.fn();
  refusing.session.submit(command, settle);
  expect(settle.mock.calls).toEqual([
    [{ ok: false, error: { code: 'conflict', message: 'another gateway has the session' } }],
  ]);
  expect(refusing.session.hasAgent).toBe(false);
  refusing.end('over');
  const forward = vi.fn();
  const forwarding = await followKept({ store, forward }, dialects);
  forwarding.session.submit(command, settle);
  expect(forward.mock.calls).toEqual([[command, settle]]);
  await owner.log.remove();
  await vi.waitUntil(() => forwarding.session.state === 'closed', { timeout: 60_000 });
  await expect(followKept({ store }, dialects)).rejects.toMatchObject({ code: 'not-found' });
});

test.each([
  ['behind all that was read', 10, [11, 12], []],
  ['behind less, because Redis had lost the rest', 7, [], ['broken']],
])('a new owner that goes on %s', async (_, left, read, ends) => {
  const still = { ...systemClock, after: () => () => {} };
  const first = await open({ clock: still, leaseMs: 500 });
  const log = await first.create({ session: 's' }, { snapshot: () => ({ place: 10, state: null }), lost: () => {} });
  for (let place = 1; place <= 10; place += 1) log.append({ place });
  await synced(log);
  const second = await open();
  const [places, ended]: [number[], string[]] = [[], []];
  const followed = await (await open()).follow('s', {
    records: (records) => void places.push(...records.map(({ place }) => place)),
    broken: () => void ended.push('broken'),
    removed: () => void ended.push('removed'),
  });
  followed.begin();
  await vi.waitUntil(async () => (await second.ownerOf('s')) === null, { timeout: 60_000 });
  const redis = new Redis(server.port);
  const entries = await redis.xrange(recordsKey('s'), '-', '+');
  await redis.multi().hset(factsKey('s'), 'place', left).del(recordsKey('s')).exec();
  for (const [id, fields] of entries.slice(0, left)) await redis.xadd(recordsKey('s'), id, ...fields);
  redis.disconnect();
  const claimed = await second.claim('s', { snapshot: () => ({ place: 0, state: null }), lost: () => {} });
  for (let place = left + 1; place <= 12; place += 1) claimed.log.append({ place });
  expect(await synced(claimed.log)).toBe('kept');
  await vi.waitUntil(() => places.length + ended.length >= read.length + ends.length, { timeout: 60_000 });
  expect({ places, ended }).toEqual({ places: read, ended: ends });
});

test('one command of Redis waits for all sessions of a process', async () => {
  const [store, reading] = [await open(), await open()];
  const taken = new Map<string, number>();
  const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
  const logs = await Promise.all(
    names.map((session) => store.create({ session }, { snapshot: () => ({ place: 1, state: null }), lost: () => {} })),
  );
  for (const session of names) {
    const records = () => taken.set(session, (taken.get(session) ?? 0) + 1);
    const never = () => expect.unreachable();
    (await reading.follow(session, { records, broken: never, removed: never })).begin();
  }
  for (const log of logs) log.append({ place: 1 });
  await vi.waitUntil(() => taken.size === names.length, { timeout: 60_000 });
  const redis = new Redis(server.port);
  await vi.waitUntil(async () => (await redis.info('clients')).includes('blocked_clients:1\r'), { timeout: 60_000 });
  redis.disconnect();
});
