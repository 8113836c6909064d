// A session that an earlier version has written to its journal: this version gives its clients the same frames under the same
// cursors. `UPDATE=1` writes the folder of a new version; a folder that exists is never written again (decision 0025).
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Entry, Reader } from '../../src/core/contract/reader.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { systemClock } from '../../src/gateway/system-clock.ts';
import { openJournal } from '../../src/stores/journal/journal.ts';
import { createApp } from '../../src/transports/http/app.ts';
import { fixturesFolder, isUpdate } from '../support/fixtures.ts';
import { textOf } from '../support/telling.ts';

/** The version of the records that this version writes. */
const newest = 2;
const folderOf = (version: number) => join(fixturesFolder, 'restored', `v${version}`);
const dialects = ['pi', 'claude', 'rpc-message', 'eca', 'pi-legacy', 'canonical'];

/** For each dialect its frames, each with the cursor behind it. */
const Frames = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function freshFolder(): string {
  const base = mkdtempSync(join(tmpdir(), 'patchbay-kept-fixture-'));
  ends.push(() => rmSync(base, { recursive: true, force: true }));
  return join(base, 'journal');
}

async function start(folder: string) {
  const store = await openJournal({ folder, clock: systemClock });
  const agents = { fixed: { protocol: 'demo', cwd: '/', options: { paceMs: 0 } } };
  const config = parseConfig({ agents, defaultAgent: 'fixed' });
  const gateway = createGateway(config, { log: () => {}, store });
  ends.push(async () => {
    gateway.close('the test is over');
    await store.close();
  });
  const { board } = gateway;
  const app = createApp({ board, connections: { obstacles: () => [] }, streams: new Set() });
  const request = (path: string, init: RequestInit = {}) => app.request(path, init, { principal: owner });
  const read = (frontend: string, cursor: string | null) =>
    board.stream({ frontend, session: 's', options: {}, principal: owner }, cursor);
  return { board, store, request, read };
}

const isAnswer = (text: string) => /"type":"(response|command_)/u.test(text);
const framesIn = (entries: readonly Entry[]): [string, string][] =>
  entries.flatMap((entry): [string, string][] =>
    entry.kind === 'frame' && !isAnswer(textOf(entry.out)) ? [[textOf(entry.out), String(entry.cursor)]] : [],
  );

/** Reads until a frame has that text in it. */
function until(reader: Reader, text: string): Promise<void> {
  return new Promise((resolve) => {
    reader.onReadable = () => {
      for (let more = reader.read(1 << 20); more.length > 0; more = reader.read(1 << 20))
        if (framesIn(more).some(([frame]) => frame.includes(text))) resolve();
    };
    reader.onReadable();
  });
}

async function writeFixture(folder: string): Promise<void> {
  const journal = freshFolder();
  const { board, store, request, read } = await start(journal);
  board.createSession({ id: 's' }, owner);
  const readers = dialects.map((frontend) => [frontend, read(frontend, null)] as const);
  for (const message of ['hello there', 'think']) {
    const pi = read('pi', null);
    pi.read(1 << 24);
    const ended = until(pi, '"agent_end"');
    const body = JSON.stringify({ type: 'prompt', message });
    await request('/v1/pi/sessions/s/frames', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await ended;
  }
  const first = readers.map(([frontend, reader]) => [frontend, framesIn(reader.read(1 << 24))[0]] as const);
  await store.close();
  mkdirSync(folder, { recursive: true });
  cpSync(join(journal, 'sessions', 's-s'), join(folder, 'session'), { recursive: true });
  // Live windows merge deltas that wait; a session that is made again does not.
  const again = await startAgain(folder);
  const frames = first.map(([frontend, frame = ['', '']]) => [
    frontend,
    [frame, ...framesIn(again.read(frontend, frame[1]).read(1 << 24))],
  ]);
  writeFileSync(join(folder, 'frames.json'), `${JSON.stringify(Object.fromEntries(frames), null, 1)}\n`);
}

/** A gateway with a copy of the session of the fixture. */
async function startAgain(fixture: string) {
  const folder = freshFolder();
  const session = join(folder, 'sessions', 's-s');
  mkdirSync(session, { recursive: true, mode: 0o700 });
  cpSync(join(fixture, 'session'), session, { recursive: true });
  // The mode of a folder in a clone depends on the user's umask.
  for (const made of [folder, join(folder, 'sessions'), session]) chmodSync(made, 0o700);
  const started = await start(folder);
  expect((await started.request('/v1/sessions/s')).status).toBe(200);
  return started;
}

test('every version of the records has a fixture', async () => {
  if (isUpdate && !existsSync(folderOf(newest))) await writeFixture(folderOf(newest));
  const versions = readdirSync(join(fixturesFolder, 'restored')).sort();
  expect(versions).toEqual(Array.from({ length: newest }, (_, at) => `v${at + 1}`));
});

test.each(Array.from({ length: newest }, (_, at) => at + 1))(
  'version %i: the same frames under the same cursors, from every third of the way',
  async (version) => {
    const { read } = await startAgain(folderOf(version));
    const kept = Frames.parse(JSON.parse(readFileSync(join(folderOf(version), 'frames.json'), 'utf8')));
    expect(Object.keys(kept)).toEqual(dialects);
    for (const [frontend, frames] of Object.entries(kept)) {
      expect(frames.length, frontend).toBeGreaterThan(6);
      for (const part of [0, 1 / 3, 2 / 3]) {
        const at = Math.floor(frames.length * part);
        const again = read(frontend, frames[at]?.[1] ?? '').read(1 << 24);
        expect(
          again.every(({ kind }) => kind === 'frame'),
          frontend,
        ).toBe(true);
        expect(framesIn(again), frontend).toEqual(frames.slice(at + 1));
      }
    }
  },
);
