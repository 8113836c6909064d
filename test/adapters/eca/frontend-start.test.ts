// How an ECA connection begins and ends, and what it makes of what is no message: the machine alone, without I/O.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import { answerAll, connect, eras, methodsOf, type Sent, typesOf } from './client.ts';

const config = {
  models: ['acme/small', 'acme/large'],
  agents: ['default', 'plan'],
  selectModel: 'acme/small',
  selectAgent: 'default',
  variants: ['low', 'high'],
  selectVariant: 'low',
  welcomeMessage: 'Welcome.',
  defaultModel: 'acme/small',
  defaultAgent: 'default',
  behaviors: ['default', 'plan'],
  selectBehavior: 'default',
  defaultBehavior: 'default',
};

describe('the beginning', () => {
  test('initialize: a session in the folders of the client, what its agent says, and one answer for both eras', () => {
    const { sent, delivered } = connect().request('initialize', eras.modern, 'init');
    expect(delivered[0]).toEqual({
      command: { type: 'create-session', folders: ['/my ws', '/b'] },
      session: undefined,
    });
    expect(new Set(delivered.slice(1).map(({ session }) => session))).toEqual(new Set(['session-1']));
    expect(typesOf(delivered.slice(1)).sort()).toEqual([
      'query models',
      'query state',
      'query thinking-levels',
      'query tool-servers',
      'query tools',
    ]);
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 'init',
        result: {
          models: ['acme/small', 'acme/large'],
          chatDefaultModel: 'acme/small',
          chatBehaviors: ['default', 'plan'],
          chatDefaultBehavior: 'default',
          chatWelcomeMessage: 'Welcome.',
        },
      },
    ]);
  });

  test('initialized: progress, settings in the words of both eras, the agent’s own tools, then its servers', () => {
    const client = connect();
    client.request('initialize', eras.first);
    const { sent } = client.notify('initialized');
    expect(sent.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: '$/progress', params: { type: 'start', taskId: 'models', title: 'Syncing models' } },
      { method: 'config/updated', params: { chat: config } },
      { method: '$/progress', params: { type: 'finish', taskId: 'models', title: 'Syncing models' } },
      {
        method: 'tool/serverUpdated',
        params: {
          type: 'native',
          name: 'ECA',
          status: 'running',
          tools: [{ name: 'read', description: 'Reads.', parameters: {} }],
        },
      },
      {
        method: 'tool/serverUpdated',
        params: { type: 'mcp', name: 'git', command: 'git-mcp', args: ['-v'], status: 'running', disabled: false },
      },
    ]);
  });

  test('nothing that we say is null', () => {
    const client = connect({
      answering: ({ type }) => (type === 'query' ? refused('unsupported', 'no') : { ok: true }),
    });
    const said = [...client.request('initialize', eras.first).sent, ...client.notify('initialized').sent];
    expect(JSON.stringify(said)).not.toContain('null');
    expect(said[0]?.result).toEqual({
      models: [],
      chatBehaviors: ['agent'],
      chatDefaultBehavior: 'agent',
      chatWelcomeMessage: '',
    });
  });

  test('an agent that starts slowly: answered after 10 s with what is known, the rest follows', () => {
    const client = connect({ answering: ({ type }) => (type === 'query' ? undefined : { ok: true }) });
    const { sent, others } = client.request('initialize', eras.first, 7);
    expect([sent, others]).toEqual([[], [{ do: 'timer', id: 'start-up', ms: 10_000 }]]);
    expect(client.wake('start-up').sent).toMatchObject([{ id: 7, result: { models: [], chatBehaviors: ['agent'] } }]);
    expect(methodsOf(client.notify('initialized').sent)).toEqual([
      '$/progress',
      'config/updated',
      '$/progress',
      'tool/serverUpdated',
      '$/showMessage',
    ]);
    const { sent: later } = client.settle('query', { ok: true, data: { models: [{ id: 'm' }] } }, 'models');
    expect(later).toMatchObject([{ method: 'config/updated', params: { chat: { models: ['m'] } } }]);
    // What changes nothing is not told again.
    expect(client.settle('query', refused('unsupported', 'no'), 'tools').sent).toEqual([]);
  });

  describe('a newer client', () => {
    const silent = () => connect({ answering: ({ type }) => (type === 'query' ? undefined : { ok: true }) });

    test('is greeted at once, and hears that no models are known yet; they come when they are', () => {
      const client = silent();
      const { sent, others } = client.request('initialize', eras.modern, 7);
      expect(sent).toEqual([]);
      expect(others).toContainEqual({ do: 'timer', id: 'greet', ms: 0 });
      expect(client.wake('greet').sent).toMatchObject([{ id: 7, result: { models: [], chatBehaviors: ['agent'] } }]);
      const { sent: first } = client.notify('initialized');
      expect(methodsOf(first)).toEqual(['$/progress', 'config/updated']);
      expect(first[1]).toMatchObject({ params: { chat: { models: [], selectAgent: 'agent' } } });
      const state = { ok: true, data: { changes: { mode: 'default' }, running: false } } as const;
      expect(client.settle('query', { ok: true, data: { models: [{ id: 'm' }] } }, 'models').sent).toEqual([]);
      expect(client.settle('query', state, 'state').sent).toEqual([]);
      for (const subject of ['thinking-levels', 'tools']) {
        expect(client.settle('query', refused('unsupported', 'no'), subject).sent).toEqual([]);
      }
      const { sent: second } = client.settle('query', refused('unsupported', 'no'), 'tool-servers');
      expect(methodsOf(second)).toEqual(['config/updated', '$/progress', 'tool/serverUpdated']);
      expect(second[0]).toMatchObject({ params: { chat: { models: ['m'], selectAgent: 'default' } } });
    });

    test('may send a prompt before anything is known of the agent', () => {
      const client = silent();
      client.request('initialize', eras.modern);
      client.wake('greet');
      client.notify('initialized');
      const { delivered, notes } = client.request('chat/prompt', { chatId: 'c', message: 'Hello.', agent: 'agent' });
      expect([typesOf(delivered).at(-1), notes]).toEqual(['query state', []]);
    });

    test('waits for what comes at once: it is in the greeting', () => {
      const { sent } = connect().request('initialize', eras.modern);
      expect(sent).toMatchObject([
        { result: { models: ['acme/small', 'acme/large'], chatWelcomeMessage: 'Welcome.' } },
      ]);
    });

    test('hears after 10 s that the agent is silent, as any other', () => {
      const client = silent();
      client.request('initialize', eras.modern);
      client.wake('greet');
      client.notify('initialized');
      expect(methodsOf(client.wake('start-up').sent)).toEqual(['$/progress', 'tool/serverUpdated', '$/showMessage']);
    });
  });

  test.each([
    ['a default', ['opus', 'default'], 'default'],
    ['no default', ['sonnet', 'opus'], 'sonnet'],
  ])('an agent that names no model, and offers %s: one is told to be in use', (_, offered, used) => {
    const answering = (command: Command): Outcome => {
      if (command.type !== 'query' || command.subject === 'tools') return answerAll(command);
      const models = offered.map((id) => ({ id, provider: 'anthropic' }));
      if (command.subject === 'models') return { ok: true, data: { models } };
      return command.subject === 'state'
        ? { ok: true, data: { changes: {}, running: false } }
        : refused('unsupported', '');
    };
    const client = connect({ answering });
    expect(client.request('initialize', eras.modern).sent).toMatchObject([
      { result: { chatDefaultModel: `anthropic/${used}` } },
    ]);
    expect(client.notify('initialized').sent).toContainEqual(
      expect.objectContaining({
        params: {
          chat: expect.objectContaining({ selectModel: `anthropic/${used}`, defaultModel: `anthropic/${used}` }),
        },
      }),
    );
    const set = (model: string) => {
      const { delivered, sent } = client.request('chat/prompt', { chatId: 'c', message: 'Hello.', model });
      return [typesOf(delivered).filter((type) => type === 'set-model').length, sent.at(-1)?.result];
    };
    // What is so already is not set; what was chosen meanwhile is taken back.
    expect(set(`anthropic/${used}`)).toMatchObject([0, { model: `anthropic/${used}` }]);
    expect(set('anthropic/opus')).toMatchObject([1, { model: 'anthropic/opus' }]);
    expect(set(`anthropic/${used}`)).toMatchObject([1, { model: `anthropic/${used}` }]);
  });

  const silence = expect.stringMatching(/has not answered for 10 s.*command in the configuration/u);
  const messagesIn = (sent: readonly Sent[]) =>
    sent.flatMap(({ method, params }) => (method === '$/showMessage' ? [params] : []));

  test('an agent that says nothing at all: the user is told once, and where to look', () => {
    const client = connect({ answering: ({ type }) => (type === 'query' ? undefined : { ok: true }) });
    client.request('initialize', eras.first);
    expect(messagesIn(client.wake('start-up').sent)).toEqual([]);
    expect(messagesIn(client.notify('initialized').sent)).toEqual([{ type: 'warning', message: silence }]);
    expect(messagesIn(client.settle('query', refused('agent-down', 'it died'), 'models').sent)).toEqual([
      { type: 'error', message: 'it died' },
    ]);
  });

  test.each([
    ['has said something by then', true],
    ['speaks before the client is ready', false],
  ])('… not so where it %s', (_, isEarly) => {
    const client = connect({ answering: ({ type }) => (type === 'query' ? undefined : { ok: true }) });
    client.request('initialize', eras.first);
    if (!isEarly) client.wake('start-up');
    client.settle('query', refused('unsupported', 'no'), 'tools');
    if (isEarly) client.wake('start-up');
    expect(messagesIn(client.notify('initialized').sent)).toEqual([]);
  });

  test('what is left out of the folders: each sentence once, when the client is ready', () => {
    const problems = ['The folder "/gone" was left out: it is not there.', 'The other as well.'];
    const answering = (command: Command): Outcome =>
      command.type === 'create-session' ? { ok: true, data: { session: { id: 'x' }, problems } } : answerAll(command);
    const client = connect({ answering });
    const workspaceFolders = [{ uri: 'vscode-remote://ssh/a', name: 'a' }, { uri: 'file:///b', name: 'b' }, {}];
    client.request('initialize', { ...eras.modern, workspaceFolders });
    expect(messagesIn(client.notify('initialized').sent)).toEqual(
      [
        'The folder "vscode-remote://ssh/a" was left out: it is no folder of this machine.',
        'A folder of the editor was left out: it has no URI.',
        ...problems,
      ].map((message) => ({ type: 'warning', message })),
    );
    for (const chatId of ['a', 'b']) {
      expect(messagesIn(client.request('chat/prompt', { chatId, message: 'Hello.' }).sent)).toEqual([]);
    }
  });

  test('of many folders that are left out some are named', () => {
    const client = connect();
    const workspaceFolders = Array.from({ length: 1_000 }, (_, at) => ({ uri: `ssh:${'x'.repeat(1_000)}${at}` }));
    client.request('initialize', { ...eras.first, workspaceFolders });
    const messages = messagesIn(client.notify('initialized').sent);
    expect(messages.at(-1)).toEqual({ type: 'warning', message: '992 more folders were left out.' });
    // All but their ends look the same.
    expect(messages).toHaveLength(2);
    expect(JSON.stringify(messages).length).toBeLessThan(1_000);
  });

  test('initialize waits for models and state, and for no more', () => {
    const client = connect({ answering: ({ type }) => (type === 'query' ? undefined : { ok: true }) });
    client.request('initialize', eras.first, 7);
    expect(client.settle('query', { ok: true, data: { models: [] } }, 'models').sent).toEqual([]);
    expect(client.settle('query', { ok: true, data: { changes: {}, running: false } }, 'state').sent).toHaveLength(1);
    // The settings wait for the variants, so that there is one message of them.
    expect(methodsOf(client.notify('initialized').sent)).toEqual(['$/progress']);
  });

  test.each([
    ['no session', 'create-session', 'limit'],
    ['an agent that cannot start', 'query', 'agent-down'],
  ] as const)('%s: answered all the same, and the reason follows when the client is ready', (_, type, code) => {
    const client = connect({
      answering: (command) => (command.type === type ? refused(code, 'it is broken') : { ok: true }),
    });
    const { sent } = client.request('initialize', eras.first);
    expect(sent).toMatchObject([{ id: 1, result: { models: [], chatBehaviors: ['agent'] } }]);
    const told = client.notify('initialized').sent;
    expect(told.at(-1)).toMatchObject({ method: '$/showMessage', params: { type: 'error', message: 'it is broken' } });
    expect(methodsOf(told).filter((method) => method === '$/showMessage')).toHaveLength(1);
  });

  test('nothing of ours is said before `initialized`', () => {
    const answering = (command: { type: string }) =>
      command.type === 'set-model' ? refused('invalid', 'no such model') : undefined;
    const client = connect({ answering: (command) => answering(command) ?? { ok: true } });
    client.request('initialize', eras.modern);
    expect(client.notify('chat/selectedModelChanged', { model: 'x' }).sent).toEqual([]);
    expect(methodsOf(client.notify('initialized').sent)).toContain('$/showMessage');
  });

  test.each<[string, unknown, readonly string[]]>([
    ['encoded', [{ uri: 'file:///a%20b/%C3%A4', name: 'x' }], ['/a b/ä']],
    ['with a host', [{ uri: 'file://localhost/a', name: 'x' }], ['/a']],
    ['of Windows', [{ uri: 'file:///C:/a', name: 'x' }], ['C:/a']],
    ['twice', [{ uri: 'file:///a' }, { uri: 'file:///a' }], ['/a']],
    ['elsewhere', [{ uri: 'ssh://host/a' }, { uri: 'untitled:a' }, { uri: '/a' }], []],
    ['badly encoded', [{ uri: 'file:///%zz' }, { uri: 'file:///a%00b' }], []],
    ['that are none', [null, 1, 'file:///a', {}, { uri: 1 }], []],
    ['none', null, []],
  ])('folders %s', (_, workspaceFolders, folders) => {
    const { delivered } = connect().request('initialize', { ...eras.first, workspaceFolders });
    expect(delivered[0]?.command).toEqual({ type: 'create-session', folders });
  });

  test('a request that comes first is served, and the session it needed is left for one in the folders', () => {
    const client = connect();
    expect(client.request('chat/queryCommands', { query: '' }).sent).toMatchObject([
      { result: { commands: [{}, {}, {}] } },
    ]);
    const { delivered } = client.request('initialize', eras.first, 2);
    expect(delivered.slice(0, 2)).toMatchObject([
      { command: { type: 'delete-session' }, session: 'session-1' },
      { command: { type: 'create-session', folders: ['/ws'] } },
    ]);
    expect(client.request('chat/queryCommands', { query: '' }).delivered.at(-1)?.session).toBe('session-2');
  });

  test('a second initialize is answered from what is known', () => {
    const client = connect();
    client.request('initialize', eras.first, 1);
    const { sent, delivered } = client.request('initialize', eras.first, 2);
    expect(sent).toMatchObject([{ id: 2, result: { models: ['acme/small', 'acme/large'] } }]);
    expect(typesOf(delivered)).toEqual([]);
  });
});

