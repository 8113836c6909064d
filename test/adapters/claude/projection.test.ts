// The details of what Claude clients are told, one by one: each test would fail if its detail broke.
import { describe, expect, test } from 'vitest';
import type { Content } from '../../../src/core/content.ts';
import type { Event, EventOf } from '../../../src/core/event.ts';
import { checkClaudeOrder, describeViolations } from '../../support/judges/claude-order.ts';
import { checkRpcMessages } from '../../support/judges/rpc-message.ts';
import { tellLate } from '../../support/telling.ts';
import { type Sent, sideOf, told } from './harness.ts';

// ---- short words for events

const run: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
const done: Event[] = [{ type: 'turn-end' }, { type: 'run-end', outcome: 'completed' }];
const message = (id = 'm', more: Partial<EventOf<'message-start'>> = {}): Event => ({
  type: 'message-start',
  id,
  ...more,
});
const ended = (
  reason: EventOf<'message-end'>['stop']['reason'] = 'end',
  more: Partial<EventOf<'message-end'>> = {},
): Event => ({
  type: 'message-end',
  stop: { reason },
  ...more,
});
const opened = (index: number, block: EventOf<'block-start'>['block'], parent?: string): Event => ({
  type: 'block-start',
  index,
  block,
  parent,
});
const piece = (index: number, delta: string, parent?: string): Event => ({ type: 'block-delta', index, delta, parent });
const closed = (index: number, more: Partial<EventOf<'block-end'>> = {}): Event => ({
  type: 'block-end',
  index,
  ...more,
});
const text = (index: number, ...pieces: string[]): Event[] => [
  opened(index, { kind: 'text' }),
  ...pieces.map((delta) => piece(index, delta)),
  closed(index),
];
const call = (index: number, id: string, json = '{}', parent?: string): Event[] => [
  opened(index, { kind: 'tool-call', id, name: 'read' }, parent),
  piece(index, json, parent),
  closed(index, { parent }),
];
const started = (id: string, parent?: string): Event => ({
  type: 'tool-start',
  call: id,
  name: 'read',
  input: { at: id },
  parent,
});
const answered = (id: string, content: Content[] = [], parent?: string): Event => ({
  type: 'tool-end',
  call: id,
  name: 'read',
  content,
  isError: false,
  parent,
});
const whole = (content: Content): Event[] => [opened(0, { kind: 'whole', content }), closed(0)];

// ---- short words for frames

const shorten = ({ type, event, message: said, subtype }: Sent): string => {
  if (type === 'stream_event') {
    const { type: inner, index, delta, content_block: block } = event as Record<string, Record<string, unknown>>;
    const detail = block?.type ?? delta?.type;
    return [inner, index, detail].filter((part) => part !== undefined).join(' ');
  }
  if (type === 'assistant' || type === 'user') {
    const [block] = (said as { content: { type: string; tool_use_id?: string }[] }).content;
    return [type, block?.type, block?.tool_use_id].filter((part) => part !== undefined).join(' ');
  }
  return subtype === undefined ? type : `${type} ${subtype}`;
};
const outline = (frames: readonly Sent[]): string[] => frames.map(shorten);
const only = (frames: readonly Sent[], word: string): Sent[] =>
  frames.filter((frame) => shorten(frame).startsWith(word));
const inOrder = (frames: readonly Sent[]) => describeViolations(checkClaudeOrder(frames), frames);
const resultOf = (events: readonly Event[]): Sent | undefined => only(told(events).frames, 'result').at(-1);

