// The judge of pi's order on trial: a correct stream passes; broken in one way, it names exactly the rule that broke.
import { describe, expect, test } from 'vitest';
import { checkPiOrder, type PiRule, piRules } from './order/pi/order.ts';

type Line = Record<string, unknown>;

const said = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'hey' },
    { type: 'toolCall', id: 'c', arguments: {} },
  ],
};
const asked = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
const result = { role: 'toolResult', toolCallId: 'c', content: [] };
const final = { role: 'assistant', content: [], stopReason: 'aborted' };

const update = (event: Line, text?: string): Line => {
  if (text === undefined) return { type: 'message_update', assistantMessageEvent: event };
  const message = { role: 'assistant', content: [{ type: 'text', text }] };
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
    { type: 'message_start', message: { role: 'assistant', content: [] } },
    update({ type: 'text_start', ...block }, ''),
    update({ type: 'text_delta', ...block, delta: 'he' }, 'he'),
    update({ type: 'text_delta', ...block, delta: 'y' }),
    update({ type: 'text_end', ...block, content: 'hey' }, 'hey'),
    update({ type: 'toolcall_start', contentIndex: 1 }),
    update({ type: 'toolcall_end', contentIndex: 1, toolCall: {} }),
    { type: 'message_end', message: said },
    { type: 'tool_execution_start', toolCallId: 'c' },
    { type: 'tool_execution_update', toolCallId: 'c' },
    { type: 'tool_execution_end', toolCallId: 'c' },
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
  expect(checkPiOrder(correct())).toEqual([]);
});

const breakages: readonly [what: string, rule: PiRule, breakage: Breakage][] = [
  ['a second agent_start', 'agent', repeat('agent_start')],
  ['agent_end twice', 'agent', repeat('agent_end')],
  ['a turn inside a turn', 'turn', repeat('turn_start')],
  ['no turn_end before agent_end', 'turn', remove('turn_end', 1)],
  ['no end of a message', 'message', remove('message_end', 0)],
  ['an update of nothing', 'message', move('text_start', 1)],
  [
    'a message that changes on its way',
    'message',
    edit('message_end', (line) => ({ ...line, message: { ...asked, x: 1 } })),
  ],
  ['the model outside a turn', 'place', move('message_start', 19, 3)],
  ['a block that starts twice', 'block', repeat('text_start')],
  ['a delta before its block', 'block', remove('text_start')],
  ['no end of a block', 'block', remove('toolcall_end')],
  [
    'an end that says another thing',
    'block',
    edit('text_end', () => update({ type: 'text_end', ...block, content: 'ho' })),
  ],
  [
    'a snapshot that lags',
    'snapshot',
    edit('text_delta', () => update({ type: 'text_delta', ...block, delta: 'he' }, 'h')),
  ],
  ['two snapshots that differ', 'snapshot', edit('text_delta', (line) => ({ ...line, message: {} }))],
  [
    'a message that says another thing',
    'content',
    edit('text_end', () => update({ type: 'text_delta', ...block, delta: '!' })),
  ],
  ['a tool inside a message', 'tool', move('tool_execution_start', 9)],
  ['a tool that starts twice', 'tool', repeat('tool_execution_start')],
  ['a tool that ends twice', 'tool', repeat('tool_execution_end')],
  ['no result', 'result', (lines) => void lines.splice(16, 2)],
  ['a result twice', 'result', (lines) => void lines.splice(16, 0, ...lines.slice(16, 18))],
  ['another message in turn_end', 'turn-end', edit('turn_end', (line) => ({ ...line, message: final }))],
  ['no result in turn_end', 'turn-end', edit('turn_end', (line) => ({ ...line, toolResults: [] }))],
  ['a message missing in agent_end', 'agent-end', edit('agent_end', () => ({ type: 'agent_end', messages: [asked] }))],
  ['settled too early', 'settled', move('agent_settled', 1)],
  [
    'another order of keys',
    'response',
    edit('response', () => ({ type: 'response', id: 1, command: 'a', success: true })),
  ],
  [
    'a failure without its error',
    'response',
    edit('response', () => ({ type: 'response', command: 'a', success: false })),
  ],
  ['an end that never comes', 'open', (lines) => void lines.splice(-4)],
];

describe('one breach', () => {
  test.each(breakages)('%s', (_, rule, breakage) => {
    const lines = correct();
    breakage(lines);
    expect(checkPiOrder(lines).map((violation) => violation.rule)).toContain(rule);
  });

  test('each rule has one', () => {
    const tried = new Set(breakages.map(([, rule]) => rule));
    expect(Object.keys(piRules).filter((rule) => !tried.has(rule as PiRule))).toEqual([]);
  });
});

test('a stream that goes on may be open', () => {
  expect(checkPiOrder(correct().slice(0, 8), false)).toEqual([]);
});
