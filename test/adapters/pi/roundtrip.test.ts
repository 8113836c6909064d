// From pi to pi and back, for lines that no recording has: fields of newer versions, and places where a line could slip.
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/adapters/pi/frontend/dialect.ts';
import { shortRun, wire } from './harness.ts';
import { differenceOf, normalisations } from './normalised.ts';
import { type Json, play } from './replay.ts';

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const head = { api: 'a', provider: 'p', model: 'm', usage, stopReason: 'stop', timestamp: 1 };
const start = (rest: object = {}) => wire.assistantStart({ ...head, ...rest });
const end = (content: object[] = [], rest: object = {}) => wire.assistantEnd(content, { ...head, ...rest });
const message = (content: object[] = [], rest: object = {}) => end(content, rest).message;
const turnEnd = (content: object[] = [], rest: object = {}) => ({
  type: 'turn_end',
  message: message(content, rest),
  toolResults: [],
});
const agentEnd = (messages: object[], rest: object = {}) => ({ type: 'agent_end', messages, ...rest });
const open = [wire.agentStart, wire.turnStart];
const failed = { stopReason: 'error', errorMessage: '529 busy' };
const failedTurn = [wire.turnStart, start(), end([], failed), turnEnd([], failed)];
const turn = [wire.turnStart, start(), end(), turnEnd()];
const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 5, errorMessage: '529 busy' };
const retried = { type: 'auto_retry_end', success: false, attempt: 1, finalError: '529 busy' };
/** A turn in which the retry succeeds. */
const goodTurn = [wire.turnStart, start(), end(), { type: 'auto_retry_end', success: true, attempt: 1 }, turnEnd()];
const extensionError = { type: 'extension_error', extensionPath: 'x', event: 'agent_start', error: 'boom' };
const dialog = { type: 'extension_ui_request', id: 'd', method: 'setTitle', title: 't' };
const tool = { toolCallId: 't', toolName: 'bash' };
const update = (event: object, rest: object = {}) => ({
  type: 'message_update',
  ...rest,
  usage,
  assistantMessageEvent: event,
});
const result = { role: 'toolResult', toolCallId: 't', toolName: 'bash', content: [], isError: false, timestamp: 2 };

/** What comes back of pi's lines; null when it is what went in. */
function difference(lines: readonly object[], dialect: Dialect) {
  const said = lines.map((line): Json => ({ ...line }));
  const rows = said.map((line) => ({ dir: 'out' as const, line: JSON.stringify(line) }));
  return differenceOf(said, play(rows, dialect), normalisations);
}

