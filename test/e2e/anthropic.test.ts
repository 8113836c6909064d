// `patchbay serve` in front of the Messages API, through the official library, with a fake API behind it: what a Claude
// client and a pi client are told, and what the API was asked. The judge is the library's own reader of the stream.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { longText, type Scenario, unicodeText } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, type RecordedRequest, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { interruptFrame, isEvent, isResult, promptFrame, turn } from '../support/claude-turn.ts';
import { type Client, connectSse, connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';
import { judged as breachesOf, faultsIn } from '../support/judged.ts';
import { finalMessage, finalMessages } from '../support/judges/message-stream.ts';

const key = 'sk-ant-test-that-nobody-may-see';
const text = (...deltas: string[]) => ({ type: 'text' as const, deltas });
const own: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['late', () => [{ blocks: [text('Better ', 'late.')], faults: [{ status: 529, error: 'overloaded_error' }] }]],
  ['locked', () => [{ blocks: [text('Never said.')], faults: [{ status: 401, error: 'authentication_error' }] }]],
  ['cut', () => [{ blocks: [text('Never said.')], faults: [{ after: [text('Half a ', 'word')], stops: 'cut' }] }]],
  ['short', () => [{ blocks: [text('Never said.')], faults: [{ after: [text('Half a ', 'word')], stops: 'end' }] }]],
  [
    'broken',
    () => [{ blocks: [text('Never said.')], faults: [{ after: [text('Half a ', 'word')], error: 'api_error' }] }],
  ],
]);

let fake: FakeAnthropic;
let server: GatewayServer;
const folder = mkdtempSync(join(tmpdir(), 'patchbay-anthropic-'));
const before = process.env.ANTHROPIC_API_KEY;
beforeAll(async () => {
  fake = await startFakeAnthropic({ chat: true, scenarios: own });
  process.env.ANTHROPIC_API_KEY = key;
  const chat = { protocol: 'anthropic', options: { baseUrl: fake.url, system: 'You are a test.' } };
  const config = join(folder, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents: { chat } }));
  server = await startServerWith(config);
});
afterAll(async () => {
  if (before === undefined) delete process.env.ANTHROPIC_API_KEY;
  else process.env.ANTHROPIC_API_KEY = before;
  await server?.close();
  await fake.close();
  rmSync(folder, { recursive: true });
});

const clients: Client[] = [];
/** All that any client was told. */
const heard: string[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) {
    heard.push(JSON.stringify(client.frames));
    await client.close();
  }
});
async function joined(frontend: string, connect = connectWebSocket): Promise<Client> {
  const client = await connect(server, await server.createSession(), frontend);
  clients.push(client);
  return client;
}

/** The requests whose last prompt says that. */
const askedFor = (words: string): RecordedRequest[] => fake.requests.filter(({ prompt }) => prompt.text === words);

