// Kept sessions of a gateway with a store: the log is the truth, and the file of decision 0019 follows the log, before and
// after a restart.
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { GatewayApi } from '../../src/core/contract/gateway/gateway-api.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { SessionSummary } from '../../src/core/model/outcome-data.ts';
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import type { RelayClient } from '../support/relay.ts';
import { onNetwork, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

let folder = '';
let store = createMemoryStore();
beforeEach(() => {
  folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-kept-files-'))), 'sessions');
  store = createMemoryStore();
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const agents = { fast: { protocol: 'demo', options: { paceMs: 0 } } };
/** Of the latest gateway. */
let board: GatewayApi;
function start(): RelayClient {
  const { gateway } = openGateway({ sessionDirectory: folder, agents, defaultAgent: 'fast' }, { store });
  ({ board } = gateway);
  return onNetwork(gateway);
}

/** A client of the next gateway: the one before was killed. */
async function restart(): Promise<RelayClient> {
  await store.close();
  return start();
}

const files = () => (existsSync(folder) ? readdirSync(folder).sort() : []);
const linesOf = (name = '') =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const saidIn = (name?: string) =>
  linesOf(name).flatMap(({ role, content }) => (role === 'user' ? [content[0].text] : []));

async function run(client: RelayClient, session: string, text: string): Promise<void> {
  const whole: Command = { type: 'prompt', content: [{ type: 'text', text }], untilIdle: true };
  expect(await client.ask(whole, session)).toMatchObject({ ok: true });
  await board.whenKept?.(session, owner);
}

async function list(client: RelayClient): Promise<readonly SessionSummary[]> {
  const answer = await client.ask({ type: 'list-stored-sessions' });
  return z.object({ sessions: z.array(z.custom<SessionSummary>()) }).parse(answer.data).sessions;
}

test('after a restart a session goes on in its file, under its id and name', async () => {
  const first = start();
  await first.open({ id: 'a', keep: true });
  await first.ask({ type: 'set-name', name: 'a name' }, 'a');
  await run(first, 'a', 'one');
  const before = await list(first);

  const second = await restart();
  expect(await list(second)).toEqual(before);
  await run(second, 'a', 'two');
  expect(files()).toHaveLength(1);
  expect(saidIn(files()[0])).toEqual(['one', 'two']);
  expect(await list(second)).toMatchObject([{ id: 'a', name: 'a name', messageCount: 4, file: before[0]?.file }]);
});

test('the file never has more than the log: a run is written once the log is kept', async () => {
  const syncs: (() => void)[] = [];
  const slow: SessionStore = {
    ...store,
    async create(head, logOwner) {
      const log = await store.create(head, logOwner);
      const sync: typeof log.sync = (done) => void syncs.push(() => done('kept'));
      return {
        fence: log.fence,
        append: (record) => log.append(record),
        setHead: (later) => log.setHead(later),
        sync,
        release: () => log.release(),
        remove: () => log.remove(),
      };
    },
  };
  const { gateway } = openGateway({ sessionDirectory: folder, agents, defaultAgent: 'fast' }, { store: slow });
  const client = onNetwork(gateway);
  const opened = client.open({ id: 'a', keep: true });
  // The session is answered once it is kept.
  await expect.poll(() => syncs.length).toBeGreaterThan(0);
  for (const tell of syncs.splice(0)) tell();
  await opened;
  expect(
    await client.ask({ type: 'prompt', content: [{ type: 'text', text: 'one' }], untilIdle: true }, 'a'),
  ).toMatchObject({
    ok: true,
  });
  expect(files()).toEqual([]);
  for (const tell of syncs.splice(0)) tell();
  expect(files().map(saidIn)).toEqual([['one']]);
});

test('what the file lacks comes from the log: a run that was cut, a file that is gone', async () => {
  const first = start();
  await first.open({ id: 'a', keep: true });
  await run(first, 'a', 'one');
  expect(await first.ask(prompt('hang'), 'a')).toMatchObject({ ok: true });
  const second = await restart();
  await run(second, 'a', 'two');
  expect(saidIn(files()[0])).toEqual(['one', 'hang', 'two']);

  rmSync(join(folder, files()[0] ?? ''));
  const third = await restart();
  await run(third, 'a', 'three');
  expect(files().map(saidIn)).toEqual([['one', 'hang', 'two', 'three']]);
});

test('a file that holds something else stays as it is, and the conversation gets another', async () => {
  const first = start();
  await first.open({ id: 'a', keep: true });
  await run(first, 'a', 'one');
  const [name = ''] = files();
  const other = readFileSync(join(folder, name), 'utf8').replace('one', 'other');
  writeFileSync(join(folder, name), other);

  const second = await restart();
  await run(second, 'a', 'two');
  expect(readFileSync(join(folder, name), 'utf8')).toBe(other);
  const later = files().find((file) => file !== name);
  expect(saidIn(later)).toEqual(['one', 'two']);
  expect(await list(second)).toContainEqual(expect.objectContaining({ id: 'a', file: join(folder, later ?? '') }));
});

test.each([true, false])('loading its file opens the session itself (described: %s)', async (describe) => {
  const first = start();
  await first.open({ id: 'a', keep: true });
  await run(first, 'a', 'one');
  const [{ file: path = '' } = {}] = await list(first);

  const second = await restart();
  expect(await second.ask({ type: 'load-session', path, describe, keep: true })).toMatchObject({
    ok: true,
    data: { session: { id: 'a', messageCount: 2 } },
  });
  await run(second, 'a', 'two');
  expect(files().map(saidIn)).toEqual([['one', 'two']]);
  // Under another id the client gets a copy.
  expect(await second.ask({ type: 'load-session', path, id: 'b', keep: true })).toMatchObject({ ok: true });
  await run(second, 'b', 'of b');
  expect(files().map(saidIn).sort()).toEqual([
    ['one', 'two'],
    ['one', 'two', 'of b'],
  ]);
});

test('a replaced conversation after a restart gets a file of its own', async () => {
  const first = start();
  await first.open({ id: 'a', keep: true });
  await run(first, 'a', 'one');
  const second = await restart();
  expect(await second.ask({ type: 'new-session' }, 'a')).toMatchObject({ ok: true });
  await run(second, 'a', 'anew');
  expect(files().map(saidIn).sort()).toEqual([['anew'], ['one']]);
});
