// Sessions that are not open and can be opened again: of a store and of files, each once, for those who may have them.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KeptSession } from '../../src/core/contract/gateway/inspector-api.ts';
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import { type InspectorRig, type Page, startInspector } from './rig.ts';

let folder: string;
let rig: InspectorRig;
let page: Page;

const head = (id: string) => ({
  type: 'patchbay-session',
  version: 1,
  id,
  agent: 'demo',
  createdAt: '2026-01-01T00:00:00.000Z',
});

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-kept-')));
  writeFileSync(join(folder, 'written.jsonl'), `${JSON.stringify(head('written'))}\n`);
  const store = createMemoryStore();
  // A gateway before this one has left a session in the store.
  const before = await startInspector({}, { store });
  const one = await before.logIn();
  const made = await before.ask(one, 'sessions', post({ agent: 'demo' }));
  const { session } = (await made.json()) as { session: string };
  const { socket, heard } = await before.look(one, session);
  for (const command of [{ type: 'set-name', name: 'a name' }, promptOf('hello there')])
    socket.send(JSON.stringify({ type: 'send', session, frame: { id: command.type, command } }));
  await vi.waitUntil(() => heard.join().includes('"run-end"'), 10_000);
  await before.close();
  rig = await startInspector({ sessionDirectory: folder }, { store });
  page = await rig.logIn();
});
afterAll(async () => {
  await rig.close();
  rmSync(folder, { recursive: true, force: true });
});

const promptOf = (text: string) => ({ type: 'prompt', content: [{ type: 'text', text }] });

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function kept(): Promise<readonly KeptSession[]> {
  const answer = await rig.ask(page, 'kept');
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { sessions: readonly KeptSession[] }).sessions;
}

describe('kept sessions', () => {
  it('are listed, the newest first, and open again', async () => {
    const [file, stored, ...others] = (await kept()).toSorted((a, b) => ((a.file ?? '') < (b.file ?? '') ? 1 : -1));
    expect(others).toEqual([]);
    expect(file).toMatchObject({ id: 'written', file: join(folder, 'written.jsonl') });
    expect(stored).toMatchObject({ agent: 'demo', name: 'a name', firstWords: 'hello there' });
    expect(stored?.file).toBeUndefined();

    // One of a file is opened by its path, one of a store by attaching to it.
    expect((await rig.ask(page, 'sessions', post({ resume: file?.file }))).status).toBe(201);
    await rig.look(page, stored?.id ?? '');
    // The new session is another one: the file stays as it was.
    expect((await kept()).map(({ id }) => id)).toEqual(['written']);
  });

  it('are for nobody who is not logged in', async () => {
    expect((await fetch(`${rig.url}${page.path}kept`)).status).toBe(401);
  });
});
