// What an agent of this protocol says beside what others understand returns to clients of this protocol, at its place,
// and never displaces what makes our frames ours (design rule 3).
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { type Sent, told } from './harness.ts';
import { closed, done, ended, inOrder, message, only, opened, outline, piece, run } from './words.ts';

const claude = (said: Record<string, unknown>) => ({ extra: { claude: said } });
const frame = { api_message_id: 'api-1' };

/** The frames of a message whose events carry that. */
function spoken(options: Record<string, unknown> = {}) {
  const events: Event[] = [
    ...run,
    message(
      'm',
      claude({
        frame: { ...frame, ttft_ms: 4, uuid: 'x' },
        message: { service: 'x', id: 'other', usage: { tier: 's' } },
      }),
    ),
    { ...opened(0, { kind: 'text' }), ...claude({ frame, block: { citations: [] } }) },
    { ...piece(0, 'one '), ...claude({ frame }) },
    { ...piece(0, 'two'), ...claude({ frame }) },
    closed(0, claude({ frame: { request_id: 'q' }, message: { context: null }, block: { citations: [1] } })),
    ended(
      'end',
      claude({ frame, delta: { container: 'c' }, usage: { output_tokens_details: 2 }, stop: { abandoned: 1 } }),
    ),
    ...done,
  ];
  return told(events, 'claude', options);
}

describe('a message', () => {
  test('has it on each of its frames', () => {
    const { frames } = spoken();
    expect(inOrder(frames)).toEqual([]);
    const [start, open, one, two, whole, stop, delta, end] = frames.slice(1);
    expect(start).toMatchObject({
      ...frame,
      ttft_ms: 4,
      event: { message: { id: 'm', service: 'x', usage: { tier: 's' } } },
    });
    expect(open).toMatchObject({ ...frame, event: { content_block: { type: 'text', text: '', citations: [] } } });
    expect(one).toMatchObject({ ...frame, event: { delta: { text: 'one ' } } });
    expect(two).toMatchObject({ ...frame, event: { delta: { text: 'two' } } });
    expect(whole).toMatchObject({
      request_id: 'q',
      message: { id: 'm', service: 'x', context: null, content: [{ type: 'text', text: 'one two', citations: [1] }] },
    });
    expect(stop).toMatchObject(frame);
    expect(delta).toMatchObject({
      ...frame,
      event: {
        delta: { stop_reason: 'end_turn', container: 'c' },
        usage: { output_tokens: 0, output_tokens_details: 2 },
      },
    });
    expect(end).toMatchObject({ abandoned: 1 });
  });

  test('that came whole goes out whole, to whom wants partial messages as well', () => {
    const events = [
      ...run,
      message('m', claude({ whole: true })),
      opened(0, { kind: 'text' }),
      piece(0, 'one'),
      closed(0, claude({ message: { stop_reason: 'stop_sequence' } })),
      ended('error'),
      ...done,
    ];
    const { frames } = told(events);
    expect(outline(frames)).toEqual(['system init', 'assistant text', 'result error_during_execution']);
    expect(frames[1]).toMatchObject({ message: { stop_reason: 'stop_sequence', content: [{ text: 'one' }] } });
  });

  test('is as well told without streams, and in RpcMessage', () => {
    const whole = only(spoken({ partialMessages: false }).frames, 'assistant');
    expect(whole).toMatchObject([{ request_id: 'q', message: { service: 'x' } }]);
    expect(faultsIn('rpc-message', spoken({ dialect: 'rpc-message' }).frames)).toEqual([]);
  });

  /** Deltas of the same kind share the object that rides along where they were recognised by their bytes. */
  test.each<[string, (count: number) => Event[]]>([
    ['the same object each time', (count) => repeated(count, claude({ frame }))],
    [
      'an equal object each time',
      (count) => Array.from({ length: count }, () => repeated(1, claude({ frame }))).flat(),
    ],
    [
      'another one in the middle',
      (count) => [...repeated(count, claude({ frame })), ...repeated(count, claude({ frame: { a: 1 } }))],
    ],
    ['nothing in the end', (count) => [...repeated(count, claude({ frame })), ...repeated(count, {})]],
  ])('streams alike on the quick way and on the slow one: %s', (_, deltas) => {
    const events = deltas(3);
    const { frames } = told([...run, message(), opened(0, { kind: 'text' }), ...events, closed(0), ended(), ...done]);
    const said = frames
      .slice(3, 3 + events.length)
      .map(({ event, parent_tool_use_id, session_id, uuid, type, ...rest }) => rest);
    expect(said).toEqual(events.map(({ extra }) => (extra?.claude as { frame?: object })?.frame ?? {}));
    expect(inOrder(frames)).toEqual([]);
  });
});

