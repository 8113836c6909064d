// Host x Origin x token x role x content type, over all routes: who is refused is refused before a byte of the body is read,
// and nothing of the gateway is touched, so no agent is started (docs/threats.md T1, T2, T3, T7, T24).
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '../../src/core/contract/principal.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { tokenHash } from '../../src/transports/http/token.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';

const observer: Principal = { name: 'eve', role: 'observer', agents: null, sessions: 'all' };

let board: FakeBoard;
let server: Listening;
beforeAll(async () => {
  board = createFakeBoard();
  board.add('s1');
  const tokens = [{ hash: tokenHash('observers-token-1'), principal: observer }];
  server = await listen({ board, token: 'controllers-token', tokens });
});
afterAll(() => server.close());

type Level = 'open' | 'read' | 'change' | 'frames';

/** Every route, and what it needs. `open`: no token. `frames`: an observer's post is refused by its protocol. */
const routes: readonly (readonly [method: string, path: string, level: Level])[] = [
  ['GET', '/', 'open'],
  ['GET', '/healthz', 'open'],
  ['GET', '/readyz', 'read'],
  ['GET', '/metrics', 'read'],
  ['GET', '/v1/agents', 'read'],
  ['GET', '/v1/sessions', 'read'],
  ['POST', '/v1/sessions', 'change'],
  ['GET', '/v1/sessions/s1', 'read'],
  ['DELETE', '/v1/sessions/none', 'change'],
  ['GET', '/v1/pi/ws', 'read'],
  ['GET', '/v1/pi/sessions/s1/events', 'read'],
  ['HEAD', '/v1/pi/sessions/s1/events', 'read'],
  ['POST', '/v1/pi/sessions/s1/frames', 'frames'],
  ['PUT', '/v1/sessions/s1', 'change'],
  ['GET', '/nowhere', 'read'],
];
const hosts = { right: () => `127.0.0.1:${server.port}`, wrong: () => 'evil.example' };
const origins = {
  none: () => null,
  own: () => `http://127.0.0.1:${server.port}`,
  foreign: () => 'http://evil.example',
};
const tokens = {
  none: null,
  wrong: 'another-token-here',
  observer: 'observers-token-1',
  controller: 'controllers-token',
};
const types = ['application/json', 'application/x-ndjson', 'text/plain', 'multipart/form-data'];

interface Case {
  readonly route: (typeof routes)[number];
  readonly host: keyof typeof hosts;
  readonly origin: keyof typeof origins;
  readonly token: keyof typeof tokens;
  readonly type: string;
}

/** The refusal that the case deserves; null if the request may reach the routes. */
function expected({ route: [method, path, level], host, origin, token, type }: Case): number | null {
  if (host === 'wrong' || origin === 'foreign') return 403;
  if (level !== 'open' && (token === 'none' || token === 'wrong')) return 401;
  if (token === 'observer' && level === 'change') return 403;
  if (method !== 'POST') return null;
  const accepted = path === '/v1/sessions' ? types.slice(0, 1) : types.slice(0, 2);
  return accepted.includes(type) ? null : 415;
}

/** Sends the head alone, and announces a body that never comes. Resolves with the status of the answer. */
function statusOf({ route: [method, path], host, origin, token, type }: Case): Promise<number> {
  const from = origins[origin]();
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hosts[host]()}`,
    ...(from === null ? [] : [`Origin: ${from}`]),
    ...(tokens[token] === null ? [] : [`Authorization: Bearer ${tokens[token]}`]),
    `Content-Type: ${type}`,
    'Content-Length: 100000',
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.setEncoding('latin1').once('data', (text: string) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/u.exec(text)?.[1]));
      socket.destroy();
    });
    socket.on('error', reject);
    socket.write([...lines, '', ''].join('\r\n'));
  });
}

const cases: readonly Case[] = routes.flatMap((route) =>
  (['right', 'wrong'] as const).flatMap((host) =>
    (['none', 'own', 'foreign'] as const).flatMap((origin) =>
      (['none', 'wrong', 'observer', 'controller'] as const).flatMap((token) =>
        types.map((type) => ({ route, host, origin, token, type })),
      ),
    ),
  ),
);

test.each(routes)(
  '%s %s: the answer comes without the body, and only who may reaches the gateway',
  async (method, path) => {
    const rows = cases.filter(({ route }) => route[0] === method && route[1] === path);
    expect(rows).toHaveLength(96);
    const wrong: unknown[] = [];
    for (const row of rows) {
      const wanted = expected(row);
      // Who is let in with a post may be waited for: its body is read.
      if (wanted === null && method === 'POST') continue;
      const touched = board.touched.length;
      const status = await statusOf(row);
      const isRefused = status === 401 || status === 403 || status === 415;
      const isRight = wanted === null ? !isRefused : status === wanted && board.touched.length === touched;
      if (!isRight) wrong.push({ ...row, route: path, status, wanted });
    }
    expect(wrong).toEqual([]);
  },
);

test('a refused upgrade is no connection, for anybody', async () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const wrong: unknown[] = [];
  for (const row of cases.filter(({ route, type }) => route[1] === '/v1/pi/ws' && type === types[0])) {
    const wanted = expected(row) ?? 101;
    const touched = board.touched.length;
    const from = origins[row.origin]();
    const lines = [
      'GET /v1/pi/ws?session=s1 HTTP/1.1',
      `Host: ${hosts[row.host]()}`,
      ...(from === null ? [] : [`Origin: ${from}`]),
      ...(tokens[row.token] === null ? [] : [`Authorization: Bearer ${tokens[row.token]}`]),
    ];
    const status = await new Promise<number>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.setEncoding('latin1').once('data', (text: string) => {
        resolve(Number(/^HTTP\/1\.1 (\d+)/u.exec(text)?.[1]));
        socket.destroy();
      });
      socket.on('error', reject);
      socket.write([...lines, ...upgrade, key, '', ''].join('\r\n'));
    });
    if (status !== wanted || (wanted !== 101 && board.touched.length !== touched))
      wrong.push({ ...row, status, wanted });
  }
  expect(wrong).toEqual([]);
});
