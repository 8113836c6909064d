// The order checker on trial: a correct stream passes; broken in one way, it names exactly the rule that broke.
import { describe, expect, test } from 'vitest';
import {
  copy,
  correct,
  type Frame,
  find,
  init,
  message,
  numbered,
  stream,
  success,
  text,
  tool,
  toolResult,
} from './handmade.ts';
import { checkClaudeOrder } from './order/claude/order.ts';
import { type Rule, rules } from './order/claude/rules.ts';

type Breakage = (frames: Frame[]) => void;

const remove =
  (...parts: string[]): Breakage =>
  (frames) =>
    void frames.splice(find(frames, ...parts), 1);
const swap =
  (first: string[], second: string[]): Breakage =>
  (frames) => {
    const [a, b] = [find(frames, ...first), find(frames, ...second)];
    const [one, other] = [frames[a], frames[b]];
    if (one === undefined || other === undefined) throw new Error('nothing to swap');
    frames[a] = other;
    frames[b] = one;
  };
const edit =
  (parts: string[], from: string, to: string): Breakage =>
  (frames) => {
    const at = find(frames, ...parts);
    const broken = JSON.stringify(frames[at]).replaceAll(from, to);
    frames[at] = JSON.parse(broken);
    expect(JSON.stringify(correct[at])).not.toBe(broken);
  };
const editAll =
  (from: RegExp, to: (found: string) => string): Breakage =>
  (frames) => {
    for (const [at, frame] of frames.entries()) frames[at] = JSON.parse(JSON.stringify(frame).replace(from, to));
  };
const envelope = { uuid: 'uuid-extra', session_id: 'session-1' };
const insertAfter =
  (parts: string[], extra: Frame): Breakage =>
  (frames) => {
    frames.splice(find(frames, ...parts) + 1, 0, { ...structuredClone(extra), ...envelope });
  };
const original = (...parts: string[]): Frame => correct[find(correct, ...parts)] as Frame;

const lastStop = ['content_block_stop', '"index":3'];
const sub = '"parent_tool_use_id":"toolu-2"';
const status: Frame = { type: 'system', subtype: 'status', status: null };

