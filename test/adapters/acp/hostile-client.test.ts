// ACP clients that send what no client should: each request has exactly one answer, and the connection and its sessions go on
// (docs/protocols/acp.md 1.2, 1.3, 1.5, 1.7, 1.8).
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { acp } from '../../../src/adapters/acp/index.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { createGateway } from '../../../src/gateway/full-gateway.ts';
import { connectRaw, type RawAcp } from '../../support/acp-raw.ts';
import { at, rowOf } from '../../support/acp-traces.ts';
import { stillEnv } from '../../support/decoding.ts';
import { admitAll, garbage } from '../../support/garbage.ts';
import { acpOrderFaults } from '../../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../../support/judges/acp-schema.ts';
import { createLog, tell } from '../../support/telling.ts';

const agents = { fast: { protocol: 'demo', options: { paceMs: 0 } } };
/** Beside the two that are open before each test. */
const mostSessions = 200;
let client: RawAcp;
let session = '';
let other = '';

beforeEach(async () => {
  const limits = { perToken: { agents: 2 + mostSessions } };
  const gateway = createGateway(parseConfig({ agents, defaultAgent: 'fast', limits }), { log: () => {} });
  onTestFinished(() => gateway.close('the test is over'));
  client = await connectRaw(gateway);
  session = await client.open('/');
  other = await client.open('/');
});

/** Both sessions work, and all that was said fits. */
afterEach(async () => {
  for (const id of [session, other]) expect(await client.prompt(id, 'hello')).toBe('end_turn');
  // What was no request is answered, too: the judges know of requests alone.
  const rows = client.rows.filter(({ json }) => at(json, 'error', 'code') !== -32_600);
  expect(acpSchemaFaults(rows, { only: 'out' })).toEqual([]);
  expect(acpOrderFaults(rows, { only: 'out' })).toEqual([]);
});

const prompt = (id: unknown, words: string) => ({
  id,
  method: 'session/prompt',
  params: { sessionId: session, prompt: [{ type: 'text', text: words }] },
});
const line = (message: unknown) => `${JSON.stringify(message)}\n`;

describe('lines that are no messages', () => {
  test.each([
    ['42', null, -32_600],
    ['[]', null, -32_600],
    ['[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', null, -32_600],
    ['null', null, -32_600],
    ['"x"', null, -32_600],
    ['{}', null, -32_600],
    ['{"jsonrpc":"2.0","id":{}}', null, -32_600],
    ['{"jsonrpc":"2.0","id":[],"method":"session/list"}', null, -32_600],
    ['{"id":1.5,"method":"session/list"}', null, -32_600],
    ['{"id":true,"method":"session/list"}', null, -32_600],
    ['{"id":1e400,"method":"session/list"}', null, -32_600],
    ['{"id":9007199254740994,"method":"session/list"}', null, -32_600],
    ['{"id":8,"method":5}', 8, -32_600],
    ['{"id":8}', 8, -32_600],
    ['{"id":', null, -32_700],
    ['Content-Length: 2', null, -32_700],
    ['\u0000', null, -32_700],
  ])('%s is answered once, with an error', async (words, id, code) => {
    expect(await client.answersTo(`${words}\n`)).toMatchObject([{ id, error: { code } }]);
  });

  test('more of them than a client on the network may send: a client on stdio is answered each time', async () => {
    expect(await client.answersTo('{]\n'.repeat(30))).toHaveLength(30);
  });

  test.each(['\n', '\r\n', '\n\n\n'])('blank lines (%j) are no messages', async (words) => {
    expect(await client.answersTo(words)).toEqual([]);
  });
});

