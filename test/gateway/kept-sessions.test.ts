// A gateway on a store of sessions, and the gateway after it: the sessions of the first are there for the clients of the
// second, under their ids, from the cursor on.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner, type Principal } from '../../src/core/contract/principal.ts';
import type { Entry, Reader } from '../../src/core/contract/reader.ts';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import { messageOf } from '../../src/core/model/errors.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import { createApp } from '../../src/transports/http/app.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { freshJournal, segmentsIn } from '../stores/journal/journal-rig.ts';
import { textOf } from '../support/telling.ts';

const gateways: Gateway[] = [];
afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.close('the test is over');
});

function start(store: SessionStore | undefined, config: object = {}) {
  const logged: string[] = [];
  const log = (_level: string, text: string) => void logged.push(text);
  const gateway = createGateway(parseConfig(config), { log, ...(store && { store }) });
  gateways.push(gateway);
  const { board } = gateway;
  const app = createApp({ board, connections: { obstacles: () => [] }, streams: new Set() });
  return {
    gateway,
    board,
    logged,
    get: (path: string) => app.request(path, {}, { principal: owner }),
    request: (path: string, init: RequestInit) => app.request(path, init, { principal: owner }),
    read: (frontend: string, session: string, cursor: string | null) =>
      board.stream({ frontend, session, options: {}, principal: owner }, cursor),
    prompt: (session: string, message: string) =>
      app.request(
        `/v1/pi/sessions/${session}/frames`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'prompt', message }),
        },
        { principal: owner },
      ),
  };
}

const isFrame = (entry: Entry) => entry.kind === 'frame';
const said = (entries: readonly Entry[]) =>
  entries.map((entry) => (entry.kind === 'frame' ? [textOf(entry.out), entry.cursor] : entry));

/** Reads until a frame has that text in it. */
function until(reader: Reader, text: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  return new Promise((resolve) => {
    reader.onReadable = () => {
      for (let more = reader.read(1 << 20); more.length > 0; more = reader.read(1 << 20)) entries.push(...more);
      if (entries.some((entry) => entry.kind === 'frame' && textOf(entry.out).includes(text))) resolve(entries);
    };
    reader.onReadable();
  });
}

describe('a second gateway on the same store', () => {
  test('has the session, its conversation and its cursors, whatever the dialect', async () => {
    const store = createMemoryStore();
    const first = start(store);
    first.board.createSession({ id: 's' }, owner);
    const dialects = ['pi', 'claude', 'rpc-message', 'eca', 'pi-legacy'];
    const readers = dialects.map((frontend) => [frontend, first.read(frontend, 's', null)] as const);
    const pi = first.read('pi', 's', null);
    await first.prompt('s', 'hello there');
    await until(pi, '"agent_end"');
    const before = readers.map(([frontend, reader]) => [frontend, reader.read(1 << 24)] as const);
    // The process is killed.
    await store.close();

    const second = start(store);
    expect(second.board.sessions(owner)).toEqual([]);
    const list = await second.get('/v1/sessions');
    const stored = { id: 's', agent: 'demo', state: 'stored', firstWords: 'hello there' };
    expect(await list.json()).toMatchObject({ sessions: [stored] });
    const response = await second.get('/v1/sessions/s');
    expect([response.status, await response.json()]).toMatchObject([200, { id: 's', agent: 'demo', state: 'idle' }]);
    for (const [frontend, entries] of before) {
      expect(entries.filter(isFrame).length, frontend).toBeGreaterThan(3);
      const middle = entries[Math.floor(entries.length / 3)];
      if (middle?.kind !== 'frame') throw new Error('a frame was expected');
      const again = second.read(frontend, 's', middle.cursor).read(1 << 24);
      // Answers to commands are not kept; the conversation is.
      const later = entries.slice(entries.indexOf(middle) + 1);
      const isAnswer = (entry: Entry) =>
        entry.kind === 'frame' && /"type":"(response|command_)/u.test(textOf(entry.out));
      expect(said(again), frontend).toEqual(said(later.filter((entry) => !isAnswer(entry))));
    }
    // And the session goes on.
    const last = before[0]?.[1].at(-1);
    const next = second.read('pi', 's', last?.kind === 'frame' ? last.cursor : null);
    expect((await second.prompt('s', 'and again')).status).toBe(202);
    const entries = await until(next, '"agent_end"');
    expect(entries.every(isFrame)).toBe(true);
  });

  test('has nothing of a session that was deleted, and all of one that was open at the shutdown', async () => {
    const store = createMemoryStore();
    const first = start(store);
    for (const id of ['deleted', 'open']) first.board.createSession({ id }, owner);
    void first.board.closeSession('deleted', owner);
    first.gateway.close('shutting down');
    // What is asked of a store is done in the turns after.
    await new Promise((resolve) => setImmediate(resolve));
    const second = start(store);
    expect((await second.get('/v1/sessions/open')).status).toBe(200);
    expect((await second.get('/v1/sessions/deleted')).status).toBe(404);
    expect((await second.get('/v1/sessions/never')).status).toBe(404);
  });

  test('does not open a session under the id of a stored one', async () => {
    const store = createMemoryStore();
    start(store).board.createSession({ id: 's' }, owner);
    await new Promise((resolve) => setImmediate(resolve));
    await store.close();
    const created = await start(store).request('/v1/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 's' }),
    });
    expect(created.status).toBe(409);
  });

  test('leaves a session alone that the first one still owns', async () => {
    const store = createMemoryStore();
    start(store).board.createSession({ id: 's' }, owner);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await start(store).get('/v1/sessions/s')).status).toBe(409);
  });

  test('brings a session back once, however many ask at the same time', async () => {
    const store = createMemoryStore();
    start(store).board.createSession({ id: 's' }, owner);
    await new Promise((resolve) => setImmediate(resolve));
    await store.close();
    const second = start(store);
    const answers = await Promise.all([1, 2, 3].map(() => second.get('/v1/sessions/s')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(second.board.sessions(owner)).toHaveLength(1);
  });
});

