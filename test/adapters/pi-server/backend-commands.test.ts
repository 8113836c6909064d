// What a pi-server is asked, and what its answers mean.
import { describe, expect, test } from 'vitest';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import { agent, info, name, once, prompt, speaking, wire } from './agent.ts';

const commands: readonly [command: Command, line: Record<string, unknown>][] = [
  [
    { type: 'compact', instructions: 'short' },
    { type: 'compact', customInstructions: 'short' },
  ],
  [
    { type: 'bash', command: 'ls' },
    { type: 'bash', command: 'ls' },
  ],
  [
    { type: 'bash', command: 'ls', extra: { 'pi-server': { excludeFromContext: true, id: 'theirs', sessionId: 'x' } } },
    { type: 'bash', command: 'ls', excludeFromContext: true },
  ],
  [
    { type: 'set-model', model: 'm', provider: 'p' },
    { type: 'set_model', provider: 'p', modelId: 'm' },
  ],
  [
    { type: 'cycle-model', direction: 'backward' },
    { type: 'cycle_model', direction: 'backward' },
  ],
  [
    { type: 'set-thinking', level: 'high' },
    { type: 'set_thinking_level', level: 'high' },
  ],
  [
    { type: 'set-thinking', level: 'off' },
    { type: 'set_thinking_level', level: 'none' },
  ],
  [
    { type: 'set-thinking', level: 'minimal' },
    { type: 'set_thinking_level', level: 'low' },
  ],
  [
    { type: 'set-thinking', budgetTokens: 8_000 },
    { type: 'set_thinking_level', level: 'medium' },
  ],
  [
    { type: 'set-thinking', budgetTokens: null },
    { type: 'set_thinking_level', level: 'none' },
  ],
  [{ type: 'cycle-thinking' }, { type: 'cycle_thinking_level' }],
  [
    { type: 'set-auto', what: 'retry', enabled: false },
    { type: 'set_auto_retry', enabled: false },
  ],
  [
    { type: 'set-auto', what: 'compaction', enabled: true },
    { type: 'set_auto_compaction', enabled: true },
  ],
  [
    { type: 'set-name', name: 'n' },
    { type: 'set_session_name', name: 'n' },
  ],
  [
    { type: 'new-session', parent: '/p' },
    { type: 'new_session', parentSession: '/p' },
  ],
  [
    { type: 'switch-session', path: '/f.jsonl' },
    { type: 'switch_session_file', sessionPath: '/f.jsonl' },
  ],
  [
    { type: 'fork', entry: 'e' },
    { type: 'fork', entryId: 'e' },
  ],
  [
    { type: 'export', format: 'html', path: '/x.html' },
    { type: 'export_html', outputPath: '/x.html' },
  ],
  [{ type: 'query', subject: 'state' }, { type: 'get_state' }],
  [{ type: 'query', subject: 'messages' }, { type: 'get_messages' }],
  [{ type: 'query', subject: 'statistics' }, { type: 'get_session_stats' }],
  [{ type: 'query', subject: 'context-usage' }, { type: 'get_context_usage' }],
  [{ type: 'query', subject: 'last-text' }, { type: 'get_last_assistant_text' }],
  [{ type: 'query', subject: 'fork-points' }, { type: 'get_fork_messages' }],
  [{ type: 'query', subject: 'models' }, { type: 'get_available_models' }],
  [{ type: 'query', subject: 'commands' }, { type: 'get_commands' }],
  [{ type: 'query', subject: 'skills' }, { type: 'get_skills' }],
  [{ type: 'query', subject: 'tools' }, { type: 'get_tools' }],
  [{ type: 'query', subject: 'session-files' }, { type: 'list_session_files' }],
];

test.each(commands)('%j is %j', (command, line) => {
  const server = agent();
  server.command(command, 'c1');
  expect(server.sent()).toEqual([{ id: 's:3', sessionId: name, ...line }]);
  const type = String(line.type);
  server.feed(wire.refusal(3, type, 'because'));
  expect(server.settled()).toEqual({ c1: { ok: false, error: { code: 'agent-refused', message: 'because' } } });
});

