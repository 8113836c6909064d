// The figures and the verdict at the end of each turn.
import { describe, expect, test } from 'vitest';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import {
  answered,
  call,
  closed,
  done,
  ended,
  message,
  opened,
  piece,
  type RunEnd,
  resultOf,
  run,
  started,
  text,
} from './words.ts';

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

  test('what becomes of a sub-agent’s message is not what becomes of the run', () => {
    const sub = [message('s', { parent: 'a' }), ended('aborted', { parent: 'a' })];
    const events = [message(), ...call(0, 'a'), ended('tool-use'), started('a'), ...sub, answered('a')];
    expect(resultOf([...run, ...events, ...done])).toMatchObject({ subtype: 'success', stop_reason: 'tool_use' });
  });

  const streaming = [message(), ...text(0, 'half'), ended('aborted')];
  const inTool = [message(), ...call(0, 'c'), ended('tool-use'), started('c')];
  const over = (outcome: RunEnd['outcome'], failure?: RunEnd['failure']): Event[] => [
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
