// What the dialects and options change, which ids the frames have, and what is lost.
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { tellLate } from '../../support/telling.ts';
import { type Sent, sideOf, told } from './harness.ts';
import { answered, call, closed, done, ended, message, only, opened, piece, run, started, text } from './words.ts';

describe('without partial messages', () => {
  test('the same frames without the stream events', () => {
    const events = [
      ...run,
      message(),
      ...text(0, 'a'),
      ...call(1, 'c'),
      ended('tool-use'),
      started('c'),
      answered('c'),
      message('n'),
      ...text(0, 'b'),
      ended(),
      ...done,
    ];
    const bare = ({ uuid: _, ...frame }: Sent) => frame;
    const full = told(events).frames.filter(({ type }) => type !== 'stream_event');
    const { frames } = told(events, 'claude', { partialMessages: false });
    expect(frames.map(bare)).toEqual(full.map(bare));
    expect(faultsIn('claude', frames)).toEqual([]);
  });
});

describe('the name of the session', () => {
  const named = (agentSessionId: string): Event => ({ type: 'session-changed', changes: { agentSessionId } });
  const turn: Event[] = [...run, message(), ...text(0, 'a'), ended(), ...done];
  const cleared: Event[] = [
    ...run,
    message('n'),
    opened(0, { kind: 'text' }),
    piece(0, 'b'),
    named('two'),
    piece(0, 'c'),
  ];

  test.each<[string, object, Event[], string[]]>([
    ['is ours', {}, [named('one'), ...turn], ['session']],
    ['is the agent’s, for whom can only go on under that', { agentSessionId: true }, [named('one'), ...turn], ['one']],
    ['is ours as long as the agent has none', { agentSessionId: true }, turn, ['session']],
    [
      'changes when the agent begins another, and between turns',
      { agentSessionId: 'true' },
      [named('one'), ...turn, ...cleared, closed(0), ended(), ...done, ...turn],
      ['one', 'two'],
    ],
  ])('%s', (_, options, events, names) => {
    const { frames } = told(events, 'claude', { ...options });
    expect([...new Set(frames.map(({ session_id }) => session_id))]).toEqual(names);
    for (const name of names) {
      const turns = frames.filter(({ session_id }) => session_id === name);
      expect(faultsIn('claude', turns)).toEqual([]);
    }
  });
});

describe('rpc-message', () => {
  const nulls = { a: null, deep: [{ b: null }] };
  const events: Event[] = [
    ...run,
    message(),
    opened(0, { kind: 'thinking' }),
    piece(0, 'hm'),
    closed(0, { signature: 'c2ln' }),
    ...call(1, 'c', JSON.stringify(nulls)),
    ended('aborted'),
    answered('c', [{ type: 'opaque', name: 'odd', protocol: 'toy', payload: nulls }]),
    { type: 'turn-end' },
    { type: 'run-end', outcome: 'aborted' },
  ];

  test('has words that were a string in a list', () => {
    const words: Event = {
      type: 'message-added',
      role: 'user',
      origin: 'agent',
      content: [{ type: 'text', text: 'a summary' }],
      extra: { claude: { plain: true } },
    };
    const { frames } = told([...run, words, { type: 'turn-end' }, ...done.slice(-1)], 'rpc-message');
    expect(only(frames, 'user')).toMatchObject([{ message: { content: [{ type: 'text', text: 'a summary' }] } }]);
  });

  test('keeps the nulls in what a tool takes and gives, and no others', () => {
    const { frames } = told(events, 'rpc-message');
    expect(faultsIn('rpc-message', frames)).toEqual([]);
    expect(only(frames, 'assistant tool_use')).toMatchObject([{ message: { content: [{ input: nulls }] } }]);
    expect(only(frames, 'user')).toMatchObject([
      { message: { content: [{ content: [{ type: 'unknown', originalType: 'odd', data: nulls }] }] } },
    ]);
    const rest = frames
      .filter((frame) => !JSON.stringify(frame).includes('partial_json'))
      .map((frame) => JSON.stringify(frame).replaceAll(JSON.stringify(nulls), ''));
    expect(rest.filter((line) => line.includes('null'))).toEqual([]);
  });

  test('has five types of frames, and says which others were lost', () => {
    const { frames, losses } = told(
      [
        { type: 'notice', level: 'info', text: 'x' },
        { type: 'approval-request', id: 'a', name: 'n', input: {} },
        ...events,
        { type: 'error', message: 'no' },
      ],
      'rpc-message',
    );
    expect([...new Set(frames.map(({ type }) => type))].sort()).toEqual([
      'assistant',
      'error',
      'result',
      'stream_event',
      'user',
    ]);
    expect(losses).toEqual(
      expect.arrayContaining(['frame system init', 'frame system notice', 'frame control_request can_use_tool']),
    );
  });

  test('a signature has no delta, but a place in the assistant frame', () => {
    const { frames } = told(events, 'rpc-message');
    expect(JSON.stringify(frames)).not.toContain('signature_delta');
    expect(only(frames, 'assistant thinking')).toMatchObject([
      { id: 'm', message: { content: [{ signature: 'c2ln' }] } },
    ]);
  });

  test.each([
    ['bash', 'CLAUDE_BASH'],
    ['Read', 'CLAUDE_READ'],
    ['mcp__files__list', 'MCP'],
    ['look', 'UNKNOWN'],
  ])('a tool named %s is of type %s', (name, type) => {
    const { frames } = told([...run, { type: 'tool-start', call: 'c', name, input: {} }], 'rpc-message');
    const spelled = { name, toolName: name, toolType: type };
    expect(only(frames, 'content_block_start')).toMatchObject([
      { event: { content_block: { ...spelled, status: 'in_progress' } } },
    ]);
    expect(only(frames, 'assistant')).toMatchObject([{ message: { content: [{ ...spelled, status: 'completed' }] } }]);
  });
});

