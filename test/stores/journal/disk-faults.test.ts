// Disks that are full, broken or slow: the session goes on in memory, everybody is told, and the gap is marked.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { type Disk, type DiskFile, systemDisk } from '../../../src/stores/journal/disk.ts';
import { ownerOf, recordsOf, synced } from '../../contract/session-store.ts';
import { freshJournal, type JournalRig, segmentsIn } from './journal-rig.ts';

/** A disk that counts what is written, and fails or waits as it is told. */
interface Trouble {
  readonly disk: Disk;
  /** The error of all writes, of all syncs; null: none. */
  write: string | null;
  sync: string | null;
  /** Bytes that a failing write still writes. */
  room: number;
  /** Resolves before a write begins. */
  pause: Promise<void>;
  readonly writes: number[];
  syncs: number;
}

function createTrouble(): Trouble {
  const fault = (code: string) => Object.assign(new Error(`${code}: a text with a path`), { code });
  const trouble: Trouble = {
    write: null,
    sync: null,
    room: 0,
    pause: Promise.resolve(),
    writes: [],
    syncs: 0,
    disk: {
      ...systemDisk,
      open: async (file, mode) => wrapped(await systemDisk.open(file, mode)),
    },
  };
  const wrapped = (file: DiskFile): DiskFile => ({
    ...file,
    async write(bytes) {
      await trouble.pause;
      trouble.writes.push(bytes.length);
      if (trouble.write === null) return file.write(bytes);
      await file.write(bytes.subarray(0, trouble.room));
      throw fault(trouble.write);
    },
    async datasync() {
      trouble.syncs += 1;
      if (trouble.sync !== null) throw fault(trouble.sync);
      await file.datasync();
    },
  });
  return trouble;
}

let rig: JournalRig | null = null;
afterEach(() => rig?.dispose());

async function withTrouble(options: Parameters<typeof freshJournal>[0] = {}) {
  const trouble = createTrouble();
  rig = await freshJournal({ disk: trouble.disk, ...options });
  return { ...rig, trouble };
}

/** Resolves when the journal can keep everything again. */
async function whenClear(journal: JournalRig['journal']): Promise<void> {
  while (journal.obstacles().length > 0) await new Promise((resolve) => setImmediate(resolve));
}

const head = { session: 's' };

test('records of one turn are one write, and many syncs are one sync', async () => {
  const { journal, trouble } = await withTrouble();
  const log = await journal.create(head, ownerOf());
  // The first record brings the file with the head. Reading waits for both.
  log.append({ place: 1 });
  await synced(log);
  await journal.read('s');
  const before = { writes: trouble.writes.length, syncs: trouble.syncs };
  let told = 0;
  for (let place = 2; place <= 101; place += 1) {
    log.append({ place });
    log.sync(() => {
      told += 1;
    });
  }
  await synced(log);
  expect(told).toBe(100);
  expect({ writes: trouble.writes.length, syncs: trouble.syncs }).toEqual({
    writes: before.writes + 1,
    syncs: before.syncs + 1,
  });
});

describe.each(['ENOSPC', 'EIO', 'EDQUOT'])('%s', (code) => {
  test.each(['write', 'sync'] as const)(
    'of a %s: in memory, told, tried again after 30 s, with a snapshot',
    async (what) => {
      let place = 0;
      const { journal, trouble, clock, folder } = await withTrouble();
      const log = await journal.create(
        head,
        ownerOf(() => place),
      );
      const append = () => {
        place += 1;
        log.append({ place });
      };
      append();
      expect(await synced(log)).toBe('kept');
      trouble[what] = code;
      trouble.room = 7;
      append();
      expect(await synced(log)).toBe('memory');
      expect(journal.obstacles()).toEqual([
        `the journal cannot be written (${code}); sessions are kept in memory only`,
      ]);
      append();
      expect(await synced(log), 'at once').toBe('memory');
      clock.advance(29_999);
      trouble.write = null;
      trouble.sync = null;
      expect(journal.obstacles()).toHaveLength(1);
      clock.advance(1);
      await whenClear(journal);
      append();
      expect(await synced(log)).toBe('kept');
      const past = await journal.read('s');
      expect(past).toMatchObject({ snapshot: { place: 3 }, corrupt: null });
      expect(await recordsOf(past)).toEqual([{ place: 4 }]);
      const [segment = '', ...others] = segmentsIn(folder, 's');
      expect(others).toEqual([]);
      expect(JSON.parse(readFileSync(segment, 'utf8').split('\n')[0] ?? '')).toMatchObject({ gap: true });
    },
  );
});

