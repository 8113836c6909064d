// The MessageStream oracle on trial: what it rebuilds, what it overlooks, and that our comparison sees the difference.
import { expect, test } from 'vitest';
import { messagesDifferences } from '../support/judges/compare.ts';
import { assistantBlocks, finalMessage, finalMessages, splitMessages } from '../support/judges/message-stream.ts';
import { expectedFromPi, PiMessage } from '../support/judges/pi-messages.ts';
import { correct, message, numbered, stream, text, thinking, tool } from './handmade.ts';

const events = splitMessages(
  numbered(message('msg-1', [thinking('Hm.'), text('I ', 'look.'), tool('toolu-1')], 'tool_use')),
);
const [whole = { lane: null, events: [] }] = events;

const piUsage = { input: 100, output: 1, cacheRead: 30, cacheWrite: 20, cost: { total: 0.001 } };
const fromPi = PiMessage.parse({
  role: 'assistant',
  model: 'fake-1',
  content: [
    { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'c2ln' },
    { type: 'text', text: 'I look.' },
    { type: 'toolCall', id: 'toolu-1', name: 'bash', arguments: { command: 'ls' } },
  ],
  stopReason: 'toolUse',
  usage: piUsage,
});

test('the final message equals what pi would report', async () => {
  expect(messagesDifferences([await finalMessage(whole.events)], [expectedFromPi(fromPi)])).toEqual([]);
});

test('messages are split by lane and agree with the assistant frames', async () => {
  const lanes: [lane: string | null, texts: string[]][] = [
    [null, ['I look.', 'Done.', 'Plain.', 'Half a ']],
    ['toolu-2', ['I am the sub-agent.']],
  ];
  for (const [lane, texts] of lanes) {
    const finals = await finalMessages(correct, lane);
    const said = finals.flatMap(({ content }) => content).map((block) => JSON.stringify(block));
    for (const phrase of texts) expect(said.join()).toContain(phrase);
    expect(finals).toHaveLength(texts.length);
  }
  const complete = (await finalMessages(correct)).slice(0, 3);
  expect(assistantBlocks(correct).slice(0, 3)).toEqual(complete.map(({ content }) => content));
});

const edited = (from: RegExp, to: string) =>
  whole.events.map((event) => JSON.parse(JSON.stringify(event).replace(from, to)));
const without = (type: string) => whole.events.filter((event) => !JSON.stringify(event).includes(type));

test.each<[fault: string, events: object[], difference: string]>([
  ['every index is 0', edited(/"index":\d/, '"index":0'), 'content[1].text'],
  ['no message_delta', without('message_delta'), 'message.stop_reason'],
  ['another tool input', edited(/ls/, 'rm'), 'content[2].input'],
  ['another signature', edited(/c2ln/, 'c2l'), 'content[0].signature'],
  ['another usage', edited(/"output_tokens":1/, '"output_tokens":2'), 'message.usage'],
  ['a block less', without('"index":2'), 'content:'],
])('%s: the oracle is silent, the comparison is not', async (_, broken, difference) => {
  const found = messagesDifferences([await finalMessage(broken)], [expectedFromPi(fromPi)]);
  expect(found.join('\n')).toContain(difference);
});

test.each<[fault: string, events: object[]]>([
  ['no message_stop', without('message_stop')],
  ['no message_start', without('message_start')],
  ['message_start twice', [...whole.events.slice(0, 1), ...whole.events]],
  ['message_delta without usage', edited(/"message_delta",(.*),"usage".*/, '"message_delta",$1}')],
  ['no first content_block_start', whole.events.filter((_, at) => at !== 1)],
])('%s: the oracle throws', async (_, broken) => {
  await expect(finalMessage(broken)).rejects.toThrow();
});

test('a message more or less is a difference', () => {
  const expected = expectedFromPi(fromPi);
  expect(messagesDifferences([expected], [expected, expected])).toEqual(['1 messages instead of 2']);
  expect(messagesDifferences([expected], [])).toEqual(['1 messages instead of 0']);
});

test('a late signature is forgiven only where that is declared', async () => {
  const final = await finalMessage(edited(/"signature":"c2ln"/, '"signature":""'));
  const expected = [expectedFromPi(fromPi)];
  expect(messagesDifferences([final], expected, { lateSignature: true })).toEqual([]);
  expect(messagesDifferences([final], expected)).toHaveLength(1);
});

test("the input of a call that was cut is anybody's guess, its name is not", async () => {
  const cut = { ...fromPi, stopReason: 'aborted' };
  const final = await finalMessage(edited(/"stop_reason":"tool_use"/, '"stop_reason":null'));
  const guessed = {
    ...final,
    content: [...final.content.slice(0, 2), { type: 'tool_use', id: 'toolu-1', name: 'bash', input: {} }],
  };
  expect(messagesDifferences([guessed], [expectedFromPi(cut)])).toEqual([]);
  expect(messagesDifferences([guessed], [expectedFromPi(fromPi)])).toHaveLength(2);
});

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['toolUse', 'tool_use'],
  ['aborted', null],
  ['error', null],
])('pi stopReason %s is %s', (stopReason, stop) => {
  expect(expectedFromPi({ ...fromPi, stopReason }).stop_reason).toBe(stop);
});

test('events of another lane do not mix', () => {
  const mixed = [
    stream({ type: 'message_start', message: {} }),
    stream({ type: 'ping' }, 'toolu-9'),
    stream({ type: 'message_stop' }),
  ];
  expect(splitMessages(mixed).map(({ events }) => events.length)).toEqual([2]);
});