function repeated(count: number, extra: object): Event[] {
  return Array.from({ length: count }, (): Event => ({ type: 'block-delta', index: 0, delta: 'x', ...extra }));
}

describe('a result of a tool', () => {
  const call: Event[] = [
    message(),
    opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
    closed(0, { input: {} }),
    ended('tool-use'),
    { type: 'tool-start', call: 'c', name: 'read', input: {} },
  ];
  const end = (more: object): Event => ({
    type: 'tool-end',
    call: 'c',
    name: 'read',
    content: [{ type: 'text', text: 'done' }],
    isError: false,
    ...more,
  });

  test.each<[string, object, object, unknown]>([
    ['nothing', {}, {}, 'done'],
    ['details', { details: { lines: [1] } }, { tool_use_result: { lines: [1] } }, 'done'],
    ['a frame of more', claude({ frame: { timestamp: 't', type: 'x' } }), { timestamp: 't', type: 'user' }, 'done'],
    ['a list of one', claude({ list: true }), {}, [{ type: 'text', text: 'done' }]],
  ])('with %s', (_, more, expected, content) => {
    const [user] = only(told([...run, ...call, end(more), ...done]).frames, 'user');
    expect(user).toMatchObject({
      ...expected,
      message: { content: [{ type: 'tool_result', tool_use_id: 'c', content }] },
    });
  });
});

describe('the end of a run', () => {
  const finished = (said: Record<string, unknown> | undefined, more: object = {}): Sent | undefined =>
    told([
      ...run,
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'completed', ...more, ...(said === undefined ? {} : claude(said)) },
    ]).frames.at(-1);
  const failed = { outcome: 'failed', failure: { kind: 'limit', message: 'too many turns' } };

  test('is told in the agent’s own words', () => {
    const said = {
      subtype: 'error_max_turns',
      is_error: true,
      errors: ['Reached it'],
      num_turns: 2,
      duration_ms: 7,
      cost: 1,
    };
    const result = finished(said, failed);
    expect(result).toMatchObject(said);
    expect(result).not.toHaveProperty('result');
  });

  test('an error that is called a success keeps its text and gets no errors', () => {
    const said = { subtype: 'success', is_error: true, result: 'API Error: 529', api_error_status: 529 };
    const result = finished(said, failed);
    expect(result).toMatchObject(said);
    expect(result).not.toHaveProperty('errors');
  });

  test('but its place among our results is ours', () => {
    const said = { subtype: 'success', type: 'x', session_id: 'x', uuid: 'x', result_index: 9, result: 'r' };
    expect(finished(said)).toMatchObject({ type: 'result', session_id: 'session', result_index: 0 });
    expect(finished(said)?.uuid).not.toBe('x');
  });

  test('a part of it counts as far as it goes', () => {
    expect(finished({ fast_mode_state: 'off' })).toMatchObject({
      subtype: 'success',
      result: '',
      fast_mode_state: 'off',
    });
    expect(finished(undefined)).toMatchObject({ subtype: 'success', result: '' });
  });
});

