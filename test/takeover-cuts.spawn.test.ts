// Clients that were cut anywhere while their gateway lived, and come back to the gateway that has taken the session over or that
// was started again on its journal, where they are cut again: each has the bytes of a client that nobody cuts, under the same cursors
// (docs/scale.md, docs/guides/journal.md).
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { owner } from '../src/core/contract/principal.ts';
import type { SessionStore } from '../src/core/contract/store/session-store.ts';
import { systemClock } from '../src/gateway/system-clock.ts';
import { openRedisStore } from '../src/stores/redis/redis-store.ts';
import { createByteProxy } from './support/byte-proxy.ts';
import { runUntilQuestion, startCutGateway } from './support/cut-gateway.ts';
import {
  type Dialect,
  dialects,
  forEach,
  numbers,
  placesIn,
  readOnce,
  readRest,
  report,
  transports,
} from './support/cut-readers.ts';
import { isFull } from './support/full.ts';
import { createMortalJournal } from './support/mortal-journal.ts';
import { type RedisServer, startRedis } from './support/redis-server.ts';
import type { Connect, Heard, Place } from './support/resuming-readers.ts';
import { readAll } from './support/told-frames.ts';

/** Cuts for each dialect and transport. */
const wanted = isFull ? 2000 : 4;
/** A gateway that is busy with thousands of clients renews its lease in time. */
const leaseMs = isFull ? 5_000 : 500;
const session = 's';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());
const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** A store whose gateway can die, and the store of the gateway after it. */
interface Mortal {
  readonly store: SessionStore;
  /** The gateway dies. */
  next(): Promise<SessionStore>;
  /** Resolves once the next gateway has the session. `wake`: asks for it. */
  owned(wake: () => Promise<void>): Promise<void>;
}

async function onRedis({ name }: Dialect): Promise<Mortal> {
  const open = async () => {
    const way = await createByteProxy(() => redis.port);
    const url = `redis://127.0.0.1:${way.port}`;
    const prefix = `${encodeURIComponent(name)}:`;
    const store = await openRedisStore({ url, prefix, clock: systemClock, leaseMs, answerMs: 60_000 });
    disposals.push(
      () => store.close(),
      () => way.close(),
    );
    return { store, way };
  };
  const [first, second] = [await open(), await open()];
  const leases = await redis.expiries();
  return {
    store: first.store,
    // Cut off from Redis for ever, as its death would.
    async next() {
      first.way.close();
      return second.store;
    },
    async owned(wake) {
      for (let isOwned = false; !isOwned; ) {
        const ended = leases.next();
        isOwned = await wake().then(
          () => true,
          () => ended.then(() => false),
        );
      }
      leases.end();
    },
  };
}

async function onJournal(): Promise<Mortal> {
  const { store, next, dispose } = await createMortalJournal();
  disposals.push(dispose);
  return { store, next, owned: (wake) => wake() };
}

/** A gateway on that store. */
async function start({ frontend, options }: Dialect, store: SessionStore) {
  const { board, proxy, token, dispose } = await startCutGateway(store);
  disposals.push(dispose);
  const request = { frontend, session, options: Object.fromEntries(new URLSearchParams(options)), principal: owner };
  const place: Place = { port: proxy.port, token, frontend, session, options };
  return { board, proxy, place, request };
}
type Gateway = Awaited<ReturnType<typeof start>>;

/** How many of the frames clients of that transport have that are cut at places over the whole way. */
async function cutAll(connect: Connect, { place, proxy }: Gateway, told: readonly Heard[]): Promise<readonly number[]> {
  proxy.budget = () => Number.POSITIVE_INFINITY;
  await readRest(connect, place, told, 1, 'uncut');
  const places = placesIn(proxy.passed, wanted);
  const budgets = places.values();
  proxy.budget = () => budgets.next().value ?? 0;
  return forEach(places, () => readOnce(connect, place, told, 'before the end of the gateway'));
}

describe.each([
  ['taken over by another gateway', onRedis],
  ['made again by a gateway on the journal', onJournal],
] as const)('%s', (way, mortal) => {
  test.each(dialects)('$name', { timeout: isFull ? 600_000 : 120_000 }, async (dialect) => {
    const { store, next, owned } = await mortal(dialect);
    const first = await start(dialect, store);
    first.board.createSession({ id: session }, owner);
    const told = readAll(first.board, first.request, null);
    await runUntilQuestion(first.board, session, dialect.frontend);
    const before = told.slice(told.findIndex(({ cursor }) => cursor !== null));
    expect(before.length).toBeGreaterThan(5);
    const known: (readonly number[])[] = [];
    for (const [, connect] of transports) known.push(await cutAll(connect, first, before));

    const second = await start(dialect, await next());
    await owned(async () => second.board.wake?.(session) ?? undefined);
    const rest = readAll(second.board, second.request, before.at(-1)?.cursor ?? null);
    const expected = [...before, ...rest];
    expect(rest.some(({ frame }) => frame === 'reset')).toBe(false);
    const last = rest.findLast(({ cursor }) => cursor !== null)?.cursor ?? null;
    expect(last, 'how the run ended').not.toBeNull();

    const random = numbers(dialect.name.length);
    let isWhole = true;
    second.proxy.budget = () => {
      isWhole = !isWhole;
      return isWhole ? Number.POSITIVE_INFINITY : Math.floor(random() ** 3 * 12_000);
    };
    const whole = expected.slice(0, 1 + expected.findLastIndex(({ cursor }) => cursor !== null));
    for (const [at, [transport, connect]] of transports.entries()) {
      const from = second.proxy.cuts;
      // Of thousands, one for each place: who has the same frames comes back in the same way.
      const back = isFull ? [...new Set(known[at])] : (known[at] ?? []);
      await forEach(back, (count) => readRest(connect, second.place, whole, count, transport));
      const cuts = second.proxy.cuts - from;
      report(
        `${dialect.name} over ${transport}, ${way}: ${wanted} cuts before, ${back.length} places behind with ${cuts} cuts`,
      );
    }
    expect(second.proxy.cuts).toBeGreaterThan(0);
  });
});