describe('the blocks of a message', () => {
  test('are counted from 0 in each message, whatever the source calls them', () => {
    const { frames } = told([
      ...run,
      message(),
      ...text(3, 'a'),
      ...text(7, 'b'),
      ended(),
      message('n'),
      ...text(5, 'c'),
      ended(),
      ...done,
    ]);
    const indices = only(frames, 'stream_event').length === 0 ? only(frames, 'content_block_start') : [];
    expect(indices.map(({ event }) => (event as { index: number }).index)).toEqual([0, 1, 0]);
    expect(inOrder(frames)).toEqual([]);
  });

  test('stand one after the other, also when the source opens one inside another', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'thinking' }),
      opened(1, { kind: 'text' }),
      piece(1, 'A'),
      opened(2, { kind: 'tool-call', id: 'c', name: 'read' }),
      piece(0, 'hm'),
      piece(2, '{"a":1}'),
      closed(0),
      closed(2),
      piece(1, 'B'),
      closed(1),
      ended('tool-use'),
      answered('c'),
      ...done,
    ]);
    expect(outline(frames)).toEqual([
      'system init',
      'message_start',
      'content_block_start 0 thinking',
      'content_block_delta 0 thinking_delta',
      'assistant thinking',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_delta 1 text_delta',
      'content_block_delta 1 text_delta',
      'assistant text',
      'content_block_stop 1',
      'content_block_start 2 tool_use',
      'content_block_delta 2 input_json_delta',
      'assistant tool_use',
      'content_block_stop 2',
      'message_delta',
      'message_stop',
      'user tool_result c',
      'result success',
    ]);
  });

  test('a sub-agent’s words wait for the call that they hang on', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'text' }),
      opened(1, { kind: 'tool-call', id: 'c', name: 'read' }),
      closed(1),
      started('c'),
      message('sub', { parent: 'c' }),
      ...text(0, 'inside').map((event) => ({ ...event, parent: 'c' })),
      ended('end', { parent: 'c' }),
      closed(0),
      ended('tool-use'),
      answered('c'),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    expect(outline(frames)).toEqual(expect.arrayContaining(['assistant text', 'assistant tool_use']));
    expect(only(frames, 'assistant text').map(({ parent_tool_use_id }) => parent_tool_use_id)).toEqual([null, 'c']);
  });

  test('empty pieces are not sent', () => {
    const { frames } = told([...run, message(), ...text(0, '', 'a', ''), ended(), ...done]);
    expect(only(frames, 'content_block_delta')).toHaveLength(1);
  });

  test('a message without blocks is still a message', () => {
    const { frames } = told([...run, message(), ended(), ...done]);
    expect(outline(frames)).toEqual([
      'system init',
      'message_start',
      'message_delta',
      'message_stop',
      'result success',
    ]);
  });

  test('arguments that only the ending has are streamed before it', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
      closed(0, { input: { path: 'é' } }),
      ended('tool-use'),
      answered('c'),
      ...done,
    ]);
    expect(only(frames, 'content_block_delta').map(({ event }) => event)).toMatchObject([
      { delta: { partial_json: '{"path":"é"}' } },
    ]);
    expect(inOrder(frames)).toEqual([]);
  });

  test('a signature is a delta of its own, behind the thinking', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'thinking' }),
      piece(0, 'hm'),
      closed(0, { signature: 'c2ln' }),
      ended(),
      ...done,
    ]);
    expect(outline(frames).slice(3, 6)).toEqual([
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'assistant thinking',
    ]);
    expect(only(frames, 'assistant')).toMatchObject([
      { message: { content: [{ thinking: 'hm', signature: 'c2ln' }] } },
    ]);
  });

  test('a call that was cut is shown as aborted, and answered', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
      piece(0, '{"pa'),
      closed(0, { incomplete: true }),
      ended('aborted'),
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'aborted' },
    ]);
    expect(only(frames, 'assistant')).toMatchObject([
      { aborted: true, message: { content: [{ type: 'tool_use', input: {} }] } },
    ]);
    expect(only(frames, 'user tool_result c')).toMatchObject([{ message: { content: [{ is_error: true }] } }]);
    expect(inOrder(frames)).toEqual([]);
  });
});