test('a disk that stays full is tried every 30 s', async () => {
  const { journal, trouble, clock } = await withTrouble();
  trouble.write = 'ENOSPC';
  const log = await journal.create(head, ownerOf());
  expect(await synced(log)).toBe('memory');
  for (let round = 0; round < 3; round += 1) {
    const before = trouble.writes.length;
    clock.advance(30_000);
    while (trouble.writes.length === before || clock.pending < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(journal.obstacles()).toHaveLength(1);
  }
  trouble.write = null;
  clock.advance(30_000);
  await whenClear(journal);
  log.append({ place: 1 });
  expect(await synced(log)).toBe('kept');
});

test('a session that was never written leaves nothing', async () => {
  const { journal, trouble } = await withTrouble();
  trouble.write = 'ENOSPC';
  const log = await journal.create(head, ownerOf());
  await log.release();
  expect(await journal.list(null, 10)).toEqual([]);
  trouble.write = null;
  await journal.create(head, ownerOf());
  expect(journal.obstacles()).toEqual([]);
});

test('what waits for a slow disk is bounded, and the neighbour goes on', async () => {
  let place = 0;
  const { journal, trouble, clock } = await withTrouble({ queue: { perSession: 10_000, all: 1_000_000 } });
  const log = await journal.create(
    head,
    ownerOf(() => place),
  );
  const neighbour = await journal.create({ session: 'n' }, ownerOf());
  let goOn = () => {};
  trouble.pause = new Promise((resolve) => {
    goOn = resolve;
  });
  const told: string[] = [];
  const append = () => {
    place += 1;
    log.append({ place, text: 'x'.repeat(100) });
  };
  append();
  log.sync((durability) => told.push(durability));
  for (let more = 0; more < 200; more += 1) append();
  neighbour.append({ place: 1 });
  expect(await synced(log)).toBe('memory');
  expect(told).toEqual(['memory']);
  expect(journal.obstacles()).toEqual([
    'the journal cannot be written (the disk is too slow); sessions are kept in memory only',
  ]);
  goOn();
  expect(await synced(neighbour)).toBe('kept');
  clock.advance(30_000);
  await whenClear(journal);
  append();
  expect(await synced(log)).toBe('kept');
  expect(await journal.read('s')).toMatchObject({ snapshot: { place: 201 } });
});

test('all sessions together have a bound', async () => {
  const { journal, trouble } = await withTrouble({ queue: { perSession: 10_000, all: 15_000 } });
  const logs = [await journal.create(head, ownerOf()), await journal.create({ session: 'n' }, ownerOf())];
  trouble.pause = new Promise(() => {});
  for (const log of logs) for (let place = 1; place <= 60; place += 1) log.append({ place, text: 'x'.repeat(100) });
  expect(journal.obstacles()).toHaveLength(1);
  trouble.pause = Promise.resolve();
});

test('a record that does not follow is a gap and not a hole', async () => {
  let place = 1;
  const { journal, clock } = await withTrouble();
  const log = await journal.create(
    head,
    ownerOf(() => place),
  );
  log.append({ place: 1 });
  place = 3;
  log.append({ place: 3 });
  expect(await synced(log)).toBe('memory');
  clock.advance(30_000);
  await whenClear(journal);
  const past = await journal.read('s');
  expect(past).toMatchObject({ snapshot: { place: 3 }, corrupt: null });
});

test('an owner that throws disturbs nobody', async () => {
  const thrown: unknown[] = [];
  const { journal } = await withTrouble({ thrown: (fault) => thrown.push(fault) });
  const log = await journal.create(head, ownerOf());
  log.sync(() => {
    throw new Error('in done');
  });
  expect(await synced(log)).toBe('kept');
  expect(thrown).toHaveLength(1);
});
