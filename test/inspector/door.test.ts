// The door of the inspector: who logs in, what the cookie opens, and what other pages get (docs/threats.md T37 to T42).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { owner } from '../../src/core/contract/principal.ts';
import { createLogins, loginLimits } from '../../src/transports/http/inspector/logins.ts';
import { exchange } from '../transports/support/raw-http.ts';
import { type InspectorRig, startInspector, token } from './rig.ts';

let rig: InspectorRig;
const friend = 'https://friend.example';
beforeAll(async () => {
  rig = await startInspector({}, { allowedOrigins: [friend] });
});
afterAll(() => rig.close());

describe('the shell', () => {
  it('is public, holds no secret, runs no foreign code and cannot be framed', async () => {
    const answer = await fetch(rig.url, { headers: { accept: 'text/html' } });
    const html = await answer.text();
    expect(html).toContain('<title>Patchbay</title>');
    expect(html).not.toContain(rig.code);
    expect(html).not.toContain(token);
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
      expect(policy).toContain(part);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it('is for browsers: others get the list of routes', async () => {
    expect(await (await fetch(rig.url)).text()).toContain('GET    /healthz');
  });

  it('has files that browsers keep, compressed for those who take that', async () => {
    const path = `${rig.url}/inspector/app.12345678.js`;
    const packed = await exchange(rig.port, [
      'GET /inspector/app.12345678.js HTTP/1.1',
      `Host: 127.0.0.1:${rig.port}`,
      'Accept-Encoding: gzip, br',
    ]);
    expect(packed.status).toBe(200);
    const plain = await fetch(path, { headers: { 'accept-encoding': 'identity' } });
    expect(await plain.text()).toBe('export {};');
    expect(plain.headers.get('cache-control')).toContain('immutable');
    for (const wrong of ['app.12345678.js.br', '..%2frig.ts', 'nothing.js'])
      expect((await fetch(`${rig.url}/inspector/${wrong}`)).status).toBe(404);
  });
});

describe('the login', () => {
  it('takes the code once', async () => {
    const own = await startInspector();
    try {
      expect((await own.enter({ code: own.code })).status).toBe(200);
      expect((await own.enter({ code: own.code })).status).toBe(401);
      expect((await own.enter({ token })).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it('gives a cookie for its own path only', async () => {
    const answer = await rig.enter({ token });
    const { path } = (await answer.json()) as { path: string };
    expect(path).toMatch(/^\/i\/[\w-]{22}\/$/u);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(`^patchbay-${rig.port}=[\\w-]{22}; Path=${path}; Max-Age=\\d+; HttpOnly; SameSite=Strict$`, 'u'),
    );
  });

  it.each<[string, object, Record<string, string>, number]>([
    ['a wrong token', { token: 'wrong' }, {}, 401],
    ['no secret', {}, {}, 400],
    ['another field', { code: 'x', path: '/' }, {}, 400],
    ['a form', { token }, { 'content-type': 'text/plain' }, 415],
    ['another origin', { token }, { origin: 'http://evil.example' }, 403],
    ['the same host with another port', { token }, { origin: 'http://127.0.0.1:1' }, 403],
    ['a page that may use the gateway', { token }, { origin: friend }, 403],
    ['another site', { token }, { 'sec-fetch-site': 'cross-site' }, 403],
  ])('refuses %s', async (_name, secret, headers, status) => {
    const answer = await rig.enter(secret, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('refuses who has no Origin', async () => {
    const body = JSON.stringify({ token });
    const lines = [
      'POST /inspector/login HTTP/1.1',
      `Host: 127.0.0.1:${rig.port}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    expect((await exchange(rig.port, lines, body)).status).toBe(403);
  });

  it('refuses another Host', async () => {
    for (const path of ['/', '/inspector/rules.json', '/i/x/state']) {
      const lines = [`GET ${path} HTTP/1.1`, 'Host: evil.test', 'Accept: text/html'];
      expect((await exchange(rig.port, lines)).status).toBe(403);
    }
  });
});

describe('the logins', () => {
  const make = () => {
    let at = 0;
    const holderOf = (given: string) => (given === token ? owner : null);
    return { logins: createLogins({ holderOf, now: () => at }), wait: (ms: number) => (at += ms) };
  };

  it('stop counting guesses after too many, and go on a minute later', () => {
    const { logins, wait } = make();
    for (let guess = 0; guess < loginLimits.failures; guess += 1)
      expect(logins.enter({ token: `${guess}` }).is).toBe('wrong');
    expect(logins.enter({ token }).is).toBe('too-many');
    wait(loginLimits.perMs);
    expect(logins.enter({ token }).is).toBe('in');
  });

  it('forget a code that is old', () => {
    const { logins, wait } = make();
    const code = logins.code ?? '';
    wait(loginLimits.codeMs + 1);
    expect(logins.enter({ code }).is).toBe('wrong');
    expect(logins.enter({ code: '' }).is).toBe('wrong');
  });

  it('end what is idle, the oldest when there are too many, and what they hold', () => {
    const { logins, wait } = make();
    const ended: string[] = [];
    const opened = Array.from({ length: loginLimits.logins + 1 }, (_, place) => {
      const attempt = logins.enter({ token });
      if (attempt.is !== 'in') throw new Error('not in');
      if (place < 2) attempt.login.holds(() => ended.push(String(place)));
      return attempt;
    });
    expect(ended).toEqual(['0']);
    const [first, second, third] = opened;
    if (first === undefined || second === undefined || third === undefined) throw new Error('none');
    expect(logins.find(first.login.id, first.secret)).toBeNull();
    expect(logins.find(third.login.id, second.secret)).toBeNull();
    expect(logins.find(third.login.id, third.secret)).not.toBeNull();
    wait(loginLimits.idleMs + 1);
    expect(logins.find(third.login.id, third.secret)).toBeNull();
    expect(logins.find(second.login.id, second.secret)).not.toBeNull();
  });

  it('are only for tokens with every right', () => {
    const holderOf = () => ({ ...owner, role: 'observer' as const });
    expect(createLogins({ holderOf, now: () => 0 }).enter({ token }).is).toBe('wrong');
  });
});

describe('the cookie', () => {
  it('opens the routes of its path, and nothing else', async () => {
    const page = await rig.logIn();
    expect((await rig.ask(page, 'state')).status).toBe(200);
    const other = await rig.logIn();
    expect((await rig.ask({ ...page, path: other.path }, 'state')).status).toBe(401);
    expect((await rig.ask({ ...page, cookie: '' }, 'state')).status).toBe(401);
    for (const path of ['/v1/agents', '/v1/sessions', '/metrics'])
      expect((await fetch(`${rig.url}${path}`, { headers: { cookie: page.cookie } })).status).toBe(401);
    expect(await upgraded(`/v1/canonical/ws`, page.cookie, rig.url)).toBe(401);
  });

  it('is void after the logout, which also ends its WebSocket', async () => {
    const page = await rig.logIn();
    const socket = open(`${page.path}socket`, page.cookie, rig.url);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    expect((await rig.ask(page, 'logout', { method: 'POST' })).status).toBe(200);
    expect(await closed).toBe(4401);
    expect((await rig.ask(page, 'state')).status).toBe(401);
  });

  it.each<[string, string | undefined, number]>([
    ['no Origin', undefined, 403],
    ['another Origin', 'http://evil.example', 403],
    ['the Origin of another port', 'http://127.0.0.1:1', 403],
    ['the Origin of a friend', friend, 403],
  ])('opens no WebSocket for %s', async (_name, origin, status) => {
    const page = await rig.logIn();
    expect(await upgraded(`${page.path}socket`, page.cookie, origin)).toBe(status);
  });

  it('opens no WebSocket without the path or the cookie', async () => {
    const page = await rig.logIn();
    expect(await upgraded('/i/guess/socket', page.cookie, rig.url)).toBe(403);
    expect(await upgraded(`${page.path}socket`, '', rig.url)).toBe(403);
  });
});

function open(path: string, cookie: string, origin: string | undefined): WebSocket {
  const headers = { cookie, ...(origin === undefined ? {} : { origin }) };
  return new WebSocket(`${rig.url.replace('http', 'ws')}${path}`, ['canonical.v1+resume'], { headers });
}

/** The status of an upgrade; 101: it was let in. */
function upgraded(path: string, cookie: string, origin: string | undefined): Promise<number> {
  const socket = open(path, cookie, origin);
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('unexpected-response', (request, answer) => {
      request.destroy();
      resolve(answer.statusCode ?? 0);
    });
    socket.once('open', () => {
      socket.close();
      resolve(101);
    });
  });
}