describe('what comes whole', () => {
  const shown = (content: Content, id = 'claude') => {
    const { frames } = told([...run, message(), ...whole(content), ended(), ...done], id);
    const [start] = only(frames, 'content_block_start');
    const [assistant] = only(frames, 'assistant');
    return {
      start: (start?.event as { content_block: unknown }).content_block,
      deltas: only(frames, 'content_block_delta').map(({ event }) => (event as { delta: unknown }).delta),
      block: (assistant?.message as { content: unknown[] }).content[0],
      frames,
    };
  };

  test('text streams all the same', () => {
    const { start, deltas, block, frames } = shown({ type: 'text', text: 'all' });
    expect(start).toEqual({ type: 'text', text: '' });
    expect(deltas).toEqual([{ type: 'text_delta', text: 'all' }]);
    expect(block).toEqual({ type: 'text', text: 'all' });
    expect(inOrder(frames)).toEqual([]);
  });

  test('thinking streams all the same, and its proof', () => {
    const { start, deltas, block, frames } = shown({ type: 'thinking', text: 'hm', signature: 'c2ln' });
    expect(start).toEqual({ type: 'thinking', thinking: '', signature: '' });
    expect(deltas).toEqual([
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'signature_delta', signature: 'c2ln' },
    ]);
    expect(block).toEqual({ type: 'thinking', thinking: 'hm', signature: 'c2ln' });
    expect(inOrder(frames)).toEqual([]);
  });

  test('a call that the provider runs itself wants no result', () => {
    const { start, deltas, block, frames } = shown({
      type: 'tool-call',
      id: 's',
      name: 'web_search',
      input: { query: 'q' },
    });
    expect(start).toEqual({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} });
    expect(deltas).toEqual([{ type: 'input_json_delta', partial_json: '{"query":"q"}' }]);
    expect(block).toEqual({ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } });
    expect(inOrder(frames)).toEqual([]);
  });

  const image = { type: 'image', data: 'aGk=', mediaType: 'image/jpeg' } as const;
  const link = { type: 'link', url: 'https://example.com' } as const;
  const redacted = { type: 'redacted_thinking', data: 'aGlkZGVu' };
  const unknown = (originalType: string, data: unknown) => ({ type: 'unknown', originalType, data });
  test.each<[string, Content, unknown, unknown]>([
    [
      'hidden thinking',
      { type: 'thinking', text: '', redacted: true, signature: 'aGlkZGVu' },
      redacted,
      unknown('redacted_thinking', redacted),
    ],
    [
      'an image',
      image,
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
    ],
    [
      'an image elsewhere',
      { type: 'image', url: 'https://example.com' },
      { type: 'image', source: { type: 'url', url: 'https://example.com' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com' } },
    ],
    ['a link', link, unknown('link', link), unknown('link', link)],
    [
      'a block of Claude’s',
      { type: 'opaque', name: 'redacted_thinking', protocol: 'claude', payload: redacted },
      redacted,
      unknown('redacted_thinking', redacted),
    ],
    [
      'a block of another protocol',
      { type: 'opaque', name: 'chart', protocol: 'toy', payload: { bars: null } },
      unknown('chart', { bars: null }),
      unknown('chart', { bars: null }),
    ],
    [
      'a payload that is no block',
      { type: 'opaque', name: 'odd', protocol: 'claude', payload: 7 },
      unknown('odd', 7),
      unknown('odd', 7),
    ],
  ])('%s: in both dialects', (_, content, native, rpc) => {
    const inNative = shown(content);
    expect([inNative.start, inNative.deltas, inNative.block]).toEqual([native, [], native]);
    const inRpc = shown(content, 'rpc-message');
    expect([inRpc.start, inRpc.deltas, inRpc.block]).toEqual([rpc, [], rpc]);
    expect(checkRpcMessages(inRpc.frames)).toEqual([]);
  });
});

describe('stop_reason', () => {
  const stopOf = (
    reason: EventOf<'message-end'>['stop']['reason'],
    blocks: Event[],
    outcome: EventOf<'run-end'>['outcome'] = 'completed',
  ) => {
    const { frames } = told([
      ...run,
      message(),
      ...blocks,
      ended(reason),
      { type: 'turn-end' },
      { type: 'run-end', outcome },
    ]);
    expect(inOrder(frames)).toEqual([]);
    const [delta] = only(frames, 'message_delta');
    return (delta?.event as { delta: { stop_reason: unknown } }).delta.stop_reason;
  };

  test.each<[EventOf<'message-end'>['stop']['reason'], unknown, unknown]>([
    ['end', 'end_turn', 'tool_use'],
    ['tool-use', 'end_turn', 'tool_use'],
    ['unknown', 'end_turn', 'tool_use'],
    ['stop-sequence', 'stop_sequence', 'tool_use'],
    ['length', 'max_tokens', 'max_tokens'],
    ['refusal', 'refusal', 'refusal'],
    ['pause', 'pause_turn', 'pause_turn'],
  ])('%s: %s, but %s behind a call', (reason, plain, behindCall) => {
    expect(stopOf(reason, text(0, 'a'))).toBe(plain);
    expect(stopOf(reason, call(0, 'c'))).toBe(behindCall);
    // What ends the message counts, not whether there was a call in it.
    expect(stopOf(reason, [...call(0, 'c'), ...text(1, 'a')])).toBe(plain);
  });

  test.each(['aborted', 'error'] as const)('%s: null', (reason) => {
    expect(stopOf(reason, text(0, 'a'), 'failed')).toBeNull();
  });
});

