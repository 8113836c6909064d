// The judge of our pi-legacy output on trial: a correct session passes; broken in one way, it is seen.
import { expect, test } from 'vitest';
import { faultsIn } from '../support/judged.ts';

const timestamp = 1_795_254_914_785;
const assistant = (content: object[], more: object = {}) => ({
  role: 'assistant',
  content,
  api: 'a',
  provider: 'p',
  model: 'm',
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: 'stop',
  timestamp,
  ...more,
});
const user = { role: 'user', content: 'go', timestamp };
const hi = [{ type: 'text', text: 'hi' }];
const call = { type: 'toolCall', id: 'c', name: 'look', arguments: { a: 1 } };
const result = { role: 'toolResult', toolCallId: 'c', toolName: 'look', content: hi, isError: false, timestamp };
const update = (event: object, content: object[]) => ({
  type: 'message_update',
  assistantMessageEvent: { contentIndex: 0, ...event, partial: assistant(content) },
  message: assistant(content),
});
const asking = assistant([call], { stopReason: 'toolUse' });
const good: readonly object[] = [
  { type: 'agent_start' },
  { type: 'turn_start' },
  { type: 'message_start', message: user },
  { type: 'message_end', message: user },
  { type: 'message_start', message: assistant([]) },
  update({ type: 'toolcall_start' }, [call]),
  update({ type: 'toolcall_delta', delta: '{"a":1}' }, [call]),
  update({ type: 'toolcall_end', toolCall: call }, [call]),
  { type: 'message_end', message: asking },
  { type: 'tool_execution_start', toolCallId: 'c', toolName: 'look', args: { a: 1 } },
  { type: 'tool_execution_end', toolCallId: 'c', toolName: 'look', result: { content: hi }, isError: false },
  { type: 'message_start', message: result },
  { type: 'message_end', message: result },
  { type: 'turn_end', message: asking, toolResults: [result] },
  { type: 'turn_start' },
  { type: 'message_start', message: assistant([]) },
  update({ type: 'text_start' }, [{ type: 'text', text: '' }]),
  update({ type: 'text_delta', delta: 'hi' }, hi),
  update({ type: 'text_end', content: 'hi' }, hi),
  { type: 'message_end', message: assistant(hi) },
  { type: 'turn_end', message: assistant(hi), toolResults: [] },
  { type: 'agent_end', messages: [user, asking, result, assistant(hi)] },
  { type: 'compaction', summary: 'All.', tokensBefore: 1, auto: true },
  { type: 'error', error: 'no' },
];

test('a run with a tool is in order', () => {
  expect(faultsIn('pi-legacy', good)).toEqual([]);
});

test('hidden thinking and calls that the provider runs may come whole', () => {
  const hidden = { type: 'thinking', thinking: '', redacted: true };
  const content = (text: string) => [hidden, { ...call, id: 'own' }, { type: 'text', text }];
  const said = (event: object, text: string) => update({ contentIndex: 2, ...event }, content(text));
  const lines = [
    ...good.slice(0, 16),
    said({ type: 'text_start' }, ''),
    said({ type: 'text_delta', delta: 'hi' }, 'hi'),
    said({ type: 'text_end', content: 'hi' }, 'hi'),
    { type: 'message_end', message: assistant(content('hi')) },
    { type: 'turn_end', message: assistant(content('hi')), toolResults: [] },
    { type: 'agent_end', messages: [user, asking, result, assistant(content('hi'))] },
  ];
  expect(faultsIn('pi-legacy', lines)).toEqual([]);
});

const without = (at: number) => good.filter((_, place) => place !== at);
const instead = (at: number, line: object) => good.map((own, place) => (place === at ? line : own));

test.each(good.slice(0, 22).map((line, at) => [at, (line as { type: string }).type]))(
  'line %i (%s) is missed',
  (at) => {
    expect(faultsIn('pi-legacy', without(Number(at)))).not.toEqual([]);
  },
);

test.each<[string, readonly object[]]>([
  ['a response', instead(23, { type: 'response', command: 'prompt', success: true })],
  ['a line of a newer pi', instead(22, { type: 'auto_compaction_start', reason: 'threshold' })],
  ['a field of a newer pi', instead(21, { ...good[21], willRetry: false })],
  [
    'an update without its snapshot',
    instead(17, {
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'hi' },
    }),
  ],
  [
    'a snapshot that is behind',
    instead(17, update({ type: 'text_delta', delta: 'hi' }, [{ type: 'text', text: 'h' }])),
  ],
  ['an end that says something else', instead(18, update({ type: 'text_end', content: 'ho' }, hi))],
  ['a call that runs and did not stream', [...good.slice(0, 5), ...good.slice(8)]],
  ['a failed tool with an object', instead(10, { ...good[10], isError: true })],
  ['messages that are not those of the run', instead(21, { type: 'agent_end', messages: [user] })],
  ['a message without usage', instead(19, { type: 'message_end', message: { ...assistant(hi), usage: undefined } })],
  ['a role of a newer pi', instead(3, { type: 'message_end', message: { ...user, role: 'system' } })],
])('%s is seen', (_, lines) => {
  expect(faultsIn('pi-legacy', lines)).not.toEqual([]);
});