test.each<Command>([
  { type: 'set-mode', mode: 'm' },
  { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
  { type: 'clear-queue' },
  { type: 'set-tool-server', name: 'n', action: 'stop' },
  { type: 'set-model' },
  { type: 'query', subject: 'thinking-levels' },
  { type: 'query', subject: 'tool-servers' },
  { type: 'unknown', protocol: 'pi', payload: { type: 'x' } },
  { type: 'list-sessions' },
])('there are no words for %j', (command) => {
  const server = agent();
  server.command(command, 'c1');
  expect([server.sent(), server.settled()]).toMatchObject([[], { c1: { error: { code: 'unsupported' } } }]);
});

const model = { id: 'm', provider: 'p', contextWindow: 9, maxTokens: 3, api: 'a' };
const canonical = { id: 'm', provider: 'p', contextWindow: 9, maxOutput: 3, extra: { pi: { api: 'a' } } };
const tokens = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 };
const answers: readonly [type: CommandOf<'query'>['subject'] | Command, data: unknown, home: string, told: object][] = [
  ['messages', { messages: [{ role: 'user', content: 'hi' }] }, 'pi', { messages: [{ role: 'user' }] }],
  [
    'statistics',
    { userMessages: 1, assistantMessages: 2, toolCalls: 3, toolResults: 3, totalMessages: 6, tokens, cost: 0.5 },
    'pi',
    { totalMessages: 6, usage: { input: 1, output: 2 }, cost: { total: 0.5 } },
  ],
  ['context-usage', { tokens: null, contextWindow: 9, percent: null }, 'pi-server', { tokens: null, window: 9 }],
  ['last-text', { text: null }, 'pi', { text: null }],
  ['fork-points', { messages: [{ entryId: 'e', text: 't' }] }, 'pi', { points: [{ entry: 'e', text: 't' }] }],
  ['models', { models: [model] }, 'pi', { models: [canonical] }],
  [
    'commands',
    { commands: [{ name: 'c', description: 'd', source: 'extension', path: '/p' }] },
    'pi',
    { commands: [{ name: 'c', kind: 'extension' }] },
  ],
  [
    'skills',
    { skills: [{ name: 's', description: 'd', filePath: '/s', source: 'user' }] },
    'pi-server',
    { skills: [{ name: 's', description: 'd', kind: 'user', extra: { pi: { filePath: '/s' } } }] },
  ],
  ['tools', { tools: [{ name: 't', description: 'd' }] }, 'pi-server', { tools: [{ name: 't', description: 'd' }] }],
  [
    'session-files',
    { files: [{ path: '/f', name: 'f', modifiedAt: 'then' }] },
    'pi-server',
    { files: [{ path: '/f', name: 'f', modifiedAt: 'then' }] },
  ],
  [
    'state',
    { ...info, isStreaming: true, messageCount: 4 },
    'pi-server',
    { running: true, messageCount: 4, changes: { agentSessionId: name, createdAt: info.createdAt } },
  ],
  [{ type: 'set-model', model: 'm', provider: 'p' }, { model }, 'pi-server', { model: canonical }],
  [{ type: 'cycle-model' }, { model, thinkingLevel: 'low', isScoped: false }, 'pi', { model: canonical }],
  [{ type: 'cycle-model' }, null, 'pi', {}],
  [{ type: 'cycle-thinking' }, { level: 'low' }, 'pi', { level: 'low' }],
  [
    { type: 'compact' },
    { summary: 's', firstKeptEntryId: 'e', tokensBefore: 9 },
    'pi',
    { summary: 's', tokensBefore: 9 },
  ],
  [
    { type: 'bash', command: 'x' },
    { exitCode: 3, output: 'o', cancelled: false },
    'pi-server',
    { exitCode: 3, output: 'o', cancelled: false, truncated: false },
  ],
  [{ type: 'export', format: 'html' }, { path: '/x' }, 'pi', { path: '/x' }],
  [{ type: 'new-session' }, { cancelled: true }, 'pi', { cancelled: true }],
  [{ type: 'fork', entry: 'e' }, { text: 't', cancelled: true, sessionId: 'x' }, 'pi', { text: 't', cancelled: true }],
];

test.each(answers)('%j answered with %j: it stays as it is in extra.%s', (asked, data, home, told) => {
  const server = agent();
  const command: Command = typeof asked === 'string' ? { type: 'query', subject: asked } : asked;
  server.command(command, 'c1');
  const [{ type } = { type: '' }] = server.sent();
  server.feed(wire.answer(3, String(type), data));
  const { c1 } = server.settled();
  expect(c1).toMatchObject({ ok: true, data: told });
  expect(c1).toHaveProperty('data.extra', { [home]: data });
});

test('an answer that is not what it should be is none', () => {
  const server = agent();
  server.command({ type: 'query', subject: 'skills' }, 'c1');
  server.feed(wire.answer(3, 'get_skills', { skills: 7 }));
  expect(server.settled()).toMatchObject({ c1: { ok: false, error: { code: 'agent-refused' } } });
});