describe('results of tools', () => {
  test('wait for the end of the message that calls', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'c'),
      started('c'),
      answered('c'),
      ...text(1, 'on'),
      ended(),
      ...done,
    ]);
    expect(outline(frames).slice(-3)).toEqual(['message_stop', 'user tool_result c', 'result success']);
    expect(inOrder(frames)).toEqual([]);
  });

  test('come in the order in which the tools end', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      ...call(1, 'b'),
      ended('tool-use'),
      started('a'),
      started('b'),
      answered('b'),
      answered('a'),
      ...done,
    ]);
    expect(outline(only(frames, 'user'))).toEqual(['user tool_result b', 'user tool_result a']);
  });

  test.each<[string, Content[], unknown]>([
    ['nothing', [], ''],
    ['one text', [{ type: 'text', text: 'a' }], 'a'],
    [
      'two texts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [
      'an image',
      [{ type: 'image', data: 'aGk=' }],
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
    ],
    [
      'a document',
      [{ type: 'document', name: 'd' }],
      [{ type: 'unknown', originalType: 'document', data: { type: 'document', name: 'd' } }],
    ],
  ])('%s', (_, content, expected) => {
    const { frames } = told([...run, message(), ...call(0, 'c'), ended('tool-use'), answered('c', content), ...done]);
    const [frame] = only(frames, 'user');
    expect((frame?.message as { content: { content: unknown }[] }).content[0]?.content).toEqual(expected);
  });

  test('the progress of a tool is lost, and said to be', () => {
    const update: Event = { type: 'tool-update', call: 'c', mode: 'append', content: [{ type: 'text', text: 'half' }] };
    const { frames, losses } = told([
      ...run,
      message(),
      ...call(0, 'c'),
      ended('tool-use'),
      started('c'),
      update,
      answered('c'),
      ...done,
    ]);
    expect(JSON.stringify(frames)).not.toContain('half');
    expect(losses).toEqual(['tool-update']);
  });
});

describe('a tool that no message called', () => {
  test('is announced by a message of its own', () => {
    const { frames } = told([...run, started('c'), answered('c'), ...done]);
    expect(outline(frames)).toEqual([
      'system init',
      'message_start',
      'content_block_start 0 tool_use',
      'content_block_delta 0 input_json_delta',
      'assistant tool_use',
      'content_block_stop 0',
      'message_delta',
      'message_stop',
      'user tool_result c',
      'result success',
    ]);
    expect(inOrder(frames)).toEqual([]);
  });

  test('waits for the open message, and for the calls before it', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      started('a'),
      started('b'),
      started('c'),
      answered('c'),
      answered('b'),
      ended('tool-use'),
      answered('a'),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    expect(outline([...only(frames, 'assistant'), ...only(frames, 'user')])).toHaveLength(6);
    expect(only(frames, 'user').map((frame) => shorten(frame))).toEqual([
      'user tool_result a',
      'user tool_result b',
      'user tool_result c',
    ]);
  });

  test('a message of the model waits in turn until the calls before it are answered', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      ended('tool-use'),
      started('a'),
      message('n'),
      ...text(0, 'early'),
      answered('a'),
      ended(),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    const words = outline(frames);
    expect(words.indexOf('user tool_result a')).toBeLessThan(words.lastIndexOf('message_start'));
  });
});

