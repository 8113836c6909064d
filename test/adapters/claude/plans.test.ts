// The plan of Claude Code, by the calls of its own tools; and what these calls do, by their names.
import { describe, expect, test } from 'vitest';
import { mostTasks } from '../../../src/adapters/claude/backend/plans.ts';
import { claude } from '../../../src/adapters/claude/index.ts';
import { bench } from '../pi/harness.ts';
import { wire } from './backend-words.ts';

type Json = Record<string, unknown>;

let calls = 0;

/** One call with its result. */
function used(
  name: string,
  input: Json,
  more: { content?: string; details?: unknown; isError?: true } = {},
  lane?: string,
) {
  const { content = 'ok', details, isError } = more;
  const id = `t${++calls}`;
  const result = details === undefined ? {} : { tool_use_result: details };
  return [
    wire.copy(`m${calls}`, [wire.call(id, input, name)], {}, lane),
    wire.user([wire.answer(id, content, isError === true ? { is_error: true } : {})], result, lane),
  ];
}

function eventsOf(...frames: readonly object[]) {
  const agent = bench({}, claude);
  agent.feed(wire.init(), ...frames);
  return agent.events();
}

/** The plans that are told: each entry as its status and text. */
const plansOf = (...frames: readonly object[]) =>
  eventsOf(...frames).flatMap((event) =>
    event.type === 'plan-changed' ? [event.entries.map(({ status, text }) => `${status} ${text}`)] : [],
  );

const todos = (...list: readonly [string, string][]) => ({
  todos: list.map(([content, status]) => ({ content, status, activeForm: content })),
});

describe('TodoWrite', () => {
  test('tells the whole list behind the result, and the call as ever', () => {
    const events = eventsOf(...used('TodoWrite', todos(['look', 'in_progress'], ['leap', 'pending'])));
    const told = events.filter(({ type }) => ['tool-start', 'tool-end', 'plan-changed'].includes(type));
    const call = `t${calls}`;
    expect(told).toMatchObject([
      { type: 'tool-start', name: 'TodoWrite', call },
      { type: 'tool-end', name: 'TodoWrite', call },
      { type: 'plan-changed', call },
    ]);
    expect(told[2]).toEqual({
      type: 'plan-changed',
      call,
      entries: [
        { text: 'look', status: 'in-progress' },
        { text: 'leap', status: 'pending' },
      ],
    });
  });

  test('of a list that is as before, nothing', () => {
    const list = todos(['look', 'completed']);
    expect(plansOf(...used('TodoWrite', list), ...used('TodoWrite', list), ...used('TodoWrite', todos()))).toEqual([
      ['completed look'],
      [],
    ]);
  });

  const list = todos(['look', 'pending']);
  test.each([
    ['failed', used('TodoWrite', list, { isError: true })],
    ['is of a sub-agent', used('TodoWrite', list, {}, 'outer')],
    ['has another status', used('TodoWrite', todos(['look', 'done']))],
    ['has no list', used('TodoWrite', { todos: 'look' })],
    ['is another tool', used('constructor', list)],
  ])('nothing of one that %s', (_, frames) => {
    expect(plansOf(...frames)).toEqual([]);
  });
});

describe('tasks', () => {
  const created = (id: string, subject: string) =>
    used('TaskCreate', { subject, description: 'd' }, { details: { task: { id, subject } } });
  const update = (input: Json, details: Json = { success: true }) => used('TaskUpdate', input, { details });

  test('are created, changed and deleted one by one', () => {
    const frames = [
      ...created('1', 'look'),
      ...used('TaskCreate', { subject: 'leap' }, { content: 'Task #2 created successfully: leap' }),
      ...update({ taskId: '1', status: 'in_progress' }),
      ...update({ taskId: '2', subject: 'jump' }),
      ...update({ taskId: '1', status: 'deleted' }),
    ];
    expect(plansOf(...frames)).toEqual([
      ['pending look'],
      ['pending look', 'pending leap'],
      ['in-progress look', 'pending leap'],
      ['in-progress look', 'pending jump'],
      ['pending jump'],
    ]);
  });

  test('a list of all replaces them', () => {
    const tasks = [{ id: '7', subject: 'rest', status: 'completed', blockedBy: [] }];
    expect(plansOf(...created('1', 'look'), ...used('TaskList', {}, { details: { tasks } })).at(-1)).toEqual([
      'completed rest',
    ]);
  });

  test.each([
    ['a task that nobody knows', update({ taskId: '9', status: 'completed' })],
    ['one that was refused', update({ taskId: '1', status: 'completed' }, { success: false })],
    ['one without a change', update({ taskId: '1' })],
    ['a list without a result', used('TaskList', {})],
    ['a result without a number', used('TaskCreate', { subject: 'x' }, { content: 'Task created' })],
  ])('%s: the plan stays', (_, frames) => {
    expect(plansOf(...created('1', 'look'), ...frames)).toEqual([['pending look']]);
  });

  test('of very many, the newest', () => {
    const all = Array.from({ length: mostTasks + 1 }, (_, at) => created(`${at}`, `task ${at}`)).flat();
    const last = plansOf(...all).at(-1);
    expect([last?.length, last?.[0]]).toEqual([mostTasks, 'pending task 1']);
  });
});

describe('kind and places of a call', () => {
  test.each<[string, Json, Json]>([
    ['Read', { file_path: '/a.ts' }, { kind: 'read', locations: [{ path: '/a.ts' }] }],
    ['Read', { file_path: '/a.ts', offset: 7 }, { kind: 'read', locations: [{ path: '/a.ts', line: 7 }] }],
    ['Write', { file_path: '/a.ts', content: '' }, { kind: 'edit', locations: [{ path: '/a.ts' }] }],
    ['Grep', { pattern: 'x' }, { kind: 'search' }],
    ['Bash', { command: 'ls' }, { kind: 'execute' }],
    ['WebFetch', { url: 'https://example.org' }, { kind: 'fetch' }],
    ['Edit', { file_path: 5 }, { kind: 'edit' }],
    ['mcp__x__y', { file_path: '/a.ts' }, {}],
    ['constructor', {}, {}],
  ])('%s %j', (name, input, shown) => {
    const start = eventsOf(...used(name, input)).find(({ type }) => type === 'tool-start');
    const { kind, locations } = start?.type === 'tool-start' ? start : {};
    expect({ ...(kind && { kind }), ...(locations && { locations }) }).toEqual(shown);
  });

  test('a question about a call has them too', () => {
    const asks = wire.permission('p1', { tool_name: 'Read', input: { file_path: '/a.ts' } });
    expect(eventsOf(asks).at(-1)).toMatchObject({
      type: 'approval-request',
      kind: 'read',
      locations: [{ path: '/a.ts' }],
    });
  });
});
