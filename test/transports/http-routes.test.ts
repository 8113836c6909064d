// The routes over a fake board: REST, posted frames, streams, errors (docs/threats.md T3, T8, T9, T13).
import { createParser } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, GatewayError } from '../../src/core/model/errors.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';
import { exchange } from './support/raw-http.ts';

let board: FakeBoard;
let server: Listening;
let internalErrors: unknown[];
const open: AbortController[] = [];

beforeEach(async () => {
  board = createFakeBoard();
  board.add('s1');
  internalErrors = [];
  server = await listen({ board, onError: (error) => internalErrors.push(error) });
});
afterEach(async () => {
  for (const controller of open.splice(0)) controller.abort();
  await server.close();
});

async function ask(path: string, init: RequestInit & { type?: string } = {}) {
  const { type, headers, ...rest } = init;
  const response = await fetch(`${server.url}${path}`, {
    ...rest,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...Object.fromEntries(new Headers(headers)),
    },
  });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text, headers: response.headers };
}

const json = 'application/json';
const postJson = (body: string) => ({ method: 'POST', type: json, body });

describe('REST', () => {
  it.each<[string, string, RequestInit & { type?: string }, number, unknown]>([
    ['GET', '/healthz', {}, 200, { status: 'ok' }],
    ['GET', '/readyz', {}, 200, { status: 'ready' }],
    ['GET', '/v1/agents', {}, 200, { agents: [{ name: 'demo', protocol: 'demo', title: 'Scripted' }] }],
    ['GET', '/v1/sessions', {}, 200, { sessions: [expect.objectContaining({ id: 's1' })] }],
    ['GET', '/v1/sessions/s1', {}, 200, expect.objectContaining({ id: 's1', agent: 'demo' })],
    ['POST', '/v1/sessions', postJson('{"agent":"demo","id":"new_1"}'), 201, expect.objectContaining({ id: 'new_1' })],
    ['POST', '/v1/sessions', postJson('{}'), 201, expect.objectContaining({ id: 'made-2' })],
    ['POST', '/v1/sessions', postJson('{"resume":"x","id":"new_2"}'), 201, expect.objectContaining({ id: 'new_2' })],
    [
      'POST',
      '/v1/sessions',
      postJson('{"resume":"gone"}'),
      404,
      { error: { code: 'not-found', message: 'no stored session "gone"' } },
    ],
    [
      'POST',
      '/v1/sessions',
      postJson('{"id":"s1"}'),
      409,
      { error: { code: 'conflict', message: 'there is a session s1' } },
    ],
    ['GET', '/v1/sessions/nobody', {}, 404, { error: { code: 'not-found', message: 'no session nobody' } }],
    ['GET', '/nowhere', {}, 404, { error: { code: 'not-found', message: 'there is nothing here' } }],
    ['PUT', '/v1/sessions/s1', { method: 'PUT' }, 404, { error: expect.objectContaining({ code: 'not-found' }) }],
    ['GET', '/v1/pi/ws', {}, 426, { error: expect.objectContaining({ code: 'invalid' }) }],
  ])('%s %s', async (_method, path, init, status, body) => {
    const answer = await ask(path, init);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, body]);
    expect(answer.type).toMatch(/^application\/json/);
  });

  it('DELETE ends a session', async () => {
    expect(await ask('/v1/sessions/s1', { method: 'DELETE' })).toMatchObject({ status: 204, text: '' });
    expect((await ask('/v1/sessions/s1', { method: 'DELETE' })).status).toBe(404);
  });

  it('serves metrics and a page that names the routes', async () => {
    expect(await ask('/metrics')).toMatchObject({
      status: 200,
      text: 'patchbay_sessions 0\n',
      type: expect.stringContaining('version=0.0.4'),
    });
    const page = await ask('/');
    expect(page).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') });
    expect(page.text).toContain('/v1/:frontend/sessions/:id/events');
    expect(page.text).not.toContain(server.token);
  });

  it.each([
    ['not JSON', '{'],
    ['too deep', '['.repeat(1000)],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number as agent', '{"agent":1}'],
    ['an object as cwd', '{"cwd":{}}'],
    ['a command', '{"command":["rm","-rf","/"]}'],
    ['arguments', '{"args":[]}'],
    ['an environment', '{"env":{}}'],
    ['a prototype', '{"__proto__":{"agent":"x"}}'],
    ['a constructor', '{"constructor":"x"}'],
    ['a path as id', '{"id":"../x"}'],
    ['an empty id', '{"id":""}'],
    ['a long id', `{"id":"${'a'.repeat(65)}"}`],
  ])('no session is made from %s', async (_name, body) => {
    const answer = await ask('/v1/sessions', postJson(body));
    expect(answer.status).toBe(400);
    expect(board.touched).not.toContain('createSession');
  });

  it.each(['..%2f', 'a%00b', 'a%0ab', 'a.b', 'a'.repeat(65), '%F0%9F%98%80', '%ff'])(
    'the session id %s is refused everywhere',
    async (id) => {
      for (const [path, init] of [
        [`/v1/sessions/${id}`, {}],
        [`/v1/sessions/${id}`, { method: 'DELETE' }],
        [`/v1/pi/sessions/${id}/events`, {}],
        [`/v1/pi/sessions/${id}/frames`, postJson('1')],
      ] as const) {
        expect((await ask(path, init)).status).toBe(400);
      }
      expect(board.touched).toEqual([]);
    },
  );
});