describe('system frames', () => {
  const notice: Event = { type: 'notice', level: 'info', text: 'Tea is ready.' };
  const retry: Event = {
    type: 'retry-start',
    attempt: 2,
    maxAttempts: 3,
    delayMs: 50,
    failure: { kind: 'provider', message: 'busy', status: 529 },
  };

  test('do not interrupt a message', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'text' }),
      notice,
      retry,
      closed(0),
      ended(),
      { type: 'retry-end', attempt: 2, success: true },
      ...done,
    ]);
    expect(outline(frames).slice(-4)).toEqual(['message_stop', 'system notice', 'system api_retry', 'result success']);
    expect(inOrder(frames)).toEqual([]);
  });

  test('between two turns they wait for the next', () => {
    const { frames } = told([notice, ...run, ...done, notice, notice]);
    expect(outline(frames)).toEqual(['system init', 'system notice', 'result success']);
    expect(outline(told([...run, ...done, notice, ...run, ...done]).frames).slice(2)).toEqual([
      'system init',
      'system notice',
      'result success',
    ]);
  });

  test('of those that wait too long only the last 64 are kept, and the others are lost', () => {
    const many = Array.from({ length: 70 }, (_, at): Event => ({ ...notice, text: `${at}` }));
    const { frames, losses } = told([...many, ...run, ...done]);
    expect(only(frames, 'system notice').map((frame) => frame.text)).toEqual(
      many.slice(-64).map((event) => event.type === 'notice' && event.text),
    );
    expect(losses).toEqual(Array.from({ length: 6 }, () => '1 frames that found no place'));
  });

  test.each<[number | undefined, unknown, string]>([
    [429, 429, 'rate_limit'],
    [529, 529, 'overloaded'],
    [401, 401, 'authentication_failed'],
    [403, 403, 'authentication_failed'],
    [500, 500, 'server_error'],
    [400, 400, 'unknown'],
    [undefined, null, 'unknown'],
  ])('api_retry of a %s', (status, error_status, error) => {
    const event: Event = { ...retry, failure: { kind: 'provider', message: 'no', status } };
    const { frames } = told([...run, event, { type: 'retry-end', attempt: 2, success: true }, ...done]);
    expect(only(frames, 'system api_retry')).toMatchObject([
      { attempt: 2, max_retries: 3, retry_delay_ms: 50, error_status, error },
    ]);
  });

  test('init tells what is known of the session', () => {
    const { frames } = told([
      {
        type: 'session-changed',
        changes: {
          cwd: '/rack',
          mode: 'plan',
          model: { id: 'large' },
          tools: [{ name: 'read' }, { name: 'gone', disabled: true }],
          commands: [{ name: 'count' }],
        },
      },
      { type: 'tool-server-changed', name: 'files', kind: 'mcp', status: 'needs-auth' },
      { type: 'tool-server-changed', name: 'own', kind: 'native', status: 'running' },
      ...run,
      ...done,
    ]);
    expect(frames[0]).toMatchObject({
      cwd: '/rack',
      permissionMode: 'plan',
      model: 'large',
      tools: ['read'],
      slash_commands: ['count'],
      mcp_servers: [{ name: 'files', status: 'needs-auth' }],
    });
  });

  test.each([
    ['running', 'connected'],
    ['starting', 'pending'],
    ['failed', 'failed'],
    ['stopped', 'disabled'],
    ['disabled', 'disabled'],
    ['removed', 'disabled'],
  ] as const)('a tool server that is %s is %s', (status, wire) => {
    const { frames } = told([{ type: 'tool-server-changed', name: 'f', kind: 'mcp', status }, ...run]);
    expect(frames[0]?.mcp_servers).toEqual([{ name: 'f', status: wire }]);
  });
});

