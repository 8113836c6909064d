// Sessions that are made at the same time: each is told kept after its own folder and the common one are synced, and the syncs of the
// common folder are shared.
import { afterEach, expect, test } from 'vitest';
import { type Disk, systemDisk } from '../../../src/stores/journal/disk.ts';
import { ownerOf, synced } from '../../contract/session-store.ts';
import { freshJournal, type JournalRig } from './journal-rig.ts';

let rig: JournalRig | null = null;
afterEach(() => rig?.dispose());

test('fifty sessions share the syncs of their common folder, and none is told before it', async () => {
  const calls: string[] = [];
  const ids = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const isCommon = (folder: string) => folder.endsWith('/sessions');
  const own = () => calls.filter((folder) => !isCommon(folder)).length;
  let twoWait = () => {};
  // The first sync of the common folder lasts until two more sessions wait for one: a journal makes three at a time.
  const whenTwoWait = new Promise<void>((resolve) => {
    twoWait = resolve;
  });
  const disk: Disk = {
    ...systemDisk,
    async syncFolder(folder) {
      if (isCommon(folder)) await whenTwoWait;
      await systemDisk.syncFolder(folder);
      calls.push(folder);
      if (own() === 3) twoWait();
    },
  };
  rig = await freshJournal({ disk });
  const { journal } = rig;
  const common = `${rig.folder}/sessions`;
  await Promise.all(
    ids.map(async (session) => {
      const log = await journal.create({ session }, ownerOf());
      expect(await synced(log)).toBe('kept');
      const at = calls.indexOf(`${common}/s-${session}`);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(calls.slice(at)).toContain(common);
    }),
  );
  expect(calls.filter(isCommon).length).toBeLessThan(ids.length);
  expect((await journal.list(null, 100)).map(({ session }) => session)).toEqual([...ids].sort());
});

test('a sync with nothing new asks the disk for nothing', async () => {
  let syncs = 0;
  const counted: Disk = {
    ...systemDisk,
    async open(file, mode) {
      const opened = await systemDisk.open(file, mode);
      const datasync = () => {
        syncs += 1;
        return opened.datasync();
      };
      return { ...opened, datasync };
    },
  };
  rig = await freshJournal({ disk: counted });
  const log = await rig.journal.create({ session: 's' }, ownerOf());
  await synced(log);
  log.append({ place: 1 });
  await synced(log);
  const before = syncs;
  expect(await synced(log)).toBe('kept');
  expect(syncs).toBe(before);
});