it('a path that climbs is another path', async () => {
  for (const path of ['/v1/sessions/%2e%2e', '/v1/sessions/../sessions/%2e%2E/x', '/v1/pi/sessions/.%2e/events']) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, `Authorization: Bearer ${server.token}`];
    expect((await exchange(server.port, lines)).status).toBe(404);
  }
  expect(board.touched).toEqual([]);
});

describe('errors', () => {
  const statuses: Readonly<Record<ErrorCode, number>> = {
    'bad-frame': 400,
    'too-deep': 400,
    'unknown-command': 400,
    invalid: 400,
    unauthorized: 403,
    'not-found': 404,
    busy: 409,
    conflict: 409,
    stale: 409,
    aborted: 409,
    'too-large': 413,
    limit: 429,
    internal: 500,
    unsupported: 501,
    'agent-refused': 502,
    'agent-down': 503,
    'shutting-down': 503,
    timeout: 504,
  };

  it.each(Object.entries(statuses))('%s is %d', async (code, status) => {
    const known = Object.keys(statuses).find((name): name is ErrorCode => name === code);
    board.breakDown(new GatewayError(known ?? 'internal', 'because'));
    const answer = await ask('/v1/agents');
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error: { code, message: 'because' } }]);
  });

  it.each([new Error('a secret path /home/x'), new TypeError('x')])(
    'what is not ours stays inside: %s',
    async (thrown) => {
      board.breakDown(thrown);
      const answer = await ask('/v1/sessions/s1');
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        500,
        { error: { code: 'internal', message: 'something went wrong inside the gateway' } },
      ]);
      expect(internalErrors).toHaveLength(1);
    },
  );
});

