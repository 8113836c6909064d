// Two writers, one session, one Redis, and schedules of kills, stops, cuts and restarts: no record of an earlier owner behind one
// of a later owner, none twice, none missing, and everything that was told to be kept is there. PATCHBAY_REDIS_SCHEDULES names a
// number of schedules; `npm run test:full` runs 200.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/gateway/system-clock.ts';
import { openRedisStore, type RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { recordsOf } from '../../contract/session-store.ts';
import { bundled } from '../../support/bundled.ts';
import { type CuttableProxy, createCuttableProxy } from '../../support/cuttable-proxy.ts';
import { isFull } from '../../support/full.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { createDraw, rounds } from '../../support/seeded.ts';

const schedules = Number(process.env.PATCHBAY_REDIS_SCHEDULES ?? (isFull ? 200 : 6));
const actionsOfOne = 7;

let module = '';
let server: RedisServer;
let store: RedisStore;
const proxies: CuttableProxy[] = [];
const children = new Set<ChildProcess>();
beforeAll(async () => {
  module = join(await bundled('stores/redis/redis-store'), 'stores/redis/redis-store.mjs');
  server = await startRedis();
  store = await openRedisStore({ url: server.url, clock: systemClock, answerMs: 60_000, leaseMs: 120_000 });
  for (const _ of ['a', 'b']) proxies.push(await createCuttableProxy(() => server.port));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await store.close();
  for (const proxy of proxies) proxy.close();
  await server.dispose();
});

/** What was told in a schedule. */
interface Told {
  readonly kept: { readonly fence: number; readonly place: number }[];
  owners: number;
  /** Which writer has the session. */
  owner: number;
  /** Resolves when so many more syncs were told. */
  more(count: number): Promise<void>;
  /** Resolves when somebody has taken the session since there were so many owners. */
  taken(since: number): Promise<void>;
  take(line: string, writer: number): void;
}

function createTold(): Told {
  const watchers = new Set<() => void>();
  const next = () => new Promise<void>((again) => watchers.add(again));
  const told: Told = {
    kept: [],
    owners: 0,
    owner: 0,
    async more(count) {
      const until = told.kept.length + count;
      while (told.kept.length < until) await next();
    },
    async taken(since) {
      while (told.owners === since) await next();
    },
    take(line, writer) {
      const [what, fence, place] = line.split(' ');
      if (what === 'owns') {
        told.owners += 1;
        told.owner = writer;
      }
      if (what === 'kept') told.kept.push({ fence: Number(fence), place: Number(place) });
      for (const again of [...watchers]) {
        watchers.delete(again);
        again();
      }
    },
  };
  return told;
}

/** A writer that is started again when it is killed. */
function createWriter(at: number, session: string, seed: number, told: Told) {
  const script = join(import.meta.dirname, 'writer.mjs');
  let restarts = 0;
  let child = start();

  function start(): ChildProcess {
    const url = `redis://127.0.0.1:${proxies[at]?.port}`;
    restarts += 1;
    const args = [script, module, url, session, String(seed * 100 + at * 50 + restarts)];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(started);
    createInterface({ input: started.stdout }).on('line', (line) => told.take(line, at));
    return started;
  }

  async function end(): Promise<void> {
    // `close`: every line that was written has been read.
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    children.delete(child);
  }

  return {
    end,
    async restart() {
      await end();
      child = start();
    },
    signal: (name: 'SIGSTOP' | 'SIGCONT') => child.kill(name),
    cut: () => proxies[at]?.cut(''),
  };
}

async function runSchedule(session: string, seed: number): Promise<Told> {
  const draw = createDraw(seed);
  const told = createTold();
  const writers = [0, 1].map((at) => createWriter(at, session, seed, told));
  await told.more(1);
  let stopped: (typeof writers)[number] | null = null;
  for (let action = 0; action < actionsOfOne; action += 1) {
    const { owner, owners } = told;
    // Mostly the one that has the session.
    const hit = draw(4) > 0 ? owner : draw(2);
    const writer = writers[hit];
    if (writer === undefined) break;
    switch (draw(7)) {
      case 0:
        await writer.restart();
        if (stopped === writer) stopped = null;
        if (hit === owner) await told.taken(owners);
        break;
      case 1:
      case 2:
        // One of the two always goes on, so that there is something to wait for.
        stopped?.signal('SIGCONT');
        stopped = stopped === null ? writer : null;
        stopped?.signal('SIGSTOP');
        // Before it goes on, the other one has taken the session, or not.
        if (stopped !== null && hit === owner && draw(3) > 0) await told.taken(owners);
        break;
      case 3:
      case 4:
        writer.cut();
        break;
      case 5:
        await server.kill();
        await rounds(draw(200));
        await server.start();
        break;
      default:
        server.signal('SIGSTOP');
        await rounds(draw(20_000));
        server.signal('SIGCONT');
    }
    await told.more(1 + draw(10));
  }
  stopped?.signal('SIGCONT');
  if (told.owners === 1) {
    // A schedule in which the session stays with one owner shows little.
    await writers[told.owner]?.restart();
    await told.taken(1);
  }
  await told.more(3);
  for (const writer of writers) await writer.end();
  return told;
}

/** The fence that wrote each place, from the snapshot and the records. Fails where places or fences are out of order. */
async function writtenIn(session: string): Promise<(place: number) => number | undefined> {
  const past = await store.read(session);
  let last = past.snapshot?.place ?? 0;
  const runs = [...((past.snapshot?.state ?? []) as { fence: number; from: number }[])];
  for (const { place, fence } of (await recordsOf(past)) as unknown as { place: number; fence: number }[]) {
    expect(place, 'no gap, no duplicate').toBe(last + 1);
    last = place;
    if (runs.at(-1)?.fence !== fence) runs.push({ fence, from: place });
  }
  const fences = runs.map(({ fence }) => fence);
  expect(fences, 'no earlier owner after a later one').toEqual([...new Set(fences)].sort((a, b) => a - b));
  return (place) => (place > last ? undefined : runs.findLast(({ from }) => from <= place)?.fence);
}

test(`nothing is lost, doubled or out of order in ${schedules} schedules`, { timeout: 3_600_000 }, async () => {
  let owners = 0;
  for (let seed = 1; seed <= schedules; seed += 1) {
    const session = `s${seed}`;
    const told = await runSchedule(session, seed);
    // The store of this test sees Redis restart as well.
    await expect.poll(() => store.obstacles(), { timeout: 60_000 }).toEqual([]);
    const fenceAt = await writtenIn(session);
    for (const { fence, place } of told.kept) {
      const written = fenceAt(place);
      if (written !== fence) expect(written, `schedule ${seed}: ${place} was told to be kept by ${fence}`).toBe(fence);
    }
    expect(told.owners, `schedule ${seed}: the session changed hands`).toBeGreaterThan(1);
    owners += told.owners;
  }
  if (process.env.PATCHBAY_REDIS_SCHEDULES !== undefined) console.log(`${schedules} schedules, ${owners} owners`);
});