describe('the result', () => {
  const usage = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4 };
  const paid = (model: string, total: number): Event[] => [
    message(`m-${model}-${total}`, { model }),
    ...text(0, model),
    ended('end', { usage, cost: { total } }),
  ];

  test('tokens are of the run, costs and models of the session', () => {
    const first = [...run, ...paid('large', 0.5), ...paid('small', 0.25), ...done];
    const second = [...run, ...paid('large', 1), ...done];
    expect(resultOf(first)).toMatchObject({
      result_index: 0,
      total_cost_usd: 0.75,
      usage: { input_tokens: 20, output_tokens: 4, cache_read_input_tokens: 6, cache_creation_input_tokens: 8 },
    });
    expect(resultOf([...first, ...second])).toMatchObject({
      result_index: 1,
      total_cost_usd: 1.75,
      usage: { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
      modelUsage: {
        large: {
          inputTokens: 20,
          outputTokens: 4,
          cacheReadInputTokens: 6,
          cacheCreationInputTokens: 8,
          webSearchRequests: 0,
          costUSD: 1.5,
        },
        small: {
          inputTokens: 10,
          outputTokens: 2,
          cacheReadInputTokens: 3,
          cacheCreationInputTokens: 4,
          webSearchRequests: 0,
          costUSD: 0.25,
        },
      },
    });
  });

  test('durations come from the clock of the log: the run, and the messages in it', () => {
    // Ten ms an event: run-start at 0, message-start at 20, message-end at 60, run-end at 80.
    expect(resultOf([...run, ...paid('large', 0), ...done])).toMatchObject({ duration_ms: 80, duration_api_ms: 40 });
  });

  test.each<[string, Event[], number]>([
    ['nothing said', [], 1],
    ['two results', [message(), ...call(0, 'a'), ...call(1, 'b'), ended('tool-use'), answered('a'), answered('b')], 3],
    [
      'a word of the agent in the user’s name',
      [{ type: 'message-added', role: 'user', origin: 'agent', content: [] }],
      2,
    ],
    ['history told again does not count', [{ type: 'message-added', role: 'user', origin: 'replay', content: [] }], 1],
    [
      'nor does what a sub-agent does',
      [
        message(),
        ...call(0, 'a'),
        ended('tool-use'),
        started('a'),
        message('s', { parent: 'a' }),
        ...call(0, 'b', '{}', 'a'),
        ended('tool-use', { parent: 'a' }),
        answered('b', [], 'a'),
        answered('a'),
      ],
      2,
    ],
  ])('num_turns: %s', (_, events, turns) => {
    expect(resultOf([...run, ...events, ...done])).toMatchObject({ num_turns: turns });
  });

  test.each<[string, Event[], string]>([
    [
      'the last text',
      [message(), ...text(0, 'a'), ...text(1, 'b'), ended(), message('n'), ...text(0, 'c'), ended()],
      'c',
    ],
    ['none in this run', [], ''],
    [
      'not what a sub-agent said',
      [
        message(),
        ...text(0, 'own'),
        ...call(1, 'x'),
        ended('tool-use'),
        started('x'),
        message('s', { parent: 'x' }),
        ...text(0, 'other').map((event) => ({ ...event, parent: 'x' })),
        ended('end', { parent: 'x' }),
        answered('x'),
      ],
      'own',
    ],
    [
      'nor what was only thought',
      [
        message(),
        ...text(0, 'said'),
        ended(),
        message('n'),
        opened(0, { kind: 'thinking' }),
        piece(0, 'hm'),
        closed(0),
        ended(),
      ],
      'said',
    ],
  ])('result: %s', (_, events, expected) => {
    const before = [...run, message('old'), ...text(0, 'an older run'), ended(), ...done];
    expect(resultOf([...before, ...run, ...events, ...done])).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: expected,
    });
  });

  test('permission_denials: what was denied or not answered in time, in this run', () => {
    const ask = (id: string, tool?: string): Event => ({
      type: 'approval-request',
      id,
      call: tool,
      name: 'swap',
      input: { id },
    });
    const end = (id: string, outcome: EventOf<'approval-end'>['outcome']): Event => ({
      type: 'approval-end',
      id,
      outcome,
    });
    const events = [
      ...run,
      ask('1', 'c1'),
      end('1', 'denied'),
      ask('2'),
      end('2', 'expired'),
      ask('3'),
      end('3', 'allowed'),
      ask('4'),
      end('4', 'cancelled'),
      ...done,
    ];
    expect(resultOf(events)).toMatchObject({
      permission_denials: [
        { tool_name: 'swap', tool_use_id: 'c1', tool_input: { id: '1' } },
        { tool_name: 'swap', tool_input: { id: '2' } },
      ],
    });
    expect(resultOf([...events, ...run, ...done])).toMatchObject({ permission_denials: [] });
  });

  const streaming = [message(), ...text(0, 'half'), ended('aborted')];
  const inTool = [message(), ...call(0, 'c'), ended('tool-use'), started('c')];
  const over = (outcome: EventOf<'run-end'>['outcome'], failure?: EventOf<'run-end'>['failure']): Event[] => [
    { type: 'turn-end' },
    { type: 'run-end', outcome, failure },
  ];
  test.each<[string, Event[], object]>([
    [
      'completed',
      [message(), ended(), ...over('completed')],
      { subtype: 'success', is_error: false, terminal_reason: 'completed', stop_reason: 'end_turn' },
    ],
    [
      'aborted while it spoke',
      [...streaming, ...over('aborted')],
      { is_error: true, terminal_reason: 'aborted_streaming', errors: ['the run was aborted'] },
    ],
    ['aborted in a tool', [...inTool, ...over('aborted')], { is_error: true, terminal_reason: 'aborted_tools' }],
    [
      'aborted in a tool, with an empty message behind it',
      [...inTool, answered('c'), message('n'), ended('aborted'), ...over('aborted')],
      { terminal_reason: 'aborted_tools' },
    ],
    [
      'the provider failed',
      [...over('failed', { kind: 'provider', message: 'no', status: 529 })],
      { is_error: true, terminal_reason: 'api_error', api_error_status: 529, errors: ['no'] },
    ],
    [
      'the agent failed',
      [...over('failed', { kind: 'agent', message: 'gone' })],
      { is_error: true, terminal_reason: 'error', errors: ['gone'] },
    ],
    [
      'completed, but the last message was cut',
      [...streaming, ...over('completed')],
      {
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['the last message was cut'],
        terminal_reason: 'aborted_streaming',
      },
    ],
    [
      'completed after a message that was cut',
      [...streaming, message('n'), ended(), ...over('completed')],
      { subtype: 'success', is_error: false, terminal_reason: 'completed' },
    ],
  ])('%s', (_, events, expected) => {
    const result = resultOf([...run, ...events]);
    expect(result).toMatchObject(expected);
    expect('result' in (result ?? {})).toBe(result?.is_error === false);
  });
});

