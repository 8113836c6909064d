// Chats of an ECA connection: prompts, and which session each is; the machine alone, without I/O.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import { answerAll, connect, greeted, methodsOf, typesOf } from './client.ts';

const prompt = (chatId: string | undefined, more: object = {}) => ({ chatId, message: 'Hello.', ...more });
const text = [{ type: 'text', text: 'Hello.' }];
const waiting = {
  method: 'chat/contentReceived',
  params: { role: 'system', content: { type: 'progress', text: 'Waiting model' } },
};

/** All is well but for commands of one type. */
const but =
  (type: Command['type'], outcome: Outcome | undefined) =>
  (command: Command): Outcome | undefined =>
    command.type === type ? outcome : answerAll(command);

describe('a prompt', () => {
  test('of a newer client: its chat is heard, it sees that something goes on, then the answer', () => {
    const { sent, delivered, others } = greeted().request('chat/prompt', prompt('c1'), 'p');
    expect(others[0]).toEqual({ do: 'subscribe', session: 'session-1', as: 'c1', dialect: 'streams-asks' });
    expect(delivered.at(-1)).toEqual({ command: { type: 'prompt', content: text }, session: 'session-1' });
    expect(sent).toMatchObject([
      { ...waiting, params: { ...waiting.params, chatId: 'c1' } },
      { id: 'p', result: { chatId: 'c1', model: 'acme/small', status: 'prompting' } },
    ]);
  });

  test('of an older client: it learns the name of its chat', () => {
    const client = greeted('first');
    const { sent, others } = client.request('chat/prompt', prompt(undefined, { behavior: 'agent' }), 4);
    expect(others[0]).toEqual({ do: 'subscribe', session: 'session-1', as: 'chat-1' });
    expect(sent.at(-1)).toMatchObject({ id: 4, result: { chatId: 'chat-1', status: 'success' } });
    const { delivered } = client.request('chat/prompt', prompt('chat-1'), 5);
    expect(delivered).toMatchObject([{ command: { type: 'prompt' }, session: 'session-1' }]);
  });

  test.each<[string, object]>([
    ['null', { message: 'Hello.', chatId: null, model: null, behavior: null, contexts: null }],
    ['kebab', { message: 'Hello.', 'chat-id': 'c1', 'request-id': 3 }],
  ])('the fields may be %s', (_, params) => {
    const { delivered } = connect().request('chat/prompt', params);
    expect(delivered.at(-1)?.command).toEqual({ type: 'prompt', content: text });
  });

  test('a client that names its chat and an agent is a newer one, whatever it said before', () => {
    const { sent } = greeted('first').request('chat/prompt', prompt('c1', { agent: 'default' }));
    expect(sent.at(-1)).toMatchObject({ result: { status: 'prompting' } });
  });

  test('without a greeting it is served as well, and then hears what we have to say', () => {
    const { sent } = connect().request('chat/prompt', prompt('c1'));
    expect(methodsOf(sent)).toEqual(['chat/contentReceived progress running', 'answer']);
  });

  test.each([
    '',
    ' ',
    ' a',
    'a ',
    'a b',
    'a\nb',
    '\u00a0',
    'a\u0000',
    'a\u007f',
    'subagent-1',
    'x'.repeat(257),
    '\ud800',
  ])('a bad chatId is refused in its answer, and nothing else is said: %j', (chatId) => {
    const { sent, delivered } = greeted().request('chat/prompt', prompt(chatId));
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { chatId, model: 'error', status: 'error' } }]);
    expect(delivered).toEqual([]);
  });

  test.each(['x'.repeat(256), 'constructor', '__proto__', 'ünï', 'a/b'])('a good chatId: %j', (chatId) => {
    const { sent } = greeted().request('chat/prompt', prompt(chatId));
    expect(sent.at(-1)).toMatchObject({ result: { chatId } });
  });

  test('contexts of all kinds', () => {
    const contexts = [
      { type: 'file', path: '/a', linesRange: { start: 1, end: 2 } },
      { type: 'file', path: '/b', 'lines-range': { start: 3, end: 4 } },
      { type: 'file', path: '/c', linesRange: null },
      { type: 'directory', path: '/d' },
      { type: 'web', url: 'https://example.com' },
      { type: 'repoMap' },
      { type: 'mcpResource', uri: 'x:y', name: 'n', description: 'd', mimeType: 'text/plain', server: 's' },
      { type: 'image', mediaType: 'image/png', base64: 'aGk=' },
      { type: 'text', label: 'notes', content: 'words' },
      { type: 'cursor', path: '/a', position: { start: { line: 3, character: 1 }, end: { line: 4, character: 2 } } },
      { type: 'cursor', path: '/a', position: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } },
      { type: 'cursor', path: null },
      { type: 'cursor', path: '/a', position: {} },
      { type: 'file' },
      'odd',
      { type: 'constructor' },
    ];
    const { delivered } = greeted().request('chat/prompt', prompt('c', { contexts }));
    expect(delivered.at(-1)?.command).toEqual({
      type: 'prompt',
      content: [
        ...text,
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        { type: 'document', name: 'notes', text: 'words' },
      ],
      contexts: [
        { type: 'file', path: '/a', lines: { start: 1, end: 2 } },
        { type: 'file', path: '/b', lines: { start: 3, end: 4 } },
        { type: 'file', path: '/c' },
        { type: 'directory', path: '/d' },
        { type: 'web', url: 'https://example.com' },
        { type: 'repo-map' },
        { type: 'resource', uri: 'x:y', name: 'n', description: 'd', mediaType: 'text/plain', server: 's' },
        { type: 'file', path: '/a', lines: { start: 3, end: 4 }, automatic: true },
        { type: 'file', path: '/a', lines: { start: 1, end: 1 }, automatic: true },
        {
          type: 'opaque',
          protocol: 'eca',
          payload: contexts[12],
          fault: expect.stringMatching(/^the cursor is malformed \(position\.start: /u),
        },
        {
          type: 'opaque',
          protocol: 'eca',
          payload: contexts[13],
          fault: expect.stringMatching(/^the file is malformed \(path: /u),
        },
        { type: 'opaque', protocol: 'eca', payload: 'odd' },
        { type: 'opaque', protocol: 'eca', payload: { type: 'constructor' } },
      ],
    });
  });
});

