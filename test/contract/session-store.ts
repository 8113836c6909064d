// What every store of sessions promises, as a suite that each of them is run through.
import { afterEach, describe, expect, test } from 'vitest';
import type {
  Durability,
  SessionStore,
  StoredHead,
  StoredLog,
  StoredLogOwner,
  StoredPast,
  StoredRecord,
} from '../../src/core/contract/store/session-store.ts';

/** A fresh store, and how to get rid of it. */
export interface StoreRig {
  readonly store: SessionStore;
  dispose(): Promise<void>;
}

/** Makes a store that replaces records by a snapshot once they have about that many bytes. */
export type MakeStore = (options: { readonly segmentBytes: number }) => Promise<StoreRig>;

/** An owner whose snapshot says how far the log is. */
export function ownerOf(place: () => number = () => 0): StoredLogOwner & { readonly losses: string[] } {
  const losses: string[] = [];
  return {
    losses,
    snapshot: () => ({ place: place(), state: { upTo: place() } }),
    lost: (reason) => losses.push(reason),
  };
}

/** Resolves with what `sync` says. */
export const synced = (log: StoredLog): Promise<Durability> => new Promise((done) => log.sync(done));

/** All records of a past. */
export async function recordsOf(past: StoredPast): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const record of past.records()) records.push(record);
  return records;
}

const headOf = (session: string): StoredHead => ({ session, title: `title of ${session}` });
const large = 64 * 1024 * 1024;