/** Each rule with the ways in which it is broken. */
const table: Record<Rule, Record<string, Breakage>> = {
  frame: {
    'null instead of a frame': (frames) => void frames.splice(3, 0, null as unknown as Frame),
    'a frame without type': (frames) => void frames.splice(3, 0, { kind: 'x' } as unknown as Frame),
  },
  shape: {
    'message_start without usage': edit(['message_start', 'msg-5'], '"usage"', '"used"'),
    'message_start with content': edit(['message_start', 'msg-5'], '"content":[]', '"content":[{}]'),
    'message_start with a stop_reason': edit(
      ['message_start', 'msg-5'],
      '"stop_reason":null',
      '"stop_reason":"end_turn"',
    ),
    'an unknown stream event': insertAfter(['message_start', 'msg-5'], stream({ type: 'ping' })),
    'init without model': edit(['"init"'], '"model"', '"modell"'),
    'result without usage': edit(['"result":"Done."'], '"usage"', '"used"'),
    'an error result that is no error': edit(['error_during'], '"is_error":true', '"is_error":false'),
    'an error result without a reason': edit(['error_during'], '["interrupted"]', '[]'),
    'a success without text': edit(['"result":"Done."'], '"result":"Done."', '"said":"Done."'),
    'parent_tool_use_id absent': edit(['content_block_delta', 'Plain.'], '"parent_tool_use_id":null', '"parent":null'),
  },
  uuid: {
    'a uuid twice': edit(['message_start', 'msg-5'], '"uuid":"uuid-', '"uuid":"uuid-0","was":"'),
    'no uuid': edit(['message_start', 'msg-5'], '"uuid"', '"id"'),
  },
  session: { 'another session id': edit(['message_start', 'msg-5'], 'session-1', 'session-2') },
  parent: {
    'a lane of no call': edit(['Whole, without'], 'toolu-2', 'toolu-9'),
    'a result on the wrong lane': edit(['tool_result', 'toolu-3'], sub, '"parent_tool_use_id":null'),
  },
  'init-first': { 'a turn without init': (frames) => void frames.splice(0, 2) },
  'outside-turn': {
    'status after the result': insertAfter(['"result":"Done."'], status),
    'a user frame after the result': insertAfter(['"result":"Done."'], toolResult('toolu-1')),
  },
  'system-inside': { 'status in a message': insertAfter(['content_block_start', '"index":2'], status) },
  'message-unclosed': {
    'no message_stop before the result': (frames) =>
      void frames.splice(
        frames.findLastIndex((frame) => JSON.stringify(frame).includes('message_stop')),
        1,
      ),
    'a second message_start': (frames) => {
      const [start] = message('msg-5a', [], null);
      frames.splice(find(frames, 'message_start', 'msg-5'), 0, { ...start, ...envelope } as Frame);
    },
  },
  'message-id': { 'an id twice': editAll(/msg-4/g, () => 'msg-1') },
  'no-message': { 'no message_start': remove('message_start', 'msg-5') },
  'block-index': {
    'every index is 0': editAll(/"index":\d/, () => '"index":0'),
    'counting from 1': editAll(/"index":\d/, (found) => `"index":${Number(found.at(-1)) + 1}`),
  },
  'block-overlap': {
    'start before the last stop': swap(['content_block_stop', '"index":0'], ['content_block_start', '"index":1']),
  },
  'block-unclosed': { 'no stop': remove(...lastStop) },
  'no-block': {
    'a delta for another block': insertAfter(
      ['content_block_start', '"index":0'],
      stream({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'x' } }),
    ),
    'a stop twice': insertAfter(lastStop, stream({ type: 'content_block_stop', index: 3 })),
  },
  'block-head': {
    'text from the start': edit(['content_block_start', '"index":1'], '"text":""', '"text":"I"'),
    'thinking without signature': edit(['content_block_start', '"index":0'], '"signature":""', '"sign":""'),
    'tool input null': edit(['content_block_start', '"index":2'], '"input":{}', '"input":null'),
  },
  'delta-kind': {
    output_delta: insertAfter(
      ['content_block_start', '"index":2'],
      stream({ type: 'content_block_delta', index: 2, delta: { type: 'output_delta', output: 'x' } }),
    ),
    'tool output as text': insertAfter(
      ['content_block_start', '"index":2'],
      stream({ type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'x' } }),
    ),
  },
  'assistant-place': {
    missing: remove('"assistant"', 'I look.'),
    twice: insertAfter(['"assistant"', 'I look.'], original('"assistant"', 'I look.')),
    'after the stop': swap(['"type":"assistant"', 'toolu-1'], ['content_block_stop', '"index":2']),
    'before the last delta': swap(['content_block_delta', '"signature"'], ['"type":"assistant"', '"signature"']),
  },
  'assistant-id': { 'another id': edit(['"type":"assistant"', 'I look.'], 'msg-1', 'msg-x') },
  'assistant-content': {
    'another text': edit(['"type":"assistant"', 'I look.'], 'I look.', 'I watch.'),
    'another kind': edit(['"type":"assistant"', 'I look.'], '"type":"text","text"', '"type":"thinking","thinking"'),
    'another input': edit(['"type":"assistant"', 'toolu-1'], '{"command":"ls"}', '{}'),
    'another tool': edit(['"type":"assistant"', 'toolu-1'], '"bash"', '"read"'),
    'all blocks so far': edit(['"type":"assistant"', 'I look.'], '[{', '[{"type":"text","text":""},{'),
  },
  'message-delta': {
    missing: remove('message_delta', '"end_turn"'),
    twice: insertAfter(
      ['message_delta', '"end_turn"'],
      stream({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 1 },
      }),
    ),
    'after message_stop': (frames) => {
      const at = find(frames, 'message_delta', '"end_turn"');
      frames.splice(at, 2, ...frames.slice(at, at + 2).reverse());
    },
    'a block after it': (frames) => {
      const at = find(frames, 'message_delta', '"end_turn"');
      frames.splice(at - 1, 0, ...frames.splice(at, 1));
      frames.splice(at - 4, 0, ...frames.splice(at - 1, 1));
    },
  },
  'stop-reason': {
    'end_turn after a tool call': edit(['message_delta', '"tool_use"'], '"tool_use"', '"end_turn"'),
    'tool_use after text': edit(['message_delta', '"end_turn"'], '"end_turn"', '"tool_use"'),
    'a word of another protocol': edit(['message_delta', '"end_turn"'], '"end_turn"', '"toolUse"'),
    'null at a good end': edit(['message_delta', '"end_turn"'], '"end_turn"', 'null'),
  },
  'user-inside': { 'a result before message_stop': swap(['message_stop'], ['tool_result', 'toolu-1']) },
  'tool-id': {
    'an id twice in one message': (frames) => {
      const twins = message('msg-1', [tool('toolu-1'), tool('toolu-1')], 'tool_use');
      const rest = [toolResult('toolu-1'), ...message('msg-2', [text('Done.')], 'end_turn'), success];
      frames.splice(0, frames.length, ...numbered([init, ...twins, ...rest]));
    },
  },
  'tool-unknown': { 'a result for no call': insertAfter(['tool_result', 'toolu-1'], toolResult('toolu-9')) },
  'tool-twice': { 'two results': insertAfter(['tool_result', 'toolu-1'], toolResult('toolu-1')) },
  'tool-unanswered': { 'no result': remove('tool_result', 'toolu-1') },
  'result-missing': {
    'init instead of a result': remove('"result":"Done."'),
    'the end instead of a result': (frames) => void frames.pop(),
  },
  'result-twice': { 'two results': insertAfter(['"result":"Done."'], success) },
};