describe('the end', () => {
  test.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['an object', {}],
    ['an empty list', []],
    ['a list of null', [null]],
    ['a list', [1, 2]],
    ['a word', 'now'],
  ])('shutdown is answered with null, and exit closes, whatever the params: %s', (_, params) => {
    const client = connect();
    expect(methodsOf(client.notify('initialized', params).sent)[0]).toBe('$/progress');
    expect(client.request('shutdown', params, 9).sent).toEqual([{ jsonrpc: '2.0', id: 9, result: null }]);
    const { others, notes } = client.notify('exit', params);
    expect(others).toEqual([{ do: 'close', code: 'normal', reason: expect.any(String) }]);
    expect(notes).toEqual([]);
  });

  test.each([
    ['shutdown', true],
    ['exit', false],
  ])('a chat that ends behind %s is no news', (method, isRequest) => {
    const client = connect();
    client.request('initialize', eras.modern);
    client.notify('initialized');
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    if (isRequest) client.request(method);
    else client.notify(method);
    expect(client.over('session-1').sent).toEqual([]);
  });

  test('a client that greets again is told what happens', () => {
    const client = connect();
    client.request('shutdown');
    client.request('initialize', eras.modern);
    expect(methodsOf(client.notify('initialized').sent)).toContain('config/updated');
  });
});

