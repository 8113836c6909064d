// The server around the routes: where it listens, what it limits, how it stops (docs/threats.md T5, T16, T27; docs/faults.md F22).
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { owner, type Principal } from '../../src/core/contract/principal.ts';
import { GatewayError } from '../../src/core/model/errors.ts';
import { type Listening, type ListenOptions, listen } from '../../src/transports/http/server.ts';
import { createTokenCheck, generateToken, tokenHash } from '../../src/transports/http/token.ts';
import { createFakeBoard } from '../support/fake-board.ts';
import { createArrivals } from './support/arrivals.ts';
import { exchange } from './support/raw-http.ts';

/** As they were before the first server. */
const globals = [globalThis.Request, globalThis.Response];
const running: Listening[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start(options: Partial<ListenOptions> = {}) {
  const board = createFakeBoard();
  board.add('s1');
  const server = await listen({ board, ...options });
  running.push(server);
  return { board, server, headers: { authorization: `Bearer ${server.token}` } };
}

describe('where it listens', () => {
  it.each(['127.0.0.1', 'localhost', '::1', '127.0.0.2'])('%s needs no token of yours', async (host) => {
    const { server, headers } = await start({ host });
    const response = await fetch(`${server.url}/v1/agents`, { headers });
    expect(response.status).toBe(200);
  });

  it.each(['0.0.0.0', '::', '', '192.168.1.5', 'example.org', '*', '127.evil.example', '::ffff:127.0.0.1', '127.1'])(
    '%j is refused without a token',
    async (host) => {
      const refusal = await listen({ board: createFakeBoard(), host }).catch((thrown: unknown) => thrown);
      expect(refusal).toBeInstanceOf(GatewayError);
      expect(refusal).toMatchObject({ code: 'invalid', message: expect.stringContaining('set a token') });
    },
  );

  it.each(['0.0.0.0', '::'])('%s with a token, where a client may name the address that it called', async (host) => {
    const { server, headers } = await start({ host, token: 'given-to-the-test' });
    expect((await fetch(`${server.url}/v1/agents`, { headers })).status).toBe(200);
    const call = (address: string, name: string) =>
      exchange(
        server.port,
        ['GET /v1/agents HTTP/1.1', `Host: ${name}:${server.port}`, 'Authorization: Bearer given-to-the-test'],
        '',
        address,
      );
    expect((await call('127.0.0.3', '127.0.0.3')).status).toBe(200);
    for (const name of ['127.0.0.3', '0.0.0.0', '[::]', '::', '192.0.2.1', 'localhost.evil.example']) {
      expect((await call('127.0.0.1', name)).status).toBe(403);
    }
  });

  it.each(['0.0.0.0', '::'])('%s refuses a short token, which could be guessed', async (host) => {
    const refusal = await listen({ board: createFakeBoard(), host, token: 'x'.repeat(15) }).catch((thrown) => thrown);
    expect(refusal).toMatchObject({ code: 'invalid', message: expect.stringContaining('at least 16 characters') });
  });

  it('a port in use is an error with a name', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const refusal = await listen({ board: createFakeBoard(), port }).catch((thrown: unknown) => thrown);
    other.close();
    expect(refusal).toMatchObject({ code: 'busy', message: expect.stringContaining('EADDRINUSE') });
  });
});

describe('the token', () => {
  it('is made of 32 random bytes, another one each time', () => {
    const tokens = Array.from({ length: 100 }, generateToken);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) {
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    }
  });

  it.each(['', ' ', 'a b', 'a\nb', 'é', '\0'])('cannot be %j', async (token) => {
    await expect(listen({ board: createFakeBoard(), token })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is compared whole', () => {
    const holder = createTokenCheck([{ hash: tokenHash('abc'), principal: owner }]);
    const found = ['abc', 'ab', 'abcd', 'ABC', '', 'abc\0'].map((token) => holder(token)?.name ?? null);
    expect(found).toEqual(['owner', null, null, null, null, null]);
  });
});

describe('stopping', () => {
  it('ends streams without a word, closes WebSockets with 1001, and frees the port', async () => {
    const { board, server, headers } = await start();
    const stream = await fetch(`${server.url}/v1/pi/sessions/s1/events`, { headers });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/pi/ws?session=s1`, { headers });
    await board.connections.first(1);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    const stopping = server.close();
    expect(await stream.text()).toBe(': ok\n\nretry: 1000\n\n');
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1001, 'the gateway is shutting down']);
    await stopping;
    await server.close();
    const [refused] = await once(connect(server.port, '127.0.0.1'), 'error');
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('refuses what still comes over connections that are open', async () => {
    const { server } = await start();
    const socket = connect(server.port, '127.0.0.1');
    let answers = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text;
    });
    await once(socket, 'connect');
    // Half of a request keeps the connection from being idle.
    socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`);
    const marker = await exchange(server.port, ['GET /healthz HTTP/1.1', `Host: 127.0.0.1:${server.port}`]);
    expect(marker.status).toBe(200);
    const stopping = server.close();
    socket.write('\r\n');
    await once(socket, 'close');
    await stopping;
    expect(answers).toMatch(/^HTTP\/1\.1 503 /);
    expect(answers).toMatch(/retry-after: 1/i);
    expect(answers).toContain('shutting-down');
  });
});