/** Strings that break what is careless with lines, quotes, names of files or encodings. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\n',
  '\r\n',
  'a\nb',
  '\u2028\u2029',
  '\0',
  '\ud800',
  '\udc00x',
  '😀',
  '"',
  '\\',
  '","crc":"00000000"}',
  '}\n{"place":1}',
  '__proto__',
  'constructor',
  '.',
  '..',
  '../../etc/passwd',
  '/etc/passwd',
  'a/b',
  'C:\\x',
  'A',
  'a',
  '-rf',
  '~',
  '_0061',
  'long',
  'x'.repeat(1_000),
  '€'.repeat(300),
];

/** Runs a store through the suite. */
export function describeStore(name: string, make: MakeStore): void {
  describe(`${name}: a store of sessions`, () => {
    const rigs: StoreRig[] = [];
    afterEach(async () => {
      for (const rig of rigs.splice(0)) await rig.dispose();
    });

    async function fresh(segmentBytes = large): Promise<SessionStore> {
      const rig = await make({ segmentBytes });
      rigs.push(rig);
      return rig.store;
    }

    test('gives records back in order, as they were', async () => {
      const store = await fresh();
      const log = await store.create(headOf('s'), ownerOf());
      const records = [1, 2, 3].map((place) => ({ place, type: 'event', nested: { list: [place, null, true, 1.5] } }));
      for (const record of records) log.append(record);
      expect(await synced(log)).toBe('kept');
      const past = await store.read('s');
      expect(past).toMatchObject({ head: headOf('s'), snapshot: null, corrupt: null });
      expect(await recordsOf(past)).toEqual(records);
    });

    test('takes a record as it is when it is appended', async () => {
      const store = await fresh();
      const log = await store.create(headOf('s'), ownerOf());
      const record = { place: 1, list: ['before'] };
      log.append(record);
      record.list.push('after');
      await synced(log);
      expect(await recordsOf(await store.read('s'))).toEqual([{ place: 1, list: ['before'] }]);
    });

    test('keeps any string', async () => {
      const store = await fresh();
      const log = await store.create(headOf('s'), ownerOf());
      const records = hostileTexts.map((text, index) => ({ place: index + 1, text, [text]: 'key', crc: text }));
      for (const record of records) log.append(record);
      await synced(log);
      // As JSON: `__proto__` is a key like any other there.
      expect(JSON.stringify(await recordsOf(await store.read('s')))).toBe(JSON.stringify(records));
    });

    test('keeps sessions of any id apart', async () => {
      const store = await fresh();
      for (const id of hostileTexts) {
        const log = await store.create(headOf(id), ownerOf());
        log.append({ place: 1, id });
        await log.release();
      }
      for (const id of hostileTexts) {
        const past = await store.read(id);
        expect(past.head).toEqual(headOf(id));
        expect(await recordsOf(past)).toEqual([{ place: 1, id }]);
      }
      expect(new Set((await store.list(null, 1_000)).map(({ session }) => session))).toEqual(new Set(hostileTexts));
    });

    test('drops records that a snapshot replaces, and goes on behind the snapshot', async () => {
      const store = await fresh(2_000);
      let place = 0;
      const log = await store.create(
        headOf('s'),
        ownerOf(() => place),
      );
      for (place = 1; place <= 500; place += 1) {
        log.append({ place, text: 'x'.repeat(50) });
        if (place % 10 === 0) await synced(log);
      }
      place = 500;
      await synced(log);
      const { snapshot, records } = await store.read('s');
      expect(snapshot?.place).toBeGreaterThan(400);
      expect(snapshot?.state).toEqual({ upTo: snapshot?.place });
      const places: number[] = [];
      for await (const record of records()) places.push(record.place);
      expect(places).toEqual(
        Array.from({ length: 500 - (snapshot?.place ?? 0) }, (_, at) => (snapshot?.place ?? 0) + at + 1),
      );
    });

    test('tells each sync once, in order, and after everything before it', async () => {
      const store = await fresh();
      const log = await store.create(headOf('s'), ownerOf());
      const told: string[] = [];
      for (let place = 1; place <= 50; place += 1) {
        log.append({ place });
        log.sync((durability) => told.push(`${place} ${durability}`));
      }
      expect(told, 'never within the call').toEqual([]);
      await synced(log);
      expect(told).toEqual(Array.from({ length: 50 }, (_, at) => `${at + 1} kept`));
      expect(await recordsOf(await store.read('s'))).toHaveLength(50);
    });

    test('tells a sync of nothing', async () => {
      const store = await fresh();
      expect(await synced(await store.create(headOf('s'), ownerOf()))).toBe('kept');
    });

    test('one session has one owner', async () => {
      const store = await fresh();
      const first = await store.create(headOf('s'), ownerOf());
      const conflict = expect.objectContaining({ code: 'conflict' });
      await expect(store.create(headOf('s'), ownerOf())).rejects.toEqual(conflict);
      await expect(store.claim('s', ownerOf())).rejects.toEqual(conflict);
      await first.release();
      await expect(store.create(headOf('s'), ownerOf())).rejects.toEqual(conflict);
      const both = await Promise.allSettled([store.claim('s', ownerOf()), store.claim('s', ownerOf())]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    test('takes nothing of an earlier owner', async () => {
      const store = await fresh();
      const first = await store.create(headOf('s'), ownerOf());
      first.append({ place: 1, by: 'first' });
      await first.release();
      first.append({ place: 2, by: 'first' });
      const { log: second, past } = await store.claim('s', ownerOf());
      expect(await recordsOf(past)).toEqual([{ place: 1, by: 'first' }]);
      expect(second.fence).toBeGreaterThan(first.fence);
      first.append({ place: 2, by: 'first' });
      first.setHead({ session: 's', title: 'of the first' });
      second.append({ place: 2, by: 'second' });
      expect(await synced(first)).toBe('memory');
      expect(await synced(second)).toBe('kept');
      await first.remove();
      expect(await recordsOf(await store.read('s'))).toEqual([
        { place: 1, by: 'first' },
        { place: 2, by: 'second' },
      ]);
      expect((await store.list(null, 1))[0]).toEqual(headOf('s'));
    });

    test('fences rise with each owner', async () => {
      const store = await fresh();
      let log = await store.create(headOf('s'), ownerOf());
      for (let owners = 0; owners < 5; owners += 1) {
        const { fence } = log;
        await log.release();
        log = (await store.claim('s', ownerOf())).log;
        expect(log.fence).toBeGreaterThan(fence);
      }
    });

    test('does not know other sessions', async () => {
      const store = await fresh();
      const missing = expect.objectContaining({ code: 'not-found' });
      await expect(store.claim('s', ownerOf())).rejects.toEqual(missing);
      await expect(store.read('s')).rejects.toEqual(missing);
    });

    test('forgets what is removed', async () => {
      const store = await fresh();
      const log = await store.create(headOf('s'), ownerOf());
      log.append({ place: 1 });
      await synced(log);
      await log.remove();
      await expect(store.read('s')).rejects.toMatchObject({ code: 'not-found' });
      expect(await store.list(null, 10)).toEqual([]);
      const again = await store.create(headOf('s'), ownerOf());
      again.append({ place: 1, again: true });
      await synced(again);
      expect(await recordsOf(await store.read('s'))).toEqual([{ place: 1, again: true }]);
    });

    test('lists the heads in pages, the latest head of each', async () => {
      const store = await fresh();
      const ids = Array.from({ length: 25 }, (_, at) => `s${String(at).padStart(2, '0')}`);
      for (const id of [...ids].reverse()) {
        const log = await store.create(headOf(id), ownerOf());
        log.setHead({ session: id, title: 'new' });
        if (id < 's10') await log.release();
      }
      const listed: string[] = [];
      for (let after: string | null = null, page = await store.list(after, 10); page.length > 0; ) {
        expect(page.length).toBeLessThanOrEqual(10);
        for (const head of page) {
          expect(head).toEqual({ session: head.session, title: 'new' });
          listed.push(head.session);
        }
        after = listed.at(-1) ?? null;
        page = await store.list(after, 10);
      }
      expect(listed).toEqual(ids);
      expect((await store.read('s03')).head).toEqual({ session: 's03', title: 'new' });
      expect((await store.read('s20')).head).toEqual({ session: 's20', title: 'new' });
    });

    test('tells owners when it closes', async () => {
      const store = await fresh();
      const owner = ownerOf();
      const log = await store.create(headOf('s'), owner);
      log.append({ place: 1 });
      await store.close();
      expect(owner.losses).toEqual(['released']);
      log.append({ place: 2 });
      expect(await synced(log)).toBe('memory');
    });

    test('keeps 100,000 records', async () => {
      const store = await fresh();
      const log = await store.create(headOf('s'), ownerOf());
      for (let place = 1; place <= 100_000; place += 1) {
        log.append({ place, type: 'event', event: { type: 'text-delta', text: `word ${place} ` } });
      }
      expect(await synced(log)).toBe('kept');
      let count = 0;
      for await (const record of (await store.read('s')).records()) {
        count += 1;
        if (record.place !== count) expect(record.place).toBe(count);
      }
      expect(count).toBe(100_000);
    });

    test('has nothing in the way', async () => {
      expect((await fresh()).obstacles()).toEqual([]);
    });
  });
}