describe('questions', () => {
  const dialog = (more: Partial<EventOf<'dialog-request'>>): Event => ({
    type: 'dialog-request',
    id: 'd',
    kind: 'input',
    title: 'Q?',
    ...more,
  });

  test.each<[string, Event, unknown]>([
    [
      'a choice',
      dialog({ kind: 'select', options: ['a', 'b'] }),
      {
        question: 'Q?',
        header: 'select',
        options: [
          { label: 'a', description: '' },
          { label: 'b', description: '' },
        ],
        multiSelect: false,
      },
    ],
    [
      'yes or no',
      dialog({ kind: 'confirm', message: 'Sure?' }),
      {
        question: 'Q?\nSure?',
        header: 'confirm',
        options: [
          { label: 'Yes', description: '' },
          { label: 'No', description: '' },
        ],
        multiSelect: false,
      },
    ],
    [
      'a line',
      dialog({ placeholder: 'name' }),
      { question: 'Q?', header: 'input', options: [{ label: 'name', description: '' }], multiSelect: false },
    ],
    [
      'a text',
      dialog({ kind: 'editor', prefill: 'draft' }),
      { question: 'Q?', header: 'editor', options: [{ label: 'draft', description: '' }], multiSelect: false },
    ],
    ['nothing offered', dialog({}), { question: 'Q?', header: 'input', options: [], multiSelect: false }],
  ])('%s rides on AskUserQuestion', (_, event, question) => {
    const { frames } = told([event]);
    expect(frames).toMatchObject([
      {
        request_id: 'dialog:d',
        request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions: [question] } },
      },
    ]);
  });

  test.each(['cancelled', 'expired'] as const)('a dialog that is %s is withdrawn', (outcome) => {
    const { frames } = told([dialog({}), { type: 'dialog-end', id: 'd', outcome }]);
    expect(frames.slice(1)).toEqual([{ type: 'control_cancel_request', request_id: 'dialog:d' }]);
  });

  test('one that is answered is not', () => {
    expect(told([dialog({}), { type: 'dialog-end', id: 'd', outcome: 'answered' }]).frames).toHaveLength(1);
  });

  test('they are asked in the middle of a message, at once', () => {
    const ask: Event = { type: 'approval-request', id: 'a', name: 'swap', input: {} };
    const { frames } = told([...run, message(), opened(0, { kind: 'text' }), ask]);
    expect(frames.at(-1)).toEqual({
      type: 'control_request',
      request_id: 'a',
      request: { subtype: 'can_use_tool', tool_name: 'swap', input: {} },
    });
  });
});