describe('what is no message', () => {
  const fault = (code: number, id: unknown = null) => [
    { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
  ];

  test.each<[string, unknown, number, unknown]>([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'shutdown' }], -32_600, null],
    ['a string', 'shutdown', -32_600, null],
    ['null', null, -32_600, null],
    ['no version', { id: 1, method: 'shutdown' }, -32_600, 1],
    ['another version', { jsonrpc: '1.0', id: 'a', method: 'shutdown' }, -32_600, 'a'],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'shutdown' }, -32_600, null],
    ['a broken number as id', { jsonrpc: '2.0', id: 1.5, method: 'shutdown' }, -32_600, null],
    ['an id that numbers cannot hold', { jsonrpc: '2.0', id: 2 ** 60, method: 'shutdown' }, -32_600, null],
    ['an object as id', { jsonrpc: '2.0', id: {}, method: 'shutdown' }, -32_600, null],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600, 1],
    ['a method that is no string', { jsonrpc: '2.0', id: 1, method: 2 }, -32_600, 1],
  ])('%s', (_, message, code, id) => {
    const { sent, notes, delivered } = connect().raw(message);
    expect(sent).toEqual(fault(code, id));
    expect([notes.length, delivered]).toEqual([1, []]);
  });

  test.each([
    ['no JSON', '{"jsonrpc":'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(connect().bytes(Buffer.from(text)).sent).toEqual(fault(-32_700));
  });

  test.each([
    ['too-large', -32_600],
    ['bad-frame', -32_700],
  ] as const)('bytes that never became a frame: %s', (code, expected) => {
    const client = connect();
    const { sent, notes, others } = client.fault(code);
    expect([sent, notes, others]).toEqual([fault(expected), ['violation: it was bad'], []]);
    expect(client.request('shutdown').sent).toHaveLength(1);
  });

  test.each(['no/such', 'constructor', '__proto__', 'toString', '', 'initialized'])(
    'a request of a method that there is not: %s',
    (method) => {
      expect(connect().request(method, {}, 'x').sent).toEqual([
        { jsonrpc: '2.0', id: 'x', error: { code: -32_601, message: 'Method not found', data: { method } } },
      ]);
    },
  );

  test.each([
    ['completion/inline', 'inline completions'],
    ['rewrite/prompt', 'rewriting'],
    ['mcp/addServer', 'tool servers'],
    ['mcp/removeServer', 'tool servers'],
    ['providers/login', 'logins'],
  ])('a request that no agent serves is refused in words: %s', (method, words) => {
    expect(connect().request(method, {}, 'x').sent).toMatchObject([
      { id: 'x', error: { code: -32_601, message: expect.stringContaining(words), data: { method } } },
    ]);
  });

  test('notifications about tool servers that do nothing say so, once', () => {
    const client = connect();
    client.notify('initialized');
    const methods = ['mcp/connectServer', 'mcp/logoutServer', 'mcp/enableServer', 'mcp/disableServer'];
    const sent = methods.flatMap((method) => client.notify(method, { name: 'git' }).sent);
    expect(sent).toMatchObject([
      { method: '$/showMessage', params: { type: 'warning', message: expect.stringContaining('agent’s own') } },
    ]);
  });

  test.each(['no/such', 'constructor', '__proto__', '$/cancelRequest', 'chat/promptSteerRemove'])(
    'a notification of a method that does nothing: %s',
    (method) => {
      const { sent, delivered } = connect().notify(method, { id: 1 });
      expect([sent, delivered]).toEqual([[], []]);
    },
  );

  test.each<[string, unknown]>([
    ['chat/prompt', {}],
    ['chat/prompt', null],
    ['chat/prompt', []],
    ['chat/prompt', 'words'],
    ['chat/prompt', { message: 1 }],
    ['chat/prompt', { message: 'a', chatId: 1.5 }],
    ['chat/prompt', { message: 'a', chatId: 2 ** 60 }],
    ['chat/prompt', [{ message: 'a' }]],
    ['chat/prompt', { message: 'a', contexts: {} }],
    ['chat/prompt', { message: 'a', model: {} }],
    ['chat/queryContext', { query: 1 }],
    ['chat/queryCommands', [1]],
    ['chat/delete', { chatId: {} }],
    ['chat/clear', {}],
    ['chat/update', { chatId: 'a', title: 1 }],
    ['initialize', { workspaceFolders: 'here' }],
    ['initialize', 1],
  ])('bad params of %s: %j', (method, params) => {
    const { sent, delivered, notes } = connect().request(method, params, 's');
    expect(sent).toMatchObject([{ id: 's', error: { code: -32_602 } }]);
    expect([delivered, notes.length]).toEqual([[], 1]);
  });

  test.each<[string, unknown]>([
    ['chat/toolCallApprove', {}],
    ['chat/toolCallReject', { chatId: true, toolCallId: 2 }],
    ['chat/promptStop', [1]],
    ['chat/promptSteer', { chatId: 'a' }],
    ['mcp/startServer', null],
    ['workspace/didChangeWorkspaceFolders', {}],
  ])('bad params of the notification %s: %j', (method, params) => {
    const { sent, delivered, notes } = connect().notify(method, params);
    expect([sent, delivered, notes.length]).toEqual([[], [], 1]);
  });

  test.each([1, -1, 0, '1', '', 'ü'])('the id %j comes back as it is', (id) => {
    expect(connect().request('shutdown', {}, id).sent).toEqual([{ jsonrpc: '2.0', id, result: null }]);
  });

  test.each<[string, unknown]>([
    ['params absent', undefined],
    ['params null', null],
    ['params empty', {}],
    ['params an empty list', []],
    ['params a list of null', [null]],
    ['kebab keys', { 'chat-id': 'a', query: null }],
    ['a number as id', { chatId: 1 }],
    ['a number as id in kebab', { 'chat-id': 1 }],
  ])('%s are fine where nothing is needed', (_, params) => {
    expect(connect().request('chat/queryCommands', params).sent).toMatchObject([
      { result: { commands: [{}, {}, {}] } },
    ]);
  });

  test('answers to nothing are nothing', () => {
    const client = connect();
    for (const id of [1, 'a', 'ask-', 'ask-1-a-', 'ask-1-ab', 'ask-9999-a-b']) {
      const { sent, delivered, notes } = client.raw({ jsonrpc: '2.0', id, result: {} });
      expect([sent, delivered, notes]).toEqual([[], [], []]);
    }
  });
});

describe('requests of newer clients', () => {
  test.each<[string, object]>([
    ['chat/list', { chats: [] }],
    ['chat/open', { found: false }],
    ['chat/history', { contents: [], meta: { total: 0, returned: 0 } }],
    ['jobs/list', { jobs: [] }],
    ['jobs/kill', { killed: false }],
    ['providers/list', { providers: [] }],
    ['chat/delete', {}],
    ['chat/rollback', {}],
    ['chat/fork', {}],
    ['chat/addFlag', {}],
    ['chat/removeFlag', {}],
    ['chat/clear', {}],
    ['chat/update', {}],
  ])('%s is answered kindly', (method, result) => {
    const { sent } = connect().request(method, { chatId: 'unknown', title: 'T' });
    expect(sent.find((message) => 'result' in message)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result,
    });
  });

  test('what cannot be done is told to the user', () => {
    const client = connect();
    client.notify('initialized');
    expect(client.request('chat/addFlag', { chatId: 'a' }).sent).toMatchObject([
      { result: {} },
      { method: '$/showMessage', params: { type: 'warning' } },
    ]);
  });
});
