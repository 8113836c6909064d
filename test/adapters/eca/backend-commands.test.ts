// What is said to an ECA server: the greeting, prompts with contexts and choices, settings, look-ups, chats (docs/protocols/eca.md 8, 2, 5, 6).
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { answered, chatId, echo, finished, greetings, type Json, system, talk, text } from './backend-words.ts';

describe('the greeting', () => {
  test('says who we are and where we work, and nothing else before its answer', () => {
    const it = talk(null, { workspaceFolders: ['/work/my project', 'C:\\work'] });
    const asked = it.ask({ type: 'query', subject: 'commands' });
    it.prompt('hi');
    it.ask({ type: 'set-mode', mode: 'plan' });
    expect(it.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          processId: null,
          clientInfo: { name: 'patchbay' },
          initializationOptions: {},
          capabilities: { codeAssistant: { chat: true } },
          workspaceFolders: [
            { uri: 'file:///work/my%20project', name: 'my project' },
            { uri: 'file:///C:/work', name: 'work' },
          ],
        },
      },
    ]);
    it.hear(...greetings.first);
    expect(it.sent.slice(1).map(({ method }) => method)).toEqual(['initialized', 'chat/queryCommands', 'chat/prompt']);
    expect(it.sent[1]).toEqual({ jsonrpc: '2.0', method: 'initialized', params: {} });
    expect(it.outcome(asked)).toBeUndefined();
  });

  test.each([
    [
      'an error',
      (it: ReturnType<typeof talk>) => it.hear({ id: 1, error: { code: -32_603, message: 'no' } }),
      'agent-refused',
    ],
    ['no answer', (it: ReturnType<typeof talk>) => it.wake('deadline:1'), 'timeout'],
  ])('%s: whoever asks is told why', (_, end, code) => {
    const it = talk(null);
    const early = [
      it.prompt('hi'),
      it.ask({ type: 'query', subject: 'commands' }),
      it.ask({ type: 'set-mode', mode: 'x' }),
    ];
    end(it);
    for (const id of [...early, it.prompt('hi')]) expect(it.outcome(id)).toMatchObject({ ok: false, error: { code } });
    expect(it.sent).toHaveLength(1);
  });

  test('tells models and modes: in its answer, in the first era', () => {
    const it = talk('first');
    expect(Object.assign({}, ...it.of('session-changed').map(({ changes }) => changes))).toEqual({
      models: [{ id: 'm1' }, { id: 'm2' }],
      model: { id: 'm1' },
      modes: [{ id: 'agent' }, { id: 'plan' }],
      mode: 'agent',
      welcome: 'Welcome',
    });
  });

  test('or later: what is missing or null has not changed', () => {
    const it = talk('modern');
    it.hear({ method: 'config/updated', params: { chat: { selectModel: 'p/m2', selectAgent: null, variants: [] } } });
    it.hear({ method: 'config/updated', params: { chatId: 'other', chat: { selectModel: 'p/m1' } } });
    expect(Object.assign({}, ...it.of('session-changed').map(({ changes }) => changes))).toEqual({
      models: [
        { id: 'm1', provider: 'p' },
        { id: 'm2', provider: 'p' },
      ],
      model: { id: 'm2', provider: 'p' },
      modes: [{ id: 'code' }, { id: 'plan' }],
      mode: 'code',
      thinkingLevels: [],
      welcome: 'Welcome',
      resume: chatId,
    });
  });

  test('who asks for models waits until they are known', () => {
    const it = talk(null);
    const models = it.ask({ type: 'query', subject: 'models' });
    const [answer, config] = greetings.modern;
    it.hear(answer ?? {});
    it.hear({ method: 'config/updated', params: { chat: { models: [], selectModel: null } } });
    expect(it.outcome(models)).toBeUndefined();
    it.hear(config ?? {});
    expect(it.outcome(models)).toMatchObject({ ok: true, data: { models: [{ id: 'm1' }, { id: 'm2' }] } });
  });

  const ends: readonly [string, (it: ReturnType<typeof talk>) => void][] = [
    ['the task is over', (it) => it.hear({ method: '$/progress', params: { type: 'finish', taskId: 'models' } })],
    ['it takes too long', (it) => it.wake('models')],
  ];
  test.each(ends)('or until %s', (_, end) => {
    const it = talk(null);
    const [models, state] = [it.ask({ type: 'query', subject: 'models' }), it.ask({ type: 'query', subject: 'state' })];
    it.hear(greetings.modern[0] ?? {});
    expect(it.timers.get('models')).toBe(8_000);
    end(it);
    expect(it.outcome(models)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
    expect(it.outcome(state)).toEqual({
      ok: true,
      data: { changes: { welcome: 'Welcome', resume: chatId }, running: false },
    });
  });
});

