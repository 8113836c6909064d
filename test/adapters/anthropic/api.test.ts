// The wire of the adapter `anthropic`, in front of a server: frames as the API sends them, aborts, failures in words, no
// retries of its own, and nothing of the key anywhere.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectApi } from '../../../src/adapters/anthropic/api.ts';
import { within } from '../../../src/conformance/bounded-wait.ts';
import type { Channel } from '../../../src/core/contract/channel.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { type Asked, refuse, type ScriptedApi, sse, startScriptedApi, stream } from '../../support/scripted-api.ts';

const key = 'sk-ant-test-0123456789';
const home = mkdtempSync(join(tmpdir(), 'patchbay-api-'));
let clear: (() => Promise<void> | void)[] = [];

beforeEach(() => {
  vi.stubEnv('ANTHROPIC_API_KEY', key);
  for (const name of ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_PROFILE', 'ANTHROPIC_LOG'])
    vi.stubEnv(name, undefined);
  // Where the library would look for other credentials.
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', home);
});
afterEach(async () => {
  for (const each of clear) await each();
  clear = [];
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(home, { recursive: true }));

async function serve(answer?: (asked: Asked) => void): Promise<ScriptedApi> {
  const server = await startScriptedApi(answer);
  clear.push(server.close);
  return server;
}

/** A channel and what it said. */
function listen(channel: Channel) {
  const texts: string[] = [];
  const endings: string[] = [];
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  clear.push(() => channel.close('normal', 'the test is over'));
  channel.open({
    frame(frame) {
      texts.push(frame.text);
      wake();
    },
    fault: ({ message }) => texts.push(message),
    end({ reason }) {
      endings.push(reason);
      wake();
    },
  });
  return {
    texts,
    endings,
    ask: (request: number, body: object = {}) => channel.send(JSON.stringify({ type: 'request', request, body })),
    abort: (request: number) => channel.send(JSON.stringify({ type: 'abort', request })),
    until: (label: string, look: () => boolean) =>
      within(
        label,
        watchers,
        () => (look() ? true : undefined),
        () => `: ${texts.join('\n')}`,
      ),
    /** How a request ended. */
    async end(request = 1): Promise<{ how: string; failure: { message: string; [field: string]: unknown } }> {
      const isEnd = (text: string) => text.startsWith(`{"type":"request_end","request":${request},`);
      await this.until(`the end of request ${request}`, () => texts.some(isEnd));
      return JSON.parse(texts.find(isEnd) ?? '');
    },
  };
}

const ports = { frameOf: createFrame, maxFrameBytes: 1024 * 1024 };
const connect = (baseUrl?: string) => listen(connectApi({ baseUrl }, ports));

test('a request goes out as it is, and each event comes in as it is, pings and novelties too', async () => {
  const server = await serve();
  const api = connect(server.url);
  api.ask(1, { model: 'm', stream: true, messages: [], novelty: { deep: [1] } });
  const asked = await server.request(0);
  expect([asked.path, asked.body]).toEqual([
    '/v1/messages',
    { model: 'm', stream: true, messages: [], novelty: { deep: [1] } },
  ]);
  expect(JSON.stringify(asked.headers)).toContain(key);
  expect(asked.headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/u);
  const data = '{"type":"message_start",  "message":{"x":"\u2028 ü"}}';
  stream(asked, `event: message_start\ndata: ${data}\n\n`, sse('ping'), sse('novelty', { a: 1 }), sse('message_stop'));
  asked.response.end();
  expect(await api.end()).toEqual({ type: 'request_end', request: 1, how: 'finished' });
  expect(api.texts.slice(0, -1)).toEqual([
    data,
    '{"type":"ping"}',
    '{"type":"novelty","a":1}',
    '{"type":"message_stop"}',
  ]);
});

test('an event that is too large is told as a fault, and the stream goes on', async () => {
  const server = await serve();
  const api = connect(server.url);
  api.ask(1);
  const asked = await server.request(0);
  stream(asked, sse('novelty', { a: 'x'.repeat(ports.maxFrameBytes) }), sse('message_stop'));
  asked.response.end();
  await api.end();
  expect(api.texts.slice(0, -1)).toEqual([
    'an event of more than 1048576 bytes, which was discarded',
    '{"type":"message_stop"}',
  ]);
});

test('the address is that of the options, else that of the environment', async () => {
  const [named, other] = [await serve(), await serve()];
  vi.stubEnv('ANTHROPIC_BASE_URL', other.url);
  connect(named.url).ask(1);
  connect().ask(1);
  await Promise.all([named.request(0), other.request(0)]);
  expect([named.asked.length, other.asked.length]).toEqual([1, 1]);
});

describe('a request that is refused', () => {
  test.each<[status: number, type: string, headers: object, more: object]>([
    [529, 'overloaded_error', {}, {}],
    [529, 'overloaded_error', { 'retry-after-ms': '20' }, { retryAfterMs: 20 }],
    [429, 'rate_limit_error', { 'retry-after': '2' }, { retryAfterMs: 2_000 }],
    [429, 'rate_limit_error', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, { retryAfterMs: 0 }],
    [429, 'rate_limit_error', { 'retry-after': 'soon' }, {}],
    [500, 'api_error', { 'x-should-retry': 'false' }, { mayRetry: false }],
    [400, 'invalid_request_error', { 'x-should-retry': 'true' }, { mayRetry: true }],
    [401, 'authentication_error', {}, {}],
  ])('%i %s %j is told once, and not made again', async (status, type, headers, more) => {
    const server = await serve((asked) => refuse(asked, status, type, 'No.', headers));
    const api = connect(server.url);
    api.ask(1);
    expect(await api.end()).toEqual({
      type: 'request_end',
      request: 1,
      how: 'failed',
      failure: { message: `No. (${type}, request req_1)`, status, ...more },
    });
    expect(server.asked).toHaveLength(1);
  });

  test('without a body that anybody can read', async () => {
    const server = await serve(({ response }) => response.writeHead(502).end('<html>bad gateway</html>'));
    const api = connect(server.url);
    api.ask(1);
    expect(await api.end()).toMatchObject({
      how: 'failed',
      failure: { status: 502, message: expect.stringContaining('502') },
    });
  });

  test('with our key in its words: they are told without it', async () => {
    const server = await serve((asked) => refuse(asked, 401, 'authentication_error', `invalid key ${key}`));
    const api = connect(server.url);
    api.ask(1);
    expect((await api.end()).failure.message).toContain('invalid key ***');
    expect(api.texts.join()).not.toContain(key);
  });

  test('by an event with our key in it: the same', async () => {
    const server = await serve();
    const api = connect(server.url);
    api.ask(1);
    const asked = await server.request(0);
    stream(asked, sse('error', { error: { type: 'authentication_error', message: `invalid key ${key}` } }));
    asked.response.end();
    await api.end();
    expect(api.texts[0]).toContain('invalid key ***');
  });

  test('because there is no key: it says which variable to set, and nothing is sent', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', undefined);
    const server = await serve();
    const api = connect(server.url);
    api.ask(1);
    const { how, failure } = await api.end();
    expect([how, failure.mayRetry, server.asked.length]).toEqual(['failed', false, 0]);
    expect(failure.message).toMatch(/^there is no key: set ANTHROPIC_API_KEY in/u);
  });

  test('because the address holds a password: it is told without it', async () => {
    const api = connect('http://user:s3cret@127.0.0.1:9');
    api.ask(1);
    expect((await api.end()).failure.message).toContain('http://***@127.0.0.1:9/');
    expect(api.texts.join()).not.toContain('s3cret');
  });

  test('because nobody is there', async () => {
    const server = await startScriptedApi();
    await server.close();
    const api = connect(server.url);
    api.ask(1);
    expect(await api.end()).toMatchObject({
      failure: { mayRetry: true, message: expect.stringContaining('ECONNREFUSED') },
    });
  });
});

test('a stream that is cut is a failure, and what came before it was told', async () => {
  const server = await serve();
  const api = connect(server.url);
  api.ask(1);
  const asked = await server.request(0);
  stream(asked, sse('message_start'), 'event: content_block_sta');
  await api.until('the first event', () => api.texts.length === 1);
  asked.response.destroy();
  expect(await api.end()).toMatchObject({
    how: 'failed',
    failure: { mayRetry: true, message: expect.stringMatching(/./u) },
  });
  expect(api.texts).toHaveLength(2);
});

test('an abort hangs up, and nothing comes behind its end', async () => {
  const server = await serve();
  const api = connect(server.url);
  api.ask(1);
  const asked = await server.request(0);
  stream(asked, sse('message_start'));
  await api.until('the first event', () => api.texts.length === 1);
  const gone = once(asked.response, 'close');
  api.abort(1);
  expect(api.texts).toHaveLength(1);
  expect(await api.end()).toEqual({ type: 'request_end', request: 1, how: 'aborted' });
  await gone;
  expect(api.texts).toHaveLength(2);
  // Of a request that is over, or another: nothing.
  api.abort(1);
  api.ask(2);
  api.abort(1);
  const second = await server.request(1);
  stream(second, sse('message_stop'));
  second.response.end();
  expect(await api.end(2)).toMatchObject({ how: 'finished' });
  expect(api.texts).toHaveLength(4);
});

test('an abort before the library is loaded stops the request all the same', async () => {
  const server = await serve();
  const api = connect(server.url);
  api.ask(1);
  api.abort(1);
  expect(await api.end()).toMatchObject({ how: 'aborted' });
  api.ask(2);
  await server.request(0);
  expect(server.asked.length).toBe(1);
});

test('a new request takes the place of one that lingers behind its message', async () => {
  const server = await serve();
  const api = connect(server.url);
  api.ask(1);
  const first = await server.request(0);
  stream(first, sse('message_stop'));
  await api.until('the end of the message', () => api.texts.length === 1);
  const gone = once(first.response, 'close');
  api.ask(2);
  await gone;
  const second = await server.request(1);
  stream(second, sse('message_start'));
  second.response.end();
  await api.end(2);
  expect(api.texts.map((text) => JSON.parse(text).type)).toEqual(['message_stop', 'message_start', 'request_end']);
});

test('what came with the end of a message is not told behind the next request', async () => {
  const server = await serve();
  const channel = connectApi({ baseUrl: server.url }, ports);
  const told: string[] = [];
  clear.push(() => channel.close('normal', 'the test is over'));
  const next = new Promise<void>((over) => {
    channel.open({
      frame({ text }) {
        told.push(JSON.parse(text).type);
        // As the machine does when a model has paused.
        if (text.includes('message_stop')) channel.send('{"type":"request","request":2,"body":{}}');
        if (text.includes('request_end')) over();
      },
      fault: () => {},
      end: () => {},
    });
  });
  channel.send('{"type":"request","request":1,"body":{}}');
  stream(await server.request(0), sse('message_stop'), sse('straggler'), sse('straggler'));
  const second = await server.request(1);
  stream(second, sse('message_start'));
  second.response.end();
  await next;
  expect(told).toEqual(['message_stop', 'message_start', 'request_end']);
});

test('paused it reads no further than what the buffers hold, and goes on where it was', async () => {
  const server = await serve();
  const channel = connectApi({ baseUrl: server.url }, ports);
  const api = listen(channel);
  api.ask(1);
  const asked = await server.request(0);
  channel.pause();
  const filler = 'x'.repeat(100_000);
  let written = 0;
  let isOver = false;
  stream(asked);
  /** As fast as it is read. */
  function flow(): void {
    while (!isOver) {
      written += 1;
      if (!asked.response.write(sse('filler', { number: written, filler }))) return;
    }
    asked.response.end();
  }
  asked.response.on('drain', flow);
  flow();

  // Other requests go through from end to end meanwhile, until it has come to rest.
  const other = connect(server.url);
  let asks = 0;
  async function writtenAfter(rounds: number): Promise<number> {
    for (let round = 0; round < rounds; round += 1) {
      other.ask(++asks);
      const quick = await server.request(asks);
      stream(quick, sse('ping'));
      quick.response.end();
      await other.end(asks);
    }
    return written;
  }
  const atRest = await writtenAfter(20);
  expect(await writtenAfter(20)).toBe(atRest);
  expect(api.texts).toEqual([]);

  isOver = true;
  channel.resume();
  expect(api.texts).toEqual([]);
  expect(await api.end()).toMatchObject({ how: 'finished' });
  const numbers = api.texts.slice(0, -1).map((text) => JSON.parse(text).number);
  expect(numbers).toEqual(Array.from({ length: written }, (_, at) => at + 1));
});

test('paused, an abort is told when somebody listens again', async () => {
  const server = await serve();
  const channel = connectApi({ baseUrl: server.url }, ports);
  const api = listen(channel);
  api.ask(1);
  const asked = await server.request(0);
  stream(asked, sse('message_start'));
  await api.until('the first event', () => api.texts.length === 1);
  channel.pause();
  const gone = once(asked.response, 'close');
  api.abort(1);
  await gone;
  expect(api.texts).toHaveLength(1);
  channel.resume();
  expect(await api.end()).toMatchObject({ how: 'aborted' });
});

test('closed it hangs up, ends once, and takes nothing more', async () => {
  const server = await serve();
  const channel = connectApi({ baseUrl: server.url }, ports);
  const api = listen(channel);
  api.ask(1);
  const asked = await server.request(0);
  stream(asked, sse('message_start'));
  await api.until('the first event', () => api.texts.length === 1);
  const gone = once(asked.response, 'close');
  channel.close('normal', 'enough');
  channel.close('normal', 'again');
  expect(api.endings).toEqual([]);
  await gone;
  api.ask(2);
  expect([api.texts.length, api.endings, server.asked.length]).toEqual([1, ['enough'], 1]);
});

test('closed before anybody listens it ends as soon as somebody does', async () => {
  const channel = connectApi({}, ports);
  channel.close('normal', 'enough');
  const api = listen(channel);
  await api.until('the end', () => api.endings.length > 0);
  expect(api.endings).toEqual(['enough']);
});

test('nothing is written to stdout, whatever the environment asks the library to log', async () => {
  vi.stubEnv('ANTHROPIC_LOG', 'debug');
  const said = ['log', 'info', 'debug', 'warn', 'error'] as const;
  const spies = said.map((name) => vi.spyOn(console, name).mockReturnValue(undefined));
  clear.push(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const server = await serve((asked) => refuse(asked, 401, 'authentication_error', 'No.'));
  const api = connect(server.url);
  api.ask(1);
  await api.end();
  expect(spies.map((spy) => spy.mock.calls)).toEqual(said.map(() => []));
});