describe('a setting that was changed', () => {
  test('is looked at again, and told to those who need not be told by the server', () => {
    const server = agent();
    server.command({ type: 'set-thinking', level: 'high' }, 'c1');
    server.feed(wire.answer(3, 'set_thinking_level', undefined, 1));
    expect(server.sent().map(({ type }) => type)).toEqual(['set_thinking_level', 'get_state']);
    server.feed(wire.answer(4, 'get_state', { ...info, thinkingLevel: 'high' }));
    expect(server.events()).toEqual([
      { type: 'session-changed', changes: { thinkingLevel: 'high' }, extra: { pi: { unsaid: true } } },
    ]);
  });

  test('another file is another conversation', () => {
    const server = agent();
    server.command({ type: 'switch-session', path: '/f.jsonl' }, 'c1');
    server.feed(wire.answer(3, 'switch_session_file', { cancelled: false }));
    expect(server.events()).toEqual([{ type: 'history-reset', reason: 'switched' }]);
    expect(server.sent().map(({ type }) => type)).toEqual(['switch_session_file', 'get_state', 'get_messages']);
    expect(server.settled()).toMatchObject({ c1: { ok: true, data: { cancelled: false } } });
  });

  test('a model without its provider is looked for in the list', () => {
    const server = agent();
    server.command({ type: 'set-model', model: 'm' }, 'c1');
    expect(server.sent().map(({ type }) => type)).toEqual(['get_available_models']);
    server.feed(wire.answer(3, 'get_available_models', { models: [model] }));
    expect(server.sent()).toMatchObject([{ type: 'set_model', provider: 'p', modelId: 'm' }]);
  });
});

describe('while the server is at a prompt', () => {
  function running() {
    const server = agent();
    server.command(prompt('hi'), 'c1');
    server.feed(...speaking());
    server.sent();
    return server;
  }

  test.each(['state', 'messages', 'history', 'statistics', 'context-usage', 'last-text', 'fork-points'] as const)(
    '%s: the session answers instead',
    (subject) => {
      const server = running();
      server.command({ type: 'query', subject }, 'c2');
      expect([server.sent(), server.settled()]).toMatchObject([[], { c2: { error: { code: 'unsupported' } } }]);
    },
  );

  test.each(['models', 'commands', 'skills', 'tools', 'session-files'] as const)('%s: waits', (subject) => {
    const server = running();
    server.command({ type: 'query', subject }, 'c2');
    expect([server.sent().length, 'c2' in server.settled()]).toEqual([1, false]);
  });

  test('… or is answered as the last time', () => {
    const server = agent();
    server.command({ type: 'query', subject: 'skills' }, 'c1');
    server.feed(wire.answer(3, 'get_skills', { skills: [{ name: 's' }] }));
    const { c1 } = server.settled();
    server.command(prompt('hi'), 'c2');
    server.sent();
    server.command({ type: 'query', subject: 'skills' }, 'c3');
    expect([server.sent(), server.settled()]).toEqual([[], { c3: c1 }]);
  });

  test('nothing is late that waits', () => {
    const server = running();
    server.command({ type: 'cycle-model' }, 'c2');
    server.advance(600_000);
    expect(server.settled()).toEqual({ c1: { ok: true } });
    server.feed(...once().slice(3), wire.answer(3, 'prompt'));
    server.advance(59_999);
    expect(server.settled()).toEqual({});
    server.advance(1);
    expect(server.settled()).toEqual({
      c2: { ok: false, error: { code: 'timeout', message: 'the pi-server did not answer cycle_model in time' } },
    });
    server.feed(wire.answer(4, 'cycle_model', null));
    expect([server.settled(), server.notes()]).toEqual([{}, []]);
  });
});

test('nor is what was asked before a prompt that came between', () => {
  const server = agent();
  server.command({ type: 'cycle-model' }, 'c1');
  server.advance(59_000);
  server.feed(wire.started('theirs', 'prompt'));
  server.advance(600_000);
  expect(server.settled()).toEqual({});
  server.feed(wire.finished('theirs', 'prompt', { success: true }));
  server.advance(60_000);
  expect(server.settled()).toMatchObject({ c1: { error: { code: 'timeout' } } });
});

test('what a pi-server does not take of a prompt is a loss', () => {
  const server = agent();
  server.command(prompt('hi', { mode: 'plan', contexts: [{ type: 'repo-map' }] }), 'c1');
  expect(server.notes()).toEqual([
    'loss: prompt: a pi-server does not take 1 contexts',
    'loss: prompt: a pi-server does not take the mode of one prompt',
  ]);
});

test('pictures go with it', () => {
  const server = agent();
  server.command(
    {
      type: 'prompt',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AA==', mediaType: 'image/gif' },
      ],
    },
    'c1',
  );
  expect(server.sent()).toMatchObject([{ images: [{ type: 'image', data: 'AA==', mimeType: 'image/gif' }] }]);
});