describe('the wishes of a prompt', () => {
  /** What was set for a prompt with those wishes. */
  function set(wishes: object, setting: Parameters<typeof greeted>[1] = {}) {
    const client = greeted('modern', setting);
    const { delivered, sent } = client.request('chat/prompt', prompt('c', wishes));
    return {
      client,
      sent,
      commands: delivered.map(({ command }) => command).filter(({ type }) => type.startsWith('set-')),
      delivered,
    };
  }

  test.each<[string, object, unknown[]]>([
    ['what is so already', { model: 'acme/small', agent: 'default', variant: 'low' }, []],
    ['the same by its short name', { model: 'small' }, []],
    ['empty words', { model: '', agent: '', variant: '' }, []],
    ['another model', { model: 'acme/large' }, [{ type: 'set-model', model: 'large', provider: 'acme' }]],
    ['another by its short name', { model: 'large' }, [{ type: 'set-model', model: 'large', provider: 'acme' }]],
    ['a model that nobody offered', { model: 'x/y' }, [{ type: 'set-model', model: 'x/y' }]],
    [
      'one of a provider that is known',
      { model: 'acme/nope' },
      [{ type: 'set-model', model: 'nope', provider: 'acme' }],
    ],
    ['the name of a provider', { model: 'acme' }, [{ type: 'set-model', model: 'acme' }]],
    ['another behaviour', { agent: 'plan' }, [{ type: 'set-mode', mode: 'plan' }]],
    ['another in the old word', { behavior: 'plan' }, [{ type: 'set-mode', mode: 'plan' }]],
    ['a behaviour of another server', { agent: 'code' }, []],
    ['another variant', { variant: 'high' }, [{ type: 'set-thinking', level: 'high' }]],
    ['trust', { trust: true }, [{ type: 'set-trust', enabled: true }]],
    ['no trust, as it is', { trust: false }, []],
    [
      'all of it',
      { model: 'acme/large', agent: 'plan', variant: 'high' },
      [
        { type: 'set-model', model: 'large', provider: 'acme' },
        { type: 'set-mode', mode: 'plan' },
        { type: 'set-thinking', level: 'high' },
      ],
    ],
  ])('%s', (_, wishes, expected) => {
    const { commands, delivered } = set(wishes);
    expect(commands).toEqual(expected);
    expect(delivered.at(-1)?.command.type).toBe('prompt');
  });

  test.each<[string, string, string[]]>([
    ['the word that we said ourselves while nothing was known', 'agent', []],
    ['the word of another server', 'code', ['loss: chat/prompt: a behaviour that the agent does not have']],
  ])('a behaviour that the agent lacks: %s', (_, agent, notes) => {
    expect(greeted().request('chat/prompt', prompt('c', { agent })).notes).toEqual(notes);
  });

  test('trust is said with each prompt and set once; a prompt without a word about it leaves it on', () => {
    const { client } = set({ trust: true });
    client.happen('session-1', { type: 'session-changed', changes: { trusted: true } });
    const asked = [{ trust: true }, {}, { trust: null }, { trust: false }].map((wishes) =>
      typesOf(client.request('chat/prompt', prompt('c', wishes)).delivered),
    );
    expect(asked).toEqual([['prompt'], ['prompt'], ['prompt'], ['set-trust', 'prompt']]);
  });

  test('the names that are offered are those that are taken, with and without a provider', () => {
    const models = [{ id: 'a' }, { id: 'p/b', provider: 'p' }, { id: 'c', provider: 'p' }, { id: 'c', provider: 'q' }];
    const answering = (command: Command): Outcome =>
      command.type === 'query' && command.subject === 'models' ? { ok: true, data: { models } } : answerAll(command);
    const client = connect({ answering });
    const { sent } = client.request('initialize', { capabilities: {} });
    expect(sent).toMatchObject([{ result: { models: ['a', 'p/b', 'p/c', 'q/c', 'acme/small'] } }]);
    client.notify('initialized');
    const chosen = ['a', 'p/b', 'p/c', 'q/c', 'p/none', 'q/none'].map((model) => {
      const { delivered } = client.request('chat/prompt', prompt('c', { model }));
      return delivered.map(({ command }) => command).find(({ type }) => type === 'set-model');
    });
    expect(chosen.map((command) => ({ ...command, type: undefined }))).toEqual([
      { model: 'a' },
      { model: 'p/b', provider: 'p' },
      { model: 'c', provider: 'p' },
      { model: 'c', provider: 'q' },
      { model: 'p/none', provider: 'p' },
      { model: 'none', provider: 'q' },
    ]);
  });

  test('a model that was chosen is not chosen again, though its agent never says so', () => {
    const { client } = set({ model: 'acme/large' });
    const { delivered, sent } = client.request('chat/prompt', prompt('c', { model: 'acme/large' }));
    expect(typesOf(delivered)).toEqual(['prompt']);
    expect(sent.at(-1)).toMatchObject({ result: { model: 'acme/large' } });
    client.happen('session-1', { type: 'session-changed', changes: { model: { id: 'small', provider: 'acme' } } });
    expect(typesOf(client.request('chat/prompt', prompt('c', { model: 'acme/large' })).delivered)).toEqual([
      'set-model',
      'prompt',
    ]);
  });

  test.each<[string, object, Command['type']]>([
    ['model', { model: 'acme/large' }, 'set-model'],
    ['behaviour', { agent: 'plan' }, 'set-mode'],
    ['variant', { variant: 'high' }, 'set-thinking'],
  ])('a %s that is refused: a warning, once, and the prompt goes on', (_, wishes, type) => {
    const { client, sent, delivered } = set(wishes, { answering: but(type, refused('invalid', 'no such thing')) });
    expect(methodsOf(sent)).toEqual(['chat/contentReceived progress running', '$/showMessage', 'answer']);
    expect(sent[1]).toMatchObject({ params: { type: 'warning', message: expect.stringContaining('no such thing') } });
    expect(delivered.at(-1)?.command.type).toBe('prompt');
    expect(methodsOf(client.request('chat/prompt', prompt('c', wishes)).sent)).not.toContain('$/showMessage');
  });

  test('prompts keep their order while the first one’s wishes are carried out', () => {
    const client = greeted('modern', { answering: but('set-model', undefined) });
    client.request('chat/prompt', prompt('c', { model: 'acme/large' }), 1);
    expect(client.request('chat/prompt', { chatId: 'c', message: 'Second.' }, 2).delivered).toEqual([]);
    const { delivered } = client.settle('set-model', { ok: true });
    expect(delivered).toMatchObject([
      { command: { content: [{ text: 'Hello.' }] } },
      { command: { content: [{ text: 'Second.' }] } },
    ]);
  });

  test('only so many wait', () => {
    const client = greeted('modern', { answering: but('set-model', undefined) });
    client.request('chat/prompt', prompt('c', { model: 'acme/large' }));
    for (let at = 0; at < 64; at += 1) expect(client.request('chat/prompt', prompt('c')).sent).toEqual([]);
    expect(client.request('chat/prompt', prompt('c'), 'last').sent.at(0)).toMatchObject({
      id: 'last',
      result: { chatId: 'c', model: 'error', status: 'error' },
    });
  });
});

