// The judge of our pi output on trial: a correct stream passes; broken in one way, it names the rule that broke.
import { describe, expect, test } from 'vitest';
import { faultsIn, judged } from '../support/judged.ts';

type Line = Record<string, unknown>;

const timestamp = 1_795_254_914_785;
const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } };
const model = (content: readonly object[], stopReason = 'stop') => {
  const from = { api: 'anthropic-messages', provider: 'test', model: 'test', usage };
  return { role: 'assistant', content, ...from, stopReason, timestamp };
};
const seen = [{ type: 'text', text: 'seen' }];
const call = { type: 'toolCall', id: 'c', name: 'look', arguments: {} };
const said = model([{ type: 'text', text: 'hey' }, call], 'toolUse');
const asked = { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp };
const result = { role: 'toolResult', toolCallId: 'c', toolName: 'look', content: seen, isError: false, timestamp };
const final = model([], 'aborted');
const tool = (type: string, more: object = {}): Line => ({ type, toolCallId: 'c', toolName: 'look', ...more });

const update = (event: Line, text: string, ...more: readonly object[]): Line => {
  const message = model([{ type: 'text', text }, ...more]);
  return { type: 'message_update', assistantMessageEvent: { ...event, partial: message }, message };
};
const block = { contentIndex: 0 };

/** Two turns with a tool between them, and an answer to a command. */
function correct(): Line[] {
  return [
    { id: 1, type: 'response', command: 'prompt', success: true },
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: asked },
    { type: 'message_end', message: asked },
    { type: 'message_start', message: model([]) },
    update({ type: 'text_start', ...block }, ''),
    update({ type: 'text_delta', ...block, delta: 'he' }, 'he'),
    update({ type: 'text_delta', ...block, delta: 'y' }, 'hey'),
    update({ type: 'text_end', ...block, content: 'hey' }, 'hey'),
    update({ type: 'toolcall_start', contentIndex: 1, id: 'c', toolName: 'look' }, 'hey', call),
    update({ type: 'toolcall_end', contentIndex: 1, toolCall: call }, 'hey', call),
    { type: 'message_end', message: said },
    tool('tool_execution_start', { args: {} }),
    tool('tool_execution_update', { args: {}, partialResult: { content: seen } }),
    tool('tool_execution_end', { result: { content: seen }, isError: false }),
    { type: 'message_start', message: result },
    { type: 'message_end', message: result },
    { type: 'turn_end', message: said, toolResults: [result] },
    { type: 'turn_start' },
    { type: 'message_start', message: final },
    { type: 'message_end', message: final },
    { type: 'turn_end', message: final, toolResults: [] },
    { type: 'agent_end', messages: [asked, said, result, final] },
    { type: 'agent_settled' },
    { type: 'response', command: 'abort', success: false, error: 'no' },
  ];
}

type Breakage = (lines: Line[]) => void;
const at = (lines: Line[], type: string, nth = 0) => {
  const places = lines.flatMap((line, place) => {
    const event = line.assistantMessageEvent as Line | undefined;
    return line.type === type || event?.type === type ? [place] : [];
  });
  return places[nth] ?? Number.NaN;
};
const remove =
  (type: string, nth = 0): Breakage =>
  (lines) =>
    void lines.splice(at(lines, type, nth), 1);
const repeat =
  (type: string, nth = 0): Breakage =>
  (lines) =>
    void lines.splice(at(lines, type, nth), 0, lines[at(lines, type, nth)] ?? {});
const move =
  (type: string, to: number, nth = 0): Breakage =>
  (lines) => {
    const [line] = lines.splice(at(lines, type, nth), 1);
    lines.splice(to, 0, line ?? {});
  };
const edit =
  (type: string, change: (line: Line) => Line, nth = 0): Breakage =>
  (lines) => {
    const place = at(lines, type, nth);
    lines[place] = change(lines[place] ?? {});
  };

test('a correct stream passes', () => {
  expect(faultsIn('pi', correct())).toEqual([]);
});

const breakages: readonly [what: string, rule: string, breakage: Breakage][] = [
  ['a second agent_start', 'agent-brackets', repeat('agent_start')],
  ['agent_end twice', 'agent-brackets', repeat('agent_end')],
  ['a turn inside a turn', 'turn-brackets', repeat('turn_start')],
  ['no turn_end before agent_end', 'agent-end-closes', remove('turn_end', 1)],
  ['no end of a message', 'message-brackets', remove('message_end', 0)],
  ['an update of nothing', 'update-in-message', move('text_start', 1)],
  [
    'a message that changes on its way',
    'message-same',
    edit('message_end', (line) => ({ ...line, message: { ...asked, x: 1 } })),
  ],
  ['the model outside a turn', 'assistant-in-turn', move('message_start', 19, 3)],
  ['a block that starts twice', 'block-order', repeat('text_start')],
  ['a delta before its block', 'block-order', remove('text_start')],
  ['no end of a block', 'blocks-end', remove('toolcall_end')],
  [
    'an end that says another thing',
    'text-deltas',
    edit('text_end', () => update({ type: 'text_end', ...block, content: 'ho' }, 'hey')),
  ],
  [
    'a snapshot that lags',
    'partial',
    edit('text_delta', () => update({ type: 'text_delta', ...block, delta: 'he' }, 'h')),
  ],
  ['two snapshots that differ', 'partial-same', edit('text_delta', (line) => ({ ...line, message: {} }))],
  [
    'a message that says another thing',
    'blocks-end',
    edit('text_end', () => update({ type: 'text_delta', ...block, delta: '!' }, 'hey!')),
  ],
  ['a tool inside a message', 'tool-beside-message', move('tool_execution_start', 9)],
  ['a tool that starts twice', 'tool-brackets', repeat('tool_execution_start')],
  ['a tool that ends twice', 'tool-brackets', repeat('tool_execution_end')],
  ['no result', 'tool-result', (lines) => void lines.splice(16, 2)],
  ['a result twice', 'tool-result', (lines) => void lines.splice(16, 0, ...lines.slice(16, 18))],
  ['another message in turn_end', 'turn-end-message', edit('turn_end', (line) => ({ ...line, message: final }))],
  ['no result in turn_end', 'turn-end-results', edit('turn_end', (line) => ({ ...line, toolResults: [] }))],
  [
    'a message missing in agent_end',
    'agent-end-messages',
    edit('agent_end', () => ({ type: 'agent_end', messages: [asked] })),
  ],
  ['settled too early', 'settled-outside-run', move('agent_settled', 1)],
  [
    'another order of keys',
    'own/response-keys',
    edit('response', () => ({ type: 'response', id: 1, command: 'a', success: true })),
  ],
  [
    'a failure without its error',
    'error-string',
    edit('response', () => ({ type: 'response', command: 'a', success: false })),
  ],
  ['an end that never comes', 'agent-brackets', (lines) => void lines.splice(-4)],
];

describe('one breach', () => {
  test.each(breakages)('%s', (_, rule, breakage) => {
    const lines = correct();
    breakage(lines);
    expect(judged('pi', lines).map((breach) => breach.rule)).toContain(`pi/${rule}`);
  });
});

test('a stream that goes on may be open', () => {
  expect(faultsIn('pi', correct().slice(0, 8), false)).toEqual([]);
});
