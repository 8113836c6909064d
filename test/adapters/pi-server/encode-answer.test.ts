// What the outcomes of commands become on the wire, for agents of every kind: exactly the shapes of real servers (docs/protocols/pi-server.md 17.4 to 17.9).
import { describe, expect, test } from 'vitest';
import { serverCommands } from '../../../src/adapters/pi-server/wire/commands.ts';
import { dataSchemas } from '../../../src/adapters/pi-server/wire/responses.ts';
import type { GatewayFigures } from '../../../src/core/model/gateway-figures.ts';
import { connect, done, type Json, viewOf } from './client.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const model = { id: 'm', name: 'M', provider: 'p', contextWindow: 200, maxOutput: 20, reasoning: true };
const shownModel = {
  id: 'm',
  name: 'M',
  api: 'unknown',
  provider: 'p',
  baseUrl: '',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200,
  maxTokens: 20,
};
/** A model of a pi: what only pi knows is said again. */
const piExtra = { api: 'anthropic-messages', baseUrl: 'http://h', input: ['text'] };
const piModel = { ...model, extra: { pi: piExtra } };
const shownPiModel = { ...shownModel, ...piExtra };

const summary = {
  id: 's1',
  name: 'x',
  file: '/f.jsonl',
  createdAt,
  messageCount: 2,
  running: true,
  model,
  thinkingLevel: 'low',
};
const shownInfo = {
  sessionId: 's1',
  sessionName: 'x',
  sessionFile: '/f.jsonl',
  model: shownModel,
  thinkingLevel: 'low',
  isStreaming: true,
  messageCount: 2,
  createdAt,
};
const state = {
  changes: { name: 'y', file: '/g.jsonl', model: piModel, thinkingLevel: 'high', createdAt, agentSessionId: 'other' },
  running: false,
  messageCount: 3,
  extra: { pi: { sessionId: 'other', isCompacting: false } },
};
const shownState = {
  sessionId: 's1',
  sessionName: 'y',
  sessionFile: '/g.jsonl',
  model: shownPiModel,
  thinkingLevel: 'high',
  isStreaming: false,
  messageCount: 3,
  createdAt,
};
const bare = { sessionId: 's1', thinkingLevel: 'off', isStreaming: false, messageCount: 0 };

const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const statistics = {
  userMessages: 1,
  assistantMessages: 1,
  toolCalls: 0,
  toolResults: 0,
  totalMessages: 2,
  usage,
  cost: { total: 0.5 },
};
const { usage: _usage, cost: _cost, ...counted } = statistics;
const pi = (said: unknown) => ({ extra: { pi: said } });

