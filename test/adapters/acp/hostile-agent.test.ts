// ACP agents that say what no agent should: each of their requests has exactly one answer, the run goes on and ends, and what
// the gateway says stays true to the schema (docs/protocols/acp.md 1.2 to 1.8).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { at } from '../../support/acp-traces.ts';
import { call, change, permission, said, type Talk, talk, text, update } from './backend-words.ts';

let it: Talk;
beforeEach(() => {
  it = talk();
  it.prompt('hello');
});

/** The turn goes on, ends, and the next one begins. */
afterEach(() => {
  it.hear(text('The end.'));
  it.answer('session/prompt', { stopReason: 'end_turn' });
  expect(said(it).at(-1)).toMatch(/The end\.$/u);
  expect(it.of('run-end')).toMatchObject([{ outcome: 'completed' }]);
  expect(it.closed).toBeUndefined();
  expect(it.outcome(it.prompt('again'))).toEqual({ ok: true });
  expect(it.faults()).toEqual([]);
});

const answersTo = (id: unknown) => it.sent.filter((message) => message.method === undefined && message.id === id);

test.each([
  '42',
  '[]',
  '[{"jsonrpc":"2.0","id":7,"method":"a"}]',
  'null',
  '{}',
  '{"jsonrpc":"2.0","id":{}}',
  '{"jsonrpc":"2.0","id":{},"method":"session/request_permission"}',
  '{"id":1.5,"method":"a"}',
  '{"id":',
  'INFO listening on stdout',
  '\u001b[2J',
  '\u0000',
  '{"jsonrpc":"2.0","method":"session/update"}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":5}}',
])('the line %j is noted, answered by nothing, and no words of the model', (line) => {
  const before = it.sent.length;
  const events = it.events.length;
  it.hearRaw(line);
  expect(it.notes.map(({ level }) => level)).toEqual(['violation']);
  expect(it.sent.slice(before)).toEqual([]);
  expect(it.events.slice(events)).toEqual([]);
});

test('an answer that nobody waits for, and a second one to a request, end nothing', () => {
  for (const id of [99, -1, null, '0', 2 ** 53]) it.hear({ id, result: { stopReason: 'end_turn' } });
  it.answer('initialize', { protocolVersion: 9 });
  it.answer('session/new', { sessionId: 'another' });
  expect(it.of('run-end')).toEqual([]);
  expect(at(it.last('session/prompt'), 'params', 'sessionId')).toBe('s1');
});

describe('requests', () => {
  test.each([0, '0', null, -1, 2 ** 53, '', 'a\u2028b', '__proto__'])('of the id %j are answered once', (id) => {
    it.hear({ id, method: 'craft/drainMidTurnQueue', params: {} });
    expect(answersTo(id)).toMatchObject([{ error: { code: -32_601 } }]);
  });

  test.each([0, '0', null, -1, 2 ** 53])('for permission, of the id %j, get the option of the user', (id) => {
    it.hear(permission(id, 'c1'));
    const [question] = it.of('approval-request');
    it.ask({ type: 'answer-approval', id: question?.id ?? '', decision: 'allow' });
    it.ask({ type: 'answer-approval', id: question?.id ?? '', decision: 'deny' });
    expect(answersTo(id)).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId: 'y' } } }]);
    it.hear(change('c1', { status: 'completed' }));
  });

  test.each([
    ['session/request_permission', null, -32_602],
    ['session/request_permission', { sessionId: 's1' }, -32_602],
    ['session/request_permission', { sessionId: 's1', toolCall: 5, options: {} }, -32_602],
    ['elicitation/create', [], -32_602],
    ['fs/read_text_file', { sessionId: 's1', path: '/etc/passwd' }, -32_601],
    ['fs/write_text_file', { sessionId: 's1', path: '/etc/passwd', content: '' }, -32_601],
    ['terminal/create', { sessionId: 's1', command: 'sh' }, -32_601],
    ['_vendor/ask', {}, -32_601],
    ['toString', {}, -32_601],
  ])('%s with %j is refused', (method, params, code) => {
    it.hear({ id: 5, method, params });
    expect(answersTo(5)).toMatchObject([{ error: { code } }]);
  });

  test('for permission, 300 at once: 256 are open, the others are answered; a cancelled turn answers all, once', () => {
    for (let id = 0; id < 300; id += 1) it.hear(permission(id, `c${id}`));
    expect(it.of('approval-request')).toHaveLength(256);
    expect(it.sent.filter(({ method }) => method === undefined)).toHaveLength(44);
    it.ask({ type: 'abort', target: 'run' });
    const outcomes = Array.from({ length: 300 }, (_, id) => answersTo(id).map(({ result }) => at(result, 'outcome')));
    expect(new Set(outcomes.map((one) => JSON.stringify(one)))).toEqual(new Set(['[{"outcome":"cancelled"}]']));
    // The afterEach's turn is one that was not cancelled.
    it.answer('session/prompt', { stopReason: 'cancelled' });
    it = talk();
    it.prompt('hello');
  });
});

test.each([
  [
    'a command list of 1 MB',
    update('available_commands_update', { availableCommands: [{ name: 'x'.repeat(2 ** 20) }] }),
  ],
  ['a text of 1 MB', text('x'.repeat(2 ** 20))],
  ['arguments of 1 MB', call('c1', { status: 'completed', rawInput: { x: 'x'.repeat(2 ** 20) } })],
  ['a call without an id', update('tool_call', { title: 'x' })],
  ['a call named __proto__', call('__proto__', { status: 'completed', name: '__proto__' })],
  ['contents of no kind', call('c1', { status: 'completed', content: [5, null, { type: 'content' }, { type: 'x' }] })],
  ['a plan of no kind', update('plan', { entries: [5, { content: {} }] })],
  ['options of no kind', update('config_option_update', { configOptions: [5, {}, { id: 'mode', type: 'select' }] })],
  ['a usage of no kind', update('usage_update', { used: 'x', size: -1 })],
])('%s ends nothing', (_, message) => {
  it.hear(message);
  expect(it.of('run-end')).toEqual([]);
});