describe('a prompt', () => {
  test('names its chat, itself, and the mode in the words of both eras', () => {
    const it = talk('modern');
    it.prompt('hi');
    expect(it.last('chat/prompt').params).toEqual({
      chatId,
      requestId: 'request-1',
      message: 'hi',
      agent: 'code',
      behavior: 'code',
      contexts: [],
    });
  });

  test('has its contexts, as they came or as they are', () => {
    const it = talk('first');
    const newer = { type: 'newer', at: 1 };
    it.ask({
      type: 'prompt',
      content: [{ type: 'text', text: 'hi' }],
      contexts: [
        { type: 'file', path: '/w/a', lines: { start: 1, end: 2 } },
        { type: 'directory', path: '/w' },
        { type: 'web', url: 'https://example.test/' },
        { type: 'repo-map' },
        { type: 'resource', server: 's', uri: 'x:y', name: 'n', description: 'd', mediaType: 'text/plain' },
        { type: 'opaque', protocol: 'eca', payload: newer },
        { type: 'opaque', protocol: 'other', payload: {} },
      ],
    });
    expect(it.last('chat/prompt').params.contexts).toEqual([
      { type: 'file', path: '/w/a', linesRange: { start: 1, end: 2 } },
      { type: 'directory', path: '/w' },
      { type: 'web', url: 'https://example.test/' },
      { type: 'repoMap' },
      { type: 'mcpResource', uri: 'x:y', name: 'n', description: 'd', mimeType: 'text/plain', server: 's' },
      newer,
    ]);
    expect(it.notes).toEqual([{ level: 'loss', text: expect.stringMatching(/context of type opaque/u) }]);
  });

  test('says in words what it can, and what it loses', () => {
    const it = talk('first');
    it.ask({
      type: 'prompt',
      content: [
        { type: 'text', text: 'see' },
        { type: 'link', url: 'https://example.test/', title: 'this' },
        { type: 'document', name: 'd', text: 'words' },
        { type: 'image', data: 'AAAA' },
      ],
    });
    expect(it.last('chat/prompt').params).toMatchObject({
      message: 'see\n[this](https://example.test/)\nwords',
      contexts: [],
    });
    expect(it.notes).toEqual([{ level: 'loss', text: expect.stringMatching(/type image/u) }]);
  });

  test('has the model and mode that it wishes, and those that follow too', () => {
    const it = talk('modern');
    it.ask({ type: 'prompt', content: [{ type: 'text', text: 'hi' }], model: 'm2', mode: 'plan' });
    const wished = { model: 'p/m2', agent: 'plan', behavior: 'plan' };
    expect(it.last('chat/prompt').params).toMatchObject(wished);
    it.hear(echo('hi'), text('yes'), finished());
    it.prompt('more');
    expect(it.last('chat/prompt').params).toMatchObject(wished);
  });
});

