// What an answer of pi becomes.
import { describe, expect, test } from 'vitest';
import type { Command, QuerySubject } from '../../../src/core/model/command.ts';
import { OutcomeData, QueryData } from '../../../src/core/model/outcome-data.ts';
import { bench, wire } from './harness.ts';
import { canonicalModel, changes, model, state } from './samples.ts';

const query = (subject: QuerySubject): Command => ({ type: 'query', subject });
const stats = {
  userMessages: 1,
  assistantMessages: 2,
  toolCalls: 3,
  toolResults: 4,
  totalMessages: 10,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, total: 10 },
  cost: 0.5,
  contextUsage: { tokens: 7, contextWindow: 9 },
};
const slash = [
  { name: 'a', description: 'd', source: 'skill', path: '/a' },
  { name: 'b', source: 'prompt' },
];

const answers: [name: string, command: Command, wireData: unknown, data: object | undefined][] = [
  ['steer', { type: 'steer', content: [] }, undefined, undefined],
  ['compact', { type: 'compact' }, { summary: 's', tokensBefore: 9 }, { summary: 's', tokensBefore: 9 }],
  [
    'bash',
    { type: 'bash', command: 'ls' },
    { output: 'o', exitCode: 2, cancelled: false, truncated: true },
    { output: 'o', exitCode: 2, cancelled: false, truncated: true },
  ],
  [
    'bash, cancelled',
    { type: 'bash', command: 'ls' },
    { output: '', cancelled: true, truncated: false },
    { output: '', exitCode: undefined, cancelled: true, truncated: false },
  ],
  [
    'bash, as the document has it',
    { type: 'bash', command: 'ls' },
    { stdout: 'o', stderr: 'e', exitCode: 0, signal: null, cancelled: false, truncated: false },
    { output: 'oe', exitCode: 0, cancelled: false, truncated: false },
  ],
  ['set-model', { type: 'set-model', model: 'm', provider: 'p' }, model, { model: canonicalModel }],
  [
    'cycle-model',
    { type: 'cycle-model' },
    { model, thinkingLevel: 'low', isScoped: false },
    { model: canonicalModel, thinkingLevel: 'low' },
  ],
  ['cycle-model, nowhere to go', { type: 'cycle-model' }, null, {}],
  ['cycle-thinking', { type: 'cycle-thinking' }, { level: 'high' }, { level: 'high' }],
  ['cycle-thinking, nowhere to go', { type: 'cycle-thinking' }, null, {}],
  ['new-session', { type: 'new-session' }, { cancelled: true }, { cancelled: true }],
  ['switch-session', { type: 'switch-session', path: '/x' }, { cancelled: true }, { cancelled: true }],
  ['fork', { type: 'fork', entry: 'e' }, { text: 't', cancelled: true }, { text: 't', cancelled: true }],
  ['export', { type: 'export', format: 'html' }, { path: '/x' }, { path: '/x' }],
  [
    'query state',
    query('state'),
    state,
    { changes, running: true, compacting: false, pendingMessages: 1, messageCount: 2 },
  ],
  [
    'query messages',
    query('messages'),
    {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'text', text: 'ho' }], stopReason: 'stop', model: 'm', responseId: 'r' },
        { role: 'narrator' },
      ],
    },
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }], extra: { pi: { plain: true } } },
        {
          id: 'r',
          role: 'assistant',
          content: [{ type: 'text', text: 'ho' }],
          stop: { reason: 'end', raw: 'stop' },
          model: 'm',
          extra: { pi: { responseId: 'r' } },
        },
      ],
    },
  ],
  [
    'query statistics',
    query('statistics'),
    stats,
    {
      userMessages: 1,
      assistantMessages: 2,
      toolCalls: 3,
      toolResults: 4,
      totalMessages: 10,
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      cost: { total: 0.5 },
    },
  ],
  ['query context-usage', query('context-usage'), stats, { tokens: 7, window: 9 }],
  ['query last-text', query('last-text'), { text: 't' }, { text: 't' }],
  ['query last-text, nothing said', query('last-text'), {}, { text: null }],
  [
    'query fork-points',
    query('fork-points'),
    { messages: [{ entryId: 'e', text: 't' }] },
    { points: [{ entry: 'e', text: 't' }] },
  ],
  ['query models', query('models'), { models: [model] }, { models: [canonicalModel] }],
  ['query thinking-levels', query('thinking-levels'), { levels: ['off'] }, { levels: ['off'] }],
  [
    'query commands',
    query('commands'),
    { commands: slash },
    {
      commands: [
        { name: 'a', description: 'd', kind: 'skill', extra: { pi: { path: '/a' } } },
        { name: 'b', kind: 'prompt' },
      ],
    },
  ],
  [
    'query skills',
    query('skills'),
    { commands: slash },
    { skills: [{ name: 'a', description: 'd', kind: 'skill', extra: { pi: { path: '/a' } } }] },
  ],
  ['a command of a newer pi', { type: 'unknown', protocol: 'pi', payload: { type: 'get_tree' } }, { tree: [] }, {}],
];

describe('answers', () => {
  test.each(answers)('%s', (_, command, wireData, data) => {
    const pi = bench();
    pi.command(command, 'c1');
    const [{ type } = {}] = pi.sent();
    pi.feed(wire.response('c1', String(type), wireData));
    const { c1 } = pi.settled();
    const raw = wireData === undefined ? {} : { data: { ...data, extra: { pi: wireData } } };
    expect(c1).toEqual({ ok: true, ...raw });
    const schema =
      command.type === 'query'
        ? new Map(Object.entries(QueryData)).get(command.subject)
        : new Map(Object.entries(OutcomeData)).get(command.type);
    if (c1?.ok === true) expect(schema?.safeParse(c1.data).error).toBeUndefined();
  });

  test.each([
    ['a refusal', 'No API key', 'agent-refused'],
    ['a command that this pi does not have', 'Unknown command: get_available_models', 'unsupported'],
  ])('%s', (_, error, code) => {
    const pi = bench();
    pi.command(query('models'), 'c1');
    pi.feed(wire.refusal('c1', 'get_available_models', error));
    expect(pi.settled()).toEqual({ c1: { ok: false, error: { code, message: error } } });
  });

  test('an answer of the wrong shape', () => {
    const pi = bench();
    pi.command(query('models'), 'c1');
    pi.feed(wire.response('c1', 'get_available_models', { models: 7 }));
    expect(pi.settled()).toMatchObject({ c1: { ok: false, error: { code: 'agent-refused' } } });
  });
});