describe('posted frames', () => {
  const frames = '/v1/pi/sessions/s1/frames';

  it.each<[string, string, string, readonly string[]]>([
    ['one', json, '{"n":1}', ['{"n":1}']],
    ['one with parameters', 'Application/JSON; charset=utf-8', '{"n":1}', ['{"n":1}']],
    ['one over several lines', json, '{\n"n":1}\n', ['{\n"n":1}\n']],
    ['several', 'application/x-ndjson', '{"n":1}\n{"n":2}\r\n\n{"n":3}', ['{"n":1}', '{"n":2}', '{"n":3}']],
    ['nonsense, which is the protocol to judge', json, 'nonsense', ['nonsense']],
  ])('%s', async (_name, type, body, expected) => {
    const session = board.add('s1');
    const answer = await ask(frames, { method: 'POST', type, body });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([202, { accepted: expected.length }]);
    expect(session.posted.items).toEqual(expected);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    'application/jsonp',
    'text/plain; application/json',
    '',
  ])('as %j is 415 and changes nothing', async (type) => {
    for (const path of [frames, '/v1/sessions']) {
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${server.port}`,
        `Authorization: Bearer ${server.token}`,
        ...(type === '' ? [] : [`Content-Type: ${type}`]),
        'Content-Length: 2',
      ];
      expect((await exchange(server.port, lines, '{}')).status).toBe(415);
    }
    expect(board.touched).toEqual([]);
  });

  it.each([
    ['nothing', json, ''],
    ['nothing but blank lines', 'application/x-ndjson', '\n\r\n\n'],
  ])('%s is 400', async (_name, type, body) => {
    expect((await ask(frames, { method: 'POST', type, body })).status).toBe(400);
    expect(board.touched).toEqual([]);
  });

  it.each([
    ['announced', (body: string) => body],
    ['unannounced', (body: string) => new Blob([body]).stream()],
  ])('over 8 MiB, %s, are 413; 8 MiB are not', async (_name, bodyOf) => {
    const limit = 8 * 1024 * 1024;
    const send = (length: number) =>
      ask(frames, { method: 'POST', type: json, body: bodyOf('x'.repeat(length)), duplex: 'half' });
    const tooLarge = await send(limit + 1);
    // In the protocol's own words, like every other mistake in a frame.
    expect([tooLarge.status, tooLarge.text]).toEqual([413, '{"refused":"too-large"}\n']);
    expect(board.touched).toEqual(['refuse']);
    expect((await send(limit)).status).toBe(202);
  });

  it.each([
    ['lines', 'application/x-ndjson', frames, (count: number) => '1\n'.repeat(count)],
    ['lines, the last not ended', 'application/x-ndjson', frames, (count: number) => `${'1\n'.repeat(count - 1)}1`],
    ['frames in one envelope', json, `${frames}?envelope=tagged`, (count: number) => `[${'{},'.repeat(count - 1)}{}]`],
  ])('more than 1,024 %s are refused before the first is taken; 1,024 are not', async (_name, type, path, bodyOf) => {
    const session = board.add('s1');
    const tooMany = await ask(path, { method: 'POST', type, body: bodyOf(1025) });
    expect([tooMany.status, tooMany.text]).toEqual([413, '{"refused":"too-large"}\n']);
    expect(board.touched).toEqual(['refuse']);
    expect((await ask(path, { method: 'POST', type, body: bodyOf(1024) })).status).toBeLessThan(300);
    expect(session.posted.items).toHaveLength(1024);
  });

  it('one frame may have any number of lines', async () => {
    expect((await ask(frames, postJson('[\n1]'.replace('1', '\n'.repeat(5000))))).status).toBe(202);
  });

  describe('with an Idempotency-Key', () => {
    const post = (key: string, body = '{"n":1}\n{"n":2}', path = frames) =>
      ask(path, {
        method: 'POST',
        type: path === frames ? 'application/x-ndjson' : json,
        body,
        headers: { 'idempotency-key': key },
      });

    it('are known by it and their place, so that a post that is repeated counts once', async () => {
      const session = board.add('s1');
      expect((await post('k1')).status).toBe(202);
      expect(session.postedIds).toEqual(['k1 0', 'k1 1']);
    });

    it('and with ids of their own are known by those', async () => {
      const session = board.add('s1');
      await post('k1', '[{"n":1,"id":"own"}]', `${frames}?envelope=tagged`);
      expect(session.postedIds).toEqual(['{"n":1,"id":"own"}']);
    });

    it.each([
      ['nothing', ''],
      ['two words', 'a b'],
      ['257 characters', 'k'.repeat(257)],
    ])('of %s are 400', async (_name, key) => {
      expect((await post(key)).status).toBe(400);
      expect(board.touched).toEqual([]);
    });
  });

  it("that the protocol refuses come back as the protocol's own errors", async () => {
    board.refusePosts(['{"type":"error","n":1}', '{"type":"error","n":2}']);
    expect(await ask(frames, postJson('nonsense'))).toMatchObject({
      status: 400,
      type: 'application/x-ndjson',
      text: '{"type":"error","n":1}\n{"type":"error","n":2}\n',
    });
  });

  it('for nobody are 404', async () => {
    expect((await ask('/v1/pi/sessions/nobody/frames', postJson('1'))).status).toBe(404);
  });

  describe('in an envelope', () => {
    const tagged = `${frames}?envelope=tagged`;

    it('are taken out of it, and thanked for in its words', async () => {
      const session = board.add('s1');
      expect(await ask(tagged, postJson('[{"n":1}, {"n":2}]'))).toMatchObject({
        status: 200,
        type: 'application/json',
        text: '{"thank":"you"}',
      });
      expect(session.posted.items).toEqual(['{"n":1}', '{"n":2}']);
    });

    it.each([
      ['nonsense', 'nonsense', 'bad-frame'],
      ['another shape', '{"n":1}', 'invalid'],
      ['nothing', '[]', 'invalid'],
      ['too deep a one', '['.repeat(200) + ']'.repeat(200), 'too-deep'],
    ])('that is %s are 400', async (_name, body, code) => {
      const answer = await ask(tagged, postJson(body));
      expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, code]);
      expect(board.touched).toEqual([]);
    });

    it("that the protocol refuses come back as the protocol's own errors", async () => {
      board.refusePosts(['{"type":"error"}']);
      expect(await ask(tagged, postJson('[1]'))).toMatchObject({ status: 400, text: '{"type":"error"}\n' });
    });
  });

  describe('beside an envelope for events alone', () => {
    const named = `${frames}?envelope=named`;

    it.each([
      ['one', json, '{"id": 1}', ['{"id": 1}']],
      ['what is no JSON, for the protocol to refuse', json, 'nonsense', ['nonsense']],
      ['lines', 'application/x-ndjson', '{"id":1}\nnonsense\n', ['{"id":1}', 'nonsense']],
    ])('go bare: %s', async (_name, type, body, posted) => {
      const session = board.add('s1');
      expect(await ask(named, { method: 'POST', type, body })).toMatchObject({
        status: 202,
        text: `{"accepted":${posted.length}}`,
      });
      expect(session.posted.items).toEqual(posted);
    });
  });
});

describe('streams', () => {
  /** An independent client: reads until `count` events came, then leaves. */
  async function read(count: number, headers: Record<string, string> = {}, query = '') {
    const controller = new AbortController();
    open.push(controller);
    const response = await fetch(`${server.url}/v1/pi/sessions/s1/events${query}`, {
      headers: { authorization: `Bearer ${server.token}`, ...headers },
      signal: controller.signal,
    });
    const events: { event?: string | undefined; id?: string | undefined; data: string }[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (events.length >= count) break;
    }
    controller.abort();
    return { response, events: events.slice(0, count) };
  }

  it('carry the headers that keep them flowing', async () => {
    board.add('s1').append('1');
    const { response } = await read(1);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
  });

  it('cut anywhere and resumed say the same as uncut', async () => {
    const session = board.add('s1');
    const frames = Array.from({ length: 12 }, (_, n) => JSON.stringify({ n, text: 'é\u2028😀' }));
    for (const frame of frames) session.append(frame);
    const uncut = (await read(frames.length)).events;
    expect(uncut.map(({ data }) => JSON.parse(data))).toEqual(frames.map((frame) => JSON.parse(frame)));
    for (let cut = 1; cut < frames.length; cut += 1) {
      const before = (await read(cut)).events;
      const after = (await read(frames.length - cut, { 'last-event-id': before.at(-1)?.id ?? '' })).events;
      expect([...before, ...after]).toEqual(uncut);
    }
  });

  it('take the cursor from the header before the query', async () => {
    const session = board.add('s1');
    for (const frame of ['1', '2', '3']) session.append(frame);
    expect((await read(1, {}, '?cursor=e1.1.0&extra=yes')).events).toMatchObject([{ data: '2' }]);
    expect((await read(1, { 'last-event-id': 'e1.2.0' }, '?cursor=e1.1.0')).events).toMatchObject([{ data: '3' }]);
    expect(board.streams.items.map(({ cursor, request }) => [cursor, { ...request.options }])).toEqual([
      ['e1.1.0', { extra: 'yes' }],
      ['e1.2.0', {}],
    ]);
  });

  it('in an envelope: without a cursor all is said, with one only what lasts', async () => {
    const session = board.add('s1');
    for (const frame of ['1', '"live"', '3']) session.append(frame);
    const first = await read(3, {}, '?envelope=tagged');
    expect(first.events).toMatchObject([
      { event: 'tagged', id: '1', data: '{"said":1}' },
      { event: 'tagged_live', data: '{"said":"live"}' },
      { event: 'tagged', id: '3', data: '{"said":3}' },
    ]);
    for (const [headers, query] of [
      [{ 'last-event-id': 'e1.1.0' }, ''],
      [{}, '&cursor=e1.1.0'],
    ] as const) {
      const { events } = await read(1, headers, `?envelope=tagged${query}`);
      expect(events).toMatchObject([{ event: 'tagged', id: '3', data: '{"said":3}' }]);
    }
  });

  it('with names for their events: default events go beside them, and both can be resumed behind', async () => {
    const session = board.add('s1');
    for (const frame of ['{"n":1}', '"answer"', '{"n":3}']) session.append(frame);
    const named = { event: 'chat:content-received' };
    const { events } = await read(3, {}, '?envelope=named');
    expect(events).toMatchObject([
      { ...named, id: 'e1.1.0', data: '{"n":1}' },
      { event: 'message', id: 'e1.2.0', data: '"answer"' },
      { ...named, id: 'e1.3.0', data: '{"n":3}' },
    ]);
    const rest = await read(2, { 'last-event-id': 'e1.1.0' }, '?envelope=named');
    expect(rest.events).toEqual(events.slice(1));
  });

  it('whose place is lost answer 200 and a reset', async () => {
    const session = board.add('s1');
    session.append('1');
    const { response, events } = await read(1, { 'last-event-id': 'other.1.0' });
    expect(response.status).toBe(200);
    expect(events).toMatchObject([{ event: 'gateway', data: '{"type":"reset","reason":"epoch","cursor":"e1.1.0"}' }]);
    expect(events[0]?.id).toBeUndefined();
  });

  it('of nobody are 404', async () => {
    expect((await ask('/v1/pi/sessions/nobody/events')).status).toBe(404);
  });

  it('are not opened by HEAD, which nobody would close', async () => {
    const session = board.add('s1');
    const answer = await ask('/v1/pi/sessions/s1/events', { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(session.readers.size).toBe(0);
    expect(board.touched).toEqual([]);
  });

  it('change nothing by GET', async () => {
    for (const path of ['/v1/sessions?id=x', '/v1/sessions/s1?close=1', '/v1/pi/sessions/s1/frames']) await ask(path);
    expect(new Set(board.touched)).toEqual(new Set(['sessions', 'sessionPage', 'session']));
  });
});

describe('the list of sessions', () => {
  const ids = (text: string) => JSON.parse(text).sessions.map(({ id }: { id: string }) => id);

  it('comes in pages, if somebody asks for them', async () => {
    for (const id of ['s3', 's2']) board.add(id);
    expect(ids((await ask('/v1/sessions')).text)).toEqual(['s1', 's3', 's2']);
    const first = await ask('/v1/sessions?limit=2');
    expect(ids(first.text)).toEqual(['s1', 's2']);
    expect(JSON.parse(first.text).next).toBe('s2');
    const second = await ask('/v1/sessions?limit=2&after=s2');
    expect(ids(second.text)).toEqual(['s3']);
    expect(JSON.parse(second.text)).not.toHaveProperty('next');
    expect(ids((await ask('/v1/sessions?after=s1')).text)).toEqual(['s2', 's3']);
  });

  it.each(['limit=0', 'limit=1001', 'limit=', 'limit=1e2', 'limit=-1', 'after=', `after=${'a'.repeat(257)}`])(
    'refuses %s',
    async (query) => {
      expect(await ask(`/v1/sessions?${query}`)).toMatchObject({ status: 400 });
      expect(board.touched).not.toContain('sessionPage');
    },
  );
});