/** Each command, an outcome's data, and the data of the response; undefined for none. Session commands are of session s1. */
const answers: readonly [type: string, fields: Json, data: unknown, answer: unknown][] = [
  ['list_sessions', {}, { sessions: [summary, { id: 's2' }] }, { sessions: [shownInfo, { ...bare, sessionId: 's2' }] }],
  ['list_sessions', {}, { sessions: [{ id: 's1', name: '' }] }, { sessions: [bare] }],
  ['create_session', {}, { session: summary, state }, { sessionId: 's1', sessionInfo: shownState }],
  ['create_session', {}, { session: summary }, { sessionId: 's1', sessionInfo: shownInfo }],
  [
    'load_session',
    { sessionPath: '/f.jsonl' },
    { session: summary, state },
    { sessionId: 's1', sessionInfo: shownState },
  ],
  ['delete_session', { sessionId: 's1' }, undefined, { deleted: true }],
  ['switch_session', { sessionId: 's1' }, state, { sessionInfo: shownState }],
  [
    'list_stored_sessions',
    {},
    {
      sessions: [
        { ...summary, cwd: '/p', exists: false },
        { id: 's2', file: '/h.json' },
      ],
    },
    {
      sessions: [
        {
          sessionId: 's1',
          sessionName: 'x',
          sessionFile: '/f.jsonl',
          sessionPath: '/f.jsonl',
          cwd: '/p',
          model: shownModel,
          createdAt,
          thinkingLevel: 'low',
          isStreaming: false,
          messageCount: 2,
          fileExists: false,
        },
        {
          sessionId: 's2',
          sessionFile: '/h.json',
          sessionPath: '/h.json',
          cwd: '',
          thinkingLevel: 'off',
          isStreaming: false,
          messageCount: 0,
          fileExists: true,
        },
      ],
    },
  ],
  [
    'health_check',
    {},
    { healthy: true, issues: [], openCircuits: [], openShells: [] },
    { healthy: true, issues: [], hasOpenCircuit: false, hasOpenBashCircuit: false },
  ],
  [
    'health_check',
    {},
    { healthy: true, issues: ['Circuit open for demo'], openCircuits: ['demo'], openShells: ['*'] },
    { healthy: true, issues: ['Circuit open for demo'], hasOpenCircuit: true, hasOpenBashCircuit: true },
  ],
  ['get_state', {}, state, shownState],
  ['get_state', {}, { changes: {}, running: false }, bare],
  ['get_messages', {}, { messages: [] }, { messages: [] }],
  [
    'get_messages',
    {},
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 7 }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 7 }] },
  ],
  [
    'get_messages',
    {},
    { messages: [], ...pi({ messages: [{ role: 'user', x: 1 }] }) },
    { messages: [{ role: 'user', x: 1 }] },
  ],
  ['get_available_models', {}, { models: [model, piModel] }, { models: [shownModel, shownPiModel] }],
  [
    'get_commands',
    {},
    {
      commands: [
        { name: 'a', description: 'A', kind: 'prompt' },
        { name: 'b', kind: 'other', ...pi({ path: '/b.ts' }) },
      ],
    },
    {
      commands: [
        {
          name: 'a',
          description: 'A',
          source: 'prompt',
          sourceInfo: { path: '', source: 'builtin', scope: 'temporary', origin: 'top-level' },
        },
        { name: 'b', source: 'prompt', path: '/b.ts' },
      ],
    },
  ],
  [
    'get_skills',
    {},
    {
      skills: [
        { name: 'a', description: 'A', ...pi({ path: '/a.md', location: 'user' }) },
        { name: 'b', ...pi({ sourceInfo: { path: '/b.md', source: 'local' } }) },
        { name: 'c' },
      ],
    },
    {
      skills: [
        { name: 'a', description: 'A', filePath: '/a.md', source: 'user' },
        { name: 'b', description: '', filePath: '/b.md', source: 'local' },
        { name: 'c', description: '', filePath: '', source: 'unknown' },
      ],
    },
  ],
  [
    'get_tools',
    {},
    { tools: [{ name: 'read', description: 'Reads.', parameters: {} }, { name: 'write' }] },
    {
      tools: [
        { name: 'read', description: 'Reads.' },
        { name: 'write', description: '' },
      ],
    },
  ],
  [
    'list_session_files',
    {},
    { files: [{ path: '/a/b.jsonl' }, { path: '/c.json', name: 'c', modifiedAt: createdAt }] },
    {
      files: [
        { path: '/a/b.jsonl', name: 'b.jsonl' },
        { path: '/c.json', name: 'c', modifiedAt: createdAt },
      ],
    },
  ],
  ['set_model', { provider: 'p', modelId: 'm' }, { model }, { model: shownModel }],
  // pi answers with the model itself.
  ['set_model', { provider: 'p', modelId: 'm' }, { model: piModel, ...pi({ id: 'm' }) }, { model: shownPiModel }],
  [
    'set_model',
    { provider: 'q', modelId: 'n' },
    undefined,
    { model: { ...shownModel, id: 'n', name: 'n', provider: 'q', reasoning: false, contextWindow: 0, maxTokens: 0 } },
  ],
  ['cycle_model', {}, { model, thinkingLevel: 'low' }, { model: shownModel, thinkingLevel: 'low', isScoped: false }],
  ['cycle_model', {}, {}, null],
  ['cycle_thinking_level', {}, { level: 'high' }, { level: 'high' }],
  ['cycle_thinking_level', {}, {}, null],
  [
    'compact',
    {},
    { summary: 'short', tokensBefore: 9 },
    { summary: 'short', firstKeptEntryId: '', tokensBefore: 9, details: { readFiles: [], modifiedFiles: [] } },
  ],
  [
    'compact',
    {},
    {
      summary: 's',
      ...pi({ summary: 's', firstKeptEntryId: 'e', tokensBefore: 1, details: { readFiles: ['a'], modifiedFiles: [] } }),
    },
    { summary: 's', firstKeptEntryId: 'e', tokensBefore: 1, details: { readFiles: ['a'], modifiedFiles: [] } },
  ],
  [
    'bash',
    { command: 'ls' },
    { output: 'a', exitCode: 3, cancelled: false, truncated: false },
    { exitCode: 3, output: 'a', cancelled: false },
  ],
  [
    'bash',
    { command: 'ls' },
    { output: '', cancelled: true, truncated: false, ...pi({ output: '', cancelled: true, truncated: false }) },
    { exitCode: 0, output: '', cancelled: true },
  ],
  ['get_session_stats', {}, statistics, { sessionId: 's1', ...counted, tokens: { ...usage, total: 10 }, cost: 0.5 }],
  ['get_session_stats', {}, { ...statistics, ...pi({ sessionId: 'uuid', more: 1 }) }, { sessionId: 'uuid', more: 1 }],
  ['export_html', {}, { path: '/o.html' }, { path: '/o.html' }],
  ['new_session', {}, { cancelled: true }, { cancelled: true }],
  ['new_session', {}, undefined, { cancelled: false }],
  ['switch_session_file', { sessionPath: '/f.jsonl' }, { cancelled: false }, { cancelled: false }],
  ['fork', { entryId: 'e' }, { text: 'hi', cancelled: false }, { text: 'hi', cancelled: false }],
  ['get_fork_messages', {}, { points: [{ entry: 'e', text: 'hi' }] }, { messages: [{ entryId: 'e', text: 'hi' }] }],
  ['get_last_assistant_text', {}, { text: 'hello' }, { text: 'hello' }],
  ['get_last_assistant_text', {}, { text: null, ...pi({}) }, { text: null }],
  ['get_context_usage', {}, { tokens: 50, window: 200 }, { tokens: 50, contextWindow: 200, percent: 25 }],
  ['get_context_usage', {}, { tokens: null, window: 200 }, { tokens: null, contextWindow: 200, percent: null }],
  // A pi tells it in its statistics.
  [
    'get_context_usage',
    {},
    { tokens: 0, window: 0, ...pi({ userMessages: 1 }) },
    { tokens: 0, contextWindow: 0, percent: null },
  ],
];