describe('ids', () => {
  test('derive from epoch, number and place of the event, and differ for what is told again', () => {
    const { log, frames } = told([...run, message(), ...text(0, 'a'), ended(), ...done]);
    expect(frames.map(({ uuid }) => uuid)).toEqual([
      '00000000-0000-8000-8000-000000000001',
      '00000000-0000-8000-8000-000000000003',
      '00000000-0000-8000-8000-000000000004',
      '00000000-0000-8000-8000-000000000005',
      '00000000-0000-8000-8000-000000000006',
      '00000000-0000-8001-8000-000000000006',
      '00000000-0000-8000-8000-000000000007',
      '00000000-0000-8001-8000-000000000007',
      '00000000-0000-8000-8000-000000000009',
    ]);
    const late = tellLate(sideOf('claude'), log.logged)
      .at(-1)
      ?.texts.map((text) => JSON.parse(text).uuid);
    expect(late).toEqual([
      '00000000-0000-8000-9000-000000000001',
      '00000000-0000-8000-9000-000000000003',
      '00000000-0000-8000-9000-000000000009',
    ]);
  });

  test('control frames have none', () => {
    const { frames } = told([{ type: 'dialog-request', id: 'd', kind: 'input', title: 'Q?' }]);
    expect(Object.keys(frames[0] ?? {})).toEqual(['type', 'request_id', 'request']);
  });
});

test('events that have no frame are losses, but for those that other frames tell', () => {
  const silent: Event[] = [
    { type: 'usage-changed' },
    { type: 'queue-changed', steering: [], followUp: [] },
    { type: 'display', place: 'status', lines: null },
    { type: 'activity', text: null },
    { type: 'bash-output', delta: 'x' },
    { type: 'task-changed', id: 't', status: 'running' },
    { type: 'history-reset', reason: 'new' },
    { type: 'session-changed', changes: {} },
    { type: 'agent-changed', state: 'down' },
  ];
  const { frames, losses } = told(silent);
  expect(frames).toEqual([]);
  expect(losses).toEqual([
    'usage-changed',
    'queue-changed',
    'display',
    'activity',
    'bash-output',
    'task-changed',
    'history-reset',
  ]);
});

describe('options', () => {
  test.each([
    { partialMessages: 'yes' },
    { partialMessages: 1 },
    { dialect: 'klingon' },
    { dialekt: 'claude' },
    { partialMessages: null },
  ])('%j is refused', (options) => {
    expect(() => sideOf('claude', options)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test('clients with the same options share a projection', () => {
    expect(sideOf('claude', { partialMessages: 'false' }).key).toBe(sideOf('claude', { partialMessages: false }).key);
    expect(sideOf('claude', {}).key).toBe(sideOf('claude', { partialMessages: true, dialect: 'claude' }).key);
    expect(
      new Set([sideOf('claude').key, sideOf('rpc-message').key, sideOf('claude', { partialMessages: false }).key]).size,
    ).toBe(3);
  });
});