function eventsOf({ answered: said }: RecordedRequest): object[] {
  // Not by a pattern: U+2028 ends a line for those.
  const lines = said.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

function judged(client: Client): void {
  expect(faultsIn('claude', client.frames)).toEqual([]);
}

/** Without the rule on the order of fields: the inbox has read them, and puts the type first. */
function judgedPi(client: Client): void {
  expect(breachesOf('pi', client.frames).filter(({ rule }) => rule !== 'pi/own/response-keys')).toEqual([]);
}

describe.each([
  ['websocket', connectWebSocket],
  ['sse', connectSse],
])('a Claude client over %s', (_, connect) => {
  test.each<[scenario: string, stop: string, said: string]>([
    ['text', 'end_turn', 'Hello, world. This is plain text.'],
    ['think', 'end_turn', 'The answer is 42.'],
    ['unicode', 'end_turn', unicodeText],
    ['long', 'end_turn', longText],
    ['max-tokens', 'max_tokens', 'Cut off in the mid'],
    ['refusal', 'refusal', 'I must not.'],
    ['empty', 'end_turn', ''],
  ])('%s: the message is what the library reads from the stream itself', async (scenario, stop, said) => {
    const client = await joined('claude', connect);
    const words = `[[${scenario}]] ${connect.name}`;
    const frames = await turn(client, words);
    const [request] = askedFor(words);
    if (request === undefined) throw new Error('nothing was asked');
    const direct = await finalMessage(eventsOf(request));
    expect(direct.stop_reason).toBe(stop);
    expect(await finalMessages(frames)).toEqual([direct]);
    const { usage } = direct;
    const cost = (usage.input_tokens ?? 0) * 4 + (usage.output_tokens ?? 0) * 20 + 30 * 0.2 + 20 * 5;
    expect(frames.at(-1)).toMatchObject({
      is_error: false,
      result: said,
      usage,
      total_cost_usd: expect.closeTo(cost / 1e6, 12),
    });
    judged(client);
  });
});

test('the API is asked with everything that was said, in the words of each turn', async () => {
  const client = await joined('claude');
  await turn(client, '[[think]] first');
  await turn(client, '[[text]] second');
  const [request] = askedFor('[[text]] second');
  expect(request?.body).toEqual({
    model: 'claude-opus-5-5',
    max_tokens: 32_000,
    stream: true,
    system: 'You are a test.',
    cache_control: { type: 'ephemeral' },
    thinking: { type: 'adaptive', display: 'summarized' },
    messages: [
      { role: 'user', content: [{ type: 'text', text: '[[think]] first' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Let me think about it.', signature: 'c2lnbmVkIQ==' },
          { type: 'text', text: 'The answer is 42.' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: '[[text]] second' }] },
    ],
  });
  judged(client);
});

test('images and documents reach the API, from either client', async () => {
  const claude = await joined('claude');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
  const document = {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    title: 'a.pdf',
  };
  await claude.send(promptFrame('[[image]] claude', [image, document]));
  expect(await claude.waitFor(isResult, 'what the model saw')).toMatchObject({ result: 'I see image/png.' });
  expect(askedFor('[[image]] claude')[0]?.body.messages[0]?.content).toEqual([
    { type: 'text', text: '[[image]] claude' },
    image,
    document,
  ]);
  const pi = await joined('pi');
  const images = [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }];
  await pi.send({ type: 'prompt', id: 'p', message: '[[image]] pi', images });
  await pi.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
  expect(askedFor('[[image]] pi')[0]?.body.messages[0]?.content).toEqual([
    { type: 'text', text: '[[image]] pi' },
    image,
  ]);
});

describe('an interrupt', () => {
  test('from a Claude client hangs up, and the conversation goes on with what was said', async () => {
    const client = await joined('claude');
    const frames = await turn(client, '[[hold]] one', async (from) => {
      await client.waitFor(isEvent('content_block_delta', 'text_delta'), 'the first words', from);
      await client.send(interruptFrame('stop'));
    });
    expect(frames.at(-1)).toMatchObject({
      is_error: true,
      subtype: 'error_during_execution',
      terminal_reason: 'aborted_streaming',
    });
    await fake.until(
      ({ prompt, outcome }) => prompt.text === '[[hold]] one' && outcome === 'gone',
      'the end of the request',
    );
    expect(await turn(client, '[[text]] two')).toContainEqual(
      expect.objectContaining({ type: 'result', is_error: false, result: 'Hello, world. This is plain text.' }),
    );
    const messages = askedFor('[[text]] two')[0]?.body.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(messages[1])).toContain('This never ');
    judged(client);
  });

  test('from a pi client as well', async () => {
    const client = await joined('pi');
    await client.send({ type: 'prompt', id: 'p', message: '[[abort-think]] one' });
    await client.waitFor((frame) => JSON.stringify(frame).includes('thinking_delta'), 'the first thought');
    await client.send({ type: 'abort', id: 'a' });
    const end = await client.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
    expect(JSON.stringify(end)).toContain('"stopReason":"aborted"');
    await fake.until(({ prompt, outcome }) => prompt.text === '[[abort-think]] one' && outcome === 'gone', 'the end');
    const from = client.frames.length;
    await client.send({ type: 'prompt', id: 'q', message: '[[text]] after the thought' });
    await client.waitFor(({ type }) => type === 'agent_end', 'the end of the second run', from);
    // A thought that was cut cannot be shown again, so its prompt is not either.
    expect(askedFor('[[text]] after the thought')[0]?.body.messages).toHaveLength(1);
    judgedPi(client);
  });
});

describe('trouble', () => {
  interface Trouble {
    readonly requests: number;
    readonly result: object;
    readonly said: readonly string[];
    /** Roles of the messages that the next request shows. */
    readonly next: readonly string[];
  }
  const failed = (message: unknown, status?: number) => ({
    is_error: true,
    errors: [message],
    ...(status === undefined ? {} : { api_error_status: status }),
  });
  const troubles: Record<string, Trouble> = {
    late: {
      requests: 2,
      result: { is_error: false, result: 'Better late.' },
      said: ['Better late.'],
      next: ['user', 'assistant', 'user'],
    },
    overloaded: {
      requests: 4,
      result: { is_error: false, result: 'Better late.' },
      said: ['Better late.'],
      next: ['user', 'assistant', 'user'],
    },
    locked: {
      requests: 1,
      result: failed('The fake model says authentication_error. (authentication_error)', 401),
      said: [],
      next: ['user'],
    },
    broken: {
      requests: 1,
      result: failed('The fake model says api_error. (api_error)', 500),
      said: ['Half a word'],
      next: ['user', 'assistant', 'user'],
    },
    cut: {
      requests: 1,
      result: failed(expect.stringMatching(/./u)),
      said: ['Half a word'],
      next: ['user', 'assistant', 'user'],
    },
    short: {
      requests: 1,
      result: failed('the stream of the API ended before its message did'),
      said: ['Half a word'],
      next: ['user', 'assistant', 'user'],
    },
    'bad-request': {
      requests: 1,
      result: failed('The fake model says invalid_request_error. (invalid_request_error)', 400),
      said: [],
      next: ['user'],
    },
  };

  test.each(Object.entries(troubles))('%s, seen by a Claude client', async (name, { requests, result, said, next }) => {
    const client = await joined('claude');
    const words = `[[${name}]] claude`;
    const frames = await turn(client, words);
    expect(frames.at(-1)).toMatchObject(result);
    expect(askedFor(words)).toHaveLength(requests);
    // An endless stream may have said its last piece more than once before it broke.
    const texts = (await finalMessages(frames)).flatMap(({ content }) => content.map((block) => JSON.stringify(block)));
    for (const phrase of said) expect(texts.join()).toContain(phrase);
    expect(texts).toHaveLength(said.length);
    await turn(client, `[[text]] after ${name}`);
    expect(askedFor(`[[text]] after ${name}`)[0]?.body.messages.map(({ role }) => role)).toEqual(next);
    judged(client);
  });

  test.each(Object.keys(troubles))('%s, seen by a pi client', async (name) => {
    const client = await joined('pi');
    await client.send({ type: 'prompt', id: 'p', message: `[[${name}]] pi` });
    const end = await client.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
    expect(JSON.stringify(end).includes('"stopReason":"error"')).toBe(name !== 'late' && name !== 'overloaded');
    const retries = client.frames.filter(({ type }) => type === 'auto_retry_start');
    expect(retries).toHaveLength(askedFor(`[[${name}]] pi`).length - 1);
    judgedPi(client);
  });
});

