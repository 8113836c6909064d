// Journals of earlier versions are read: fixtures/journal has one folder for each format, and none of them is written again.
import { chmodSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { formatVersion } from '../../../src/stores/journal/lines.ts';
import { ownerOf, recordsOf, synced } from '../../contract/session-store.ts';
import { fixturesFolder } from '../../support/fixtures.ts';
import { freshFolder, freshJournal, type JournalRig } from './journal-rig.ts';

let rig: JournalRig | null = null;
afterEach(() => rig?.dispose());

async function openFixture(version: number): Promise<JournalRig> {
  const folder = freshFolder();
  mkdirSync(folder, { mode: 0o700 });
  cpSync(join(fixturesFolder, 'journal', `v${version}`), folder, { recursive: true });
  // The mode of a folder in a clone depends on the user's umask.
  chmodSync(join(folder, 'sessions'), 0o700);
  rig = await freshJournal({ folder });
  return rig;
}

const longId = 'long '.repeat(60);

test('every format has a fixture', () => {
  const folders = readdirSync(join(fixturesFolder, 'journal')).sort();
  expect(folders).toEqual(Array.from({ length: formatVersion }, (_, at) => `v${at + 1}`));
});

test('format 1 is read', async () => {
  const { journal } = await openFixture(1);
  expect((await journal.list(null, 10)).map(({ session, title }) => [session, title])).toEqual([
    ['Two/Owners', 'new'],
    ['damaged', 'damaged'],
    [longId, 'a long id'],
    ['plain', 'three records'],
    ['torn', 'torn'],
  ]);

  const plain = await journal.read('plain');
  expect(plain).toMatchObject({ head: { agent: 'demo' }, snapshot: null, corrupt: null });
  expect(await recordsOf(plain)).toEqual(
    [1, 2, 3].map((place) => ({
      place,
      type: 'event',
      seq: place,
      at: 10 * place,
      event: { type: 'text-delta', text: `word ${place} – €😀\u2028` },
    })),
  );

  const two = await journal.claim('Two/Owners', ownerOf());
  expect(two.log.fence).toBe(3);
  expect(two.past.snapshot).toEqual({
    place: 8,
    state: { transcript: { items: [{ role: 'user', text: 'so far 8' }] } },
  });
  expect(await recordsOf(two.past)).toEqual([
    ...[9, 10, 11, 12].map((place) => ({ place, text: 'x'.repeat(60) })),
    { place: 13, text: 'of the second owner' },
  ]);

  const torn = await journal.claim('torn', ownerOf());
  expect(torn.past.corrupt).toBeNull();
  expect(await recordsOf(torn.past)).toEqual([{ place: 1, whole: true }]);

  const damaged = await journal.claim('damaged', ownerOf());
  expect(damaged.past.corrupt).toMatch(/damaged/);
  expect(await recordsOf(damaged.past)).toEqual([{ place: 1, text: 'read' }]);

  expect(await recordsOf(await journal.read(longId))).toEqual([{ place: 1 }]);
});

test('format 1 is continued', async () => {
  const { journal } = await openFixture(1);
  const { log } = await journal.claim('torn', ownerOf());
  log.append({ place: 2, text: 'again' });
  expect(await synced(log)).toBe('kept');
  expect(await recordsOf(await journal.read('torn'))).toEqual([
    { place: 1, whole: true },
    { place: 2, text: 'again' },
  ]);
});
