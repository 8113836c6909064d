// What a record costs in the store in Redis, at batches of 1, 16, 64 and 256: one batch at a time, and 64 on their way.
// Starts Debian's redis-server with an append-only file. `npm run bench:redis`; the figures are in docs/decisions/0030-redis.md.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredLog, StoredRecord } from '../src/core/contract/store/session-store.ts';
import { systemClock } from '../src/gateway/system-clock.ts';
import { openRedisStore } from '../src/stores/redis/redis-store.ts';

const port = Number(process.argv[2] ?? 7399);
const folder = mkdtempSync(join(tmpdir(), 'patchbay-bench-redis-'));

/** A record of 378 bytes as JSON, like those of the journal's figures. */
const recordAt = (place: number): StoredRecord => ({
  place,
  type: 'event',
  seq: place,
  at: 1_000 + place,
  event: { type: 'text-delta', block: 'block-0001', text: 'word '.repeat(52), message: 'message-0001' },
});

/** Appends batches for a while, at most so many of them unanswered. Each batch has a turn of the event loop of its own. */
async function measured(log: StoredLog, from: number, batch: number, inFlight: number) {
  let place = from;
  let waiting = 0;
  let freed = (): void => {};
  const cpu = process.cpuUsage();
  const start = performance.now();
  while (performance.now() - start < 3_000) {
    for (let more = batch; more > 0; more -= 1) {
      place += 1;
      log.append(recordAt(place));
    }
    waiting += 1;
    log.sync((durability) => {
      if (durability !== 'kept') throw new Error('Redis is away');
      waiting -= 1;
      freed();
    });
    await new Promise((turn) => setImmediate(turn));
    while (waiting >= inFlight) await new Promise<void>((resolve) => (freed = resolve));
  }
  await new Promise((done) => log.sync(done));
  const { user, system } = process.cpuUsage(cpu);
  const records = place - from;
  const perSecond = records / ((performance.now() - start) / 1_000);
  return { place, text: `${perSecond.toFixed(0)}/s, ${((user + system) / records).toFixed(1)} us` };
}

const args = ['--port', String(port), '--dir', folder, '--appendonly', 'yes', '--save', ''];
const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  await new Promise<void>((ready, failed) => {
    server.on('exit', () => failed(new Error('redis-server did not start')));
    server.stdout.on('data', (text) => String(text).includes('Ready to accept') && ready());
  });
  const store = await openRedisStore({ url: `redis://127.0.0.1:${port}`, clock: systemClock });
  console.log('| batch | one at a time | 64 on their way |\n|---|---|---|');
  for (const batch of [1, 16, 64, 256]) {
    const cells: string[] = [];
    for (const inFlight of [1, 64]) {
      let place = 0;
      const owner = { snapshot: () => ({ place, state: null }), lost: () => {} };
      const log = await store.create({ session: `${batch}-${inFlight}` }, owner);
      place = (await measured(log, 0, batch, inFlight)).place;
      cells.push((await measured(log, place, batch, inFlight)).text);
      await log.remove();
    }
    console.log(`| ${batch} | ${cells.join(' | ')} |`);
  }
  await store.close();
} finally {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
