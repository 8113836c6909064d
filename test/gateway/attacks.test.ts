// The attacks of the threats page with small bounds, at a whole gateway on the network: each attacker is told, and a
// session next door streams on. `npm run attacks` does the same at full size (docs/endurance.md).
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { parseConfig } from '../../src/config/config.ts';
import { mostFaults } from '../../src/core/link/fault-limit.ts';
import { mostLines } from '../../src/gateway/clients/line-limit.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

const kibibyte = 1024;
const deltas = 300;

/** A client of the Claude frontend. */
async function dial(url: string, token: string, session: string) {
  const address = `${url.replace('http', 'ws')}/v1/claude/ws?session=${session}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  let ended = 0;
  let text = '';
  let wake = () => {};
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)]);
  const results: { is_error: boolean; errors?: string[] }[] = [];
  socket.on('message', (data) => {
    for (const line of String(data).split('\n').filter(Boolean)) {
      const frame = JSON.parse(line);
      if (frame.type === 'result') results.push(frame);
      text += frame.event?.delta?.text ?? '';
    }
    wake();
  });
  await once(socket, 'open');
  return {
    socket,
    closed,
    text: () => text,
    prompt: (content: string) => socket.send(JSON.stringify({ type: 'user', message: { role: 'user', content } })),
    /** The next result. */
    async result() {
      while (results.length === ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      ended += 1;
      return results[ended - 1];
    },
  };
}

/** A gateway with low limits, and a neighbour in the middle of a run. */
async function world() {
  const rows: unknown[][] = [];
  const limits = { transcriptBytes: 64 * kibibyte };
  const agents = { fast: { protocol: 'demo', options: { paceMs: 0 } } };
  const config = parseConfig({ agents, limits, defaultAgent: 'fast' });
  const gateway = createGateway(config, { log: (...row) => void rows.push(row) });
  disposals.push(() => gateway.close('the test is over'));
  // Two of the places are for connections without a token.
  const server = await listen({ board: gateway.board, connections: { connections: 8 } });
  disposals.push(() => server.close());
  const { url, port, token = '' } = server;
  const headers = { authorization: `Bearer ${token}` };
  async function open(session: string, agent?: string) {
    const made = await fetch(`${url}/v1/sessions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ id: session, agent }),
    });
    expect(made.status).toBe(201);
    const client = await dial(url, token, session);
    disposals.push(() => client.socket.terminate());
    return client;
  }
  const neighbour = await open('neighbour', 'demo');
  neighbour.prompt(`long ${deltas}`);
  return {
    url,
    port,
    headers,
    rows,
    open,
    join: (session: string) => dial(url, token, session),
    post: (session: string, body: string) =>
      fetch(`${url}/v1/claude/sessions/${session}/frames`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        body,
      }),
    /** The neighbour hears its whole run, each delta once and in order. */
    async others() {
      expect(await neighbour.result()).toMatchObject({ is_error: false });
      expect(neighbour.text()).toBe(Array.from({ length: deltas }, (_, at) => `${at + 1} `).join(''));
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  };
}

const tooMuch = { is_error: true, errors: [expect.stringContaining('transcriptBytes')] };

test('R1: a block without end, and a reader that does not read', async () => {
  const { open, join, others } = await world();
  const attacker = await open('s');
  const stalled = await join('s');
  stalled.socket.pause();
  attacker.prompt('text 200000');
  expect(await attacker.result()).toMatchObject(tooMuch);
  stalled.socket.resume();
  expect(await stalled.result()).toMatchObject(tooMuch);
  stalled.socket.terminate();
  await others();
});

test('R2: more text than a session may keep, and clients that come late', async () => {
  const { open, join, others } = await world();
  const attacker = await open('s');
  attacker.prompt('text 20000');
  expect(await attacker.result()).toMatchObject({ is_error: false });
  attacker.prompt('text 20000');
  expect(await attacker.result()).toMatchObject(tooMuch);
  const late = await join('s');
  late.prompt('hello');
  // The results of the conversation so far come first.
  const told = [await late.result(), await late.result(), await late.result()];
  expect(told).toEqual([{ is_error: false }, tooMuch, tooMuch].map((result) => expect.objectContaining(result)));
  late.socket.terminate();
  await others();
});

test('R3: a post and messages of too many frames are refused before the first frame', async () => {
  const { open, post, others } = await world();
  const attacker = await open('s');
  const answer = await post('s', '1\n'.repeat(2000));
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('more than 1024 frames')]);
  for (let sent = 0; sent <= mostFaults; sent += 1) attacker.socket.send('1\n'.repeat(2000));
  expect(await attacker.closed).toEqual([4400, expect.stringContaining('bad frames')]);
  await others();
});

test('R6: silent connections without a token, five times as many as there are places', async () => {
  const { url, port, headers, others } = await world();
  const half = 'GET /v1/sessions HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ';
  const sockets = Array.from({ length: 40 }, (_, at) => {
    const socket = connect(port, '127.0.0.1', () => void (at % 2 === 0 || socket.write(half)));
    return socket.on('error', () => {}).setEncoding('latin1');
  });
  // Two have places until their headers are late. The others are sent away for those who come after them.
  const told = sockets.slice(0, 38).map(async (socket) => {
    const [head] = await once(socket, 'data');
    return String(head).slice(0, 12);
  });
  disposals.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : null)));
  expect((await fetch(`${url}/v1/sessions`, { headers })).status).toBe(200);
  expect(new Set(await Promise.all(told))).toEqual(new Set(['HTTP/1.1 503']));
  await others();
});

test('R7: bad frames without end fill no log', async () => {
  const { open, post, rows, others } = await world();
  await open('s');
  for (let posts = 0; posts < 20; posts += 1) expect((await post('s', '1\n'.repeat(1000))).status).toBe(400);
  expect(rows.filter(([level]) => level === 'warn')).toHaveLength(mostLines);
  await others();
});