it('lets go of everything when clients come and go', async () => {
  const { board, server, headers } = await start();
  const session = board.add('busy');
  const ends = createArrivals<true>();
  for (let n = 1; n <= 50; n += 1) {
    const stream = await fetch(`${server.url}/v1/pi/sessions/busy/events`, { headers });
    await stream.body?.cancel();
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/pi/ws?session=busy`, { headers });
    const { channel } = (await board.connections.first(n))[n - 1] ?? {};
    channel?.open({ frame() {}, fault() {}, end: () => ends.add(true) });
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  }
  await ends.first(50);
  // The server hears of a stream's end a moment later than its client; more exchanges come after that.
  for (let n = 0; n < 100 && session.readers.size > 0; n += 1) await fetch(`${server.url}/healthz`);
  expect(session.readers.size).toBe(0);
});

describe('connections (docs/limits.md 7)', () => {
  /** Opens a connection and collects what the server says on it. */
  async function call(port: number, text = '') {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    const gone = new Promise<string>((resolve) => {
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        heard += chunk;
      });
      socket.on('error', () => {}).on('close', () => resolve(heard));
    });
    await once(socket, 'connect');
    socket.write(text);
    return { socket, gone };
  }
  const streamOf = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/v1/pi/sessions/s1/events`, { headers });

  it('silent ones without a token give way, the oldest first, and one with a token is served', async () => {
    const { server, headers } = await start({ connections: { connections: 8 } });
    const silent = [await call(server.port), await call(server.port), await call(server.port)];
    const said = await silent[0]?.gone;
    expect(said).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n.*connection: close\r\n/isu);
    expect((await fetch(`${server.url}/v1/agents`, { headers })).status).toBe(200);
    for (const { socket } of silent) socket.destroy();
  });

  it('beyond the last place: 503 with Retry-After for streams and WebSockets; the reserve answers the rest', async () => {
    const { server, headers } = await start({ connections: { connections: 2, reserve: 4 } });
    const open = [await streamOf(server.url, headers), await streamOf(server.url, headers)];
    const third = await streamOf(server.url, headers);
    expect([third.status, third.headers.get('retry-after'), third.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ]);
    expect(await third.json()).toMatchObject({ error: { code: 'limit', message: expect.stringContaining('(2)') } });
    const upgrade = await exchange(server.port, [
      'GET /v1/pi/ws?session=s1 HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.token}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ]);
    expect([upgrade.status, upgrade.headers.get('retry-after')]).toEqual([503, '1']);
    for (const path of ['/healthz', '/v1/agents', '/v1/sessions']) {
      expect((await fetch(`${server.url}${path}`, { headers })).status).toBe(200);
    }
    await open[0]?.body?.cancel();
    let again = await streamOf(server.url, headers);
    // The server hears of the end of a stream a moment later than its client.
    for (let n = 0; n < 100 && again.status === 503; n += 1) again = await streamOf(server.url, headers);
    expect(again.status).toBe(200);
  });

  it('of one token: 429 beyond its share', async () => {
    const observer: Principal = { name: 'eve', role: 'observer', agents: null, sessions: 'all' };
    const { server, headers } = await start({
      token: 'a-single-token-x',
      tokens: [{ hash: tokenHash('eves-token-eves-token'), principal: observer }],
      connections: { connections: 8, perToken: 1 },
    });
    const eve = { authorization: 'Bearer eves-token-eves-token' };
    const statuses = [];
    for (const given of [headers, eve, eve, headers]) statuses.push((await streamOf(server.url, given)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it.each([
    ['a token that is wrong', ['Authorization: Bearer no'], 401],
    ['a Host that is wrong', [], 403],
  ])('%s: the connection is closed, its body unread', async (_name, more, status) => {
    const { server } = await start();
    const host = status === 401 ? `127.0.0.1:${server.port}` : 'evil.example';
    const lines = ['POST /v1/sessions HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', ...more];
    const { gone } = await call(server.port, [...lines, 'Content-Length: 1000000', '', '{'].join('\r\n'));
    expect(await gone).toMatch(new RegExp(`^HTTP/1.1 ${status} .*connection: close`, 'isu'));
  });

  it('of a stream whose client takes nothing is cut, and its place is free (docs/faults.md F19)', async () => {
    const { board, server } = await start({ stream: { stallMs: 300 }, connections: { connections: 1 } });
    const head = ['GET /v1/pi/sessions/s1/events HTTP/1.1', `Host: 127.0.0.1:${server.port}`];
    const token = `Authorization: Bearer ${server.token}`;
    const { socket } = await call(server.port, [...head, token, '', ''].join('\r\n'));
    socket.pause();
    await board.streams.first(1);
    // More than the buffers of the system hold.
    const session = board.find('s1');
    for (let n = 0; n < 400; n += 1) session.append('x'.repeat(64 * 1024));
    await session.left;
    expect(session.readers.size).toBe(0);
    const reader = await fetch(`${server.url}/v1/pi/sessions/s1/events`, {
      headers: { authorization: token.slice(15) },
    });
    expect(reader.status).toBe(200);
    socket.destroy();
  });

  it('half a header is not waited for', async () => {
    const { server } = await start();
    const { gone } = await call(server.port, 'GET / HTTP/1.1\r\nHost: ');
    expect(await gone).toMatch(/^HTTP\/1\.1 408 /u);
  });
});

it.each(['/v1/sessions', '/v1/pi/sessions/s1/frames'])(
  '%s: who leaves within a body is no fault of ours',
  async (path) => {
    const faults: unknown[] = [];
    const refusals = createArrivals<string>();
    const board = createFakeBoard();
    board.add('s1');
    const server = await listen({
      board: { ...board, refused: (reason) => refusals.add(reason) },
      onError: (thrown) => faults.push(thrown),
    });
    running.push(server);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.token}`,
      'Content-Type: application/json',
      'Content-Length: 100',
      'Expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    // The gateway reads the body now.
    await once(socket, 'data');
    socket.end('{"id":');
    expect(await refusals.first(1)).toEqual(['invalid']);
    expect([faults, board.touched]).toEqual([[], []]);
  },
);

it('hands over a WebSocket with what was asked, and carries frames both ways', async () => {
  const { board, server, headers } = await start();
  const url = `${server.url.replace('http', 'ws')}/v1/pi/ws?session=s1&agent=demo&partial=yes&__proto__=x&partial=no`;
  const socket = new WebSocket(url, { headers });
  const [connection] = await board.connections.first(1);
  if (connection === undefined) throw new Error('unreachable');
  const { channel, request } = connection;
  expect(request).toMatchObject({ frontend: 'pi', session: 's1', agent: 'demo', principal: owner });
  expect(Object.entries(request.options)).toEqual([
    ['partial', 'yes'],
    ['__proto__', 'x'],
  ]);
  expect(Object.getPrototypeOf(request.options)).toBeNull();
  channel.open({ frame: (frame) => channel.send(`{"echo":${frame.text}}`), fault() {}, end() {} });
  await once(socket, 'open');
  socket.send('1');
  expect(String((await once(socket, 'message'))[0])).toBe('{"echo":1}');
  socket.close();
  await once(socket, 'close');
});

it('lets a message over 8 MiB be answered, and hangs up on one over 16 MiB', async () => {
  const { board, server, headers } = await start();
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/pi/ws?session=s1`, { headers });
  const { channel } = (await board.connections.first(1))[0] ?? {};
  channel?.open({
    frame: ({ bytes }) => channel.send(`${bytes.length} bytes`),
    fault: ({ code }) => channel.send(code),
    end() {},
  });
  const answers = createArrivals<string>();
  socket.on('message', (data) => answers.add(data.toString()));
  await once(socket, 'open');
  const mebibyte = 1024 * 1024;
  for (const length of [8 * mebibyte, 8 * mebibyte + 1, 2]) socket.send('x'.repeat(length));
  expect(await answers.first(3)).toEqual([`${8 * mebibyte} bytes`, 'too-large', '2 bytes']);
  socket.send('x'.repeat(16 * mebibyte + 1));
  expect((await once(socket, 'close'))[0]).toBe(1009);
});

it.each([
  ['/v1/pi/ws?session=nobody', 404],
  ['/v1/pi/ws?session=..', 400],
  ['/v1/pi/ws?session=a%2Fb', 400],
  ['/v1/other/ws', 404],
  ['/v1/agents', 404],
  ['/', 404],
  ['/v1//ws', 404],
  ['/v1/pi/ws/', 404],
  ['//evil.example/v1/pi/ws', 404],
  ['/%', 404],
])('upgrade of %s is refused with %d before 101', async (path, status) => {
  const { board, server } = await start();
  const answer = await exchange(server.port, [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    `Authorization: Bearer ${server.token}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toHaveProperty('error.code');
  expect(board.touched).not.toContain('connect');
});

it('leaves the globals of the process alone', () => {
  expect([globalThis.Request, globalThis.Response]).toEqual(globals);
});
