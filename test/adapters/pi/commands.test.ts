// What a command becomes on the wire, and what its answer becomes.
import { describe, expect, test } from 'vitest';
import type { Command, QuerySubject } from '../../../src/core/command.ts';
import { OutcomeData, QueryData } from '../../../src/core/outcome-data.ts';
import { bench, wire } from './harness.ts';

const words = (text: string) => [{ type: 'text' as const, text }];
const query = (subject: QuerySubject): Command => ({ type: 'query', subject });

test.each<[name: string, command: Command, line: object]>([
  ['prompt', { type: 'prompt', content: words('hi') }, { type: 'prompt', message: 'hi' }],
  ['steer', { type: 'steer', content: words('no') }, { type: 'steer', message: 'no' }],
  ['follow-up', { type: 'follow-up', content: words('and') }, { type: 'follow_up', message: 'and' }],
  ['abort run', { type: 'abort', target: 'run' }, { type: 'abort' }],
  ['abort retry', { type: 'abort', target: 'retry' }, { type: 'abort_retry' }],
  ['abort bash', { type: 'abort', target: 'bash' }, { type: 'abort_bash' }],
  ['abort compaction', { type: 'abort', target: 'compaction' }, { type: 'abort' }],
  ['clear-queue', { type: 'clear-queue' }, { type: 'clear_queue' }],
  ['compact', { type: 'compact' }, { type: 'compact' }],
  ['compact with a wish', { type: 'compact', instructions: 'i' }, { type: 'compact', customInstructions: 'i' }],
  ['bash', { type: 'bash', command: 'ls' }, { type: 'bash', command: 'ls' }],
  ['set-model', { type: 'set-model', model: 'm', provider: 'p' }, { type: 'set_model', provider: 'p', modelId: 'm' }],
  ['cycle-model', { type: 'cycle-model', direction: 'forward' }, { type: 'cycle_model' }],
  ['set-thinking', { type: 'set-thinking', level: 'high' }, { type: 'set_thinking_level', level: 'high' }],
  ['set-thinking off', { type: 'set-thinking', budgetTokens: null }, { type: 'set_thinking_level', level: 'off' }],
  ['set-thinking 0', { type: 'set-thinking', budgetTokens: 0 }, { type: 'set_thinking_level', level: 'off' }],
  ['set-thinking 1', { type: 'set-thinking', budgetTokens: 1 }, { type: 'set_thinking_level', level: 'low' }],
  ['set-thinking 8192', { type: 'set-thinking', budgetTokens: 8192 }, { type: 'set_thinking_level', level: 'medium' }],
  ['set-thinking 8193', { type: 'set-thinking', budgetTokens: 8193 }, { type: 'set_thinking_level', level: 'high' }],
  ['cycle-thinking', { type: 'cycle-thinking' }, { type: 'cycle_thinking_level' }],
  [
    'set-queue-mode steering',
    { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
    { type: 'set_steering_mode', mode: 'all' },
  ],
  [
    'set-queue-mode follow-up',
    { type: 'set-queue-mode', queue: 'follow-up', mode: 'one-at-a-time' },
    { type: 'set_follow_up_mode', mode: 'one-at-a-time' },
  ],
  [
    'set-auto compaction',
    { type: 'set-auto', what: 'compaction', enabled: false },
    { type: 'set_auto_compaction', enabled: false },
  ],
  ['set-auto retry', { type: 'set-auto', what: 'retry', enabled: true }, { type: 'set_auto_retry', enabled: true }],
  ['set-name', { type: 'set-name', name: 'n' }, { type: 'set_session_name', name: 'n' }],
  ['new-session', { type: 'new-session', parent: '/p' }, { type: 'new_session', parentSession: '/p' }],
  ['switch-session', { type: 'switch-session', path: '/s' }, { type: 'switch_session', sessionPath: '/s' }],
  ['fork', { type: 'fork', entry: 'e' }, { type: 'fork', entryId: 'e' }],
  ['export', { type: 'export', format: 'html', path: '/x' }, { type: 'export_html', outputPath: '/x' }],
  ['query state', query('state'), { type: 'get_state' }],
  ['query messages', query('messages'), { type: 'get_messages' }],
  ['query history', query('history'), { type: 'get_messages' }],
  ['query statistics', query('statistics'), { type: 'get_session_stats' }],
  ['query context-usage', query('context-usage'), { type: 'get_session_stats' }],
  ['query last-text', query('last-text'), { type: 'get_last_assistant_text' }],
  ['query fork-points', query('fork-points'), { type: 'get_fork_messages' }],
  ['query models', query('models'), { type: 'get_available_models' }],
  ['query thinking-levels', query('thinking-levels'), { type: 'get_available_thinking_levels' }],
  ['query commands', query('commands'), { type: 'get_commands' }],
  ['query skills', query('skills'), { type: 'get_commands' }],
  [
    'a command of a newer pi',
    { type: 'unknown', protocol: 'pi', payload: { type: 'get_tree', id: 'theirs', depth: 2 } },
    { type: 'get_tree', depth: 2 },
  ],
  [
    'fields of a newer pi client',
    { type: 'bash', command: 'ls', extra: { pi: { excludeFromContext: true, command: 'rm' } } },
    { type: 'bash', command: 'ls', excludeFromContext: true },
  ],
])('%s', (_, command, line) => {
  const pi = bench();
  pi.feed(wire.response('x', 'get_state'));
  pi.command(command, 'c1');
  expect(pi.sent()).toEqual([{ ...line, id: 'c1' }]);
});

test.each<[name: string, command: Command, code: string]>([
  ['cycle-model backward', { type: 'cycle-model', direction: 'backward' }, 'unsupported'],
  ['set-model to the default', { type: 'set-model' }, 'unsupported'],
  ['set-thinking to nothing', { type: 'set-thinking' }, 'invalid'],
  ['set-mode', { type: 'set-mode', mode: 'plan' }, 'unsupported'],
  ['set-tool-server', { type: 'set-tool-server', name: 's', action: 'stop' }, 'unsupported'],
  ['answer-approval', { type: 'answer-approval', id: 'a', decision: 'allow' }, 'unsupported'],
  ['answer-dialog', { type: 'answer-dialog', id: 'a', answer: { kind: 'cancelled' } }, 'stale'],
  ['create-session', { type: 'create-session' }, 'unsupported'],
  ['delete-session', { type: 'delete-session' }, 'unsupported'],
  ['list-sessions', { type: 'list-sessions' }, 'unsupported'],
  ['list-stored-sessions', { type: 'list-stored-sessions' }, 'unsupported'],
  ['load-session', { type: 'load-session', path: '/x' }, 'unsupported'],
  ...(['tools', 'tool-servers', 'session-files', 'contexts', 'metrics', 'health'] as const).map(
    (subject): [string, Command, string] => [`query ${subject}`, query(subject), 'unsupported'],
  ),
  ['a command of another protocol', { type: 'unknown', protocol: 'eca', payload: {} }, 'unsupported'],
  ['null', { type: 'unknown', protocol: 'pi', payload: null }, 'invalid'],
  ['an array', { type: 'unknown', protocol: 'pi', payload: [] }, 'invalid'],
  ['no type', { type: 'unknown', protocol: 'pi', payload: { a: 1 } }, 'invalid'],
])('%s is refused, and pi hears nothing', (_, command, code) => {
  const pi = bench();
  pi.command(command, 'c1');
  expect(pi.sent()).toEqual([]);
  expect(pi.settled()).toMatchObject({ c1: { ok: false, error: { code } } });
});

describe('what a user says', () => {
  const sayings: [name: string, content: (Command & { type: 'prompt' })['content'], line: object, notes: string[]][] = [
    ['texts', [...words('a'), ...words('b')], { message: 'a\n\nb' }, []],
    ['nothing', [], { message: '' }, []],
    [
      'a document with its text',
      [...words('look'), { type: 'document', name: 'd.txt', text: 'inside' }],
      { message: 'look\n\n[Document: d.txt]\ninside' },
      [],
    ],
    ['a link', [{ type: 'link', url: 'http://x', title: 'X' }], { message: '[X](http://x)' }, []],
    [
      'an image',
      [{ type: 'image', data: 'AAAA', mediaType: 'image/gif' }],
      { message: '', images: [{ type: 'image', data: 'AAAA', mimeType: 'image/gif' }] },
      [],
    ],
    [
      'what pi cannot take',
      [
        { type: 'image', url: 'http://x' },
        { type: 'document', name: 'd.pdf', data: 'AAAA' },
        { type: 'thinking', text: 'hm' },
      ],
      { message: '' },
      ['an image without its bytes', 'a document without its text', 'content of type thinking'],
    ],
  ];
  test.each(sayings)('%s', (_, content, line, losses) => {
    const pi = bench();
    pi.command({ type: 'prompt', content }, 'c1');
    expect(pi.sent()).toEqual([{ type: 'prompt', ...line, id: 'c1' }]);
    expect(pi.notes()).toEqual(losses.map((loss) => `loss: prompt: pi does not take ${loss}`));
  });

  test('contexts, a model and a mode are losses', () => {
    const pi = bench();
    pi.command({ type: 'prompt', content: [], contexts: [{ type: 'repo-map' }], model: 'm', mode: 'plan' }, 'c1');
    expect(pi.notes()).toHaveLength(3);
  });

  test('U+2028 and U+2029 never stand in a line', () => {
    const pi = bench();
    const message = 'a\u2028b\u2029c';
    pi.command({ type: 'prompt', content: words(message) }, 'c1');
    const [line] = pi.lines();
    expect(line).not.toMatch(/[\u2028\u2029]/);
    expect(JSON.parse(String(line))).toMatchObject({ message });
  });
});

const model = { id: 'm', name: 'M', provider: 'p', contextWindow: 10, maxTokens: 5, reasoning: true, api: 'a' };
const canonicalModel = {
  id: 'm',
  name: 'M',
  provider: 'p',
  contextWindow: 10,
  maxOutput: 5,
  reasoning: true,
  extra: { pi: { api: 'a' } },
};
const state = {
  model,
  thinkingLevel: 'low',
  isStreaming: true,
  isCompacting: false,
  steeringMode: 'all',
  followUpMode: 'all',
  sessionId: 's',
  sessionFile: '/f',
  sessionName: 'n',
  autoCompactionEnabled: true,
  messageCount: 2,
  pendingMessageCount: 1,
};
const changes = {
  model: canonicalModel,
  thinkingLevel: 'low',
  steeringMode: 'all',
  followUpMode: 'all',
  agentSessionId: 's',
  file: '/f',
  name: 'n',
  autoCompaction: true,
};
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
    'bash, as the seed has it',
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

describe('what a change leads to', () => {
  test.each<Command>([
    { type: 'set-model', model: 'm', provider: 'p' },
    { type: 'cycle-model' },
    { type: 'set-thinking', level: 'low' },
    { type: 'cycle-thinking' },
    { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
    { type: 'set-auto', what: 'compaction', enabled: true },
    { type: 'set-name', name: 'n' },
  ])('$type: pi is asked how it is now, and what is new is told', (command) => {
    const pi = bench();
    pi.command(command, 'c1');
    const [{ type } = {}] = pi.sent();
    pi.feed(wire.response('c1', String(type), { ...model, model, level: 'low' }));
    const [look] = pi.sent();
    expect(look).toMatchObject({ type: 'get_state' });
    pi.feed(wire.response(String(look?.id), 'get_state', state));
    expect(pi.events()).toEqual([{ type: 'session-changed', changes }]);
    pi.feed({ type: 'thinking_level_changed', level: 'low' });
    expect(pi.events()).toEqual([]);
  });

  test('set-auto retry is not in the state', () => {
    const pi = bench();
    pi.command({ type: 'set-auto', what: 'retry', enabled: false }, 'c1');
    pi.feed(wire.response('c1', 'set_auto_retry'));
    expect(pi.events()).toEqual([{ type: 'session-changed', changes: { autoRetry: false } }]);
  });

  test.each<[Command, string, string[]]>([
    [{ type: 'new-session' }, 'new', ['get_state']],
    [{ type: 'switch-session', path: '/x' }, 'switched', ['get_state', 'get_messages']],
    [{ type: 'fork', entry: 'e' }, 'forked', ['get_state', 'get_messages']],
  ])('$type: another conversation', (command, reason, asked) => {
    const pi = bench();
    pi.command(command, 'c1');
    const [{ type } = {}] = pi.sent();
    pi.feed(wire.response('c1', String(type), { cancelled: false }));
    expect(pi.events()).toEqual([{ type: 'history-reset', reason }]);
    const lines = pi.sent();
    expect(lines.map((line) => line.type)).toEqual(asked);
    const history = lines.find((line) => line.type === 'get_messages');
    if (history === undefined) return;
    const messages = [{ role: 'user', content: 'hi' }];
    pi.feed(wire.response(String(history.id), 'get_messages', { messages }));
    expect(pi.events()).toMatchObject([{ type: 'message-added', role: 'user', origin: 'replay' }]);
  });

  test('a change that an extension cancelled is none', () => {
    const pi = bench();
    pi.command({ type: 'new-session' }, 'c1');
    pi.feed(wire.response('c1', 'new_session', { cancelled: true }));
    expect(pi.events()).toEqual([]);
  });
});

describe('a model without its provider', () => {
  const models = [model, { id: 'm', provider: 'q' }, { id: 'x/y', provider: 'q' }];
  /** The set_model line for a name, after pi listed its models and said which it uses. */
  function named(name: string, current: object | null): unknown {
    const pi = bench();
    pi.start();
    const [look] = pi.sent();
    pi.feed(wire.response(String(look?.id), 'get_state', { ...state, model: current }));
    pi.command({ type: 'set-model', model: name }, 'c1');
    const [list] = pi.sent();
    expect(list).toMatchObject({ type: 'get_available_models' });
    pi.feed(wire.response(String(list?.id), 'get_available_models', { models }));
    return pi.sent()[0] ?? pi.settled().c1;
  }

  test.each([
    ['listed', 'm', null, { provider: 'p', modelId: 'm' }],
    ['listed twice: the current provider', 'm', { id: 'z', provider: 'q' }, { provider: 'q', modelId: 'm' }],
    ['an id with a slash', 'x/y', null, { provider: 'q', modelId: 'x/y' }],
    ['a full name', 'q/m', null, { provider: 'q', modelId: 'm' }],
    ['not listed: the current provider', 'new', { id: 'z', provider: 'q' }, { provider: 'q', modelId: 'new' }],
    ['not listed, no provider', 'new', null, { ok: false, error: { code: 'not-found' } }],
  ])('%s', (_, name, current, expected) => {
    expect(named(name, current)).toMatchObject(expected);
  });

  test('the list is asked for once', () => {
    const pi = bench();
    pi.command(query('models'), 'c1');
    pi.feed(wire.response('c1', 'get_available_models', { models }));
    pi.sent();
    pi.command({ type: 'set-model', model: 'm' }, 'c2');
    expect(pi.sent()).toEqual([{ type: 'set_model', provider: 'p', modelId: 'm', id: 'c2' }]);
  });
});
