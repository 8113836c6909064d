// Lists of stored sessions are kept as outcomes of commands, thousands of them: a further list of the same files costs
// nothing but its places (docs/limits.md 8.2).
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import type { Agents } from '../../src/gateway/agents.ts';
import { StoredFolders } from '../../src/gateway/stored/stored-folders.ts';
import { StoredSessions } from '../../src/gateway/stored/stored-sessions.ts';
import { StoredSummaries } from '../../src/gateway/stored/stored-summaries.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-summaries-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function store(id: string, seconds: number): string {
  const file = join(folder, `${id}.jsonl`);
  const head = { type: 'patchbay-session', version: 1, id, agent: 'demo', createdAt: '2026-01-01T00:00:00.000Z' };
  writeFileSync(file, `${JSON.stringify(head)}\n`);
  utimesSync(file, seconds, seconds);
  return file;
}

function open() {
  const config = parseConfig({ sessionDirectory: folder });
  const folders = new StoredFolders(config, () => ({}) as never);
  const summaries = new StoredSummaries(folders);
  const agents: Pick<Agents, 'named'> = { named: () => ['demo', { protocol: 'demo' }] };
  return new StoredSessions({ config, agents, folders, summaries });
}

test('a file that has not changed is the same object in each list', () => {
  const [old] = [store('old', 1), store('new', 2)];
  const stored = open();
  const first = stored.list(new Map());
  expect(first.map(({ id }) => id)).toEqual(['new', 'old']);
  for (const [at, shown] of stored.list(new Map()).entries()) expect(shown).toBe(first[at]);
  utimesSync(old, 3, 3);
  const [changed, same] = stored.list(new Map());
  expect(changed).toEqual({ ...first[1], modifiedAt: '1970-01-01T00:00:03.000Z' });
  expect(same).toBe(first[0]);
});

test('a session that is open has the id of the open one in that list, and its own in the next', () => {
  const file = store('a', 1);
  const stored = open();
  expect(stored.list(new Map([[file, 'b']])).map(({ id }) => id)).toEqual(['b']);
  expect(stored.list(new Map()).map(({ id }) => id)).toEqual(['a']);
});
