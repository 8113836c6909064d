// The requests of RpcMessage over real WebSockets: one client, two on one session, queries that are refused, interrupted, or
// lose their agent. Also docs/guides/claude-rpc-message.md, whose program runs as it stands.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { faultsIn } from '../support/judged.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A pi that refuses whatever it is asked. */
const refusing = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, type } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ id, type: 'response', command: type, success: false, error: 'I cannot ' + type }) + '\\n');
  });`;

const token = 'let-me-in';
let gateway: Gateway;
let server: Listening;
beforeAll(async () => {
  const agents = { refusing: { protocol: 'pi', command: [process.execPath, '-e', refusing] } };
  gateway = createGateway(parseConfig({ agents, defaultAgent: 'demo' }), { log: () => {} });
  server = await listen({ board: gateway.board, token });
});
afterAll(async () => {
  gateway.close('the test is over');
  await server.close();
});

const Heard = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  data: z.looseObject({ type: z.string() }).optional(),
  result: z.unknown().optional(),
  /** A bare assistant message may have a word of its own here. */
  error: z.looseObject({ message: z.string() }).nullish().catch(undefined),
});
type Heard = z.infer<typeof Heard>;

type Call = Readonly<{ id: string; method: string; params: unknown }>;

interface Client {
  readonly calls: Call[];
  readonly frames: Heard[];
  /** The number of the WebSocket's close frame, when it has come. */
  closed(): Promise<number>;
  /** Sends a request and gives its id. */
  call(method: string, params?: unknown): string;
  send(frame: unknown): void;
  waitFor(label: string, fits: (frame: Heard) => boolean): Promise<Heard>;
  /** How a request ended: its result, its error, or `complete`. */
  end(id: string): Promise<Heard>;
  close(): void;
}

const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function connect(where: { session?: string; agent?: string } = {}): Promise<Client> {
  const query = new URLSearchParams(where).toString();
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/rpc-message/ws?${query}`, [`bearer.${token}`]);
  const frames: Heard[] = [];
  const calls: Call[] = [];
  const watchers = new Set<() => void>();
  let code: number | undefined;
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  socket.on('message', (data) => {
    frames.push(Heard.parse(JSON.parse(data.toString())));
    wake();
  });
  socket.on('close', (number) => {
    code = number;
    wake();
  });
  await once(socket, 'open');
  const waitFor = (label: string, fits: (frame: Heard) => boolean) =>
    within(
      label,
      watchers,
      () => frames.find(fits),
      () => `; heard ${JSON.stringify(frames.slice(-3))}`,
    );
  const client: Client = {
    calls,
    frames,
    waitFor,
    closed: () => within('the end of the connection', watchers, () => code),
    call(method, params) {
      const id = `req-${calls.length + 1}`;
      calls.push({ id, method, params });
      client.send({ id, method, params });
      return id;
    },
    send: (frame) => socket.send(JSON.stringify(frame)),
    end: (id) => waitFor(`the end of ${id}`, (frame) => frame.id === id && frame.type !== 'stream'),
    close: () => socket.terminate(),
  };
  clients.push(client);
  return client;
}

const newSession = (agent = 'demo') => gateway.board.createSession({ agent }, owner).id;
const isStream = (id: string, type: string) => (frame: Heard) => frame.id === id && frame.data?.type === type;
const faultsOf = ({ calls, frames }: Client) => faultsIn('rpc-message', frames, true, calls);

/** The types of the messages without an envelope; an assistant message has an id of its own. */
function bareIn({ frames, calls }: Client): (string | undefined)[] {
  const ids = new Set<string | undefined>(calls.map(({ id }) => id));
  return frames.filter(({ id }) => !ids.has(id)).map(({ type }) => type);
}

const resultOf = ({ frames }: Client, id: string) => frames.find(isStream(id, 'result'))?.data;

