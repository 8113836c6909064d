// Real processes: a writer that is killed at random moments loses nothing that was told, two gateways never share a journal,
// and what a killed gateway leaves running is ended. `npm run test:full` kills 500 times.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/gateway/system-clock.ts';
import { startTimeOf } from '../../../src/stores/journal/process-identity.ts';
import { recordsOf } from '../../contract/session-store.ts';
import { bundled } from '../../support/bundled.ts';
import { isFull } from '../../support/full.ts';
import { createDraw } from '../../support/seeded.ts';
import { freshFolder, freshJournal } from './journal-rig.ts';

let module = '';
beforeAll(async () => {
  module = join(await bundled('stores/journal/journal'), 'stores/journal/journal.mjs');
});

const children = new Set<ChildProcess>();
const folders: string[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const folder of folders.splice(0)) rmSync(join(folder, '..'), { recursive: true, force: true });
});

function newFolder(): string {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
}

const script = join(import.meta.dirname, 'writer.mjs');

function startWriter(folder: string, seed: number, sessions: number) {
  const child = spawn(process.execPath, [script, module, folder, String(seed), String(sessions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return { child, next };
}

const kills = isFull ? 500 : 12;

test(`nothing that was told is lost by ${kills} kills at random moments`, { timeout: 1_800_000 }, async () => {
  const folder = newFolder();
  const draw = createDraw(19);
  /** The last place that was told to be kept, by session. */
  const told = new Map<string, number>();
  let lines = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const { child, next } = startWriter(folder, kill + 1, 3);
    const ended = once(child, 'exit');
    // Of 16 kills one hits the start.
    const after = draw(16) === 0 ? 0 : 1 + draw(60);
    let line = '';
    for (let read = 0; read < after; read += 1) {
      line = await next();
      take(line);
    }
    // Between two lines as well: the child goes on while these rounds of the loop pass.
    for (let rounds = draw(40); rounds > 0; rounds -= 1) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    for (let rest = await next(); rest !== 'undefined'; rest = await next()) take(rest);
    await ended;
    await check();
  }
  expect(lines).toBeGreaterThan(kills);

  function take(line: string): void {
    lines += 1;
    if (line === 'open') return;
    const [session = '', place = '', durability] = line.split(' ');
    expect(durability, line).toBe('kept');
    told.set(session, Number(place));
  }

  async function check(): Promise<void> {
    const { journal } = await freshJournal({ folder });
    for (const [session, place] of told) {
      const past = await journal.read(session);
      expect(past.corrupt).toBeNull();
      let last = past.snapshot?.place ?? 0;
      for (const record of await recordsOf(past)) {
        expect(record.place).toBe(last + 1);
        expect(String(record.text).startsWith(String(record.place))).toBe(true);
        last = record.place;
      }
      expect(last, `${session} was told ${place}`).toBeGreaterThanOrEqual(place);
    }
    await journal.close();
  }
});

test('a second gateway is refused while the first one lives, and takes over when the first one is killed', async () => {
  const folder = newFolder();
  const first = startWriter(folder, 1, 1);
  expect(await first.next()).toBe('open');
  const second = startWriter(folder, 2, 1);
  expect(await second.next()).toBe('refused conflict');
  await expect(freshJournal({ folder })).rejects.toMatchObject({ code: 'conflict' });
  first.child.kill('SIGSTOP');
  await expect(freshJournal({ folder }), 'a stopped gateway is alive').rejects.toMatchObject({ code: 'conflict' });
  const ended = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await ended;
  const third = startWriter(folder, 3, 1);
  expect(await third.next()).toBe('open');
});

const lockOf = (pid: number, startTime: string, place: string) =>
  `${JSON.stringify({ patchbay: 'lock', pid, startTime, place })}\n`;

test.skipIf(process.platform !== 'linux')(
  'a lock with the number of another process is taken over (Linux alone knows start times)',
  async () => {
    const rig = await freshJournal();
    const lock = join(rig.folder, 'lock');
    const { place } = JSON.parse(readFileSync(lock, 'utf8'));
    await rig.journal.close();
    writeFileSync(lock, lockOf(process.pid, '1', place));
    const again = await freshJournal({ folder: rig.folder });
    await again.dispose();
  },
);

test.each([
  ['of another machine', lockOf(1, '1', 'elsewhere')],
  ['that cannot be read', 'garbage'],
])('a lock %s counts until it was silent for 30 s', async (_what, text) => {
  const folder = newFolder();
  mkdirSync(folder, { mode: 0o700 });
  const lock = join(folder, 'lock');
  writeFileSync(lock, text);
  await expect(freshJournal({ folder })).rejects.toMatchObject({ code: 'conflict' });
  expect(readFileSync(lock, 'utf8')).toBe(text);
  const past = Date.now() / 1000 - 60;
  utimesSync(lock, past, past);
  const { dispose } = await freshJournal({ folder });
  await dispose();
});

test('a gateway whose lock was taken over loses its sessions', async () => {
  const { journal, clock, folder, dispose } = await freshJournal();
  const losses: string[] = [];
  const owner = { snapshot: () => ({ place: 0, state: null }), lost: (reason: string) => losses.push(reason) };
  const log = await journal.create({ session: 's' }, owner);
  rmSync(join(folder, 'lock'));
  clock.advance(5_000);
  expect(losses).toEqual(['fenced']);
  log.append({ place: 1 });
  await expect(journal.create({ session: 't' }, owner)).rejects.toMatchObject({ code: 'shutting-down' });
  await dispose();
});

/** A process that leads a group, with a child in it that ignores SIGTERM. Resolves when both are there. */
async function startGroup(): Promise<{ leader: number; member: number; ended: Promise<unknown> }> {
  const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log(process.pid)`;
  const source = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio: 'inherit' }); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['-e', source], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const ended = once(child, 'exit');
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return { leader: child.pid ?? 0, member: Number(value), ended };
}

test.skipIf(process.platform !== 'linux')(
  'agents of a killed gateway are ended, with their groups, and no other process (Linux alone knows start times)',
  { timeout: 60_000 },
  async () => {
    const folder = newFolder();
    const [orphan, reused, forgotten] = [await startGroup(), await startGroup(), await startGroup()];
    const first = await freshJournal({ folder, clock: systemClock });
    const { note, forget } = first.journal.processes;
    note(orphan.leader, startTimeOf(orphan.leader));
    note(reused.leader, '1');
    note(forgotten.leader, startTimeOf(forgotten.leader));
    note(2 ** 22 + 1, '1');
    forget(forgotten.leader);
    const noted = readFileSync(join(folder, 'processes.jsonl'));
    await first.journal.close();
    // As SIGKILL leaves it.
    writeFileSync(join(folder, 'processes.jsonl'), noted);
    const second = await freshJournal({ folder, clock: systemClock });
    expect(second.journal.orphans).toBe(1);
    await orphan.ended;
    while (startTimeOf(orphan.member) !== null) await new Promise((resolve) => setImmediate(resolve));
    expect(startTimeOf(reused.leader)).not.toBeNull();
    expect(startTimeOf(forgotten.leader)).not.toBeNull();
    for (const { leader } of [reused, forgotten]) process.kill(-leader, 'SIGKILL');
    await Promise.all([reused.ended, forgotten.ended]);
    await second.journal.close();
    const third = await freshJournal({ folder });
    expect(third.journal.orphans).toBe(0);
    await third.journal.close();
  },
);

/** A disk of 64 KB that goes with the process: in a name space of its own, which needs no rights. */
const onSmallDisk = (command: string): readonly string[] => [
  '-rm',
  'sh',
  '-c',
  `mount -t tmpfs -o size=64k,mode=700 patchbay "$1" && ${command}`,
  'sh',
];
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...onSmallDisk('true'), tmpdir()], { stdio: 'ignore' }).status === 0;

test.skipIf(!canMount)(
  'a full disk of 64 KB is survived, and used again when it has room (skipped where no tmpfs can be mounted)',
  () => {
    const disk = join(newFolder(), '..');
    const command = onSmallDisk('exec "$2" "$3" "$4" "$1"');
    const output = execFileSync(
      'unshare',
      [...command, disk, process.execPath, join(import.meta.dirname, 'full-disk.mjs'), module],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect(output.trim().split('\n')).toEqual([
      'first kept',
      'full memory the journal cannot be written (ENOSPC); sessions are kept in memory only',
      'room kept 0',
      'read true',
    ]);
  },
);
