// What a crash or a damaged disk leaves of a session: cut at every byte, changed at every byte, or in the middle of a new segment.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredRecord } from '../../../src/core/contract/store/session-store.ts';
import { ownerOf, recordsOf, synced } from '../../contract/session-store.ts';
import { folderIn, freshJournal, type JournalRig, segmentsIn } from './journal-rig.ts';

let rig: JournalRig;
beforeEach(async () => {
  rig = await freshJournal();
});
afterEach(() => rig.dispose());

const head = { session: 's', title: 'a title' };
const records: readonly StoredRecord[] = [
  { place: 1, text: 'one' },
  { place: 2, text: 'zwei – €😀' },
  { place: 3, text: 'x'.repeat(40) },
];

/** A stored session of three records, and its one segment. */
async function stored(): Promise<{ segment: string; bytes: Buffer }> {
  const log = await rig.journal.create(head, ownerOf());
  for (const record of records) log.append(record);
  await log.release();
  const [segment = ''] = segmentsIn(rig.folder, 's');
  return { segment, bytes: readFileSync(segment) };
}

/** Whole lines among the bytes. */
const linesIn = (bytes: Buffer): number => bytes.toString('latin1').split('\n').length - 1;

test('is for this user alone', async () => {
  const { segment } = await stored();
  const mode = (file: string) => statSync(file).mode & 0o777;
  expect([rig.folder, join(rig.folder, 'sessions'), folderIn(rig.folder, 's')].map(mode)).toEqual([
    0o700, 0o700, 0o700,
  ]);
  const files = [segment, join(rig.folder, 'lock'), join(rig.folder, 'processes.jsonl')];
  expect([...files, join(folderIn(rig.folder, 's'), 'head.json')].map(mode)).toEqual([0o600, 0o600, 0o600, 0o600]);
});

test('a folder whose segment was never whole does not end the list', async () => {
  await stored();
  mkdirSync(folderIn(rig.folder, 'a'));
  await rig.journal.close();
  rig = await freshJournal({ folder: rig.folder });
  expect((await rig.journal.list(null, 1)).map(({ session }) => session)).toEqual(['s']);
});

test('a tail that was cut at any byte is dropped, and the session goes on behind the last whole record', async () => {
  const { segment, bytes } = await stored();
  const whole = linesIn(bytes);
  for (let length = 0; length < bytes.length; length += 1) {
    writeFileSync(segment, bytes.subarray(0, length));
    const lines = linesIn(bytes.subarray(0, length));
    if (lines < 2) {
      await expect(rig.journal.claim('s', ownerOf()), `cut at ${length}`).rejects.toMatchObject({ code: 'not-found' });
      continue;
    }
    const kept = records.slice(0, Math.min(lines - 2, records.length));
    const { log, past } = await rig.journal.claim('s', ownerOf());
    expect(past, `cut at ${length}`).toMatchObject({ head, corrupt: null });
    expect(await recordsOf(past), `cut at ${length}`).toEqual(kept);
    const next = { place: kept.length + 1, text: 'next' };
    log.append(next);
    expect(await synced(log)).toBe('kept');
    await log.release();
    expect(await recordsOf(await rig.journal.read('s')), `cut at ${length}`).toEqual([...kept, next]);
  }
  expect(whole).toBe(2 + records.length);
});

test('a byte that has changed anywhere makes the session read-only up to its line', async () => {
  const { segment, bytes } = await stored();
  const beginning = bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1;
  for (let at = 0; at < bytes.length - 1; at += 1) {
    const broken = Buffer.from(bytes);
    broken[at] = (broken[at] ?? 0) ^ 0x01;
    writeFileSync(segment, broken);
    const { log, past } = await rig.journal.claim('s', ownerOf());
    expect(past.corrupt, `byte ${at}`).toMatch(/byte \d+/);
    expect(past.head).toEqual(head);
    const kept = at < beginning ? [] : records.slice(0, linesIn(bytes.subarray(0, at)) - 2);
    expect(await recordsOf(past), `byte ${at}`).toEqual(kept);
    log.append({ place: kept.length + 1 });
    expect(await synced(log)).toBe('memory');
    await log.release();
    expect(readFileSync(segment).equals(broken), `byte ${at}: not written`).toBe(true);
  }
});