const cases: readonly [what: string, dialect: Dialect, lines: readonly object[]][] = [
  [
    'a retry, and an extension that fails as the agent starts again',
    'growing',
    [
      wire.agentStart,
      ...failedTurn,
      agentEnd([message([], failed)]),
      retry,
      wire.agentStart,
      extensionError,
      ...goodTurn,
      agentEnd([message()]),
    ],
  ],
  [
    'a retry that was announced, and something in front of it',
    'delta-only',
    [
      wire.agentStart,
      ...failedTurn,
      agentEnd([message([], failed)], { willRetry: true }),
      dialog,
      retry,
      wire.agentStart,
      ...goodTurn,
      agentEnd([message()], { willRetry: false }),
      { type: 'agent_settled', aborted: false },
    ],
  ],
  [
    'a follow-up after agent_end, before all is settled',
    'delta-only',
    [
      ...open,
      ...turn.slice(1),
      agentEnd([message()], { willRetry: false }),
      { type: 'agent_settled' },
      ...open,
      ...turn.slice(1),
      agentEnd([message()], { willRetry: false }),
      wire.agentStart,
      ...turn,
      agentEnd([message()], { willRetry: false }),
      { type: 'agent_settled' },
    ],
  ],
  [
    'a compaction that fails, and one that is given up before its start',
    'delta-only',
    [
      ...open,
      ...turn.slice(1),
      agentEnd([message()], { willRetry: false }),
      { type: 'agent_settled' },
      ...open,
      ...turn.slice(1),
      agentEnd([message()], { willRetry: false }),
      { type: 'compaction_start', reason: 'overflow' },
      { type: 'compaction_end', reason: 'overflow', aborted: false, willRetry: false, errorMessage: '500 no' },
      { type: 'compaction_end', reason: 'overflow', aborted: false, willRetry: false, errorMessage: 'given up' },
      { type: 'agent_settled' },
    ],
  ],
  [
    'a compaction after an overflow, then the turn again',
    'delta-only',
    [
      wire.agentStart,
      ...failedTurn,
      agentEnd([message([], failed)], { willRetry: true }),
      { type: 'compaction_start', reason: 'overflow' },
      {
        type: 'compaction_end',
        reason: 'overflow',
        result: { summary: 's', tokensBefore: 1, firstKeptEntryId: 'e' },
        aborted: false,
        willRetry: true,
      },
      wire.agentStart,
      ...turn,
      agentEnd([message()], { willRetry: false }),
      { type: 'agent_settled' },
    ],
  ],
  [
    'a retry that is given up',
    'growing',
    [wire.agentStart, ...failedTurn, agentEnd([message([], failed)]), retry, retried],
  ],
  [
    'words of newer versions',
    'delta-only',
    [
      { type: 'compaction_start', reason: 'boredom', depth: 1 },
      {
        type: 'compaction_end',
        reason: 'boredom',
        result: null,
        aborted: false,
        willRetry: false,
        errorMessage: 'no',
        more: 1,
      },
      { type: 'queue_update', steering: ['a'], followUp: [], paused: true },
      { type: 'session_info_changed', icon: 'x' },
      { type: 'thinking_level_changed', level: 'max', by: 'user' },
      { type: 'extension_ui_request', id: 'd1', method: 'select', title: 't', options: [], wide: true },
      { type: 'extension_ui_request', id: 'd2', method: 'notify', message: 'm', sticky: true },
      { type: 'extension_ui_request', id: 'd3', method: 'paint', colour: 'red' },
      { type: 'bash_execution_update', delta: 'o', stream: 'err' },
      { type: 'summarization_retry_finished' },
      { ...wire.agentStart },
      { ...retry, source: 'x' },
    ],
  ],
  [
    'an update with more than we know',
    'delta-only',
    [
      ...open,
      start(),
      update({ type: 'text_start', contentIndex: 0 }, { lane: 1 }),
      update({ type: 'text_delta', contentIndex: 0, delta: 'a', tone: 1 }),
      update({ type: 'text_delta', contentIndex: 0, delta: '' }),
      { ...update({ type: 'text_delta', contentIndex: 0, delta: 'b' }), usage: { ...usage, output: 9 } },
      update({ type: 'audio_delta', contentIndex: 1, delta: 'la' }),
      update({ type: 'text_end', contentIndex: 0, content: 'ab' }),
    ],
  ],
  [
    'blocks that change at the end of their message',
    'delta-only',
    [
      ...open,
      start({ content: [{ type: 'text', text: 'ahead' }] }),
      update({ type: 'thinking_start', contentIndex: 0 }),
      update({ type: 'thinking_end', contentIndex: 0, content: '[hidden]' }),
      update({ type: 'toolcall_start', contentIndex: 1, id: 't', toolName: 'bash' }),
      update({ type: 'toolcall_delta', contentIndex: 1, delta: '{"a":1}' }),
      update({
        type: 'toolcall_end',
        contentIndex: 1,
        toolCall: { type: 'toolCall', id: 't', name: 'bash', arguments: { a: 1 } },
      }),
      end(
        [
          { type: 'thinking', thinking: '[hidden]', thinkingSignature: '', redacted: true },
          { type: 'toolCall', id: 't', name: 'bash', arguments: {}, argumentsError: 'cut' },
          { type: 'text', text: 'never streamed', textSignature: 's' },
          { type: 'hologram', beams: 3 },
        ],
        { timestamp: 5, model: 'n', rawStopReason: 'x', durationMs: 3 },
      ),
    ],
  ],
  [
    'tools',
    'delta-only',
    [
      ...open,
      { type: 'tool_execution_start', ...tool, args: ['no object'], sandbox: true },
      { type: 'tool_execution_update', ...tool, args: ['no object'], partialResult: 'plain', at: 1 },
      {
        type: 'tool_execution_update',
        ...tool,
        args: ['no object'],
        partialResult: { content: [], details: { a: 1 } },
      },
      {
        type: 'tool_execution_end',
        ...tool,
        result: { content: [], structuredContent: 1 },
        isError: false,
        durationMs: 4,
        cost: 2,
      },
      { type: 'message_start', message: result },
      { type: 'message_end', message: result },
    ],
  ],
  [
    'roles',
    'delta-only',
    [
      ...[
        { role: 'user', content: '', timestamp: 1 },
        { role: 'system', content: '', sections: {}, timestamp: 1 },
        { role: 'custom', customType: 'c', content: 'text', display: false, details: { x: 1 }, timestamp: 1 },
        { role: 'bashExecution', command: 'ls', output: '', cancelled: true, truncated: false, timestamp: 1 },
        { role: 'branchSummary', summary: 's', fromId: null, timestamp: 1 },
        { role: 'compactionSummary', summary: 's', tokensBefore: 4, timestamp: 1 },
        { role: 'tomorrow', content: {} },
      ].flatMap((said) => [
        { type: 'message_start', message: said },
        { type: 'message_end', message: said },
      ]),
    ],
  ],
];

describe('comes back as it went', () => {
  test.each(cases)('%s', (_, dialect, lines) => {
    expect(difference(lines, dialect)).toBeNull();
  });
});

test('what a client sends beside the fields that we know reaches pi', () => {
  const lines = [
    { type: 'prompt', message: 'a', images: [], streamingBehavior: 'steer', id: 1, priority: 2 },
    { type: 'steer', message: 's', images: [{ type: 'image', data: 'AA', mimeType: 'image/gif', alt: 'x' }], id: 'b' },
    { type: 'compact', deep: true, id: 'c' },
    { type: 'set_thinking_level', level: 'max', sticky: true },
    { type: 'get_entries', since: 'e', id: { odd: 1 } },
  ];
  const rows = lines.map((line) => ({ dir: 'in' as const, line: JSON.stringify(line) }));
  expect(play(rows, 'delta-only').toAgent).toEqual(lines);
});

test('a run that ended is told at once when it cannot go on', () => {
  const rows = shortRun().map((line) => ({ dir: 'out' as const, line: JSON.stringify(line) }));
  expect(play(rows, 'growing').toClient.slice(-2)).toMatchObject([{ type: 'agent_end' }, { type: 'agent_settled' }]);
});
