// Lines that mean the same wherever they come: tools, compactions, settings, extensions, and what is no line at all.
import { describe, expect, test } from 'vitest';
import { pi } from '../../../src/adapters/pi/index.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { bench, wire } from './harness.ts';

/** What one line delivers, inside a run that is open already. */
function delivered(line: object): unknown[] {
  const pi = bench();
  pi.feed(wire.agentStart);
  pi.events();
  pi.feed(line);
  return pi.events();
}

const tool = { toolCallId: 't', toolName: 'bash' };
const output = { content: [{ type: 'text', text: 'out' }] };
const shown = [{ type: 'text', text: 'out' }];
const overtaken = { content: [{ type: 'text', text: 'Skipped due to queued user message.' }], details: {} };

test.each<[name: string, line: object, expected: readonly object[]]>([
  [
    'tool_execution_start',
    { type: 'tool_execution_start', ...tool, args: { command: 'ls' } },
    [{ type: 'tool-start', call: 't', name: 'bash', input: { command: 'ls' } }],
  ],
  [
    'tool_execution_start with odd arguments',
    { type: 'tool_execution_start', ...tool, args: 'ls' },
    [{ type: 'tool-start', call: 't', name: 'bash', input: {}, extra: { pi: { args: 'ls' } } }],
  ],
  [
    'tool_execution_update',
    { type: 'tool_execution_update', ...tool, args: {}, partialResult: { ...output, details: { a: 1 } } },
    [{ type: 'tool-update', call: 't', mode: 'replace', content: shown, extra: { pi: { details: { a: 1 } } } }],
  ],
  [
    'tool_execution_end',
    { type: 'tool_execution_end', ...tool, result: { ...output, details: { a: 1 } }, isError: false, durationMs: 4 },
    [
      {
        type: 'tool-end',
        call: 't',
        name: 'bash',
        content: shown,
        isError: false,
        details: { a: 1 },
        durationMs: 4,
      },
    ],
  ],
  [
    'tool_execution_end with a structured result',
    { type: 'tool_execution_end', ...tool, result: { ...output, structuredContent: [1] }, isError: false },
    [
      {
        type: 'tool-end',
        call: 't',
        name: 'bash',
        content: shown,
        isError: false,
        extra: { pi: { result: { structuredContent: [1] } } },
      },
    ],
  ],
  [
    'tool_execution_end with a plain string (0.13.2)',
    { type: 'tool_execution_end', ...tool, result: 'out', isError: true },
    [{ type: 'tool-end', call: 't', name: 'bash', content: shown, isError: true, extra: { pi: { plain: true } } }],
  ],
  [
    'tool_execution_end of a call that was overtaken',
    { type: 'tool_execution_end', ...tool, result: overtaken, isError: true },
    [
      {
        type: 'tool-end',
        call: 't',
        name: 'bash',
        content: overtaken.content,
        isError: true,
        skipped: 'superseded',
        details: {},
      },
    ],
  ],
  [
    'tool_execution_end that only prints these words',
    { type: 'tool_execution_end', ...tool, result: { content: overtaken.content }, isError: false },
    [{ type: 'tool-end', call: 't', name: 'bash', content: overtaken.content, isError: false }],
  ],
  [
    'compaction (0.13.2), by hand',
    { type: 'compaction', summary: 's', tokensBefore: 9, firstKeptEntryIndex: 2 },
    [
      { type: 'compaction-start', trigger: 'manual' },
      {
        type: 'compaction-end',
        trigger: 'manual',
        outcome: 'completed',
        summary: 's',
        tokensBefore: 9,
        extra: { pi: { firstKeptEntryIndex: 2 } },
      },
    ],
  ],
  [
    'compaction (0.13.2), by itself',
    { type: 'compaction', summary: 's', tokensBefore: 9, auto: true },
    [
      { type: 'compaction-start', trigger: 'threshold' },
      { type: 'compaction-end', trigger: 'threshold', outcome: 'completed', summary: 's', tokensBefore: 9 },
    ],
  ],
  [
    'auto_compaction_start',
    { type: 'auto_compaction_start', reason: 'overflow' },
    [{ type: 'compaction-start', trigger: 'overflow', extra: { pi: { type: 'auto_compaction_start' } } }],
  ],
  [
    'compaction_start for a reason of a newer pi',
    { type: 'compaction_start', reason: 'boredom' },
    [
      {
        type: 'compaction-start',
        trigger: 'unknown',
        extra: { pi: { type: 'compaction_start', reason: 'boredom' } },
      },
    ],
  ],
  [
    'compaction_end',
    {
      type: 'compaction_end',
      reason: 'manual',
      result: { summary: 's', tokensBefore: 9, estimatedTokensAfter: 3, firstKeptEntryId: 'e' },
      aborted: false,
      willRetry: false,
    },
    [
      {
        type: 'compaction-end',
        trigger: 'manual',
        outcome: 'completed',
        summary: 's',
        tokensBefore: 9,
        tokensAfter: 3,
        willRetry: false,
        extra: { pi: { type: 'compaction_end', result: { firstKeptEntryId: 'e' } } },
      },
    ],
  ],
  [
    'auto_compaction_end with nothing to compact',
    { type: 'auto_compaction_end', aborted: false, willRetry: false },
    [
      {
        type: 'compaction-end',
        outcome: 'completed',
        willRetry: false,
        extra: { pi: { type: 'auto_compaction_end' } },
      },
    ],
  ],
  [
    'compaction_end, aborted',
    { type: 'compaction_end', aborted: true },
    [{ type: 'compaction-end', outcome: 'aborted', extra: { pi: { type: 'compaction_end' } } }],
  ],
  [
    'compaction_end, failed, without a start',
    { type: 'compaction_end', aborted: false, errorMessage: '500 no' },
    [
      {
        type: 'notice',
        level: 'error',
        text: '500 no',
        source: 'agent',
        extra: { pi: { type: 'compaction_end', aborted: false } },
      },
    ],
  ],
  [
    'auto_retry_start',
    { type: 'auto_retry_start', attempt: 2, maxAttempts: 3, delayMs: 4000, errorMessage: '529 x' },
    [
      {
        type: 'retry-start',
        attempt: 2,
        maxAttempts: 3,
        delayMs: 4000,
        failure: { kind: 'provider', message: '529 x', status: 529 },
      },
    ],
  ],
  [
    'auto_retry_end',
    { type: 'auto_retry_end', success: true, attempt: 2 },
    [{ type: 'retry-end', attempt: 2, success: true }],
  ],
  [
    'queue_update',
    { type: 'queue_update', steering: ['a'], followUp: ['b'] },
    [{ type: 'queue-changed', steering: ['a'], followUp: ['b'] }],
  ],
  [
    'session_info_changed',
    { type: 'session_info_changed', name: 'n' },
    [{ type: 'session-changed', changes: { name: 'n' }, extra: { pi: { type: 'session_info_changed' } } }],
  ],
  [
    'thinking_level_changed',
    { type: 'thinking_level_changed', level: 'high' },
    [
      {
        type: 'session-changed',
        changes: { thinkingLevel: 'high' },
        extra: { pi: { type: 'thinking_level_changed' } },
      },
    ],
  ],
  [
    'bash_execution_update',
    { type: 'bash_execution_update', id: 'c1', delta: 'o' },
    [{ type: 'bash-output', command: 'c1', delta: 'o', extra: { pi: { id: 'c1' } } }],
  ],
  [
    'extension_error',
    { type: 'extension_error', extensionPath: 'x.ts', event: 'turn_start', error: 'boom' },
    [
      {
        type: 'notice',
        level: 'error',
        text: 'boom',
        source: 'extension',
        extra: { pi: { type: 'extension_error', extensionPath: 'x.ts', event: 'turn_start' } },
      },
    ],
  ],
  ['error (0.13.2)', { type: 'error', error: 'what?' }, [{ type: 'error', message: 'what?' }]],
  [
    'an event of a newer pi',
    { type: 'entry_appended', entry: { id: 1 } },
    [{ type: 'unknown', protocol: 'pi', payload: { type: 'entry_appended', entry: { id: 1 } } }],
  ],
  ['no type at all', { hello: 1 }, [{ type: 'unknown', protocol: 'pi', payload: { hello: 1 } }]],
])('%s', (_, line, expected) => {
  expect(delivered(line)).toEqual(expected);
});

