// The judge of our Claude output on trial: a correct stream passes; broken in one way, the judge names a rule that broke.
import { describe, expect, test } from 'vitest';
import { faultsIn, judged } from '../support/judged.ts';
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

/** Rules with ways in which they are broken. */
const table: readonly (readonly [rule: string, breakages: Record<string, Breakage>])[] = [
  [
    'message-type',
    {
      'null instead of a frame': (frames) => void frames.splice(3, 0, null as unknown as Frame),
      'a frame without type': (frames) => void frames.splice(3, 0, { kind: 'x' } as unknown as Frame),
    },
  ],
  [
    'message-start-shape',
    {
      'message_start without usage': edit(['message_start', 'msg-5'], '"usage"', '"used"'),
      'message_start with content': edit(['message_start', 'msg-5'], '"content":[]', '"content":[{}]'),
    },
  ],
  [
    'own/start-open',
    {
      'message_start with a stop_reason': edit(
        ['message_start', 'msg-5'],
        '"stop_reason":null',
        '"stop_reason":"end_turn"',
      ),
    },
  ],
  [
    'event-kind',
    {
      'an unknown stream event': insertAfter(['message_start', 'msg-5'], stream({ type: 'ping' })),
    },
  ],
  [
    'init-shape',
    {
      'init without model': edit(['"init"'], '"model"', '"modell"'),
    },
  ],
  [
    'result-usage',
    {
      'result without usage': edit(['"result":"Done."'], '"usage"', '"used"'),
    },
  ],
  [
    'result-error',
    {
      'an error result that is no error': edit(['error_during'], '"is_error":true', '"is_error":false'),
      'an error result without a reason': edit(['error_during'], '["interrupted"]', '[]'),
    },
  ],
  [
    'result-success',
    {
      'a success without text': edit(['"result":"Done."'], '"result":"Done."', '"said":"Done."'),
    },
  ],
  [
    'parent-field',
    {
      'parent_tool_use_id absent': edit(
        ['content_block_delta', 'Plain.'],
        '"parent_tool_use_id":null',
        '"parent":null',
      ),
    },
  ],
  [
    'uuid-own',
    {
      'a uuid twice': edit(['message_start', 'msg-5'], '"uuid":"uuid-', '"uuid":"uuid-0","was":"'),
    },
  ],
  [
    'uuid',
    {
      'no uuid': edit(['message_start', 'msg-5'], '"uuid"', '"id"'),
    },
  ],
  ['session-same', { 'another session id': edit(['message_start', 'msg-5'], 'session-1', 'session-2') }],
  [
    'parent-known',
    {
      'a lane of no call': edit(['Whole, without'], 'toolu-2', 'toolu-9'),
    },
  ],
  [
    'tool-result-lane',
    {
      'a result on the wrong lane': edit(['tool_result', 'toolu-3'], sub, '"parent_tool_use_id":null'),
    },
  ],
  ['init-first', { 'a turn without init': (frames) => void frames.splice(0, 2) }],
  [
    'own/turn',
    {
      'status after the result': insertAfter(['"result":"Done."'], status),
      'a user frame after the result': insertAfter(['"result":"Done."'], toolResult('toolu-1')),
    },
  ],
  ['own/alone', { 'status in a message': insertAfter(['content_block_start', '"index":2'], status) }],
  [
    'message-closed',
    {
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
  ],
  ['message-id-own', { 'an id twice': editAll(/msg-4/g, () => 'msg-1') }],
  ['message-first', { 'no message_start': remove('message_start', 'msg-5') }],
  [
    'block-index',
    {
      'every index is 0': editAll(/"index":\d/, () => '"index":0'),
      'counting from 1': editAll(/"index":\d/, (found) => `"index":${Number(found.at(-1)) + 1}`),
    },
  ],
  [
    'block-overlap',
    {
      'start before the last stop': swap(['content_block_stop', '"index":0'], ['content_block_start', '"index":1']),
    },
  ],
  ['block-closed', { 'no stop': remove(...lastStop) }],
  [
    'block-open',
    {
      'a delta for another block': insertAfter(
        ['content_block_start', '"index":0'],
        stream({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'x' } }),
      ),
      'a stop twice': insertAfter(lastStop, stream({ type: 'content_block_stop', index: 3 })),
    },
  ],
  [
    'block-start-empty',
    {
      'text from the start': edit(['content_block_start', '"index":1'], '"text":""', '"text":"I"'),
    },
  ],
  [
    'own/thinking-signed',
    {
      'thinking without signature': edit(['content_block_start', '"index":0'], '"signature":""', '"sign":""'),
    },
  ],
  [
    'block-start-shape',
    {
      'tool input null': edit(['content_block_start', '"index":2'], '"input":{}', '"input":null'),
    },
  ],
  [
    'own/known-deltas',
    {
      output_delta: insertAfter(
        ['content_block_start', '"index":2'],
        stream({ type: 'content_block_delta', index: 2, delta: { type: 'output_delta', output: 'x' } }),
      ),
    },
  ],
  [
    'delta-kind',
    {
      'tool output as text': insertAfter(
        ['content_block_start', '"index":2'],
        stream({ type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'x' } }),
      ),
    },
  ],
  ['assistant-every-block', { missing: remove('"assistant"', 'I look.') }],
  [
    'assistant-place',
    {
      twice: insertAfter(['"assistant"', 'I look.'], original('"assistant"', 'I look.')),
      'after the stop': swap(['"type":"assistant"', 'toolu-1'], ['content_block_stop', '"index":2']),
      'before the last delta': swap(['content_block_delta', '"signature"'], ['"type":"assistant"', '"signature"']),
    },
  ],
  ['assistant-id', { 'another id': edit(['"type":"assistant"', 'I look.'], 'msg-1', 'msg-x') }],
  [
    'assistant-content',
    {
      'another text': edit(['"type":"assistant"', 'I look.'], 'I look.', 'I watch.'),
      'another kind': edit(['"type":"assistant"', 'I look.'], '"type":"text","text"', '"type":"thinking","thinking"'),
    },
  ],
  [
    'own/copied',
    {
      'another input': edit(['"type":"assistant"', 'toolu-1'], '{"command":"ls"}', '{}'),
    },
  ],
  [
    'assistant-content',
    {
      'another tool': edit(['"type":"assistant"', 'toolu-1'], '"bash"', '"read"'),
      'all blocks so far': edit(['"type":"assistant"', 'I look.'], '[{', '[{"type":"text","text":""},{'),
    },
  ],
  [
    'message-delta-there',
    {
      missing: remove('message_delta', '"end_turn"'),
      'after message_stop': (frames) => {
        const at = find(frames, 'message_delta', '"end_turn"');
        frames.splice(at, 2, ...frames.slice(at, at + 2).reverse());
      },
    },
  ],
  [
    'message-delta-once',
    {
      twice: insertAfter(
        ['message_delta', '"end_turn"'],
        stream({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 1 },
        }),
      ),
      'a block after it': (frames) => {
        const at = find(frames, 'message_delta', '"end_turn"');
        frames.splice(at - 1, 0, ...frames.splice(at, 1));
        frames.splice(at - 4, 0, ...frames.splice(at - 1, 1));
      },
    },
  ],
  [
    'stop-reason',
    {
      'end_turn after a tool call': edit(['message_delta', '"tool_use"'], '"tool_use"', '"end_turn"'),
      'tool_use after text': edit(['message_delta', '"end_turn"'], '"end_turn"', '"tool_use"'),
    },
  ],
  [
    'own/known-stop-reasons',
    {
      'a word of another protocol': edit(['message_delta', '"end_turn"'], '"end_turn"', '"toolUse"'),
    },
  ],
  [
    'result-failed',
    {
      'null at a good end': edit(['message_delta', '"end_turn"'], '"end_turn"', 'null'),
    },
  ],
  ['own/alone', { 'a result before message_stop': swap(['message_stop'], ['tool_result', 'toolu-1']) }],
  [
    'tool-id-own',
    {
      'an id twice in one message': (frames) => {
        const twins = message('msg-1', [tool('toolu-1'), tool('toolu-1')], 'tool_use');
        const rest = [toolResult('toolu-1'), ...message('msg-2', [text('Done.')], 'end_turn'), success];
        frames.splice(0, frames.length, ...numbered([init, ...twins, ...rest]));
      },
    },
  ],
  ['tool-result-known', { 'a result for no call': insertAfter(['tool_result', 'toolu-1'], toolResult('toolu-9')) }],
  ['tool-result-once', { 'two results': insertAfter(['tool_result', 'toolu-1'], toolResult('toolu-1')) }],
  ['tool-answered', { 'no result': remove('tool_result', 'toolu-1') }],
  [
    'own/turn',
    {
      'init instead of a result': remove('"result":"Done."'),
      'the end instead of a result': (frames) => void frames.pop(),
    },
  ],
  ['own/turn', { 'two results': insertAfter(['"result":"Done."'], success) }],
];