describe('requests', () => {
  test.each([0, '0', null, -1, 2 ** 53, -(2 ** 53), '', 'a\u2028b', '__proto__'])(
    'of the id %j are answered under that id, once',
    async (id) => {
      expect(await client.prompt(session, 'hello', id)).toBe('end_turn');
      expect(await client.answersTo(line({ id, method: 'session/list', params: {} }))).toMatchObject([
        { id, result: { sessions: expect.any(Array) } },
      ]);
    },
  );

  test('of ids that look alike are answered in their order', async () => {
    const from = client.rows.length;
    const ids = [0, '0', null, -1];
    for (const id of ids) client.say(prompt(id, 'hello'));
    const answers = () => client.rows.slice(from).filter(({ dir, json }) => dir === 'out' && at(json, 'result'));
    await client.untilAll('all answers', () => answers().length >= ids.length);
    expect(answers().map(({ json }) => at(json, 'id'))).toEqual(ids);
  });

  test.each([
    ['craft/drain', {}, -32_601],
    ['_vendor/ask', {}, -32_601],
    ['toString', {}, -32_601],
    ['__proto__', {}, -32_601],
    ['session/prompt', null, -32_602],
    ['session/prompt', [], -32_602],
    ['session/prompt', { sessionId: {}, prompt: 'x' }, -32_602],
    ['session/prompt', { sessionId: '__proto__', prompt: [] }, -32_002],
    ['session/set_mode', { sessionId: 'constructor', modeId: 'x' }, -32_002],
    ['session/close', { sessionId: 'x'.repeat(100_000) }, -32_002],
    ['session/new', { cwd: '/nowhere/at/all', mcpServers: [] }, -32_602],
    ['session/new', { cwd: '/etc/passwd', mcpServers: [] }, -32_602],
    ['session/new', { cwd: '/\u0000', mcpServers: [] }, -32_602],
    ['session/new', { cwd: 'etc', mcpServers: [] }, -32_602],
    ['session/load', { sessionId: '../../etc/passwd', cwd: '/', mcpServers: [] }, -32_002],
    ['session/list', { cursor: '-1' }, -32_602],
  ])('%s with %j is refused, in short words', async (method, params, code) => {
    const answers = await client.answersTo(line({ id: 'bad', method, params }));
    expect(answers).toMatchObject([{ id: 'bad', error: { code } }]);
    expect(JSON.stringify(answers).length).toBeLessThan(1_000);
  });

  test('without an id are notifications: unknown and malformed ones are passed over', async () => {
    const methods = ['craft/x', 'session/prompt', 'session/cancel', '$/cancel_request', 'initialize'];
    const lines = methods.flatMap((method) => [line({ method }), line({ method, params: { sessionId: {} } })]);
    expect(await client.answersTo(lines.join(''))).toEqual([]);
  });

  test('with a line of 1 MB', async () => {
    expect(await client.prompt(session, `hello ${' '.repeat(1024 * 1024)}`)).toBe('end_turn');
  });

  test('in a line that is longer than any may be: one error, and the next line is read', async () => {
    const long = line(prompt('long', 'x'.repeat(33 * 1024 * 1024)));
    expect(await client.answersTo(long)).toMatchObject([{ id: null, error: { code: -32_600 } }]);
  });

  test('with a BOM, a CR and characters of several bytes', async () => {
    const id = 'é\u2028🎈';
    const request = JSON.stringify({ id, method: '_vendor/ask' });
    expect(await client.answersTo(`\ufeff${request}\r\n`)).toMatchObject([{ id, error: { code: -32_601 } }]);
  });
});

describe('answers', () => {
  test.each([
    { id: 5, result: {} },
    { id: 'ask-a-9999-x', result: {} },
    { id: 'ask-a-1-', error: {} },
    { id: null, error: { code: 'x', message: 5 } },
  ])('that nobody waits for are passed over: %j', async (answer) => {
    expect(await client.answersTo(line(answer))).toEqual([]);
  });

  test.each([
    { result: 42 },
    { result: { outcome: 'selected' } },
    { result: { outcome: { outcome: 'selected', optionId: 'nobody offered it' } } },
    { result: { outcome: { outcome: 'selected', optionId: '__proto__' } } },
    { error: { code: -32_603, message: 'no' } },
  ])('to a question that are none, %j: the call fails, and the turn ends', async (answer) => {
    const turn = client.prompt(session, 'ask');
    const { id } = await client.until('a question', ({ method }) => method === 'session/request_permission');
    client.say({ id, ...answer });
    // A second answer is one that nobody waits for.
    client.say({ id, ...answer });
    expect(await turn).toBe('end_turn');
  });
});

test('200 sessions, as many as it may have, with an open question each: more are refused, and each cancelled turn ends', async () => {
  // One look at all answers: a wait for each one would read all that was said, again and again.
  const answersOf = (ids: readonly string[]) => {
    const wanted = new Set<unknown>(ids);
    return client.rows.flatMap(({ dir, json }) =>
      dir === 'out' && wanted.has(at(json, 'id')) && at(json, 'method') === undefined ? [json] : [],
    );
  };
  const openings = Array.from({ length: mostSessions + 7 }, (_, n) => `open-${n}`);
  for (const id of openings) client.say({ id, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
  await client.untilAll('all sessions', () => answersOf(openings).length === openings.length);
  const opened = answersOf(openings);
  const sessions = opened.flatMap((json) => at(json, 'result', 'sessionId') ?? []).map(String);
  expect(sessions).toHaveLength(mostSessions);
  const refusals = opened.flatMap((json) => at(json, 'error', 'message') ?? []);
  expect(refusals).toEqual(Array.from({ length: 7 }, () => expect.stringContaining('agents')));
  const from = client.rows.length;
  const blocks = [{ type: 'text', text: 'ask' }];
  for (const id of sessions) {
    client.say({ id: `ask ${id}`, method: 'session/prompt', params: { sessionId: id, prompt: blocks } });
  }
  const questions = () =>
    client.rows.slice(from).filter(({ json }) => at(json, 'method') === 'session/request_permission');
  await client.untilAll('all questions', () => questions().length === sessions.length);
  expect(new Set(questions().map(({ json }) => at(json, 'id'))).size).toBe(sessions.length);
  for (const id of sessions) client.say({ method: 'session/cancel', params: { sessionId: id } });
  const turns = sessions.map((id) => `ask ${id}`);
  await client.untilAll('all ends', () => answersOf(turns).length === turns.length);
  expect(new Set(answersOf(turns).map((json) => at(json, 'result', 'stopReason')))).toEqual(new Set(['cancelled']));
});

test('whatever events an agent makes, its clients are told what fits the schema', () => {
  const side = acp.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error('no client side');
  fc.assert(
    fc.property(garbage, (events) => {
      const log = createLog();
      admitAll(log, events);
      log.close();
      const rows = tell(side, log.logged).texts.map((text) => rowOf('out', JSON.parse(text)));
      expect(acpSchemaFaults(rows)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