describe('the answer to a prompt', () => {
  test('waits until the session has taken it', () => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    expect(methodsOf(client.request('chat/prompt', prompt('c'), 'p').sent)).toEqual([
      'chat/contentReceived progress running',
    ]);
    expect(client.settle('prompt', { ok: true }).sent).toMatchObject([{ id: 'p', result: { status: 'prompting' } }]);
  });

  test('comes at once while a run goes on, and nothing is said to be waited for', () => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    client.request('chat/prompt', prompt('c'), 'p');
    client.settle('prompt', { ok: true });
    client.happen('session-1', { type: 'run-start' });
    const { sent, delivered } = client.request('chat/prompt', prompt('c'), 'q');
    expect(sent).toMatchObject([{ id: 'q', result: { chatId: 'c' } }]);
    expect(typesOf(delivered)).toEqual(['prompt']);
    // Its own outcome comes with its run, and is no news.
    expect(client.settle('prompt', { ok: true }).sent).toEqual([]);
  });

  test('comes to those behind it as well', () => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    client.request('chat/prompt', prompt('c'), 'p');
    client.request('chat/prompt', prompt('c'), 'q');
    expect(client.settle('prompt', { ok: true }).sent).toMatchObject([{ id: 'p' }, { id: 'q' }]);
  });

  test('when it fails before any run: as real servers answer, and in the chat, which is free again', () => {
    const client = greeted('modern', { answering: but('prompt', refused('agent-down', 'it is gone')) });
    const { sent } = client.request('chat/prompt', prompt('c'), 'p');
    expect(sent.slice(1)).toMatchObject([
      { id: 'p', result: { chatId: 'c', model: 'error', status: 'error' } },
      { params: { chatId: 'c', role: 'user', content: { type: 'text', text: 'Hello.\n' } } },
      { params: { chatId: 'c', role: 'system', content: { type: 'text', text: '\n\nit is gone' } } },
      { params: { chatId: 'c', role: 'system', content: { type: 'progress', state: 'finished' } } },
    ]);
  });

  test('what its user said comes back without what was put beside it', () => {
    const client = greeted('modern', { answering: but('prompt', refused('agent-down', 'it is gone')) });
    const contexts = [
      { type: 'file', path: '/a' },
      { type: 'text', label: 'l', content: 'x' },
    ];
    const { sent } = client.request('chat/prompt', prompt('c', { contexts }), 'p');
    expect(sent.flatMap(({ params }) => (params?.role === 'user' ? [params.content] : []))).toEqual([
      { type: 'text', text: 'Hello.\n' },
    ]);
  });

  test('when it fails behind a run: the chat stays busy', () => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    client.request('chat/prompt', prompt('c'), 'p');
    client.settle('prompt', { ok: true });
    client.happen('session-1', { type: 'run-start' });
    client.request('chat/prompt', prompt('c'), 'q');
    expect(methodsOf(client.settle('prompt', refused('limit', 'too many')).sent)).toEqual([
      'chat/contentReceived text',
      'chat/contentReceived text',
    ]);
  });

  test.each([
    ['sent in it', true],
    ['sent before it began', false],
  ])('when it fails because the run before it did, %s: that run has freed the chat', (_, isLate) => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    const send = (id: string) => client.request('chat/prompt', prompt('c'), id);
    send('p');
    if (!isLate) send('q');
    client.settle('prompt', { ok: true });
    client.happen('session-1', { type: 'run-start' });
    if (isLate) send('q');
    client.happen('session-1', { type: 'run-end', outcome: 'failed' });
    expect(methodsOf(client.settle('prompt', refused('agent-down', 'it died')).sent)).toEqual([
      'chat/contentReceived text',
      'chat/contentReceived text',
    ]);
  });

  test('an agent that cannot be asked for its state is not asked for more', () => {
    const client = greeted('modern', {
      answering: (command) => (command.type === 'query' ? refused('agent-down', 'it is gone') : answerAll(command)),
    });
    const { sent, delivered } = client.request('chat/prompt', prompt('c', { model: 'x' }));
    expect(typesOf(delivered).at(-1)).toBe('query state');
    expect(methodsOf(sent).at(-1)).toBe('chat/contentReceived progress finished');
  });

  test('no session to be had: told, and the next prompt tries again', () => {
    let isFull = true;
    const client = connect({
      answering: (command) =>
        command.type === 'create-session' && isFull ? refused('limit', 'too many sessions') : answerAll(command),
    });
    client.notify('initialized');
    const { sent } = client.request('chat/prompt', prompt('c'), 'p');
    expect(sent.at(0)).toMatchObject({ id: 'p', result: { status: 'error' } });
    expect(sent.at(2)).toMatchObject({ params: { content: { text: '\n\ntoo many sessions' } } });
    isFull = false;
    expect(client.request('chat/prompt', prompt('c'), 'q').sent.at(-1)).toMatchObject({
      id: 'q',
      result: { chatId: 'c' },
    });
  });

  test('stopped by its user before it began: no failure', () => {
    const client = greeted('modern', { answering: but('prompt', refused('aborted', 'stopped')) });
    expect(methodsOf(client.request('chat/prompt', prompt('c')).sent).slice(1)).toEqual([
      'answer',
      'chat/contentReceived progress finished',
    ]);
  });
});