test('a command that is repeated after a restart has its outcome of before, and is not carried out again', async () => {
  const store = createMemoryStore();
  const send = (board: ReturnType<typeof start>, frame: object) =>
    board.request('/v1/pi-server/sessions/s/frames', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(frame),
    });
  const command = { id: 'c1', type: 'set_session_name', sessionId: 's', name: 'first' };
  const first = start(store);
  first.board.createSession({ id: 's' }, owner);
  const reader = first.read('pi-server', 's', null);
  await send(first, command);
  const answer = await until(reader, '"id":"c1"');
  await store.close();

  const second = start(store);
  await second.get('/v1/sessions/s');
  const again = second.read('pi-server', 's', null);
  await send(second, command);
  const repeated = await until(again, '"type":"response"');
  const responseIn = (entries: readonly Entry[]) =>
    entries
      .flatMap((entry) => (entry.kind === 'frame' ? [JSON.parse(textOf(entry.out))] : []))
      .find(({ type }) => type === 'response');
  expect(responseIn(repeated)).toEqual({ ...responseIn(answer), replayed: true });
});

test('a connection that carries many sessions finds a stored one, and its commands keep their order', async () => {
  const store = createMemoryStore();
  const first = start(store);
  first.board.createSession({ id: 's' }, owner);
  await first.prompt('s', 'hello there');
  await until(first.read('pi', 's', null), '"agent_end"');
  await store.close();

  const second = start(store);
  const [near, far] = memoryPair();
  const heard: { type: string; id?: string; data?: unknown }[] = [];
  const answered = new Promise<void>((resolve) => {
    far.open({
      frame({ text }) {
        heard.push(JSON.parse(text));
        if (heard.filter(({ type }) => type === 'response').length === 2) resolve();
      },
      fault: () => {},
      end: () => {},
    });
  });
  second.board.connect(near, { frontend: 'pi-server', options: {}, principal: owner });
  far.send(JSON.stringify({ id: 'a', type: 'get_messages', sessionId: 's' }));
  far.send(JSON.stringify({ id: 'b', type: 'list_sessions' }));
  await answered;
  const responses = heard.filter(({ type }) => type === 'response');
  expect(responses.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(JSON.stringify(responses[0])).toContain('hello there');
  expect(JSON.stringify(responses[1])).toContain('"s"');
});

test('what was posted under a key before a restart is not taken again', async () => {
  const store = createMemoryStore();
  const post = (board: ReturnType<typeof start>, message: string) =>
    board.request('/v1/pi/sessions/s/frames', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify({ type: 'prompt', message }),
    });
  const first = start(store);
  first.board.createSession({ id: 's' }, owner);
  expect((await post(first, 'hello there')).status).toBe(202);
  await until(first.read('pi', 's', null), '"agent_end"');
  await store.close();

  const second = start(store);
  expect((await post(second, 'hello there')).status).toBe(202);
  const answer = await second.get('/v1/sessions/s');
  expect(await answer.json()).toMatchObject({ state: 'idle' });
  expect((await post(second, 'something else')).status).toBe(409);
});