test('a correct stream breaks no rule', () => {
  expect(faultsIn('claude', correct)).toEqual([]);
});

test('a stream that still runs may end anywhere', () => {
  for (let length = 0; length < correct.length; length += 1) {
    expect(faultsIn('claude', correct.slice(0, length), false)).toEqual([]);
  }
});

test('a connection may say its own frames anywhere', () => {
  const request = { subtype: 'mcp_message', server_name: 'docs', message: {} };
  const noise = (at: number) => [
    { type: 'keep_alive' },
    { type: 'error', message: 'bad frame' },
    { type: 'control_request', request_id: `g${at}`, request },
  ];
  expect(
    faultsIn(
      'claude',
      correct.flatMap((frame, at) => [frame, ...noise(at)]),
    ),
  ).toEqual([]);
});

test('the words of the agent itself need no stream, and those of a model do', () => {
  const broken = (model: string) => {
    const words = structuredClone(original('"assistant"', 'Whole, without')) as Frame & { message: object };
    const own = { ...words, parent_tool_use_id: null, message: { ...words.message, id: 'own', model } };
    const { stop_reason: _, ...result } = { ...success, result: 'Whole, without a stream.' } as Frame;
    const streamed = [init, ...message('msg-1', [text('Done.')], 'end_turn'), success];
    return judged('claude', numbered([...streamed, init, own, result])).map(({ rule }) => rule);
  };
  expect(broken('<synthetic>')).toEqual([]);
  expect(broken('fake-1')).toEqual(['claude/own/streamed']);
});

test('whole assistant frames need no stream where a client asked for none', () => {
  const whole = correct.filter((frame) => frame.type !== 'stream_event');
  expect(faultsIn('claude', whole)).toEqual([]);
});

describe.each(table)('%s', (rule, breakages) => {
  test.each(Object.entries(breakages))('%s', (_, breakIt) => {
    const frames = copy();
    breakIt(frames);
    const broken = judged('claude', frames);
    expect(
      broken.map((breach) => breach.rule),
      JSON.stringify(broken),
    ).toContain(`claude/${rule}`);
  });
});