describe('beside the messages', () => {
  test('init has what the agent’s own has', () => {
    const { frames } = told([
      {
        type: 'session-changed',
        changes: { cwd: '/rack' },
        ...claude({ agents: ['Plan'], claude_code_version: '2', type: 1 }),
      },
      ...run,
      ...done,
    ]);
    expect(frames[0]).toMatchObject({ type: 'system', cwd: '/rack', claude_code_version: '2' });
    expect(frames).toHaveLength(2);
  });

  test('a frame that an event was made of is told as it was', () => {
    const status = { type: 'system', subtype: 'status', status: null, permissionMode: 'plan' };
    const task = { type: 'system', subtype: 'task_started', task_id: 't', description: 'looks' };
    const { frames, losses } = told([
      ...run,
      { type: 'session-changed', changes: { mode: 'plan' }, ...claude(status) },
      { type: 'task-changed', id: 't', status: 'running', ...claude(task) },
      { type: 'task-changed', id: 'u', status: 'running' },
      ...done,
    ]);
    expect(frames.slice(1, -1)).toMatchObject([status, task]);
    expect(losses).toEqual(['task-changed']);
  });

  test.each<[string, Event, object]>([
    [
      'permission, whose title stands beside its description',
      {
        type: 'approval-request',
        id: 'a',
        name: 'Bash',
        input: { command: 'ls' },
        call: 'c',
        title: 'Run ls?',
        ...claude({
          description: 'Lists',
          display_name: 'Bash',
          blocked_path: '/x',
          subtype: 'x',
          input: {},
          tool_name: 'x',
        }),
      },
      {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        input: { command: 'ls' },
        tool_use_id: 'c',
        title: 'Run ls?',
        description: 'Lists',
        display_name: 'Bash',
        blocked_path: '/x',
      },
    ],
    [
      'permission of another agent',
      { type: 'approval-request', id: 'a', name: 'swap', input: {}, title: 'Swap?' },
      { subtype: 'can_use_tool', tool_name: 'swap', input: {}, description: 'Swap?' },
    ],
    [
      'question in the agent’s own words',
      {
        type: 'dialog-request',
        id: 'd',
        kind: 'interview',
        title: 'One, Two',
        ...claude({
          request: { subtype: 'x', tool_use_id: 'c', input: { questions: [1, 2] }, requires_user_interaction: true },
        }),
      },
      {
        subtype: 'can_use_tool',
        tool_name: 'AskUserQuestion',
        tool_use_id: 'c',
        input: { questions: [1, 2] },
        requires_user_interaction: true,
      },
    ],
  ])('a %s', (_, event, request) => {
    expect(told([...run, event]).frames.at(-1)).toMatchObject({ type: 'control_request' });
    expect(told([...run, event]).frames.at(-1)?.request).toEqual(request);
  });

  test('a compaction and a retry', () => {
    const { frames } = told([
      ...run,
      {
        type: 'retry-start',
        attempt: 1,
        maxAttempts: 2,
        delayMs: 3,
        failure: { kind: 'provider', message: 'x', status: 529 },
        ...claude({ error: 'theirs', hint: 1, type: 'x' }),
      },
      { type: 'compaction-start', trigger: 'manual', ...claude({ permissionMode: 'plan' }) },
      {
        type: 'compaction-end',
        outcome: 'completed',
        trigger: 'manual',
        tokensBefore: 9,
        ...claude({ status: { permissionMode: 'plan' }, boundary: { extra: 1, compact_metadata: { duration_ms: 5 } } }),
      },
      ...done,
    ]);
    expect(frames.slice(1, -1)).toMatchObject([
      { type: 'system', subtype: 'api_retry', error: 'theirs', hint: 1 },
      { subtype: 'status', status: 'compacting', permissionMode: 'plan' },
      { subtype: 'status', status: null, compact_result: 'success', permissionMode: 'plan' },
      { subtype: 'compact_boundary', extra: 1, compact_metadata: { trigger: 'manual', pre_tokens: 9, duration_ms: 5 } },
    ]);
  });

  test.each([
    [{ type: 'control_request', request_id: 'h', request: { subtype: 'hook_callback', callback_id: 'hook_0' } }],
    [{ type: 'control_request', request_id: 'm', request: { subtype: 'mcp_message', server_name: 'calc' } }],
    [{ type: 'control_cancel_request', request_id: 'h' }],
  ])('%j is asked at once, in the middle of a message, without our envelope', (payload) => {
    const unknown: Event = { type: 'unknown', protocol: 'claude', payload };
    const { frames } = told([...run, message(), opened(0, { kind: 'text' }), unknown]);
    expect(frames.at(-1)).toEqual(payload);
    const rpc = told([...run, unknown, ...done], 'rpc-message');
    expect(outline(rpc.frames)).toEqual(['result success']);
    expect(rpc.losses).toContainEqual(expect.stringContaining(`frame ${payload.type}`));
  });

  test('what says nothing of itself is told as ever', () => {
    const odd = { type: 'session-changed', changes: {}, extra: { claude: 'text', pi: { type: 'system' } } } as const;
    expect(outline(told([odd, ...run, ...done]).frames)).toEqual(['system init', 'result success']);
  });
});