describe('a session that is kept', () => {
  const storedIn = async (store: ReturnType<typeof createMemoryStore>) => {
    await new Promise((resolve) => setImmediate(resolve));
    return (await store.list(null, 10)).map(({ session }) => session).filter((id) => !id.startsWith('ledger'));
  };

  test('stays in the store when there is no room to open it, and is opened when there is', async () => {
    const store = createMemoryStore();
    const first = start(store);
    first.board.createSession({ id: 's' }, owner);
    first.gateway.close('shutting down');
    await storedIn(store);
    const second = start(store, { limits: { sessions: 1 } });
    second.board.createSession({ id: 'other' }, owner);
    expect((await second.get('/v1/sessions/s')).status).toBe(429);
    expect(await storedIn(store)).toContain('s');
    void second.board.closeSession('other', owner);
    expect((await second.get('/v1/sessions/s')).status).toBe(200);
  });

  test('sends its clients away at a shutdown, and says that it is over when it is deleted', async () => {
    const store = createMemoryStore();
    const { board, gateway, read } = start(store);
    const ends = ['kept', 'deleted'].map((id) => {
      board.createSession({ id }, owner);
      return read('pi', id, null);
    });
    for (const reader of ends) reader.read(1 << 20);
    void board.closeSession('deleted', owner);
    gateway.close('shutting down');
    expect(ends.map((reader) => reader.read(1 << 20).at(-1)?.kind)).toEqual(['away', 'closed']);
    expect(await storedIn(store)).toEqual(['kept']);
  });

  test('is over for its clients at a shutdown if there is no store', () => {
    const { board, gateway, read } = start(undefined);
    board.createSession({ id: 's' }, owner);
    const reader = read('pi', 's', null);
    reader.read(1 << 20);
    gateway.close('shutting down');
    expect(reader.read(1 << 20).at(-1)?.kind).toBe('closed');
  });
});

test('a session whose records are damaged in the middle is shown up to there, takes no work, and is the only one', async () => {
  const before = await freshJournal();
  const first = start(before.journal);
  for (const id of ['damaged', 'whole']) {
    first.board.createSession({ id }, owner);
    await first.prompt(id, 'hello there');
    await until(first.read('pi', id, null), '"agent_end"');
    await first.prompt(id, 'and again');
    await until(first.read('pi', id, null), 'and again');
  }
  await first.gateway.close('shutting down');
  await before.journal.close();
  const [segment = ''] = segmentsIn(before.folder, 'damaged');
  const text = readFileSync(segment, 'utf8');
  writeFileSync(segment, text.replace('"text":"and again"', '"text":"and aga1n"'));

  const after = await freshJournal({ folder: before.folder });
  try {
    const second = start(after.journal);
    expect((await second.get('/v1/sessions/damaged')).status).toBe(200);
    const shown = await until(second.read('pi', 'damaged', null), 'hello there');
    expect(JSON.stringify(said(shown))).not.toContain('aga1n');
    const reader = second.read('pi', 'damaged', null);
    await second.prompt('damaged', 'more');
    const refused = await until(reader, '"type":"response"');
    expect(textOf((refused.findLast(isFrame) as Extract<Entry, { kind: 'frame' }>).out)).toMatch(
      /"success":false.*cannot be read/u,
    );
    await second.prompt('whole', 'more');
    await until(second.read('pi', 'whole', null), '"text":"more"');
    await second.gateway.close('shutting down');
    await after.journal.close();
    expect(readFileSync(segment, 'utf8')).toContain('aga1n');
  } finally {
    await after.dispose();
  }
});