/** What a pi-server behind answers, on its way to a client of one. */
const passed: readonly [type: string, fields: Json, data: Json, isPassed: boolean][] = [
  ['get_skills', {}, { skills: [] }, true],
  ['get_tools', {}, { tools: [] }, true],
  ['list_session_files', {}, { files: [] }, true],
  ['set_model', { provider: 'p', modelId: 'm' }, { model }, true],
  ['bash', { command: 'ls' }, { output: '', cancelled: false, truncated: false }, true],
  ['get_context_usage', {}, { tokens: 1, window: 2 }, true],
  ['get_state', {}, { changes: {}, running: false }, false],
];

/** Commands whose success says it all. */
const silent: readonly [string, Json][] = [
  ['prompt', { message: 'hi' }],
  ['steer', { message: 'hi' }],
  ['follow_up', { message: 'hi' }],
  ['abort', {}],
  ['set_thinking_level', { level: 'low' }],
  ['set_session_name', { name: 'x' }],
  ['abort_compaction', {}],
  ['set_auto_compaction', { enabled: true }],
  ['set_auto_retry', { enabled: true }],
  ['abort_retry', {}],
  ['abort_bash', {}],
  ['extension_ui_response', { requestId: 'q', response: { method: 'cancelled' } }],
];

function answerTo(type: string, fields: Json, data: unknown, view = viewOf('another')) {
  const client = connect();
  client.watching(view);
  client.send({ type, ...(Object.hasOwn(serverCommands, type) ? {} : { sessionId: 's1' }), ...fields });
  const { sent } = client.settle(data === undefined ? done : { ok: true, data });
  return sent[0];
}

