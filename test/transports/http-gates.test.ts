// Who gets in: Host, Origin, site and token on every kind of request, spoken by hand (docs/threats.md T1, T2, T3, T5, T7).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';
import { exchange } from './support/raw-http.ts';

const token = 'the-token';
const right = `Authorization: Bearer ${token}`;
const friend = 'https://friend.example:8443';

let board: FakeBoard;
let server: Listening;
let port: number;
/** The Host that is right. */
let here: string;

beforeAll(async () => {
  board = createFakeBoard();
  board.add('s1');
  server = await listen({
    board,
    token,
    allowedOrigins: [friend],
    allowedHosts: ['Gateway.Example', 'gateway.example:8443'],
  });
  port = server.port;
  here = `127.0.0.1:${port}`;
});
afterAll(() => server.close());

let touchedBefore: number;
beforeEach(() => {
  touchedBefore = board.touched.length;
});

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const frame = '{"type":"prompt"}';
const post = ['Content-Type: application/json', `Content-Length: ${frame.length}`];

interface Kind {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: string;
  /** The answer to one who may. */
  readonly status: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  GET: { method: 'GET', path: '/v1/agents', headers: [], status: 200 },
  POST: { method: 'POST', path: '/v1/pi/sessions/s1/frames', headers: post, body: frame, status: 202 },
  DELETE: { method: 'DELETE', path: '/v1/sessions/nobody', headers: [], status: 404 },
  stream: { method: 'GET', path: '/v1/pi/sessions/s1/events', headers: [], status: 200 },
  upgrade: { method: 'GET', path: '/v1/pi/ws?session=s1', headers: upgrade, status: 101 },
  'other upgrade': { method: 'GET', path: '/v1/agents', headers: ['Connection: Upgrade', 'Upgrade: h2c'], status: 404 },
  'unknown path': { method: 'GET', path: '/nowhere', headers: [], status: 404 },
  OPTIONS: { method: 'OPTIONS', path: '/v1/agents', headers: [], status: 404 },
  metrics: { method: 'GET', path: '/metrics', headers: [], status: 200 },
};

/** Asks; `headers` replace nothing, so Host and token must be among them. */
async function ask(kind: Kind, headers: readonly string[], target = kind.path, version = '1.1') {
  const lines = [`${kind.method} ${target} HTTP/${version}`, ...headers, ...kind.headers];
  return exchange(port, lines, kind.body ?? '');
}