test('a correct stream breaks no rule', () => {
  expect(checkClaudeOrder(correct)).toEqual([]);
});

test('a stream that still runs may end anywhere', () => {
  for (let length = 0; length < correct.length; length += 1) {
    expect(checkClaudeOrder(correct.slice(0, length), { complete: false })).toEqual([]);
  }
});

test('a connection may say its own frames anywhere', () => {
  const noise = [
    { type: 'keep_alive' },
    { type: 'error', message: 'bad frame' },
    { type: 'control_request', request_id: 'g1' },
  ];
  expect(checkClaudeOrder(correct.flatMap((frame) => [frame, ...noise]))).toEqual([]);
});

test('the words of the agent itself need no stream, and those of a model do', () => {
  const broken = (model: string) => {
    const content = [{ type: 'text', text: 'No.' }];
    const words = {
      type: 'assistant',
      message: { id: 'own', role: 'assistant', model, content },
      parent_tool_use_id: null,
    };
    return checkClaudeOrder(numbered([init, words, success])).map(({ rule }) => rule);
  };
  expect(broken('<synthetic>')).toEqual([]);
  expect(broken('fake-1')).toEqual(['assistant-place']);
});

test('whole assistant frames need no stream where a client asked for none', () => {
  const whole = correct.filter((frame) => frame.type !== 'stream_event');
  expect(checkClaudeOrder(whole, { whole: true })).toEqual([]);
  expect(checkClaudeOrder(whole).map(({ rule }) => rule)).toContain('assistant-place');
});

describe.each(Object.entries(table))('%s', (rule, breakages) => {
  test.each(Object.entries(breakages))('%s', (_, breakIt) => {
    const frames = copy();
    breakIt(frames);
    const broken = checkClaudeOrder(frames);
    expect([...new Set(broken.map((violation) => violation.rule))], JSON.stringify(broken)).toEqual([rule]);
  });
});

test('each rule has a breakage', () => {
  expect(Object.keys(table).sort()).toEqual(Object.keys(rules).sort());
});