test('a damaged session is removed like any other', async () => {
  const { segment, bytes } = await stored();
  writeFileSync(segment, Buffer.concat([Buffer.from('garbage\n'), bytes]));
  const { log, past } = await rig.journal.claim('s', ownerOf());
  expect(past.corrupt).not.toBeNull();
  await log.remove();
  await expect(rig.journal.read('s')).rejects.toMatchObject({ code: 'not-found' });
});

test('a record that is missing in the middle makes the session read-only', async () => {
  const { segment, bytes } = await stored();
  const lines = bytes.toString().split('\n');
  writeFileSync(segment, [...lines.slice(0, 3), ...lines.slice(4)].join('\n'));
  const past = await rig.journal.read('s');
  expect(past.corrupt).toMatch(/record 2 is missing/);
  expect(await recordsOf(past)).toEqual(records.slice(0, 1));
});

test('a journal of a later version is not touched', async () => {
  const { segment, bytes } = await stored();
  const text = bytes.toString().replace('"version":1', '"version":2');
  writeFileSync(segment, text);
  expect((await rig.journal.read('s')).corrupt).not.toBeNull();
});

describe('a new segment', () => {
  /** A session whose first record is in an old segment and the rest in a new one. */
  async function renewed(): Promise<string[]> {
    await rig.dispose();
    rig = await freshJournal({ segmentBytes: 10 });
    const log = await rig.journal.create(
      head,
      ownerOf(() => place),
    );
    let place = 0;
    const [first = ''] = segmentsIn(rig.folder, 's');
    const copy = `${first}.copy`;
    for (place = 1; place <= 3; place += 1) {
      log.append({ place });
      await synced(log);
      if (place === 1) cpSync(first, copy);
    }
    place = 3;
    await log.release();
    cpSync(copy, first);
    rmSync(copy);
    return segmentsIn(rig.folder, 's');
  }

  test('is the one that counts, and the older one goes', async () => {
    const segments = await renewed();
    expect(segments).toHaveLength(2);
    const { log, past } = await rig.journal.claim('s', ownerOf());
    expect(past.snapshot?.place).toBeGreaterThan(1);
    log.append({ place: 4 });
    await synced(log);
    expect(segmentsIn(rig.folder, 's')).toEqual([segments[1]]);
  });

  test('does not count before its snapshot is whole', async () => {
    const [, newer = ''] = await renewed();
    const snapshotEnd = readFileSync(newer).indexOf('\n', readFileSync(newer).indexOf('\n') + 1);
    for (let length = snapshotEnd; length >= 0; length -= 1) {
      truncateSync(newer, length);
      const past = await rig.journal.read('s');
      expect(past).toMatchObject({ snapshot: null, corrupt: null });
      expect(await recordsOf(past)).toEqual([{ place: 1 }]);
    }
  });

  test('that was never finished is removed', async () => {
    await stored();
    const leftover = join(folderIn(rig.folder, 's'), '00000002.jsonl.new');
    writeFileSync(leftover, 'half');
    const { past } = await rig.journal.claim('s', ownerOf());
    expect(await recordsOf(past)).toEqual(records);
    expect(() => statSync(leftover)).toThrow(/ENOENT/);
  });
});

describe('links', () => {
  test('in the place of a segment are not followed', async () => {
    const { segment } = await stored();
    const elsewhere = join(rig.folder, 'elsewhere');
    cpSync(segment, elsewhere);
    rmSync(segment);
    symlinkSync(elsewhere, segment);
    await expect(rig.journal.claim('s', ownerOf())).rejects.toMatchObject({ code: 'ELOOP' });
  });

  test('in the place of a session are not followed', async () => {
    await stored();
    const target = join(rig.folder, 'target');
    cpSync(folderIn(rig.folder, 's'), target, { recursive: true });
    rmSync(folderIn(rig.folder, 's'), { recursive: true });
    symlinkSync(target, folderIn(rig.folder, 's'));
    await expect(rig.journal.claim('s', ownerOf())).rejects.toThrow();
  });
});