describe('the data of a response', () => {
  test.each(answers)('%s %o', (type, fields, data, answer) => {
    expect(answerTo(type, fields, data)).toEqual({ type: 'response', command: type, success: true, data: answer });
    const schema = new Map(Object.entries(dataSchemas)).get(type);
    // What a pi answered itself is not ours to complete.
    if (!JSON.stringify(data ?? null).includes('uuid')) expect(schema?.safeParse(answer).error).toBeUndefined();
  });

  test.each(silent)('none: %s', (type, fields) => {
    const data = { extra: { pi: { disposition: 'queued' } }, waiting: [] };
    expect(answerTo(type, fields, data)).toEqual({ type: 'response', command: type, success: true });
    expect(Object.hasOwn(dataSchemas, type)).toBe(false);
  });

  test.each(passed)('what a pi-server said of %s is said again: %o %o %s', (type, fields, data, isPassed) => {
    const said = { sessionId: 'theirs' };
    const response = answerTo(type, fields, { ...data, extra: { 'pi-server': said } });
    expect(JSON.stringify(response?.data) === JSON.stringify(said)).toBe(isPassed);
  });

  test('each command with data has its rows', () => {
    const rows = new Set([...answers.map(([type]) => type), 'get_metrics']);
    expect([...rows].sort()).toEqual(Object.keys(dataSchemas).sort());
  });

  test('a session that the connection hears tells what an answer leaves out', () => {
    const info = { model, file: '/f.jsonl', agentSessionId: 'uuid', thinkingLevel: 'low' };
    const view = viewOf('s1', [{ type: 'session-changed', changes: info }]);
    expect(answerTo('get_session_stats', {}, statistics, view)).toMatchObject({
      data: { sessionFile: '/f.jsonl', sessionId: 'uuid' },
    });
    expect(answerTo('set_model', { provider: 'q', modelId: 'n' }, {}, view)).toMatchObject({
      data: { model: shownModel },
    });
    expect(answerTo('cycle_model', {}, { model }, view)).toMatchObject({ data: { thinkingLevel: 'low' } });
  });
});

describe('get_metrics', () => {
  const circuit = {
    name: 'demo',
    state: 'half-open',
    failureCount: 1,
    lastFailureAt: null,
    lastChangeAt: 11,
    lastUsedAt: 12,
    calls: 2,
    rejected: 3,
    slow: 4,
    successes: 5,
    failures: 6,
    averageLatencyMs: 7.4,
    probes: 8,
  } as const;
  const values: GatewayFigures = {
    sessions: 1,
    clients: 2,
    questions: 3,
    ledger: {
      inFlight: 4,
      outcomes: 5,
      keys: 6,
      lanes: 7,
      executed: 9,
      lastMinute: 10,
      maxInFlight: 11,
      maxOutcomes: 12,
      maxPerMinute: 13,
    },
    refused: { sessionLimit: 14, frameSize: 15, busy: 16, rate: 17, allRate: 18, answers: 19 },
    circuits: [circuit],
    shell: {
      all: { ...circuit, name: '*', state: 'open' },
      sessions: [
        { ...circuit, name: 's1', state: 'open', rejected: 20 },
        { ...circuit, name: 's2', state: 'closed', rejected: 21 },
      ],
    },
  };

  test('has every figure under the name of a server', () => {
    const response = answerTo('get_metrics', {}, { values });
    expect(response?.data).toEqual({
      sessionCount: 1,
      connectionCount: 2,
      totalCommandsExecuted: 9,
      commandsRejected: {
        sessionLimit: 14,
        messageSize: 15,
        rateLimit: 17,
        globalRateLimit: 18,
        connectionLimit: 0,
        extensionUIResponseRateLimit: 19,
      },
      zombieSessionsDetected: 0,
      zombieSessionsCleaned: 0,
      doubleUnregisterErrors: 0,
      rateLimitUsage: { globalCount: 10, globalLimit: 13 },
      stores: {
        replay: {
          inFlightCount: 4,
          outcomeCount: 5,
          idempotencyCacheSize: 6,
          maxInFlightCommands: 11,
          maxCommandOutcomes: 12,
          inFlightRejections: 16,
        },
        version: { sessionCount: 1 },
        execution: { laneCount: 7 },
        lock: { activeLocks: 0, timeoutCount: 0, waitingCount: 0, queueFullRejections: 0 },
        extensionUI: { pendingCount: 3, maxPendingRequests: 64, rejectedCount: 0 },
        sessionStore: { metadataResetCount: 0 },
      },
      circuitBreakers: [
        {
          providerName: 'demo',
          state: 'half_open',
          failureCount: 1,
          lastFailureTime: null,
          lastStateChange: 11,
          lastAccessTime: 12,
          totalCalls: 2,
          totalRejected: 3,
          totalSlowCalls: 4,
          totalSuccesses: 5,
          totalFailures: 6,
          avgLatencyMs: 7,
          halfOpenCalls: 8,
        },
      ],
      bashCircuitBreaker: {
        enabled: true,
        globalState: 'open',
        globalFailureCount: 1,
        sessionCount: 2,
        openSessionCount: 1,
        totalCalls: 2,
        totalTimeouts: 6,
        totalRejected: 44,
      },
    });
    expect(dataSchemas.get_metrics.safeParse(response?.data).error).toBeUndefined();
  });
});