test('a session is out of reach for other principals after a restart too, by every way', async () => {
  const ann: Principal = { name: 'ann', role: 'controller', agents: null, sessions: 'own' };
  const bob: Principal = { ...ann, name: 'bob' };
  const store = createMemoryStore();
  const first = start(store);
  first.board.createSession({ id: 's' }, ann);
  await first.prompt('s', 'hello there');
  await store.close();

  const { board } = start(store);
  const app = createApp({ board, connections: { obstacles: () => [] }, streams: new Set() });
  const ask = (principal: Principal, path: string, init: RequestInit = {}) => app.request(path, init, { principal });
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"type":"get_state"}' };
  for (const [path, init] of [
    ['/v1/sessions/s', {}],
    ['/v1/pi/sessions/s/events', {}],
    ['/v1/pi/sessions/s/frames', post],
    ['/v1/sessions/s', { method: 'DELETE' }],
  ] as const)
    expect((await ask(bob, path, init)).status, path).toBe(404);
  const listed = async (principal: Principal) => (await ask(principal, '/v1/sessions')).json();
  expect([await listed(bob), await listed(ann)]).toMatchObject([{ sessions: [] }, { sessions: [{ id: 's' }] }]);
  expect((await ask(ann, '/v1/pi/sessions/s/frames', post)).status).toBe(202);
});

test('an answer to a question of before a restart allows nothing', async () => {
  const store = createMemoryStore();
  const first = start(store);
  first.board.createSession({ id: 's' }, owner);
  await first.prompt('s', 'ask');
  const asked = await until(first.read('claude', 's', null), '"can_use_tool"');
  const question = asked.flatMap((entry) => (entry.kind === 'frame' ? [JSON.parse(textOf(entry.out))] : []));
  const { request_id } = question.find(({ type }) => type === 'control_request');
  await store.close();

  const second = start(store);
  await second.get('/v1/sessions/s');
  const reader = second.read('claude', 's', null);
  const response = { subtype: 'success', request_id, response: { behavior: 'allow', updatedInput: {} } };
  const late = await second.request('/v1/claude/sessions/s/frames', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'control_response', response }),
  });
  expect(late.status).toBeLessThan(500);
  await second.prompt('s', 'hello');
  const heard = JSON.stringify(said(await until(reader, '"subtype":"success"')));
  expect(heard.match(/tool_result.{0,200}/gu)).toEqual([
    expect.stringContaining('interrupted: the gateway was restarted during the run'),
  ]);
});

test('a store that cannot remove or give up sessions is logged, and hinders nobody', async () => {
  const store = createMemoryStore();
  const failing: SessionStore = {
    ...store,
    async create(head, logOwner) {
      const fails = () => Promise.reject(new Error('EROFS: read-only file system'));
      return { ...(await store.create(head, logOwner)), append: () => {}, remove: fails, release: fails };
    },
  };
  const { board, gateway, logged } = start(failing);
  for (const id of ['deleted', 'open']) board.createSession({ id }, owner);
  const refusal = board.closeSession('deleted', owner).catch(messageOf);
  await gateway.close('shutting down');
  expect(await refusal).toBe('what is kept of the session could not be deleted');
  await expect
    .poll(() => logged.filter((text) => text.includes('stay')).sort())
    .toEqual(['a session stays with this gateway', 'the records of a deleted session stay']);
});

test('a chat is found again under the id that its editor has chosen, with its conversation', async () => {
  const store = createMemoryStore();
  const chat = (gateway: ReturnType<typeof start>, message: string) => {
    const [near, far] = memoryPair();
    const heard: string[] = [];
    const over = new Promise<string>((resolve) => {
      far.open({
        frame({ text }) {
          heard.push(text);
          if (text.includes('"id":1,')) prompt();
          // What is told again of earlier runs comes before the new prompt.
          if (text.includes('"finished"') && heard.join('').includes(message)) resolve(heard.join('\n'));
        },
        fault: () => {},
        end: () => {},
      });
    });
    gateway.board.connect(near, { frontend: 'eca', options: {}, principal: owner });
    const say = (body: object) => far.send(JSON.stringify({ jsonrpc: '2.0', ...body }));
    const prompt = () => {
      say({ method: 'initialized', params: {} });
      say({ id: 2, method: 'chat/prompt', params: { chatId: 'chat-of-an-editor', message, contexts: [] } });
    };
    say({ id: 1, method: 'initialize', params: { processId: null, workspaceFolders: [], capabilities: {} } });
    return over;
  };
  expect(await chat(start(store), 'hello there')).toContain('chat-of-an-editor');
  await store.close();

  expect(await chat(start(store), 'and again')).toContain('hello there');
  await store.close();
  expect(await chat(start(store), 'once more')).toMatch(/hello there[\s\S]*and again/u);
});