describe('settings', () => {
  const choices: readonly [string, Command, Json, readonly [string, Json] | null][] = [
    [
      'a model',
      { type: 'set-model', model: 'm2', provider: 'p' },
      { model: 'p/m2' },
      ['chat/selectedModelChanged', { model: 'p/m2' }],
    ],
    [
      'a model by its whole name',
      { type: 'set-model', model: 'p/m2' },
      { model: 'p/m2' },
      ['chat/selectedModelChanged', { model: 'p/m2' }],
    ],
    [
      'a model that nobody offered',
      { type: 'set-model', model: 'x' },
      { model: 'x' },
      ['chat/selectedModelChanged', { model: 'x' }],
    ],
    [
      'a mode',
      { type: 'set-mode', mode: 'plan' },
      { agent: 'plan', behavior: 'plan' },
      ['chat/selectedAgentChanged', { agent: 'plan' }],
    ],
    [
      'a mode that is not shown',
      { type: 'set-mode', mode: 'general' },
      { agent: 'general' },
      ['chat/selectedAgentChanged', { agent: 'general' }],
    ],
    ['a variant', { type: 'set-thinking', level: 'high' }, { variant: 'high' }, null],
  ];
  test.each(choices)('%s is told, and repeated with the next prompt', (_, command, params, told) => {
    const it = talk('modern');
    const before = it.sent.length;
    expect(it.outcome(it.ask(command))).toMatchObject({ ok: true });
    expect(it.sent.slice(before).map(({ method, params: said }) => [method, said])).toEqual(
      told === null ? [] : [told],
    );
    expect(it.events.at(-1)?.type).toBe('session-changed');
    it.prompt('hi');
    expect(it.last('chat/prompt').params).toMatchObject(params);
  });

  test('a server of the first era hears of them with the prompt alone', () => {
    const it = talk('first');
    it.ask({ type: 'set-model', model: 'm2' });
    it.ask({ type: 'set-mode', mode: 'plan' });
    it.prompt('hi');
    expect(it.sent.map(({ method }) => method)).toEqual(['initialize', 'initialized', 'chat/prompt']);
    expect(it.last('chat/prompt').params).toMatchObject({ model: 'm2', agent: 'plan', behavior: 'plan' });
  });

  test('the default model again', () => {
    const it = talk('first');
    it.ask({ type: 'set-model', model: 'm2' });
    const back = it.ask({ type: 'set-model' });
    expect(it.outcome(back)).toEqual({ ok: true, data: { model: { id: 'm1' } } });
    it.prompt('hi');
    expect(it.last('chat/prompt').params).not.toHaveProperty('model');
  });

  test('what the server selects later is what counts', () => {
    const it = talk('modern');
    it.ask({ type: 'set-model', model: 'm2' });
    it.hear({ method: 'config/updated', params: { chat: { selectModel: 'p/m1' } } });
    it.prompt('hi');
    expect(it.last('chat/prompt').params.model).toBe('p/m1');
  });

  const refusals: readonly [Command, 'first' | 'modern', string][] = [
    [{ type: 'set-mode', mode: 'nonsense' }, 'modern', 'invalid'],
    [{ type: 'set-thinking', level: 'nonsense' }, 'modern', 'invalid'],
    [{ type: 'set-thinking', budgetTokens: 5 }, 'modern', 'unsupported'],
    [{ type: 'set-thinking', level: 'high' }, 'first', 'unsupported'],
    [{ type: 'set-name', name: 'x' }, 'first', 'unsupported'],
    [{ type: 'set-name', name: 'x' }, 'modern', 'unsupported'],
    [{ type: 'abort', target: 'compaction' }, 'modern', 'unsupported'],
    [{ type: 'compact' }, 'modern', 'unsupported'],
    [{ type: 'unknown', protocol: 'eca', payload: { method: 'mcp/addServer' } }, 'modern', 'unsupported'],
  ];
  test.each(refusals)('refused: %j (%s)', (command, era, code) => {
    const it = talk(era);
    const before = it.sent.length;
    expect(it.outcome(it.ask(command))).toMatchObject({ ok: false, error: { code } });
    expect(it.sent.length).toBe(before);
  });

  test('the name of a chat, once there is one', () => {
    const it = talk('modern');
    it.prompt('hi');
    it.hear(echo('hi'), finished(), answered(2));
    const named = it.ask({ type: 'set-name', name: 'Cables' });
    expect(it.last('chat/update').params).toEqual({ chatId, title: 'Cables' });
    it.hear({ id: 3, result: {} });
    expect(it.outcome(named)).toEqual({ ok: true });
    expect(it.events.at(-1)).toEqual({ type: 'session-changed', changes: { name: 'Cables' } });
  });

  test.each([
    ['start', 'mcp/startServer'],
    ['stop', 'mcp/stopServer'],
  ] as const)('servers of tools: %s', (action, method) => {
    const it = talk('first');
    expect(it.outcome(it.ask({ type: 'set-tool-server', name: 'files', action }))).toEqual({ ok: true });
    expect(it.last(method).params).toEqual({ name: 'files' });
  });
});