describe('lines that are not what they should be', () => {
  test.each<[name: string, line: string, note: string]>([
    ['text', 'an extension says hello', 'violation: skipped a line that is no JSON (23 bytes)'],
    ['a number', '42', 'violation: skipped a line that is JSON but no object (2 bytes)'],
    ['null', 'null', 'violation: skipped a line that is JSON but no object (4 bytes)'],
    ['an array', '[{"type":"agent_start"}]', 'violation: skipped a line that is JSON but no object (24 bytes)'],
    ['half an object', '{"type":"agent_', 'violation: skipped a line that is no JSON (15 bytes)'],
    ['an object without a type behind text', 'x {"a":1}', 'violation: skipped a line that is no JSON (9 bytes)'],
    [
      'a known line without its fields',
      '{"type":"tool_execution_start"}',
      'violation: tool_execution_start: toolCallId: Invalid input: expected string, received undefined',
    ],
    [
      'an update without its index',
      '{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"x"}}',
      'violation: message_update: assistantMessageEvent.contentIndex: Invalid input: expected number, received undefined',
    ],
    [
      'a message without its content',
      '{"type":"message_end","message":{"role":"user"}}',
      'violation: message_end: message.content: Invalid input',
    ],
    [
      'a response without its success',
      '{"type":"response"}',
      'violation: response: success: Invalid input: expected boolean, received undefined',
    ],
  ])('%s is noted, not repeated', (_, line, note) => {
    const pi = bench();
    pi.feed(line);
    expect(pi.notes()).toEqual([note]);
    expect(pi.events().filter(({ type }) => type !== 'run-start')).toEqual([]);
  });

  test('an object glued to stray output has the limits of every other line', () => {
    const backend = pi.agent?.backend({ now: () => 0, id: (kind) => kind }, {});
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    const line = `stray {"type":"tool_execution_start","toolCallId":"t","toolName":"bash","args":{"a":${deep}}}`;
    const notes = backend?.decode(createFrame(Buffer.from(line))).map((action) => action.do);
    expect(notes).toEqual(['note']);
  });

  test('an object glued to stray output is recovered', () => {
    const pi = bench();
    pi.feed('no newline {"not":this} but then {"type":"error","error":"e"}');
    expect(pi.events()).toEqual([{ type: 'error', message: 'e' }]);
    expect(pi.notes()).toEqual(['violation: recovered an object behind stray output (61 bytes in all)']);
  });
});
