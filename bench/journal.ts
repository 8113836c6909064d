// What the journal costs: 50,000 records a second with a sync for each 1,000, and the start with 10,000 stored sessions.
// `npm run bench:journal -- [seconds]`; the figures are in docs/decisions/0025-journal.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { StoredLog, StoredRecord } from '../src/core/contract/store/session-store.ts';
import { systemClock } from '../src/gateway/system-clock.ts';
import { type Journal, openJournal } from '../src/stores/journal/journal.ts';

const seconds = Number(process.argv[2] ?? 10);
const rate = 50_000;
const sessions = 10_000;
const folder = join(mkdtempSync(join(tmpdir(), 'patchbay-bench-journal-')), 'journal');

const owner = { snapshot: () => ({ place: places.at(-1) ?? 0, state: null }), lost: () => {} };
const places: number[] = [];
const open = (): Promise<Journal> => openJournal({ folder, clock: systemClock });

/** A record of 378 bytes as a line, like those of the figures in the decision. */
const recordAt = (place: number): StoredRecord => ({
  place,
  type: 'event',
  seq: place,
  at: 1_000 + place,
  event: { type: 'text-delta', block: 'block-0001', text: 'word '.repeat(52), message: 'message-0001' },
});

/** Calls `act` with the number of records that are due, every millisecond, for some seconds. */
async function paced(forSeconds: number, act: (count: number) => void): Promise<void> {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < forSeconds * 1_000) {
    const due = Math.floor(((performance.now() - start) / 1_000) * rate) - done;
    done += due;
    act(due);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

interface Cost {
  readonly cpuShare: number;
  readonly longestDelayMs: number;
  readonly records: number;
}

async function measured(act: (place: number) => void): Promise<Cost> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.cpuUsage();
  const start = performance.now();
  let records = 0;
  delay.enable();
  await paced(seconds, (count) => {
    for (let more = count; more > 0; more -= 1) {
      records += 1;
      act(records);
    }
  });
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  const cpuShare = (user + system) / 1_000 / (performance.now() - start);
  return { cpuShare, longestDelayMs: delay.max / 1e6, records };
}

function report(what: string, { cpuShare, longestDelayMs, records }: Cost): void {
  console.log(
    `${what}: ${records} records, ${(cpuShare * 100).toFixed(1)} % of a core, longest delay of the loop ${longestDelayMs.toFixed(1)} ms`,
  );
}

async function throughput(): Promise<void> {
  const journal = await open();
  const log: StoredLog = await journal.create({ session: 'busy' }, owner);
  const told = { kept: 0, memory: 0 };
  let text = 0;
  report(
    'objects and JSON alone',
    await measured((place) => {
      text += JSON.stringify(recordAt(place)).length;
    }),
  );
  const cost = await measured((place) => {
    places[0] = place;
    log.append(recordAt(place));
    if (place % 1_000 === 0) {
      log.sync((durability) => {
        told[durability] += 1;
      });
    }
  });
  report('journal', cost);
  console.log(journal.obstacles().join() || 'no obstacle');
  console.log(`syncs: ${told.kept} kept, ${told.memory} not; ${(text / cost.records).toFixed(0)} bytes a record`);
  await journal.close();
}

async function manySessions(): Promise<void> {
  const journal = await open();
  for (let at = 0; at < sessions; at += 1) {
    const log = await journal.create({ session: `session-${at}`, agent: 'demo', cwd: '/home/user/project' }, owner);
    log.append(recordAt(1));
    if (at % 100 === 99) await new Promise((done) => log.sync(done));
  }
  console.log(`${sessions} open sessions: ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB of memory in all`);
  await journal.close();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let start = performance.now();
  const again = await open();
  console.log(`start with ${sessions} stored sessions: ${(performance.now() - start).toFixed(0)} ms`);
  globalThis.gc?.();
  const kept = (process.memoryUsage().heapUsed - before) / sessions;
  start = performance.now();
  const page = await again.list('session-5', 100);
  console.log(
    `a page of ${page.length}: ${(performance.now() - start).toFixed(1)} ms; ${kept.toFixed(0)} bytes of heap a stored session`,
  );
  await again.close();
}

await throughput();
await manySessions();
rmSync(join(folder, '..'), { recursive: true, force: true });