describe('a stop', () => {
  const stopped = refused('aborted', 'the user stopped what came before it');
  function prompting(...ids: readonly string[]) {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    for (const id of ids) client.request('chat/prompt', prompt('c'), id);
    return client;
  }

  test('with prompts behind a run: they were answered, nothing is said, and the run frees the chat', () => {
    const client = prompting('p');
    client.settle('prompt', { ok: true });
    client.happen('session-1', { type: 'run-start' });
    client.request('chat/prompt', prompt('c'), 'q');
    client.request('chat/prompt', prompt('c'), 'r');
    expect([client.settle('prompt', stopped).sent, client.settle('prompt', stopped).sent]).toEqual([[], []]);
  });

  test('between two runs: the chat is free again, once', () => {
    const client = prompting('p');
    client.settle('prompt', { ok: true });
    client.happen('session-1', { type: 'run-start' });
    client.request('chat/prompt', prompt('c'), 'q');
    client.happen('session-1', { type: 'run-end', outcome: 'completed' });
    // `q` is to be sent any moment, and the client has been told that it may go on.
    expect(methodsOf(client.request('chat/prompt', prompt('c'), 'r').sent)).toEqual([
      'chat/contentReceived progress running',
    ]);
    expect(client.settle('prompt', stopped).sent).toEqual([]);
    const { sent } = client.settle('prompt', stopped);
    expect(sent.at(0)).toMatchObject({ id: 'r', result: { chatId: 'c', status: 'prompting' } });
    expect(methodsOf(sent)).toEqual(['answer', 'chat/contentReceived progress finished']);
  });

  test('of prompts of which none has begun: each is answered, and the chat is free once', () => {
    const client = prompting('p', 'q');
    expect(client.settle('prompt', stopped).sent).toMatchObject([{ id: 'p', result: { chatId: 'c' } }]);
    const { sent } = client.settle('prompt', stopped);
    expect(sent.at(0)).toMatchObject({ id: 'q', result: { chatId: 'c' } });
    expect(methodsOf(sent)).toEqual(['answer', 'chat/contentReceived progress finished']);
  });

  test('during a compaction, which frees no chat', () => {
    const client = prompting('p');
    client.settle('prompt', { ok: true });
    client.happen('session-1', { type: 'compaction-start', trigger: 'manual' });
    expect(methodsOf(client.request('chat/prompt', prompt('c'), 'q').sent)).toEqual([
      'chat/contentReceived progress running',
      'answer',
    ]);
    expect(methodsOf(client.settle('prompt', stopped).sent)).toEqual(['chat/contentReceived progress finished']);
  });
});

