// A client is told that its session is deleted once the store has forgotten the session, and not before: else the session could
// come back after a kill. Each protocol whose clients can delete is a row, and each way to the gateway.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { SessionStore, StoredLog } from '../../src/core/contract/store/session-store.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { textOf } from '../support/telling.ts';

/** The frames by which a client deletes session `s`, and the beginning of the answer. */
interface Deleting {
  readonly greeting?: readonly object[];
  /** The gateway has taken the greeting. */
  readonly greeted?: RegExp;
  readonly frame: object;
  readonly told: RegExp;
  readonly refused: RegExp;
  /** A connection that belongs to one session cannot delete it. */
  readonly isNeverBound?: true;
}

const eca = { processId: null, capabilities: {}, workspaceFolders: [] };
const acp = { protocolVersion: 1, clientCapabilities: {} };
const rpc = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });

const deleters: Readonly<Record<string, Deleting>> = {
  acp: {
    greeting: [rpc(1, 'initialize', acp)],
    greeted: /"id":1,"result"/u,
    frame: rpc(2, 'session/delete', { sessionId: 's' }),
    told: /"id":2,"result"/u,
    refused: /"id":2,"error"/u,
    isNeverBound: true,
  },
  canonical: {
    frame: { id: 2, session: 's', command: { type: 'delete-session' } },
    told: /"id":2,"outcome":\{"ok":true/u,
    refused: /"id":2,"outcome":\{"ok":false/u,
  },
  eca: {
    greeting: [rpc(1, 'initialize', eca)],
    greeted: /"id":1,"result"/u,
    frame: rpc(2, 'chat/delete', { chatId: 's' }),
    told: /"id":2,"result"/u,
    refused: /"id":2,"error"/u,
  },
  'pi-server': {
    frame: { id: 'two', type: 'delete_session', sessionId: 's' },
    told: /"id":"two".*"success":true/u,
    refused: /"id":"two".*"success":false/u,
  },
};

const gateways: Gateway[] = [];
afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.close('the test is over');
});

/** A gateway on a store that forgets nothing before it is told to. */
async function holding() {
  const store = createMemoryStore();
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let forget = () => {};
  let fail = (_problem: Error) => {};
  const held = new Promise<void>((resolve, reject) => {
    forget = resolve;
    fail = reject;
  });
  const holds = (log: StoredLog): StoredLog => {
    const remove = log.remove.bind(log);
    log.remove = async () => {
      asked();
      await held;
      await remove();
    };
    return log;
  };
  const slow: SessionStore = { ...store, create: async (...made) => holds(await store.create(...made)) };
  const gateway = createGateway(parseConfig({}), { log: () => {}, store: slow });
  gateways.push(gateway);
  gateway.board.createSession({ id: 's' }, owner);
  await new Promise<void>((resolve) => void gateway.board.whenKept?.('s', owner)?.then(resolve));
  const isStored = async () => (await store.list(null, 9)).some(({ session }) => session === 's');
  return { gateway, isAsked, forget: () => forget(), fail: (problem: Error) => fail(problem), isStored };
}

/** What one client has heard. */
function hearing() {
  const heard: string[] = [];
  const watchers = new Set<() => void>();
  return {
    heard,
    hear(text: string) {
      heard.push(text);
      for (const watcher of watchers) watcher();
    },
    until: (words: RegExp) =>
      within(
        String(words),
        watchers,
        () => heard.find((text) => words.test(text)),
        () => heard.join('\n'),
      ),
  };
}

function connect(gateway: Gateway, frontend: string, session?: string) {
  const client = hearing();
  const [near, far] = memoryPair();
  far.open({ frame: ({ text }) => client.hear(text), fault() {}, end: () => client.hear('the end') });
  gateway.board.connect(near, { frontend, options: {}, principal: owner, ...(session && { session }) });
  return { ...client, send: (frame: object) => void far.send(JSON.stringify(frame)) };
}

function post(gateway: Gateway, frontend: string) {
  const client = hearing();
  const request = { frontend, session: 's', options: {}, principal: owner };
  const reader = gateway.board.stream(request, null);
  reader.onReadable = () => {
    for (let entries = reader.read(1 << 20); entries.length > 0; entries = reader.read(1 << 20))
      for (const entry of entries) client.hear(entry.kind === 'frame' ? textOf(entry.out) : entry.kind);
  };
  reader.onReadable();
  const send = (frame: object) => void gateway.board.post(request, [createFrame(Buffer.from(JSON.stringify(frame)))]);
  return { ...client, send };
}

const ways = [
  ['over a connection with many sessions', connect],
  [
    'over a connection that belongs to the session',
    (gateway: Gateway, frontend: string) => connect(gateway, frontend, 's'),
  ],
  ['by a post to the session', post],
] as const;
const rows = Object.entries(deleters).flatMap(([frontend, how]) =>
  ways.flatMap(([way, start]) => (how.isNeverBound && start !== connect ? [] : [{ frontend, way, start, ...how }])),
);

async function asked(start: (typeof rows)[number]) {
  const rig = await holding();
  const client = start.start(rig.gateway, start.frontend);
  for (const frame of start.greeting ?? []) client.send(frame);
  if (start.greeted !== undefined) await client.until(start.greeted);
  client.send(start.frame);
  await rig.isAsked;
  // Whatever could be told without the store has been told by now.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
  const early = client.heard.filter((text) => start.told.test(text) || start.refused.test(text));
  return { ...rig, client, early };
}

describe.each(rows)('$frontend $way', (row) => {
  test('is told of the deletion once the store has forgotten the session', async () => {
    const { client, early, isStored, forget, gateway } = await asked(row);
    expect([early, await isStored()]).toEqual([[], true]);
    forget();
    await client.until(row.told);
    expect(await isStored()).toBe(false);
    expect(gateway.board.sessions(owner).map(({ id }) => id)).not.toContain('s');
  });

  test('is refused if the store cannot forget the session, which can be opened again', async () => {
    const { client, fail, isStored, gateway } = await asked(row);
    fail(new Error('EIO'));
    await client.until(row.refused);
    expect(await isStored()).toBe(true);
    expect(gateway.board.sessions(owner).map(({ id }) => id)).not.toContain('s');
  });
});

test('DELETE waits for the store as well, and a second deletion for the first', async () => {
  const { gateway, isAsked, forget } = await holding();
  const told: string[] = [];
  const both = ['first', 'second'].map((name) => gateway.board.closeSession('s', owner).then(() => told.push(name)));
  await isAsked;
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);
  expect(gateway.board.sessions(owner)).toMatchObject([{ id: 's' }]);
  forget();
  await Promise.all(both);
  expect(gateway.board.sessions(owner)).toEqual([]);
});

test('the rows are all protocols whose clients can delete', () => {
  const adapters = fileURLToPath(new URL('../../src/adapters/', import.meta.url));
  const naming = readdirSync(adapters, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/frontend\/.*\.ts$/u.test(file))
    .filter((file) => readFileSync(`${adapters}${file}`, 'utf8').includes("'delete-session'"))
    .map((file) => file.split('/', 1).join(''));
  // The clients of the model itself can give every command.
  expect([...new Set([...naming, 'canonical'])].sort()).toEqual(Object.keys(deleters).sort());
});
