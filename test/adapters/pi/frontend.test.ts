// A client's lines as commands, and what it is answered: every command of the document, the newer ones, and what is none.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandSchemas } from '../../../src/adapters/pi/wire/commands.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { EventOf } from '../../../src/core/model/event.ts';
import { connect } from './client.ts';

const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const picture = { type: 'image', data: 'AAAA', mediaType: 'image/png' };
const done: Outcome = { ok: true };
const counted = { userMessages: 1, assistantMessages: 2, toolCalls: 0, toolResults: 0, totalMessages: 3 };
const counts = { ...counted, usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } };
const tokens = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 };
const shownCounts = { sessionId: 'session-1', ...counted, tokens, cost: 0 };

/** Every command: its line, the command that it is, an outcome, and the data of the answer; undefined for none. */
const commands: readonly [line: object, command: object, outcome: Outcome, data?: unknown][] = [
  [
    { type: 'prompt', message: 'hi' },
    { type: 'prompt', content: [text('hi')], whenBusy: 'refuse' },
    done,
    { disposition: 'started' },
  ],
  [
    { type: 'prompt', message: 'hi', images: [image], streamingBehavior: 'steer' },
    {
      type: 'prompt',
      content: [text('hi'), picture],
      whenBusy: 'steer',
      extra: { pi: { streamingBehavior: 'steer' } },
    },
    { ok: true, data: { taken: 'queued' } },
    { disposition: 'queued' },
  ],
  [
    { type: 'prompt', message: 'hi', streamingBehavior: 'followUp' },
    { type: 'prompt', content: [text('hi')], whenBusy: 'follow-up', extra: { pi: { streamingBehavior: 'followUp' } } },
    { ok: true, data: { extra: { pi: { disposition: 'queued' } } } },
    { disposition: 'queued' },
  ],
  [
    { type: 'prompt', message: '/now' },
    { type: 'prompt', content: [text('/now')], whenBusy: 'refuse' },
    { ok: true, data: { taken: 'handled' } },
    { disposition: 'handled' },
  ],
  [
    { type: 'steer', message: 's', images: [image] },
    { type: 'steer', content: [text('s'), picture] },
    done,
    { disposition: 'queued' },
  ],
  [
    { type: 'steer', message: '/now' },
    { type: 'steer', content: [text('/now')] },
    { ok: true, data: { extra: { pi: { disposition: 'handled' } } } },
    { disposition: 'handled' },
  ],
  [
    { type: 'follow_up', message: 'f', images: [image] },
    { type: 'follow-up', content: [text('f'), picture] },
    done,
    { disposition: 'queued' },
  ],
  [{ type: 'abort' }, { type: 'abort', target: 'run', untilIdle: true }, { ok: true, data: { waiting: [] } }],
  [{ type: 'abort_retry' }, { type: 'abort', target: 'retry' }, done],
  [{ type: 'abort_bash' }, { type: 'abort', target: 'bash' }, done],
  [{ type: 'clear_queue' }, { type: 'clear-queue' }, done, { steering: [], followUp: [] }],
  [
    { type: 'clear_queue' },
    { type: 'clear-queue' },
    { ok: true, data: { steering: ['s'], followUp: ['f'] } },
    { steering: ['s'], followUp: ['f'] },
  ],
  [
    { type: 'new_session', parentSession: '/p' },
    { type: 'new-session', parent: '/p' },
    { ok: true, data: { cancelled: true } },
    { cancelled: true },
  ],
  [{ type: 'new_session' }, { type: 'new-session' }, done, { cancelled: false }],
  [{ type: 'switch_session', sessionPath: '/p' }, { type: 'switch-session', path: '/p' }, done, { cancelled: false }],
  [
    { type: 'fork', entryId: 'e' },
    { type: 'fork', entry: 'e' },
    { ok: true, data: { text: 't', cancelled: false } },
    { text: 't', cancelled: false },
  ],
  [
    { type: 'set_model', provider: 'p', modelId: 'm' },
    { type: 'set-model', provider: 'p', model: 'm' },
    { ok: true, data: { model: { id: 'm', provider: 'p', contextWindow: 9, maxOutput: 3, reasoning: true } } },
    {
      id: 'm',
      name: 'm',
      api: 'unknown',
      provider: 'p',
      baseUrl: '',
      reasoning: true,
      input: ['text', 'image'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 9,
      maxTokens: 3,
    },
  ],
  [{ type: 'cycle_model' }, { type: 'cycle-model' }, { ok: true, data: {} }, null],
  [
    { type: 'cycle_thinking_level' },
    { type: 'cycle-thinking' },
    { ok: true, data: { level: 'high' } },
    { level: 'high' },
  ],
  [{ type: 'cycle_thinking_level' }, { type: 'cycle-thinking' }, { ok: true, data: {} }, null],
  [{ type: 'set_thinking_level', level: 'high' }, { type: 'set-thinking', level: 'high' }, done],
  [{ type: 'set_steering_mode', mode: 'all' }, { type: 'set-queue-mode', queue: 'steering', mode: 'all' }, done],
  [
    { type: 'set_follow_up_mode', mode: 'one-at-a-time' },
    { type: 'set-queue-mode', queue: 'follow-up', mode: 'one-at-a-time' },
    done,
  ],
  [{ type: 'set_auto_compaction', enabled: true }, { type: 'set-auto', what: 'compaction', enabled: true }, done],
  [{ type: 'set_auto_retry', enabled: false }, { type: 'set-auto', what: 'retry', enabled: false }, done],
  [{ type: 'set_session_name', name: 'n' }, { type: 'set-name', name: 'n' }, done],
  [
    { type: 'compact', customInstructions: 'short' },
    { type: 'compact', instructions: 'short' },
    { ok: true, data: { summary: 's', tokensBefore: 5 } },
    { summary: 's', firstKeptEntryId: '', tokensBefore: 5 },
  ],
  [
    { type: 'bash', command: 'ls', excludeFromContext: true, id: 'b1' },
    { type: 'bash', command: 'ls', extra: { pi: { excludeFromContext: true, id: 'b1' } } },
    { ok: true, data: { output: 'o', exitCode: 2, cancelled: false, truncated: true } },
    { output: 'o', exitCode: 2, cancelled: false, truncated: true, stdout: 'o', stderr: '', signal: null },
  ],
  [
    { type: 'export_html', outputPath: '/x' },
    { type: 'export', format: 'html', path: '/x' },
    { ok: true, data: { path: '/x' } },
    { path: '/x' },
  ],
  [
    { type: 'get_messages' },
    { type: 'query', subject: 'messages' },
    { ok: true, data: { messages: [{ role: 'user', content: [text('hi')], timestamp: 3 }] } },
    { messages: [{ role: 'user', content: [text('hi')], timestamp: 3 }] },
  ],
  [
    { type: 'get_session_stats' },
    { type: 'query', subject: 'statistics' },
    done,
    {
      sessionId: 'session-1',
      userMessages: 0,
      assistantMessages: 0,
      toolCalls: 0,
      toolResults: 0,
      totalMessages: 0,
      tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      cost: 0,
    },
  ],
  [
    { type: 'get_session_stats' },
    { type: 'query', subject: 'statistics' },
    { ok: true, data: { ...counts, contextTokens: 50, contextWindow: 200 } },
    { ...shownCounts, contextUsage: { tokens: 50, contextWindow: 200, percent: 25 } },
  ],
  [
    { type: 'get_session_stats' },
    { type: 'query', subject: 'statistics' },
    { ok: true, data: { ...counts, contextTokens: null, contextWindow: 200 } },
    { ...shownCounts, contextUsage: { tokens: null, contextWindow: 200, percent: null } },
  ],
  [
    { type: 'get_session_stats' },
    { type: 'query', subject: 'statistics' },
    { ok: true, data: { ...counts, contextTokens: 50 } },
    shownCounts,
  ],
  [
    { type: 'get_available_thinking_levels' },
    { type: 'query', subject: 'thinking-levels' },
    refused('unsupported', 'has none'),
    { levels: ['off'] },
  ],
  [
    { type: 'get_last_assistant_text' },
    { type: 'query', subject: 'last-text' },
    { ok: true, data: { text: 't' } },
    { text: 't' },
  ],
  [
    { type: 'get_last_assistant_text' },
    { type: 'query', subject: 'last-text' },
    { ok: true, data: { text: null } },
    {},
  ],
  [
    { type: 'get_fork_messages' },
    { type: 'query', subject: 'fork-points' },
    { ok: true, data: { points: [{ entry: 'e', text: 't' }] } },
    { messages: [{ entryId: 'e', text: 't' }] },
  ],
  [{ type: 'get_available_models' }, { type: 'query', subject: 'models' }, done, { models: [] }],
  [
    { type: 'get_available_thinking_levels' },
    { type: 'query', subject: 'thinking-levels' },
    { ok: true, data: { levels: ['off'] } },
    { levels: ['off'] },
  ],
  [
    { type: 'get_commands' },
    { type: 'query', subject: 'commands' },
    { ok: true, data: { commands: [{ name: 'help', kind: 'builtin' }] } },
    {
      commands: [
        {
          name: 'help',
          source: 'prompt',
          sourceInfo: { path: '', source: 'builtin', scope: 'temporary', origin: 'top-level' },
        },
      ],
    },
  ],
  [
    { type: 'get_tree', depth: 1 },
    { type: 'unknown', protocol: 'pi', payload: { type: 'get_tree', depth: 1 } },
    { ok: true, data: { extra: { pi: { tree: [] } } } },
    { tree: [] },
  ],
];

describe('a command and its answer', () => {
  test.each(commands)('%o', (line, command, outcome, data) => {
    const client = connect();
    expect(client.send(line)).toEqual([command]);
    client.settle(outcome);
    const { type, id } = { id: undefined, ...line } as { type: string; id?: unknown };
    const answer = { ...(id === undefined ? {} : { id }), type: 'response', command: type, success: true };
    expect(client.got()).toEqual([data === undefined ? answer : { ...answer, data }]);
    expect(client.notes()).toEqual([]);
  });

  test('every command of the wire has its row', () => {
    const rows = new Set(commands.map(([line]) => Object(line).type));
    expect(Object.keys(commandSchemas).filter((type) => type !== 'get_state' && !rows.has(type))).toEqual([]);
  });

  test('get_state is whole, whatever the agent told', () => {
    const client = connect();
    client.send({ type: 'get_state' });
    client.settle({ ok: true, data: { changes: { name: 'n', file: '/f' }, running: true, messageCount: 4 } });
    expect(client.got()).toEqual([
      {
        type: 'response',
        command: 'get_state',
        success: true,
        data: {
          thinkingLevel: 'off',
          isStreaming: true,
          isCompacting: false,
          steeringMode: 'all',
          followUpMode: 'all',
          sessionFile: '/f',
          sessionId: 'session-1',
          sessionName: 'n',
          autoCompactionEnabled: false,
          messageCount: 4,
          pendingMessageCount: 0,
        },
      },
    ]);
  });

  test('what a pi answered goes back as it came, null included', () => {
    const client = connect();
    client.send({ type: 'cycle_model' });
    client.settle({ ok: true, data: { extra: { pi: null } } });
    client.send({ type: 'bash', command: 'ls' });
    client.settle({ ok: true, data: { output: '', cancelled: true, truncated: false, extra: { pi: { of: 'pi' } } } });
    client.send({ type: 'get_tomorrow' });
    client.settle({ ok: true, data: { extra: { pi: null } } });
    expect(client.got().map(({ data }) => data)).toEqual([null, { of: 'pi' }, null]);
  });

  test('but not what 0.13.2 answers to compact', () => {
    const client = connect();
    client.send({ type: 'compact' });
    const pi = { type: 'compaction', summary: 's', tokensBefore: 3 };
    client.settle({ ok: true, data: { summary: 's', tokensBefore: 3, extra: { pi } } });
    expect(client.got()[0]?.data).toEqual({ summary: 's', firstKeptEntryId: '', tokensBefore: 3 });
  });
});

describe('the envelope', () => {
  test.each([['one'], [1], [null], [{ a: [1] }], [false]])('an id %o is echoed, first of all keys', (id) => {
    const client = connect();
    client.send({ type: 'abort', id });
    client.settle(done);
    expect(client.gotText()).toEqual([
      `{"id":${JSON.stringify(id)},"type":"response","command":"abort","success":true}`,
    ]);
  });

  test('without an id there is none', () => {
    const client = connect();
    client.send({ type: 'get_last_assistant_text' });
    client.settle({ ok: true, data: { text: 't' } });
    expect(client.gotText()).toEqual([
      '{"type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"t"}}',
    ]);
  });

  test.each<[line: object, outcome: Outcome, error: string]>([
    [
      { type: 'prompt', message: 'x' },
      refused('busy', 'the agent is busy'),
      "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
    ],
    [
      { type: 'prompt', message: 'x', streamingBehavior: 'steer' },
      refused('busy', 'the agent is busy'),
      'the agent is busy',
    ],
    [{ type: 'nosuch' }, refused('unsupported', 'the demo agent does not do that'), 'Unknown command: nosuch'],
    [{ type: 'get_tree' }, refused('agent-down', 'the agent is gone'), 'the agent is gone'],
    [{ type: 'set_model', provider: 'p', modelId: 'm' }, refused('unsupported', 'one model only'), 'one model only'],
  ])('%o refused', (line, outcome, error) => {
    const client = connect();
    client.send({ ...line, id: 'r' });
    client.settle(outcome);
    expect(client.got()).toEqual([{ id: 'r', type: 'response', command: Object(line).type, success: false, error }]);
  });
});

describe('what is no command', () => {
  test.each([
    ['no JSON', 'not json', 'Failed to parse command: Unexpected token'],
    ['an empty line', '', 'Failed to parse command: Unexpected end of JSON input'],
    ['a number', '42', 'Failed to parse command: a command is a JSON object'],
    ['null', 'null', 'Failed to parse command: a command is a JSON object'],
    ['a list', '[]', 'Failed to parse command: a command is a JSON object'],
    ['no type', '{}', 'Failed to parse command: a command has a string "type"'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'Failed to parse command:'],
  ])('%s', (_, line, error) => {
    const client = connect();
    expect(client.send(line)).toEqual([]);
    expect(client.got()).toEqual([
      { type: 'response', command: 'parse', success: false, error: expect.stringContaining(error) },
    ]);
    expect(client.notes()).toEqual([expect.stringContaining('violation: ')]);
  });

  test('an id is given back where there is one', () => {
    const client = connect();
    client.send({ type: 7, id: 'x' });
    expect(client.got()).toMatchObject([{ id: 'x', command: 'parse', success: false }]);
  });

  test('a frame that never was one', () => {
    const client = connect();
    client.fault('the line is too long');
    expect(client.got()).toEqual([
      { type: 'response', command: 'parse', success: false, error: 'Failed to parse command: the line is too long' },
    ]);
  });

  const folder = path.resolve(import.meta.dirname, '../../../fixtures/wire/pi');
  const types = new Set(Object.keys(commandSchemas));
  const fixtures = (kind: 'valid' | 'invalid') =>
    readdirSync(path.join(folder, kind))
      .map((file) => ({ file, line: JSON.parse(readFileSync(path.join(folder, kind, file), 'utf8')) }))
      .filter(({ line }) => types.has(line.type) && line.role === undefined);

  test.each(fixtures('valid'))('$file is one', ({ line }) => {
    expect(connect().send(line)).toMatchObject([{ type: expect.not.stringMatching('unknown') }]);
  });

  // Towards us an id may be anything.
  test.each(fixtures('invalid').filter(({ line }) => line.id === undefined || typeof line.id === 'string'))(
    '$file is answered with what is wrong',
    ({ line }) => {
      const client = connect();
      expect(client.send({ ...line, id: 'x' })).toEqual([]);
      expect(client.got()).toMatchObject([
        { id: 'x', command: line.type, success: false, error: expect.stringMatching(`^${line.type}: \\w+`) },
      ]);
    },
  );

  test('keys of the language mean nothing', () => {
    for (const type of ['constructor', '__proto__', 'toString']) {
      expect(connect().send({ type })).toEqual([{ type: 'unknown', protocol: 'pi', payload: { type } }]);
    }
  });

  test('null stands for a field that is absent, as in pi', () => {
    expect(connect().send({ type: 'compact', customInstructions: null })).toEqual([{ type: 'compact' }]);
  });
});

describe('answers to dialogs', () => {
  const dialog: EventOf<'dialog-request'> = {
    type: 'dialog-request',
    id: 'd1',
    kind: 'select',
    title: 't',
    options: ['a'],
  };
  const answer = (rest: object) => ({ type: 'extension_ui_response', id: 'd1', ...rest });
  const told = (problem: string, number: number) => ({
    type: 'extension_ui_request',
    id: `answer-problem-${number}`,
    method: 'notify',
    message: `The question is still open. ${problem}`,
    notifyType: 'error',
  });

  test.each([
    [{ value: 'a' }, { kind: 'value', value: 'a' }],
    [{ confirmed: false }, { kind: 'confirmed', confirmed: false }],
    [{ cancelled: true }, { kind: 'cancelled' }],
  ])('%o', (rest, expected) => {
    const client = connect([dialog]);
    expect(client.send(answer(rest))).toEqual([{ type: 'answer-dialog', id: 'd1', answer: expected }]);
    client.settle(done);
    expect([client.got(), client.notes()]).toEqual([[], []]);
  });

  test.each([
    [{ confirmed: true }, 'allow'],
    [{ confirmed: false }, 'deny'],
    [{ cancelled: true }, 'deny'],
    [{ value: 'yes' }, 'deny'],
  ])('an approval: %o', (rest, decision) => {
    const client = connect();
    expect(client.send({ type: 'extension_ui_response', id: 'approval:a1', ...rest })).toEqual([
      { type: 'answer-approval', id: 'a1', decision },
    ]);
  });

  test('an approval is answered by the id that its question had, and not past it by the agent’s own', () => {
    const approval: EventOf<'approval-request'> = { type: 'approval-request', id: 'a1', name: 'rm', input: {} };
    const client = connect([{ type: 'run-start' }, approval]);
    const line = { type: 'extension_ui_response', id: 'a1', value: 'Allow' };
    expect(client.send(line)).toEqual([{ type: 'answer-dialog', id: 'a1', answer: { kind: 'value', value: 'Allow' } }]);
  });

  test('a dialog may be called like an approval', () => {
    const client = connect([{ ...dialog, id: 'approval:x' }]);
    const [command] = client.send({ type: 'extension_ui_response', id: 'approval:x', value: 'a' });
    expect(command).toMatchObject({ type: 'answer-dialog', id: 'approval:x' });
  });

  test('one that comes too late is nobody’s fault; one that the agent refuses is noted', () => {
    const client = connect([dialog]);
    client.send(answer({ value: 'a' }));
    client.settle(refused('stale', 'over'));
    expect([client.got(), client.notes()]).toEqual([[], []]);
    client.settle(refused('invalid', 'no such option'));
    expect(client.notes()).toEqual(['violation: answer-dialog: no such option']);
    expect(client.got()).toEqual([told('answer-dialog: no such option', 1)]);
  });

  test('a malformed one is noted, and its client is told without a response, which pi does not have', () => {
    const client = connect([dialog]);
    expect(client.send(answer({ values: 1 }))).toEqual([]);
    expect(client.send(answer({ value: 42 }))).toEqual([]);
    const problem = 'extension_ui_response: frame: Invalid input';
    expect(client.notes()).toEqual([`violation: ${problem}`, `violation: ${problem}`]);
    expect(client.got()).toEqual([told(problem, 1), told(problem, 2)]);
  });

  test('one to a request that only a newer pi knows goes to that pi as it is', () => {
    const line = { type: 'extension_ui_response', id: 'x', picked: [1, 2] };
    const alive: Command = { type: 'unknown', protocol: 'pi', payload: line };
    const client = connect([{ type: 'notice', level: 'info', text: 'I am here' }]);
    expect(client.send(line)).toEqual([alive]);
    client.settle(refused('unsupported', 'not a pi'));
    expect([client.got(), client.notes()]).toEqual([[], []]);
  });

  test('but starts no agent', () => {
    const line = { type: 'extension_ui_response', id: 'x', value: 'late' };
    expect(connect().send(line)).toMatchObject([{ type: 'answer-dialog' }]);
    const down = connect([{ type: 'agent-changed', state: 'down' }]);
    expect(down.send(line)).toMatchObject([{ type: 'answer-dialog' }]);
  });
});