describe('sessions', () => {
  test('two chats are two sessions, and each is heard under its own name', () => {
    const client = greeted();
    expect(client.request('chat/prompt', prompt('a')).delivered.at(-1)?.session).toBe('session-1');
    const { delivered, others } = client.request('chat/prompt', prompt('b'));
    expect(typesOf(delivered)).toContain('create-session');
    expect(delivered.at(-1)?.session).toBe('session-2');
    expect(others[0]).toMatchObject({ do: 'subscribe', session: 'session-2', as: 'b' });
    expect(client.request('chat/prompt', prompt('a')).delivered).toMatchObject([{ session: 'session-1' }]);
  });

  test('two chats at once, before there is any session', () => {
    const client = connect({ answering: but('create-session', undefined) });
    client.request('chat/prompt', prompt('a'), 'a');
    client.request('chat/prompt', prompt('b'), 'b');
    // The harness makes no sessions for late answers: both are told so, each by itself.
    const session = (id: string) => ({ ok: true, data: { session: { id } } }) as const;
    const { delivered } = client.settle('create-session', session('s1'));
    expect(delivered.map(({ command, session: name }) => [command.type, name])).toEqual([
      ['prompt', 's1'],
      ['create-session', undefined],
    ]);
    expect(client.settle('create-session', session('s2')).delivered).toMatchObject([{ session: 's2' }]);
  });

  test('a client that comes back goes on with its chat', () => {
    const client = greeted('modern', { sessions: ['mine'] });
    const { delivered, others, sent } = client.request('chat/prompt', prompt('mine'));
    expect(delivered.map(({ command, session }) => [command.type, session])).toEqual([
      ['query', 'mine'],
      ['prompt', 'mine'],
    ]);
    expect(others[0]).toMatchObject({ do: 'subscribe', session: 'mine', as: 'mine' });
    expect(methodsOf(sent)).toEqual(['chat/contentReceived progress running', 'answer']);
    // From then on by its own id, under which it is watched as well.
    expect(client.request('chat/delete', { chatId: 'mine' })).toMatchObject({
      delivered: [{ session: 'real-mine' }],
      others: [{ do: 'unsubscribe', session: 'real-mine' }],
    });
  });

  test('a session that is gone before it is heard: the next chat answers its own questions alone', () => {
    const client = greeted('modern', {
      sessions: ['one', 'two'],
      answering: (command, session) => (command.type === 'query' && session === 'one' ? undefined : answerAll(command)),
    });
    client.request('chat/open', { chatId: 'one' });
    client.sweep('one');
    client.settle('query', refused('agent-down', 'gone'));
    client.request('chat/open', { chatId: 'two' });
    client.happen('two', { type: 'approval-request', id: 'a', call: 'call', name: 'x', input: {} });
    expect(client.notify('chat/toolCallApprove', { chatId: 'one', toolCallId: 'call' }).delivered).toEqual([]);
    expect(client.notify('chat/toolCallApprove', { chatId: 'two', toolCallId: 'call' }).delivered).toMatchObject([
      { command: { type: 'answer-approval', id: 'a' }, session: 'real-two' },
    ]);
  });

  test('a chat that is named like the session of another, while it is looked for, gets one of its own', () => {
    const client = greeted('modern', {
      sessions: ['session-2'],
      answering: (command, session) =>
        command.type === 'query' && session === 'session-2' ? undefined : answerAll(command),
    });
    client.request('chat/prompt', prompt('one'));
    client.request('chat/prompt', prompt('session-2'));
    client.request('chat/prompt', prompt('two'));
    const { others } = client.settle('query', answerAll({ type: 'query', subject: 'state' }));
    expect(others).toContainEqual(expect.objectContaining({ do: 'subscribe', session: 'session-3', as: 'session-2' }));
  });

  test('a name that we have made up is looked for nowhere', () => {
    expect(typesOf(connect().request('chat/prompt', prompt(undefined)).delivered)).toEqual([
      'create-session',
      'prompt',
    ]);
  });

  test('… also while its run goes on', () => {
    const answering = (command: Command): Outcome | undefined => {
      if (command.type === 'prompt') return undefined;
      const isState = command.type === 'query' && command.subject === 'state';
      return isState ? { ok: true, data: { changes: {}, running: true } } : answerAll(command);
    };
    const client = greeted('modern', { sessions: ['mine'], answering });
    expect(client.request('chat/prompt', prompt('mine'), 'p').sent).toMatchObject([{ id: 'p', result: {} }]);
  });

  test('a home that was closed because nobody was in it is opened again', () => {
    const client = greeted();
    client.sweep('session-1');
    const { delivered, sent } = client.request('chat/prompt', prompt('a'));
    expect(delivered.at(-1)).toMatchObject({ command: { type: 'prompt' }, session: 'session-2' });
    expect(sent.at(-1)).toMatchObject({ result: { chatId: 'a' } });
  });

  test('a session that ends by itself: the user learns why, and the chat goes on in another', () => {
    const client = greeted();
    client.request('chat/prompt', prompt('a'));
    expect(client.over('session-1').sent).toMatchObject([
      { method: '$/showMessage', params: { type: 'warning', message: 'The chat is over: it was idle.' } },
    ]);
    expect(client.request('chat/prompt', prompt('a')).delivered.at(-1)?.session).toBe('session-2');
  });

  test('… with a prompt on its way: that has failed', () => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    client.request('chat/prompt', prompt('a'), 'p');
    expect(methodsOf(client.over('session-1').sent)).toEqual([
      'answer',
      'chat/contentReceived text',
      'chat/contentReceived text',
      'chat/contentReceived progress finished',
    ]);
    // Its late outcome is no news.
    expect(client.settle('prompt', refused('shutting-down', 'gone')).sent).toEqual([]);
  });
});