describe.each(Object.entries(kinds))('%s', (_name, kind) => {
  const expectKeptOut = () => expect(board.touched.length).toBe(touchedBefore);

  it.each(['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])('Host %s with our port may', async (name) => {
    expect((await ask(kind, [`Host: ${name}:${port}`, right])).status).toBe(kind.status);
  });

  it('a configured Host may, with or without the usual port', async () => {
    for (const host of ['gateway.example', 'gateway.example:80', 'GATEWAY.example', 'gateway.example:8443']) {
      expect((await ask(kind, [`Host: ${host}`, right])).status).toBe(kind.status);
    }
  });

  it.each<[string, (port: number) => readonly string[], number]>([
    ['evil', (p) => [`Host: evil.example:${p}`], 403],
    ['a name that only begins right', (p) => [`Host: localhost.evil.example:${p}`], 403],
    ['a name that only ends right', (p) => [`Host: evil-localhost:${p}`], 403],
    ['a trailing dot', (p) => [`Host: localhost.:${p}`], 403],
    ['127.0.0.1.nip.io', (p) => [`Host: 127.0.0.1.nip.io:${p}`], 403],
    ['0.0.0.0', (p) => [`Host: 0.0.0.0:${p}`], 403],
    ['127.0.0.2', (p) => [`Host: 127.0.0.2:${p}`], 403],
    ['another spelling of loopback', (p) => [`Host: 0x7f.1:${p}`], 403],
    ['the right name, no port', () => ['Host: localhost'], 403],
    ['the right name, wrong port', (p) => [`Host: localhost:${p + 1}`], 403],
    ['a user before the name', (p) => [`Host: localhost@evil.example:${p}`], 403],
    ['a name after ours', (p) => [`Host: 127.0.0.1:${p}, evil.example`], 403],
    ['an empty one', () => ['Host:'], 400],
    ['none', () => [], 400],
    ['two, the first right', (p) => [`Host: 127.0.0.1:${p}`, 'Host: evil.example'], 400],
    ['two, the second right', (p) => ['Host: evil.example', `Host: 127.0.0.1:${p}`], 400],
    ['the same twice', (p) => [`Host: 127.0.0.1:${p}`, `Host: 127.0.0.1:${p}`], 400],
  ])('Host: %s may not', async (_case, hosts, status) => {
    expect((await ask(kind, [...hosts(port), right])).status).toBe(status);
    expectKeptOut();
  });

  it('HTTP/1.0 without a Host may not', async () => {
    expect((await ask(kind, [right], kind.path, '1.0')).status).toBe(400);
    expectKeptOut();
  });

  it.each(['http://evil.example', 'https://evil.example', ''])('a whole URL as target may not (%s)', async (base) => {
    const target = base === '' ? `http://127.0.0.1:${port}${kind.path}` : `${base}${kind.path}`;
    expect((await ask(kind, [`Host: ${here}`, right], target)).status).toBe(400);
    expectKeptOut();
  });

  it.each<[string, (port: number) => readonly string[]]>([
    ['null', () => ['null']],
    ['an empty one', () => ['']],
    ['evil', () => ['https://evil.example']],
    ['a name that only begins right', (p) => [`http://127.0.0.1.evil.example:${p}`]],
    ['our name on another port', (p) => [`http://127.0.0.1:${p + 1}`]],
    ['our name without a port', () => ['http://127.0.0.1']],
    ['our other name', (p) => [`http://localhost:${p}`]],
    ['our name over https', (p) => [`https://127.0.0.1:${p}`]],
    ['an extension', () => ['chrome-extension://abcdef']],
    ['a friend on another port', () => ['https://friend.example']],
    ['a friend with a path', () => [`${friend}/`]],
    ['two, the first right', (p) => [`http://127.0.0.1:${p}`, 'https://evil.example']],
    ['two, the first a friend', () => [friend, 'https://evil.example']],
  ])('Origin: %s may not, not even with the token', async (_case, origins) => {
    const headers = origins(port).map((origin) => `Origin: ${origin}`);
    expect((await ask(kind, [`Host: ${here}`, right, ...headers])).status).toBe(403);
    expectKeptOut();
  });

  it.each(['our own', 'a friend'])('Origin: %s may', async (who) => {
    const origin = who === 'a friend' ? friend : `http://${here}`;
    expect((await ask(kind, [`Host: ${here}`, right, `Origin: ${origin}`])).status).toBe(kind.status);
  });

  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['', 403],
    ['same-origin, cross-site', 403],
    ['same-origin', kind.status],
    ['none', kind.status],
  ])('Sec-Fetch-Site: %s is %d', async (site, status) => {
    expect((await ask(kind, [`Host: ${here}`, right, `Sec-Fetch-Site: ${site}`])).status).toBe(status);
    if (status === 403) expectKeptOut();
  });

  it('a friend may from another site', async () => {
    const headers = [`Host: ${here}`, right, `Origin: ${friend}`, 'Sec-Fetch-Site: cross-site'];
    expect((await ask(kind, headers)).status).toBe(kind.status);
  });

  it.each([
    ['none', []],
    ['a wrong one', ['Authorization: Bearer the-tokem']],
    ['half of it', ['Authorization: Bearer the-tok']],
    ['more than it', ['Authorization: Bearer the-token1']],
    ['an empty one', ['Authorization: Bearer ']],
    ['another scheme', ['Authorization: Basic dGhlLXRva2Vu']],
    ['the bare token', ['Authorization: the-token']],
    ['a cookie', ['Cookie: token=the-token; authorization=the-token']],
    ['two headers', [right, 'Authorization: Bearer wrong']],
    ['two words', ['Authorization: Bearer wrong the-token']],
    ['another header', ['X-Authorization: Bearer the-token', 'Proxy-Authorization: Bearer the-token']],
  ])('token: %s may not', async (_case, headers) => {
    const answer = await ask(kind, [`Host: ${here}`, ...headers]);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(answer.body).not.toContain(token);
    expectKeptOut();
  });

  it.each(['token', 'access_token', 'ticket', 'bearer'])('token: not in the URL as %s', async (name) => {
    const target = `${kind.path}${kind.path.includes('?') ? '&' : '?'}${name}=${token}`;
    expect((await ask(kind, [`Host: ${here}`], target)).status).toBe(401);
    expectKeptOut();
  });

  it.each(['bearer', 'BEARER'])('token: the scheme as %s', async (scheme) => {
    expect((await ask(kind, [`Host: ${here}`, `Authorization: ${scheme} ${token}`])).status).toBe(kind.status);
  });
});

