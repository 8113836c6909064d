// The judge of our RpcMessage output on trial: a correct turn passes; broken in one way, the judge names the rule.
import { describe, expect, test } from 'vitest';
import { faultsIn, judged } from '../support/judged.ts';

type Message = Record<string, unknown>;

const provider = 'claude';
const toolUse = { type: 'tool_use', id: 'toolu-1', toolName: 'Read', toolType: 'CLAUDE_READ', status: 'in_progress' };
const event = (inner: object): Message => ({
  type: 'stream_event',
  uuid: 'u',
  session_id: 's',
  event: inner,
  provider,
});
const start = event({ type: 'message_start', message: { id: 'msg-1', content: [] } });
const whole = { ...toolUse, status: 'completed', input: { path: null } };
const foreign = { type: 'unknown', originalType: 'redacted_thinking', data: { secret: null } };
const assistant: Message = {
  type: 'assistant',
  id: 'msg-1',
  message: { id: 'msg-1', content: [whole, foreign] },
  provider,
};
const stop = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 150 } });
const answer = { type: 'tool_result', tool_use_id: 'toolu-1', content: 'file contents here...', is_error: false };
const user: Message = { type: 'user', message: { content: [answer] }, provider };
const figures = { duration_ms: 1, duration_api_ms: 1, num_turns: 2, session_id: 's', total_cost_usd: 0 };
const usage = { input_tokens: 1, output_tokens: 1 };
const result: Message = { type: 'result', subtype: 'success', is_error: false, provider, usage, ...figures };
const error: Message = { type: 'error', message: 'that failed' };

/** A turn in which a tool is called. */
const correct: Message[] = [
  start,
  event({ type: 'content_block_start', index: 0, content_block: { ...toolUse, input: {} } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } }),
  { ...assistant, message: { ...Object(assistant.message), content: [{ ...whole, input: {} }] } },
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 150 } }),
  event({ type: 'message_stop' }),
  user,
  result,
  error,
];

test('a correct turn passes', () => {
  expect(faultsIn('rpc-message', correct)).toEqual([]);
});

const rulesIn = (messages: readonly Message[]) => judged('rpc-message', messages, false).map(({ rule }) => rule);

test('a sub-agent speaks under an id of its own', () => {
  const own = {
    ...assistant,
    id: 'msg-2',
    message: { id: 'msg-2', content: [foreign] },
    parent_tool_use_id: 'toolu-1',
  };
  expect(rulesIn([start, stop, own])).not.toContain('rpc-message/assistant-top-id');
  expect(rulesIn([start, stop, { ...own, id: 'msg-1' }])).toContain('rpc-message/assistant-top-id');
});

const table: Record<string, Record<string, Message[]>> = {
  'message-type': {
    system: [{ type: 'system', subtype: 'init', provider }],
    control: [{ type: 'control_response', provider }],
    'a word of Object.prototype': [{ type: 'constructor', provider }],
  },
  'no-null': {
    'parent_tool_use_id null': [{ ...user, parent_tool_use_id: null }],
    'duration null': [{ ...result, duration_ms: null }],
    'message null': [event({ type: 'message_delta', delta: { stop_reason: null }, usage: {} })],
  },
  provider: { absent: [{ ...user, provider: undefined }], unknown: [{ ...user, provider: 'pi' }] },
  'stream-event-envelope': { 'no uuid': [{ ...stop, uuid: 5 }], 'no session': [{ ...stop, session_id: undefined }] },
  'event-kind': { ping: [event({ type: 'ping' })] },
  'event-index': { 'no index': [event({ type: 'content_block_stop' })] },
  'delta-known': {
    signature: [event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta' } })],
    output: [event({ type: 'content_block_delta', index: 0, delta: { type: 'output_delta' } })],
  },
  'content-list': { 'user text': [{ ...user, message: { content: 'hello' } }] },
  'message-start-shape': {
    'message_start without': [event({ type: 'message_start', message: { id: 'msg-1' } })],
  },
  'block-known': {
    'raw unknown block': [
      event({ type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking' } }),
    ],
  },
  'unknown-block': {
    'unknown without its type': [{ ...user, message: { content: [{ type: 'unknown', data: 'x' }] } }],
  },
  'tool-use-shape': {
    'no toolName': [
      event({ type: 'content_block_start', index: 0, content_block: { ...toolUse, toolName: undefined, input: {} } }),
    ],
    'no status': [{ ...assistant, message: { id: 'msg-1', content: [{ ...whole, status: 'done' }] } }],
  },
  'assistant-top-id': {
    'no top-level id': [start, { ...assistant, id: undefined }],
    'another id': [start, { ...assistant, id: 'msg-2' }],
  },
  'result-shape': {
    'no is_error': [{ ...result, is_error: undefined }],
  },
  'result-usage': {
    'camel case': [{ ...result, usage: { inputTokens: 1 } }],
  },
  'error-shape': { 'no message': [{ type: 'error', error: 'that failed' }] },
};

describe.each(Object.entries(table))('%s', (rule, breakages) => {
  test.each(Object.entries(breakages))('%s', (_, messages) => {
    expect(rulesIn(messages)).toContain(`rpc-message/${rule}`);
  });
});
