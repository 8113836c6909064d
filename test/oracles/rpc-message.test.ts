// The judge of RpcMessage on trial: the document's own examples pass; broken in one way, it names the rule.
import { describe, expect, test } from 'vitest';
import { checkRpcMessages, type RpcRule, rpcRules } from './order/rpc-message/order.ts';

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
const open = event({ type: 'content_block_start', index: 1, content_block: { ...toolUse, input: null } });
const delta = event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } });
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
const result: Message = { type: 'result', subtype: 'success', duration_ms: 1, is_error: false, num_turns: 2, provider };
const error: Message = { type: 'error', message: 'that failed' };

test('the examples of the document pass', () => {
  const examples = [start, open, delta, assistant, stop, event({ type: 'message_stop' }), user, result, error];
  expect(checkRpcMessages(examples)).toEqual([]);
});

test('a sub-agent speaks under an id of its own', () => {
  const own = {
    ...assistant,
    id: 'msg-2',
    message: { id: 'msg-2', content: [foreign] },
    parent_tool_use_id: 'toolu-1',
  };
  expect(checkRpcMessages([start, stop, own])).toEqual([]);
  expect(checkRpcMessages([start, stop, { ...own, id: 'msg-1' }])).not.toEqual([]);
});

const table: Record<RpcRule, Record<string, Message[]>> = {
  type: {
    system: [{ type: 'system', subtype: 'init', provider }],
    control: [{ type: 'control_response', provider }],
    'a word of Object.prototype': [{ type: 'constructor', provider }],
  },
  null: {
    'parent_tool_use_id null': [{ ...user, parent_tool_use_id: null }],
    'duration null': [{ ...result, duration_ms: null }],
    'message null': [event({ type: 'message_delta', delta: { stop_reason: null }, usage: {} })],
  },
  provider: { absent: [{ ...user, provider: undefined }], unknown: [{ ...user, provider: 'pi' }] },
  envelope: { 'no uuid': [{ ...stop, uuid: 5 }], 'no session': [{ ...stop, session_id: undefined }] },
  event: { ping: [event({ type: 'ping' })], 'no index': [event({ type: 'content_block_stop' })] },
  delta: {
    signature: [event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta' } })],
    output: [event({ type: 'content_block_delta', index: 0, delta: { type: 'output_delta' } })],
  },
  content: {
    'user text': [{ ...user, message: { content: 'hello' } }],
    'message_start without': [event({ type: 'message_start', message: { id: 'msg-1' } })],
  },
  block: {
    'raw unknown block': [
      event({ type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking' } }),
    ],
    'unknown without its type': [{ ...user, message: { content: [{ type: 'unknown', data: 'x' }] } }],
  },
  tool: {
    'no toolName': [
      event({ type: 'content_block_start', index: 0, content_block: { ...toolUse, toolName: undefined, input: {} } }),
    ],
    'no status': [{ ...assistant, message: { id: 'msg-1', content: [{ ...whole, status: 'done' }] } }],
  },
  id: {
    'no top-level id': [start, { ...assistant, id: undefined }],
    'another id': [start, { ...assistant, id: 'msg-2' }],
  },
  result: {
    'no is_error': [{ ...result, is_error: undefined }],
    'camel case': [{ ...result, usage: { inputTokens: 1 } }],
  },
  error: { 'no message': [{ type: 'error', error: 'that failed' }] },
};

describe.each(Object.entries(table))('%s', (rule, breakages) => {
  test.each(Object.entries(breakages))('%s', (_, messages) => {
    expect([...new Set(checkRpcMessages(messages).map((violation) => violation.rule))]).toEqual([rule]);
  });
});

test('each rule has a breakage', () => {
  expect(Object.keys(table).sort()).toEqual(Object.keys(rpcRules).sort());
});