describe('the token of a WebSocket', () => {
  const { upgrade: kind } = kinds;
  const encoded = Buffer.from(token).toString('base64url');

  it.each([
    [`bearer.${token}`, 101, `bearer.${token}`],
    [`bearer.${encoded}`, 101, `bearer.${encoded}`],
    [`pi.v1, bearer.${token}`, 101, 'pi.v1'],
    [`bearer.${token}, pi.v1, other`, 101, 'pi.v1'],
    ['bearer.wrong', 401, undefined],
    [`bearer.${Buffer.from('wrong').toString('base64url')}`, 401, undefined],
    ['bearer.', 401, undefined],
    [token, 401, undefined],
    ['pi.v1', 401, undefined],
  ])('as the subprotocols %s: %d, and %s is chosen', async (protocols, status, chosen) => {
    if (kind === undefined) throw new Error('unreachable');
    const answer = await ask(kind, [`Host: ${here}`, `Sec-WebSocket-Protocol: ${protocols}`]);
    expect([answer.status, answer.headers.get('sec-websocket-protocol')]).toEqual([status, chosen]);
  });

  it('a wrong header is not mended by a right subprotocol', async () => {
    if (kind === undefined) throw new Error('unreachable');
    const headers = [`Host: ${here}`, 'Authorization: Bearer wrong', `Sec-WebSocket-Protocol: bearer.${token}`];
    expect((await ask(kind, headers)).status).toBe(401);
  });

  it('counts for upgrades only', async () => {
    const { GET } = kinds;
    if (GET === undefined) throw new Error('unreachable');
    expect((await ask(GET, [`Host: ${here}`, `Sec-WebSocket-Protocol: bearer.${token}`])).status).toBe(401);
  });
});

describe.each(['/', '/healthz', '/healthz?x=1'])('without a token: %s', (path) => {
  const kind = { method: 'GET', path, headers: [], status: 200 };

  it('is open, behind the other gates', async () => {
    expect((await ask(kind, [`Host: ${here}`])).status).toBe(200);
    expect((await ask(kind, [`Host: evil.example:${port}`])).status).toBe(403);
    expect((await ask(kind, [`Host: ${here}`, 'Origin: https://evil.example'])).status).toBe(403);
    expect((await ask(kind, [`Host: ${here}`, 'Sec-Fetch-Site: cross-site'])).status).toBe(403);
  });
});

it.each(['/healthz/', '//healthz', '/v1/../healthz/x', '/HEALTHZ', '/%68ealthz'])(
  '%s is no way around the token',
  async (path) => {
    expect((await ask({ method: 'GET', path, headers: [], status: 0 }, [`Host: ${here}`])).status).toBe(401);
  },
);

describe('preflight', () => {
  const kind = { method: 'OPTIONS', path: '/v1/agents', headers: ['Access-Control-Request-Method: POST'], status: 0 };

  it('of a friend is answered without a token', async () => {
    const { status, headers } = await ask(kind, [`Host: ${here}`, `Origin: ${friend}`]);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(friend);
    expect(headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, Last-Event-ID, Idempotency-Key',
    );
    expect(headers.get('access-control-allow-credentials')).toBeUndefined();
    expect(headers.get('vary')).toBe('Origin');
  });

  it('of anybody else is not', async () => {
    expect((await ask(kind, [`Host: ${here}`, 'Origin: https://evil.example'])).status).toBe(403);
    expect((await ask(kind, [`Host: ${here}`])).status).toBe(401);
  });
});

it.each([
  ['a page of ours', () => [`Origin: http://${here}`], undefined],
  ['no page', () => [], undefined],
  ['a friend', () => [`Origin: ${friend}`], friend],
])('CORS headers for %s', async (_who, headers, allowed) => {
  const { GET } = kinds;
  if (GET === undefined) throw new Error('unreachable');
  const answer = await ask(GET, [`Host: ${here}`, right, ...headers()]);
  expect(answer.headers.get('access-control-allow-origin')).toBe(allowed);
  expect(answer.headers.get('vary')).toBe('Origin');
});

describe.each(Object.entries(kinds).filter(([name]) => name !== 'upgrade'))('headers of %s', (_name, kind) => {
  it.each([
    ['for one who may', () => [`Host: ${here}`, right]],
    ['for one who may not', () => [`Host: ${here}`]],
    ['for evil', () => ['Host: evil.example']],
  ])('%s', async (_who, headers) => {
    const answer = await ask(kind, headers());
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.has('server') || answer.headers.has('x-powered-by')).toBe(false);
  });
});

it('answers errors as JSON, also before 101', async () => {
  const { upgrade: kind } = kinds;
  if (kind === undefined) throw new Error('unreachable');
  const refused = await ask(kind, [`Host: ${here}`]);
  expect(JSON.parse(refused.body)).toEqual({
    error: { code: 'unauthorized', message: 'a valid bearer token is needed' },
  });
  const missing = await ask({ ...kind, path: '/v1/pi/ws?session=nobody' }, [`Host: ${here}`, right]);
  expect(missing.status).toBe(404);
  expect(JSON.parse(missing.body)).toEqual({ error: { code: 'not-found', message: 'no session nobody' } });
});