describe('messages of others', () => {
  const user = (more: Partial<EventOf<'message-added'>>): Event => ({
    type: 'message-added',
    role: 'user',
    content: [{ type: 'text', text: 'hello' }],
    ...more,
  });

  test.each(['prompt', 'steer', 'follow-up'] as const)(
    'a %s is not told to those who sent it, but to late clients',
    (origin) => {
      const { frames, log } = told([...run, user({ origin }), ...done]);
      expect(only(frames, 'user')).toEqual([]);
      const late: Sent[] =
        tellLate(sideOf('claude'), log.logged)
          .at(-1)
          ?.texts.map((text) => JSON.parse(text)) ?? [];
      expect(only(late, 'user')).toMatchObject([
        { isReplay: true, message: { role: 'user', content: [{ type: 'text', text: 'hello' }] } },
      ]);
    },
  );

  test('what the agent says in the user’s name is synthetic', () => {
    expect(only(told([...run, user({ origin: 'agent' }), ...done]).frames, 'user')).toMatchObject([
      { isSynthetic: true },
    ]);
  });

  test.each(['system', 'custom', 'bash', 'summary', 'assistant'] as const)(
    'role %s is lost, and said to be',
    (role) => {
      const { frames, losses } = told([...run, user({ role }), ...done]);
      expect(outline(frames)).toEqual(['system init', 'result success']);
      expect(losses).toEqual([`message of role ${role}`]);
    },
  );

  test('role tool repeats a result, so it is no loss', () => {
    expect(told([...run, user({ role: 'tool', call: 'c' }), ...done]).losses).toEqual([]);
  });
});

describe('frames of a newer version', () => {
  const unknown = (payload: unknown, protocol = 'claude'): Event => ({ type: 'unknown', protocol, payload });

  test('pass to clients of the same protocol, with our envelope', () => {
    const { frames } = told([
      ...run,
      unknown({ type: 'novelty', uuid: 'theirs', session_id: 'theirs', a: null }),
      ...done,
    ]);
    expect(only(frames, 'novelty')).toEqual([
      { type: 'novelty', a: null, session_id: 'session', uuid: '00000000-0000-8000-8000-000000000003' },
    ]);
  });

  test.each([
    [{ type: 'result', subtype: 'success' }],
    [{ type: 'stream_event', event: { type: 'message_stop' } }],
    [{ type: 'system', subtype: 'init' }],
    [{ type: 'control_request' }],
    [{ type: 7 }],
    ['text'],
    [null],
  ])('%j is none: it could break the order', (payload) => {
    const { frames, losses } = told([...run, unknown(payload), ...done]);
    expect(outline(frames)).toEqual(['system init', 'result success']);
    expect(losses).toEqual(['event of claude']);
  });

  test('those of another protocol are lost', () => {
    expect(told([unknown({ type: 'novelty' }, 'pi')]).losses).toEqual(['event of pi']);
  });
});

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
    expect(describeViolations(checkClaudeOrder(frames, { whole: true }), frames)).toEqual([]);
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

  test('keeps the nulls in what a tool takes and gives, and no others', () => {
    const { frames } = told(events, 'rpc-message');
    expect(checkRpcMessages(frames)).toEqual([]);
    expect(only(frames, 'assistant tool_use')).toMatchObject([{ message: { content: [{ input: nulls }] } }]);
    expect(only(frames, 'user')).toMatchObject([
      { message: { content: [{ content: [{ type: 'unknown', originalType: 'odd', data: nulls }] }] } },
    ]);
    const rest = frames.map((frame) => JSON.stringify(frame).replaceAll(JSON.stringify(nulls), ''));
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