describe('a connection that belongs to a session', () => {
  test('has that one chat, named or not', () => {
    const client = connect({ bound: 'one' });
    for (const chatId of [undefined, 'one']) {
      const { sent, delivered, others } = client.request('chat/prompt', prompt(chatId), 'p');
      expect(delivered).toEqual([{ command: { type: 'prompt', content: text }, session: undefined }]);
      expect(others.filter((action) => action.do === 'subscribe')).toEqual([]);
      expect(sent).toMatchObject([{ id: 'p', result: { chatId: 'one' } }]);
    }
  });

  test.each(['two', '', 'subagent-1'])('and no other: %j', (chatId) => {
    const { sent, delivered } = connect({ bound: 'one' }).request('chat/prompt', prompt(chatId));
    expect(sent).toMatchObject([{ id: 1, error: { code: -32_602, message: expect.stringContaining('one chat') } }]);
    expect(delivered).toEqual([]);
  });

  test('is greeted like any other, and makes no sessions', () => {
    const client = connect({ bound: 'one' });
    const { sent, delivered } = client.request('initialize', { capabilities: {} });
    expect(sent).toMatchObject([{ result: { models: ['acme/small', 'acme/large'] } }]);
    expect(delivered.every(({ command, session }) => command.type === 'query' && session === undefined)).toBe(true);
    expect(methodsOf(client.notify('initialized').sent)).toContain('config/updated');
  });
});