describe('settings', () => {
  test('another model, from a Claude client', async () => {
    const client = await joined('claude');
    await client.send({
      type: 'control_request',
      request_id: 'm',
      request: { subtype: 'set_model', model: 'claude-haiku-4-5' },
    });
    await client.waitFor(({ type }) => type === 'control_response', 'the answer');
    const frames = await turn(client, '[[text]] small');
    expect(askedFor('[[text]] small')[0]?.body).toMatchObject({ model: 'claude-haiku-4-5', max_tokens: 32_000 });
    expect(askedFor('[[text]] small')[0]?.body).not.toHaveProperty('thinking');
    expect((await finalMessages(frames))[0]?.model).toBe('claude-haiku-4-5');
    expect(Object.keys(frames.at(-1)?.modelUsage ?? {})).toEqual(['claude-haiku-4-5']);
  });

  test('another model and how it thinks, from a pi client', async () => {
    const client = await joined('pi');
    const answer = (command: string) =>
      client.waitFor(
        (frame: Frame) => frame.type === 'response' && frame.command === command,
        `the answer to ${command}`,
      );
    await client.send({ type: 'get_available_models', id: '1' });
    expect(await answer('get_available_models')).toMatchObject({
      data: {
        models: expect.arrayContaining([expect.objectContaining({ id: 'claude-sonnet-5-5', provider: 'anthropic' })]),
      },
    });
    await client.send({ type: 'set_model', id: '2', provider: 'anthropic', modelId: 'claude-sonnet-5-5' });
    expect(await answer('set_model')).toMatchObject({ success: true });
    await client.send({ type: 'set_thinking_level', id: '3', level: 'low' });
    expect(await answer('set_thinking_level')).toMatchObject({ success: true });
    await client.send({ type: 'get_state', id: '4' });
    expect(await answer('get_state')).toMatchObject({
      data: { model: { id: 'claude-sonnet-5-5' }, thinkingLevel: 'low' },
    });
    await client.send({ type: 'prompt', id: '5', message: '[[text]] low' });
    await client.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
    expect(askedFor('[[text]] low')[0]?.body).toMatchObject({
      model: 'claude-sonnet-5-5',
      output_config: { effort: 'low' },
    });
    await client.send({ type: 'get_session_stats', id: '6' });
    const stats = await answer('get_session_stats');
    expect(stats).toMatchObject({ data: { userMessages: 1, assistantMessages: 1 } });
    await client.send({ type: 'new_session', id: '7' });
    expect(await answer('new_session')).toMatchObject({ success: true });
    const from = client.frames.length;
    await client.send({ type: 'prompt', id: '8', message: '[[text]] new' });
    await client.waitFor(({ type }) => type === 'agent_end', 'the end of the run', from);
    expect(askedFor('[[text]] new')[0]?.body.messages).toHaveLength(1);
  });
});

test('the command line names such an agent by its protocol alone', async () => {
  const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const options = [
    '--option',
    `baseUrl=${fake.url}`,
    '--option',
    'model=claude-sonnet-5-5',
    '--option',
    'maxTokens=99',
  ];
  const args = [cli, 'stdio', '--frontend', 'claude', '--backend', 'anthropic', ...options];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${JSON.stringify(promptFrame('[[text]] on stdio'))}\n`);
  const [printed, [code]] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')]);
  expect(JSON.parse(printed.join('').trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'result',
    result: 'Hello, world. This is plain text.',
  });
  expect(code).toBe(0);
  expect(askedFor('[[text]] on stdio')[0]?.body).toMatchObject({ model: 'claude-sonnet-5-5', max_tokens: 99 });
});

test('the key is in nothing that anybody was told, and in no line of the log', () => {
  expect(heard.join().length).toBeGreaterThan(10_000);
  expect(heard.join()).not.toContain(key);
  expect(server.log()).not.toContain(key);
});
