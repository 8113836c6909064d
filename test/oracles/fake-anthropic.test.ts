// The fake model on trial: the official client reads it as it reads the true API.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { longText, scenarios, unicodeText } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';

let fake: FakeAnthropic;
let client: Anthropic;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  client = new Anthropic({ baseURL: fake.url, apiKey: 'test' });
});
afterAll(() => fake.close());

const tools: Anthropic.Tool[] = [{ name: 'bash', input_schema: { type: 'object' } }];

function request(content: Anthropic.MessageParam['content'], more: Anthropic.MessageParam[] = []) {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content }, ...more];
  return { model: 'fake-1', max_tokens: 1_000, tools, messages };
}
const prose = (message: Anthropic.Message) =>
  message.content.map((block) => (block.type === 'text' ? block.text : block.type));

test.each<[scenario: string, stop: string, content: string[]]>([
  ['text', 'end_turn', ['Hello, world. This is plain text.']],
  ['think', 'end_turn', ['thinking', 'The answer is 42.']],
  ['tools', 'tool_use', ['I run two tools.', 'tool_use', 'tool_use']],
  ['max-tokens', 'max_tokens', ['Cut off in the mid']],
  ['refusal', 'refusal', ['I must not.']],
  ['empty', 'end_turn', []],
  ['long', 'end_turn', [longText]],
  ['unicode', 'end_turn', ['thinking', unicodeText]],
  ['overloaded', 'end_turn', ['Better late.']],
])('%s, streamed and whole', async (scenario, stop, content) => {
  const retrying = { maxRetries: 5 };
  const streamed = await client.messages.stream(request(`[[${scenario}]] streamed`), retrying).finalMessage();
  const whole = await client.messages.create(request(`[[${scenario}]] whole`), retrying);
  for (const message of [streamed, whole]) {
    expect(message.stop_reason).toBe(stop);
    expect(prose(message)).toEqual(content);
  }
  expect(streamed.usage).toEqual(whole.usage);
  expect(streamed.usage).toMatchObject({
    input_tokens: 100,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 20,
  });
});

test('tool results lead to the next step, whatever the client calls the tools', async () => {
  const first = await client.messages.stream(request('[[tools]] go')).finalMessage();
  const calls = first.content.filter((block) => block.type === 'tool_use');
  expect(calls.map(({ name, input }) => [name, input])).toEqual([
    ['bash', { command: 'printf "hello\\nworld\\n"' }],
    ['read', { path: 'notes.txt' }],
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'fine' }));
  const more: Anthropic.MessageParam[] = [
    { role: 'assistant', content: first.content },
    { role: 'user', content: results },
  ];
  expect(prose(await client.messages.create(request('[[tools]] go', more)))).toEqual(['Both tools are done.']);
});

test('an endless answer runs until the client goes away', async () => {
  const stream = client.messages.stream(request('[[abort-text]] go'));
  await stream.emitted('text');
  stream.abort();
  await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError);
  await fake.until(
    ({ scenario, outcome }) => scenario === 'abort-text' && outcome === 'gone',
    'the end of the request',
  );
});

test('an error event breaks the stream, and the next try is whole', async () => {
  await expect(client.messages.stream(request('[[mid-error]] go')).finalMessage()).rejects.toThrow('overloaded_error');
  expect(prose(await client.messages.stream(request('[[mid-error]] go')).finalMessage())).toEqual(['Whole again.']);
});

test('refusals have their status', async () => {
  await expect(client.messages.create(request('[[bad-request]] go'))).rejects.toThrow(Anthropic.BadRequestError);
  await expect(client.messages.create(request('[[overloaded]] once'), { maxRetries: 0 })).rejects.toThrow('529');
  await expect(client.messages.create(request('[[nosuch]] go'))).rejects.toThrow('no_step_nosuch_0');
});

test('an image is seen', async () => {
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' };
  const content = [
    { type: 'text' as const, text: '[[image]] look' },
    { type: 'image' as const, source },
  ];
  expect(prose(await client.messages.create(request(content)))).toEqual(['I see image/png.']);
  expect(prose(await client.messages.create(request('[[image]] look')))).toEqual(['I see no image.']);
});

test('a request without tools is asked for a summary, whatever it quotes', async () => {
  const { tools: _, ...bare } = request('<conversation>[[tools]] go</conversation>');
  expect(prose(await client.messages.create(bare))).toEqual(['## Goal\nA summary of the talk.']);
});

test('every scenario says something under its name', () => {
  expect([...scenarios.keys()].every((name) => /^[\w-]+$/.test(name))).toBe(true);
});
