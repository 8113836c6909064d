// Clients that were cut anywhere while their gateway lived, and come back to the gateway that has taken the session over or that
// was started again on its journal, where they are cut again: each has the bytes of a client that nobody cuts, under the same cursors
// (docs/scale.md, docs/guides/journal.md).
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../src/config/config.ts';
import type { GatewayApi } from '../src/core/contract/gateway-api.ts';
import { owner } from '../src/core/contract/principal.ts';
import type { SessionStore } from '../src/core/contract/session-store.ts';
import { createGateway } from '../src/gateway/full-gateway.ts';
import { systemClock } from '../src/gateway/system-clock.ts';
import { openJournal } from '../src/stores/journal/journal.ts';
import { openRedisStore } from '../src/stores/redis/redis-store.ts';
import { listen } from '../src/transports/http/server.ts';
import { createByteProxy } from './support/byte-proxy.ts';
import { clientRoles } from './support/client-roles.ts';
import { drain, framesOf } from './support/core/stream-rig.ts';
import { type Dialect, dialects, kept, numbers, readCut, transports } from './support/cut-readers.ts';
import { isFull } from './support/full.ts';
import { type RedisServer, startRedis } from './support/redis-server.ts';
import type { Connect, Heard, Place } from './support/resuming-readers.ts';
import { textOf } from './support/telling.ts';

/** Cuts for each dialect and transport. */
const wanted = isFull ? 2000 : 4;
/** Readers at the same time. */
const atOnce = 8;
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
    const store = await openRedisStore({ url, prefix, clock: systemClock, leaseMs: 500, answerMs: 60_000 });
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
  const base = mkdtempSync(join(tmpdir(), 'patchbay-cuts-'));
  disposals.push(() => rmSync(base, { recursive: true, force: true }));
  const open = async (folder: string) => {
    const journal = await openJournal({ folder: join(base, folder), clock: systemClock });
    disposals.push(() => journal.close());
    return journal;
  };
  return {
    store: await open('first'),
    // What the disk has at this moment is all that a killed gateway leaves.
    async next() {
      const isLeft = (file: string) => !/^(?:lock|processes)/u.test(basename(file));
      cpSync(join(base, 'first'), join(base, 'second'), { recursive: true, filter: isLeft });
      return open('second');
    },
    owned: (wake) => wake(),
  };
}

/** A gateway on that store. */
async function start({ frontend, options }: Dialect, store: SessionStore) {
  const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
  const config = parseConfig({ agents, defaultAgent: 'demo' });
  const { board, close } = createGateway(config, { log: () => {}, store });
  const proxy = await createByteProxy(() => server.port);
  const server = await listen({ board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
  disposals.push(
    () => close('the test is over'),
    () => server.close(),
    () => proxy.close(),
  );
  const request = { frontend, session, options: Object.fromEntries(new URLSearchParams(options)), principal: owner };
  const reached: Place = { port: proxy.port, token: server.token ?? '', frontend, session, options };
  return { board, proxy, place: reached, request };
}
type Gateway = Awaited<ReturnType<typeof start>>;

/** A client in this process that takes each frame at once. Frames that wait would be merged. */
function readAll(board: GatewayApi, request: Gateway['request'], cursor: string | null): readonly Heard[] {
  const reader = board.stream(request, cursor);
  const heard: Heard[] = [];
  reader.onReadable = () => {
    for (const entry of drain(reader)) {
      if (entry.kind === 'frame') heard.push({ cursor: entry.cursor, frame: textOf(entry.out) });
      else heard.push({ cursor: null, frame: entry.kind });
    }
  };
  reader.onReadable();
  disposals.push(() => reader.close());
  return heard;
}

/**
 * A run that says a lot and then waits for an answer, prompted by a client of another dialect: answers are in no record. Nor are
 * losses of a dialect, which canonical clients hear; pi loses nothing of this run.
 */
async function runUntilQuestion({ board, request }: Gateway): Promise<void> {
  const frontend = request.frontend.startsWith('pi') ? 'claude' : 'pi';
  const asked = new Promise<void>((resolve) => {
    const reader = board.stream({ frontend: 'canonical', session, options: {}, principal: owner }, null);
    reader.onReadable = () => {
      if (framesOf(drain(reader)).some((out) => textOf(out).includes('"approval-request"'))) resolve();
    };
    reader.onReadable();
    disposals.push(() => reader.close());
  });
  const bytes = Buffer.from(clientRoles.get(frontend)?.prompt('think tool unicode slow 1 long 20 ask') ?? '');
  await board.post({ ...request, frontend, options: {} }, [{ bytes }]);
  await asked;
  await board.whenKept?.(session, owner);
}

/** Reads so many times as cuts are wanted, a few at once. */
async function readMany(read: (at: number) => Promise<readonly Heard[]>): Promise<(readonly Heard[])[]> {
  const results: (readonly Heard[])[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < wanted; at = next++) results[at] = await read(at);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** All that clients of that transport hear until they are cut, at places over the whole way. */
async function cutAll(connect: Connect, { place, proxy }: Gateway, told: readonly Heard[]) {
  const [first] = told;
  if (first === undefined) throw new Error('no frame');
  expect(await readCut(connect, place, [first]).until(told.at(-1)?.cursor ?? null)).toEqual(told);
  const size = proxy.passed;
  let next = 0;
  proxy.budget = () => Math.floor((next++ * size) / wanted);
  return readMany(async () => {
    const connection = connect(place, first.cursor, () => {});
    return [first, ...kept(await connection.over)];
  });
}

describe.each([
  ['taken over by another gateway', onRedis],
  ['made again by a gateway on the journal', onJournal],
] as const)('%s', (_, mortal) => {
  test.each(dialects)('$name', { timeout: isFull ? 600_000 : 120_000 }, async (dialect) => {
    const { store, next, owned } = await mortal(dialect);
    const first = await start(dialect, store);
    first.board.createSession({ id: session }, owner);
    const told = readAll(first.board, first.request, null);
    await runUntilQuestion(first);
    const before = told.slice(told.findIndex(({ cursor }) => cursor !== null));
    expect(before.length).toBeGreaterThan(5);
    const cut: (readonly Heard[])[][] = [];
    for (const [, connect] of transports) cut.push(await cutAll(connect, first, before));

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
    for (const [at, [transport, connect]] of transports.entries()) {
      const heard = await readMany((place) => readCut(connect, second.place, cut[at]?.[place] ?? []).until(last));
      for (const [place, one] of heard.entries()) expect(one, `${transport}, cut ${place}`).toEqual(expected);
    }
    expect(second.proxy.cuts).toBeGreaterThan(0);
  });
});