describe('one client', () => {
  test('connects, asks, looks back and goes', async () => {
    const session = newSession();
    const client = await connect({ session });
    expect((await client.end(client.call('connect', { model: 'any' }))).result).toMatchObject({
      sessionId: session,
      provider: 'claude',
      status: 'connected',
      capabilities: { canInterrupt: true, canSwitchPermissionMode: true, supportedPermissionModes: expect.anything() },
    });
    const first = client.call('query', { message: 'think tool' });
    expect(await client.end(first)).toEqual({ id: first, type: 'complete' });
    const content = [
      { type: 'text', text: 'image' },
      { type: 'image', source: { type: 'url', url: 'https://a.example' } },
    ];
    expect(await client.end(client.call('queryWithContent', { content }))).toMatchObject({ type: 'complete' });
    expect((await client.end(client.call('setPermissionMode', { mode: 'plan' }))).result).toEqual({
      mode: 'plan',
      success: true,
    });
    expect((await client.end(client.call('setModel', 'demo-large'))).result).toMatchObject({ model: 'demo-large' });
    expect((await client.end(client.call('setModel', 'no-such-model'))).error?.message).toContain('no-such-model');
    const { result } = await client.end(client.call('getHistory'));
    const types = z.object({ messages: z.array(z.looseObject({ type: z.string() })) }).parse(result).messages;
    expect(types.map(({ type }) => type).filter((type) => type === 'user').length).toBeGreaterThan(2);
    expect((await client.end(client.call('disconnect'))).result).toEqual({ status: 'disconnected' });
    expect(await client.closed()).toBe(1000);
    expect(faultsOf(client)).toEqual([]);
    expect(bareIn(client)).toEqual([]);
  });

  test('asks again while it is answered: the second waits for the first', async () => {
    const client = await connect();
    const ids = [client.call('query', { message: 'think' }), client.call('query', { message: 'tool' })];
    await Promise.all(ids.map(client.end));
    expect(faultsOf(client)).toEqual([]);
    const ofQueries = client.frames.map(({ id }) => id).filter((id) => id !== undefined);
    expect([...new Set(ofQueries)]).toEqual(ids);
    expect(ofQueries).toEqual([...ofQueries].sort());
  });

  test('interrupts itself, and asks again', async () => {
    const client = await connect();
    const asked = client.call('query', { message: 'hang' });
    await client.waitFor('the first words', isStream(asked, 'stream_event'));
    expect((await client.end(client.call('interrupt'))).result).toEqual({ status: 'interrupted' });
    await client.end(asked);
    expect(resultOf(client, asked)).toMatchObject({ is_error: true });
    await client.end(client.call('query', { message: 'hello' }));
    expect(faultsOf(client)).toEqual([]);
  });

  test('loses its agent: the query ends all the same', async () => {
    const client = await connect();
    const asked = client.call('query', { message: 'die' });
    expect(await client.end(asked)).toMatchObject({ type: 'complete' });
    expect(resultOf(client, asked)).toMatchObject({ is_error: true });
    expect(faultsOf(client)).toEqual([]);
  });

  test('is refused by an agent that can do nothing', async () => {
    const client = await connect({ agent: 'refusing' });
    expect((await client.end(client.call('connect'))).result).toMatchObject({ status: 'connected' });
    expect((await client.end(client.call('setModel', 'a/b'))).error?.message).toMatch(/cannot|model/u);
    expect((await client.end(client.call('query', { message: 'hello' }))).error?.message).toContain('I cannot prompt');
    expect((await client.end(client.call('setPermissionMode', { mode: 'plan' }))).error?.message).not.toBe('');
    expect(faultsOf(client)).toEqual([]);
    expect(bareIn(client)).toEqual([]);
  });

  test('writes nonsense and is told so, in its envelope where it has one', async () => {
    const client = await connect();
    client.call('nonsense');
    client.call('query', 'Hello.');
    client.send({ method: 'query', params: { message: 'x' } });
    client.send('neither');
    await client.waitFor('a bare error', ({ type, id }) => type === 'error' && id === undefined);
    expect(client.frames.slice(0, 3)).toMatchObject([
      { id: 'req-1', error: { message: expect.stringContaining('unknown method') } },
      { id: 'req-2', error: { message: expect.stringContaining('bad params') } },
      { id: '', error: { message: expect.stringContaining('id: ') } },
    ]);
    await client.end(client.call('query', { message: 'hello' }));
    const heard = client.frames.filter(({ id }) => id !== '');
    expect(faultsIn('rpc-message', heard.slice(2), true, client.calls.slice(2))).toEqual([]);
  });

  test('that knows no envelope is told bare messages', async () => {
    const client = await connect();
    client.send({ type: 'user', message: { content: [{ type: 'text', text: 'hello' }] } });
    await client.waitFor('a bare result', ({ type }) => type === 'result');
    expect(client.frames.filter(({ id, type }) => type !== 'assistant' && id !== undefined)).toEqual([]);
    expect(faultsOf(client)).toEqual([]);
  });
});

describe('two clients on one session', () => {
  test('each has its own queries in envelopes, and the other’s bare', async () => {
    const session = newSession();
    const [one, two] = [await connect({ session }), await connect({ session })];
    const first = one.call('query', { message: 'think tool' });
    const second = two.call('query', { message: 'hello' });
    const third = one.call('query', { message: 'tool' });
    await Promise.all([one.end(first), two.end(second), one.end(third)]);
    const isResult = ({ type, data }: Heard) => type === 'result' || data?.type === 'result';
    for (const client of [one, two]) {
      await client.waitFor('the third result', () => client.frames.filter(isResult).length === 3);
    }
    expect(faultsOf(one)).toEqual([]);
    expect(faultsOf(two)).toEqual([]);
    const bare = (client: Client) => bareIn(client).filter((type) => type === 'result').length;
    expect([bare(one), bare(two)]).toEqual([1, 2]);
  });

  test('the one that goes leaves the other in peace', async () => {
    const session = newSession();
    const [one, two] = [await connect({ session }), await connect({ session })];
    const asked = two.call('query', { message: 'hang' });
    await one.waitFor('what the other asked for', ({ type }) => type === 'stream_event');
    await one.end(one.call('disconnect'));
    expect(await one.closed()).toBe(1000);
    await two.end(two.call('interrupt'));
    await two.end(asked);
    expect(faultsOf(two)).toEqual([]);
  });
});

describe('the guide', () => {
  const guide = readFileSync(join(root, 'docs/guides/claude-rpc-message.md'), 'utf8');
  const fence = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'u').exec(guide)?.[1] ?? '';
  // Inside the project, so that the packages are found.
  const folder = mkdtempSync(join(root, 'node_modules', '.guide-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('its program runs', async () => {
    const file = join(folder, 'guide.mjs');
    writeFileSync(file, fence('js').replaceAll('127.0.0.1:8137', new URL(server.url).host));
    const printed = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [file], { timeout: 15_000 }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      });
    });
    expect(printed).toMatch(/^connected default .*\n[\s\S]*hello[\s\S]*\nuser assistant\n$/iu);
  });

  test('its command starts what the program connects to', () => {
    expect(fence('sh')).toBe('PATCHBAY_TOKEN=let-me-in npx patchbay serve --agent demo --port 8137\n');
  });
});