describe('look-ups', () => {
  test('contexts', () => {
    const it = talk('modern');
    const asked = it.ask({ type: 'query', subject: 'contexts', text: 'a', contexts: [{ type: 'repo-map' }] });
    expect(it.last('chat/queryContext').params).toEqual({ query: 'a', contexts: [{ type: 'repoMap' }] });
    it.hear({
      id: 2,
      result: {
        contexts: [
          { type: 'file', path: '/w/a' },
          { type: 'newer', at: 1 },
        ],
      },
    });
    expect(it.outcome(asked)).toEqual({
      ok: true,
      data: {
        contexts: [
          { type: 'file', path: '/w/a' },
          { type: 'opaque', protocol: 'eca', payload: { type: 'newer', at: 1 } },
        ],
      },
    });
  });

  const commands = [
    { name: 'costs', description: 'what it cost', type: 'native', arguments: [] },
    { name: 'tidy', type: 'skill', arguments: [{ name: 'where' }] },
  ];
  test.each([
    [
      'commands',
      {
        commands: [
          { name: 'costs', description: 'what it cost', kind: 'native', arguments: [] },
          { name: 'tidy', kind: 'skill', arguments: [{ name: 'where', required: false }] },
        ],
      },
    ],
    ['skills', { skills: [{ name: 'tidy', kind: 'skill', arguments: [{ name: 'where', required: false }] }] }],
  ] as const)('%s', (subject, data) => {
    const it = talk('first');
    const asked = it.ask({ type: 'query', subject, text: 'co' });
    expect(it.last('chat/queryCommands').params).toEqual({ query: 'co' });
    it.hear({ id: 2, result: { commands } });
    expect(it.outcome(asked)).toEqual({ ok: true, data });
  });

  test('in the chat, once there is one; an odd answer is an error', () => {
    const it = talk('first');
    it.prompt('hi');
    const asked = it.ask({ type: 'query', subject: 'commands' });
    expect(it.last('chat/queryCommands').params).toEqual({ chatId, query: '' });
    it.hear({ id: 3, result: { commands: 'none' } });
    expect(it.outcome(asked)).toMatchObject({ ok: false, error: { code: 'agent-refused' } });
  });

  test('a server that does not know the method cannot be asked', () => {
    const it = talk('first');
    const asked = it.ask({ type: 'query', subject: 'contexts' });
    it.hear({ id: 2, error: { code: -32_601, message: 'Method not found' } });
    expect(it.outcome(asked)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  });

  test('variants and servers of tools, as they were told', () => {
    const it = talk('modern');
    it.hear({ method: 'tool/serverUpdated', params: { type: 'mcp', name: 'files', status: 'running' } });
    it.hear({ method: 'tool/serverRemoved', params: { name: 'files' } });
    it.hear({ method: 'tool/serverUpdated', params: { type: 'mcp', name: 'web', status: 'failed' } });
    expect(it.outcome(it.ask({ type: 'query', subject: 'thinking-levels' }))).toEqual({
      ok: true,
      data: { levels: ['high', 'low'] },
    });
    expect(it.outcome(it.ask({ type: 'query', subject: 'tool-servers' }))).toEqual({
      ok: true,
      data: { servers: [{ name: 'web', kind: 'mcp', status: 'failed' }] },
    });
  });
});

describe('a new session', () => {
  test('is a new chat; what is still said in the old one is nobody’s', () => {
    const it = talk('modern');
    it.prompt('hi');
    it.hear(echo('hi'), answered(2), text('s0'));
    const asked = it.ask({ type: 'new-session' });
    expect(it.of('run-end')).toMatchObject([{ outcome: 'aborted' }]);
    expect(it.last('chat/delete').params).toEqual({ chatId });
    it.hear(system('\nPrompt stopped\n'), finished(), { method: 'chat/deleted', params: { chatId } }, text('s1'), {
      id: 3,
      result: {},
    });
    expect(it.outcome(asked)).toEqual({ ok: true, data: { cancelled: false } });
    expect(it.of('history-reset')).toEqual([{ type: 'history-reset', reason: 'new' }]);
    it.prompt('again');
    expect(it.last('chat/prompt').params.chatId).toBe('chat-2');
    expect([it.of('block-delta').map(({ delta }) => delta), it.disorder()]).toEqual([['s0'], []]);
  });

  test('without a chat there is nothing to delete', () => {
    const it = talk('modern');
    const before = it.sent.length;
    expect(it.outcome(it.ask({ type: 'new-session' }))).toEqual({ ok: true, data: { cancelled: false } });
    expect(it.sent.length).toBe(before);
  });

  test('waits for no prompt that is on its way', () => {
    const it = talk('modern');
    it.prompt('hi');
    expect(it.outcome(it.ask({ type: 'new-session' }))).toMatchObject({ ok: false, error: { code: 'busy' } });
  });
});

test('a request of the server is refused, whatever it asks, under its own id', () => {
  const it = talk('modern');
  for (const [id, method] of [
    [7, 'editor/getDiagnostics'],
    ['a', 'chat/askQuestion'],
  ]) {
    it.hear({ id, method, params: {} });
    expect(it.sent.at(-1)).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32_601, message: 'Method not found', data: { method } },
    });
  }
});

test('an answer that nobody waits for is passed over', () => {
  const it = talk('modern');
  it.hear({ id: 99, result: {} }, { id: 'x', result: {} }, { id: 1, result: {} });
  expect(it.notes.map(({ level }) => level)).toEqual(['repair', 'repair']);
});
