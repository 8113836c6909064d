// What an ECA client says beside prompts: answers to questions, look-ups, choices, and what it does with its chats.
import { describe, expect, test } from 'vitest';
import { askId } from '../../../src/adapters/eca/frontend/question-ids.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { answerAll, connect, type eras, greeted, methodsOf, typesOf } from './client.ts';

/** All is well but for commands of one type. */
const but =
  (type: Command['type'], outcome: Outcome | undefined) =>
  (command: Command): Outcome | undefined =>
    command.type === type ? outcome : answerAll(command);

/** A client whose chat `c` has come to that state. */
function chatting(events: readonly Event[] = [], setting: Parameters<typeof greeted>[1] = {}) {
  const client = greeted('modern', setting);
  client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
  client.happen('session-1', { type: 'run-start' }, ...events);
  return client;
}

const run: Event = { type: 'run-start' };
const approval: Event = {
  type: 'approval-request',
  id: 'ask-7',
  call: 'call-1',
  name: 'bash',
  input: {},
  suggestions: ['always', { rule: 'x' }],
};
const bare: Event = { type: 'approval-request', id: 'ask-8', name: 'bash', input: {} };
const confirm: Event = { type: 'dialog-request', id: 'd1', kind: 'confirm', title: 'Sure?' };
const select: Event = { type: 'dialog-request', id: 'd2', kind: 'select', title: 'Which?', options: ['a', 'b'] };

describe('tool calls', () => {
  test.each<[string, string, object, object]>([
    ['allowed', 'chat/toolCallApprove', {}, { type: 'answer-approval', id: 'ask-7', decision: 'allow' }],
    [
      'allowed for the session',
      'chat/toolCallApprove',
      { save: 'session' },
      {
        type: 'answer-approval',
        id: 'ask-7',
        decision: 'allow',
        remember: ['always', { rule: 'x' }],
        forSession: true,
      },
    ],
    ['denied', 'chat/toolCallReject', {}, { type: 'answer-approval', id: 'ask-7', decision: 'deny' }],
    [
      'an approval without a call goes by its own id',
      'chat/toolCallApprove',
      { toolCallId: 'ask-8' },
      { type: 'answer-approval', id: 'ask-8', decision: 'allow' },
    ],
    [
      'allowed for the session, of an agent that suggests nothing to keep',
      'chat/toolCallApprove',
      { toolCallId: 'ask-8', save: 'session' },
      { type: 'answer-approval', id: 'ask-8', decision: 'allow', forSession: true },
    ],
    [
      'in the chat of a sub-agent',
      'chat/toolCallApprove',
      { chatId: 'subagent-1-c-call-9' },
      { type: 'answer-approval', id: 'ask-7', decision: 'allow' },
    ],
    [
      'a call whose id came before',
      'chat/toolCallReject',
      { toolCallId: 'call-1#2' },
      { type: 'answer-approval', id: 'ask-7', decision: 'deny' },
    ],
    [
      'a confirmation, yes',
      'chat/toolCallApprove',
      { toolCallId: 'd1' },
      { type: 'answer-dialog', id: 'd1', answer: { kind: 'confirmed', confirmed: true } },
    ],
    [
      'a confirmation, no',
      'chat/toolCallReject',
      { toolCallId: 'd1' },
      { type: 'answer-dialog', id: 'd1', answer: { kind: 'confirmed', confirmed: false } },
    ],
    ['in kebab', 'chat/toolCallApprove', { toolCallId: undefined, 'tool-call-id': 'call-1' }, { decision: 'allow' }],
  ])('%s', (_, method, params, expected) => {
    const client = chatting([approval, bare, confirm, select]);
    const { delivered, sent, notes } = client.notify(method, { chatId: 'c', toolCallId: 'call-1', ...params });
    expect(delivered).toMatchObject([{ command: expected, session: 'session-1' }]);
    expect([sent, notes]).toEqual([[], []]);
  });

  test.each<[string, object]>([
    ['a call that waits for nothing', { toolCallId: 'call-9' }],
    ['another chat', { chatId: 'x' }],
    ['a question that has no buttons', { toolCallId: 'd2' }],
    ['an approval by its own id where it has a call', { toolCallId: 'ask-7' }],
    ['`constructor`', { toolCallId: 'constructor' }],
  ])('%s: ignored, and noted', (_, params) => {
    const client = chatting([approval, select]);
    const { delivered, sent, notes } = client.notify('chat/toolCallApprove', {
      chatId: 'c',
      toolCallId: 'call-1',
      ...params,
    });
    expect([delivered, sent]).toEqual([[], []]);
    expect(notes).toEqual(['loss: chat/toolCallApprove: nothing waits for it']);
  });

  test.each([
    ['stale', 0],
    ['agent-refused', 1],
  ] as const)('an answer that is refused as %s', (code, messages) => {
    const client = chatting([approval], { answering: but('answer-approval', refused(code, 'no')) });
    const { sent } = client.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: 'call-1' });
    expect(methodsOf(sent)).toEqual(Array.from({ length: messages }, () => '$/showMessage'));
  });
});

describe('questions', () => {
  const id = askId('c', 'd2');

  test.each<[string, object, object]>([
    ['chosen', { result: { answer: 'a', cancelled: false } }, { answer: { kind: 'value', value: 'a' } }],
    ['cancelled', { result: { answer: null, cancelled: true } }, { answer: { kind: 'cancelled' } }],
    ['without an answer', { result: {} }, { answer: { kind: 'cancelled' } }],
    ['failed', { error: { code: -32_601, message: 'no' } }, { answer: { kind: 'cancelled' }, unable: true }],
    ['malformed', { result: { answer: {} } }, { answer: { kind: 'cancelled' }, unable: true }],
  ])('%s', (_, answer, expected) => {
    const { delivered } = chatting([select]).raw({ jsonrpc: '2.0', id, ...answer });
    expect(delivered).toEqual([{ command: { type: 'answer-dialog', id: 'd2', ...expected }, session: 'session-1' }]);
  });

  test.each([
    ['c', 'd'],
    ['a-b', 'c-d'],
    ['1-2', ''],
  ])('the ids of two chats differ: %s %s', (chatId, dialogId) => {
    expect(askId(chatId, dialogId)).not.toBe(askId(`${chatId}-`, dialogId));
  });

  /** What a client says of questions that it cannot be asked, while its prompt is at work. */
  function declined(era: keyof typeof eras, question: Event) {
    const client = greeted(era, { answering: but('prompt', undefined) });
    const { others } = client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    expect(others).toContainEqual({ do: 'timer', id: 'questions', ms: 250 });
    client.happen('session-1', run, question);
    const looked = client.wake('questions');
    expect(looked.others).toContainEqual({ do: 'timer', id: 'questions', ms: 250 });
    expect(client.wake('questions').delivered).toEqual([]);
    return looked.delivered;
  }

  test.each<[keyof typeof eras, string, Event, boolean]>([
    ['first', 'an approval', approval, false],
    ['first', 'a confirmation', confirm, false],
    ['first', 'a choice', select, true],
    ['modern', 'a choice', select, false],
    ['modern', 'an interview', { type: 'dialog-request', id: 'd2', kind: 'interview', title: 'Many' }, true],
  ])('a client of the %s era cannot be asked %s: %j', (era, _, question, isDeclined) => {
    const command = { type: 'answer-dialog', id: 'd2', answer: { kind: 'cancelled' }, unable: true };
    expect(declined(era, question)).toEqual(isDeclined ? [{ command, session: 'session-1' }] : []);
  });

  test('nobody looks any more when the run is over', () => {
    const client = greeted();
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    expect(client.wake('questions').others).toEqual([]);
  });
});

describe('stopping and steering', () => {
  test('stop: the run is aborted', () => {
    const { delivered, sent } = chatting().notify('chat/promptStop', { chatId: 'c' });
    const command = { type: 'abort', target: 'run', waiting: 'drop' };
    expect(delivered).toEqual([{ command, session: 'session-1' }]);
    expect(sent).toEqual([]);
  });

  test('stop in a chat that nobody knows, or that says no: nothing', () => {
    expect(greeted().notify('chat/promptStop', { chatId: 'x' }).delivered).toEqual([]);
    const client = chatting([], { answering: but('abort', refused('unsupported', 'no')) });
    expect(client.notify('chat/promptStop', { chatId: 'c' }).sent).toEqual([]);
  });

  test('stop while a prompt is not with its agent yet: it never gets there, and the chat is free', () => {
    const client = greeted('modern', { answering: but('set-model', undefined) });
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.', model: 'acme/large' }, 'p');
    expect(methodsOf(client.notify('chat/promptStop', { chatId: 'c' }).sent)).toEqual([
      'answer',
      'chat/contentReceived progress finished',
    ]);
    expect(client.settle('set-model', { ok: true }).delivered).toEqual([]);
    expect(typesOf(client.request('chat/prompt', { chatId: 'c', message: 'Again.' }).delivered)).toEqual(['prompt']);
  });

  test('steer: into the run', () => {
    const { delivered } = chatting().notify('chat/promptSteer', { chatId: 'c', message: 'Left.' });
    const command = { type: 'steer', content: [{ type: 'text', text: 'Left.' }] };
    expect(delivered).toEqual([{ command, session: 'session-1' }]);
  });

  test('steer without a run, or an agent that cannot: the client will send it as a prompt', () => {
    expect(greeted().notify('chat/promptSteer', { chatId: 'c', message: 'Left.' }).delivered).toEqual([]);
    const client = chatting([], { answering: but('steer', refused('unsupported', 'no')) });
    expect(client.notify('chat/promptSteer', { chatId: 'c', message: 'Left.' }).sent).toEqual([]);
  });
});

describe('what is done with chats', () => {
  test('delete: the session goes, the chat is heard no more, and the name is free', () => {
    const client = chatting();
    const { sent, delivered, others } = client.request('chat/delete', { chatId: 'c' }, 'x');
    expect(delivered).toEqual([{ command: { type: 'delete-session' }, session: 'session-1' }]);
    expect(others).toEqual([{ do: 'unsubscribe', session: 'session-1' }]);
    expect(sent).toMatchObject([
      { method: 'chat/deleted', params: { chatId: 'c' } },
      { id: 'x', result: {} },
    ]);
    expect(client.over('session-1').sent).toEqual([]);
    const again = client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    expect(again.delivered.at(-1)?.session).toBe('session-2');
  });

  test('delete: clients of the first era only hear the answer', () => {
    const client = greeted('first');
    client.request('chat/prompt', { message: 'Hello.' });
    expect(client.request('chat/delete', { chatId: 'chat-1' }, 'x').sent).toEqual([
      { jsonrpc: '2.0', id: 'x', result: {} },
    ]);
  });

  test('delete with a prompt on its way: that is answered first, and nothing is said in the chat', () => {
    const client = greeted('modern', { answering: but('prompt', undefined) });
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' }, 'p');
    expect(client.request('chat/delete', { chatId: 'c' }, 'x').sent).toMatchObject([{ id: 'p' }, {}, { id: 'x' }]);
    expect(client.settle('prompt', refused('shutting-down', 'deleted')).sent).toEqual([]);
  });

  test.each<[string, Command['type'], readonly string[], readonly string[]]>([
    ['looked for among those of earlier connections', 'query', ['c'], ['c']],
    ['given a session', 'abort', [], ['c', 'session-1']],
  ])('delete a chat while it is %s: its session goes, and it is not heard', (_, slow, sessions, gone) => {
    const answering = (command: Command, session?: string): Outcome | undefined =>
      command.type === slow && (slow === 'abort' || session === 'c') ? undefined : answerAll(command);
    const client = greeted('modern', { sessions, answering });
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' }, 'p');
    const deleted = client.request('chat/delete', { chatId: 'c' }, 'd');
    expect(deleted.sent).toMatchObject([{ id: 'p' }, { method: 'chat/deleted' }, { id: 'd', result: {} }]);
    const after = client.settle(slow, answerAll({ type: 'query', subject: 'state' }));
    expect([...deleted.others, ...after.others, ...after.sent]).toEqual([]);
    const all = [...deleted.delivered, ...after.delivered];
    expect(all.map(({ command, session }) => [command.type, session])).toEqual(
      gone.map((session) => ['delete-session', session]),
    );
    const next = client.request('chat/prompt', { chatId: 'd', message: 'Hello.' });
    expect(next.others).toContainEqual(expect.objectContaining({ do: 'subscribe', as: 'd' }));
  });

  test('delete a chat of an earlier connection', () => {
    const client = greeted('modern', { sessions: ['old'] });
    const { delivered, sent } = client.request('chat/delete', { chatId: 'old' });
    expect(delivered).toEqual([{ command: { type: 'delete-session' }, session: 'old' }]);
    expect(sent.at(-1)).toMatchObject({ result: {} });
  });

  test('delete that is refused is an error', () => {
    const client = chatting([], { answering: but('delete-session', refused('internal', 'no')) });
    expect(client.request('chat/delete', { chatId: 'c' }).sent).toMatchObject([{ error: { message: 'no' } }]);
  });

  test.each<[string, object, Outcome, readonly string[], readonly string[]]>([
    ['done', {}, { ok: true }, ['new-session'], ['answer']],
    ['refused', {}, refused('unsupported', 'no'), ['new-session'], ['$/showMessage', 'answer']],
    ['of nothing', { messages: false }, { ok: true }, [], ['answer']],
  ])('clear: %s', (_, params, outcome, asked, said) => {
    const client = chatting([], { answering: but('new-session', outcome) });
    const { delivered, sent } = client.request('chat/clear', { chatId: 'c', messages: true, ...params });
    expect([typesOf(delivered), methodsOf(sent)]).toEqual([asked, said]);
  });

  test.each<[string, object, object[]]>([
    ['the title is the name of the session', { title: 'T' }, [{ type: 'set-name', name: 'T' }]],
    ['trust is the session’s', { trust: true }, [{ type: 'set-trust', enabled: true }]],
    ['trust is taken back', { trust: false }, [{ type: 'set-trust', enabled: false }]],
    ['nothing of it', { trust: null, title: null }, []],
    [
      'both',
      { title: 'T', trust: true },
      [
        { type: 'set-trust', enabled: true },
        { type: 'set-name', name: 'T' },
      ],
    ],
    ['of a chat that is not there: its first prompt repeats it', { chatId: 'x', trust: true }, []],
  ])('update: %s', (_, params, commands) => {
    const { delivered, sent } = chatting().request('chat/update', { chatId: 'c', ...params });
    expect(delivered).toEqual(commands.map((command) => ({ command, session: 'session-1' })));
    expect(sent).toMatchObject([{ result: {} }]);
  });

  test('open: a chat of an earlier connection is told from the beginning', () => {
    const { sent, others } = greeted('modern', { sessions: ['old'] }).request('chat/open', { chatId: 'old' });
    expect(others).toEqual([{ do: 'subscribe', session: 'old', as: 'old', dialect: 'streams-asks' }]);
    expect(sent).toMatchObject([{ result: { found: true, chatId: 'old' } }]);
  });

  test('open: a chat of this connection is told again', () => {
    const { others, sent } = chatting().request('chat/open', { chatId: 'c' });
    expect(others).toMatchObject([
      { do: 'unsubscribe', session: 'session-1' },
      { do: 'subscribe', session: 'session-1', as: 'c' },
    ]);
    expect(sent).toMatchObject([{ result: { found: true, chatId: 'c' } }]);
  });

  test('open: what nobody knows is not made by that', () => {
    const client = greeted();
    const { delivered, sent } = client.request('chat/open', { chatId: 'new' });
    expect([typesOf(delivered), sent]).toEqual([
      ['query state', 'list-stored-sessions'],
      [{ jsonrpc: '2.0', id: 1, result: { found: false } }],
    ]);
    expect(client.request('chat/prompt', { chatId: 'new', message: 'Hello.' }).delivered.at(-1)?.session).toBe(
      'session-1',
    );
  });
});

describe('look-ups', () => {
  /** The gateway’s own, where nobody knows what the agent can do. */
  const costs = { name: 'costs', type: 'native', arguments: [] };
  test('contexts: what the session finds, in words of the wire; the chat is named as it was', () => {
    const contexts = [{ type: 'file', path: '/ws/b.ts' }, { type: 'repoMap' }];
    const client = greeted();
    const { delivered, sent } = client.request('chat/queryContext', { chatId: 'new', query: 'a', contexts });
    expect(delivered.at(-1)).toEqual({
      command: {
        type: 'query',
        subject: 'contexts',
        text: 'a',
        contexts: [{ type: 'file', path: '/ws/b.ts' }, { type: 'repo-map' }],
      },
      session: 'session-1',
    });
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          chatId: 'new',
          contexts: [{ type: 'file', path: '/ws/a.ts' }, { type: 'directory', path: '/ws/src' }, { type: 'repoMap' }],
        },
      },
    ]);
  });

  test('files: nothing but those', () => {
    expect(greeted().request('chat/queryFiles', { query: 'a' }).sent).toMatchObject([
      { result: { files: [{ type: 'file', path: '/ws/a.ts' }] } },
    ]);
  });

  test.each<[keyof typeof eras, string | null, object[]]>([
    [
      'modern',
      '',
      [
        costs,
        { name: 'fix', description: 'Fixes.', type: 'skill', arguments: [] },
        { name: 'git:log', description: '', type: 'mcpPrompt', arguments: [] },
      ],
    ],
    [
      'first',
      null,
      [
        costs,
        { name: 'fix', description: 'Fixes.', type: 'native', arguments: [] },
        { name: 'git:log', description: '', type: 'mcp-prompt', arguments: [] },
      ],
    ],
    ['modern', '/FI', [{ name: 'fix', description: 'Fixes.', type: 'skill', arguments: [] }]],
    ['modern', 'none such', []],
  ])('commands for a %s client that typed %j', (era, query, commands) => {
    expect(greeted(era).request('chat/queryCommands', { query }).sent).toMatchObject([{ result: { commands } }]);
  });

  test('an agent that cannot tell: nothing, and no error', () => {
    const client = greeted('modern', {
      answering: (command) =>
        command.type === 'query' && command.subject === 'contexts' ? refused('agent-down', 'no') : answerAll(command),
    });
    expect(client.request('chat/queryContext', { query: '' }).sent).toMatchObject([{ result: { contexts: [] } }]);
  });

  test('with a chat its own session is asked', () => {
    const client = chatting();
    client.request('chat/prompt', { chatId: 'd', message: 'Hello.' });
    expect(client.request('chat/queryContext', { chatId: 'd', query: '' }).delivered).toMatchObject([
      { session: 'session-2' },
    ]);
    expect(client.request('chat/queryContext', { query: '' }).delivered).toMatchObject([{ session: 'session-1' }]);
  });
});

describe('choices', () => {
  test('a model, before there is a chat and in one: set, and its variants told', () => {
    const client = greeted();
    const before = client.notify('chat/selectedModelChanged', { model: 'acme/large', variant: 'x' });
    expect(before.delivered.slice(1)).toEqual([
      { command: { type: 'set-model', model: 'large', provider: 'acme' }, session: 'session-1' },
      { command: { type: 'query', subject: 'thinking-levels' }, session: 'session-1' },
    ]);
    expect(before.sent).toMatchObject([{ method: 'config/updated', params: { chat: { variants: ['low', 'high'] } } }]);
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    const { sent } = client.notify('chat/selectedModelChanged', { chatId: 'c', model: 'acme/small' });
    expect(sent).toMatchObject([{ params: { chatId: 'c', chat: { variants: ['low', 'high'] } } }]);
  });

  test('for a chat that is still to come, where the only session is another’s: its prompt will say it', () => {
    expect(chatting().notify('chat/selectedModelChanged', { chatId: 'new', model: 'acme/large' }).delivered).toEqual(
      [],
    );
  });

  test.each([
    ['chat/selectedAgentChanged', { agent: 'plan' }],
    ['chat/selectedBehaviorChanged', { behavior: 'plan' }],
  ])('a behaviour: %s', (method, params) => {
    expect(chatting().notify(method, { chatId: 'c', ...params }).delivered).toEqual([
      { command: { type: 'set-mode', mode: 'plan' }, session: 'session-1' },
    ]);
  });

  test('a behaviour of an agent that has none is not set', () => {
    const client = connect();
    expect(client.notify('chat/selectedAgentChanged', { agent: 'agent' }).delivered).toEqual([]);
  });

  test.each<[string, object, Command['type']]>([
    ['chat/selectedModelChanged', { model: 'x' }, 'set-model'],
    ['chat/selectedAgentChanged', { agent: 'plan' }, 'set-mode'],
    ['mcp/startServer', { name: 'git' }, 'set-tool-server'],
  ])('%s that is refused: the user is told, once', (method, params, type) => {
    const client = chatting([], { answering: but(type, refused('invalid', 'no')) });
    client.request('chat/prompt', { chatId: 'd', message: 'Hello.' });
    expect(client.notify(method, params).sent).toMatchObject([
      { method: '$/showMessage', params: { type: 'warning', message: expect.stringContaining('no') } },
    ]);
  });

  test('servers of tools are started and stopped in every session', () => {
    const client = chatting();
    client.request('chat/prompt', { chatId: 'd', message: 'Hello.' });
    const action = (method: string) => client.notify(method, { name: 'git' }).delivered;
    expect(action('mcp/stopServer')).toEqual(
      ['session-1', 'session-2'].map((session) => ({
        command: { type: 'set-tool-server', name: 'git', action: 'stop' },
        session,
      })),
    );
    expect(action('mcp/startServer')).toMatchObject([
      { command: { action: 'start' } },
      { command: { action: 'start' } },
    ]);
  });

  test('a folder that comes and is none of this machine: the user is told', () => {
    const client = chatting();
    const added = [{ uri: 'vscode-remote://ssh/a', name: 'a' }];
    expect(
      client.notify('workspace/didChangeWorkspaceFolders', { event: { added, removed: added } }).sent,
    ).toMatchObject([
      {
        method: '$/showMessage',
        params: { type: 'warning', message: expect.stringContaining('"vscode-remote://ssh/a"') },
      },
    ]);
  });

  test('other folders count for the sessions that are opened from then on', () => {
    const client = chatting();
    client.notify('workspace/didChangeWorkspaceFolders', {
      event: { added: [{ uri: 'file:///new', name: 'new' }], removed: [{ uri: 'file:///b', name: 'b' }] },
    });
    const { delivered } = client.request('chat/prompt', { chatId: 'd', message: 'Hello.' });
    expect(delivered.map(({ command }) => command).find(({ type }) => type === 'create-session')).toEqual({
      type: 'create-session',
      folders: ['/my ws', '/new'],
    });
  });
});

describe('ids that are numbers are read as their decimal strings', () => {
  const asked: Event = { type: 'approval-request', id: '8', call: '8', name: 'bash', input: {} };

  /** All that comes of a message in chat 7, where call 8 waits. */
  function told(method: string, params: object, isRequest: boolean) {
    const client = greeted('modern');
    client.request('chat/prompt', { chatId: 7, requestId: 1, message: 'Hello.' });
    client.happen('session-1', { type: 'run-start' }, asked);
    return isRequest ? client.request(method, params, 'x') : client.notify(method, params);
  }

  test.each<[method: string, more: object, isRequest: boolean]>([
    ['chat/prompt', { message: 'More.', requestId: 2 }, true],
    ['chat/queryContext', { query: '' }, true],
    ['chat/queryFiles', { query: '' }, true],
    ['chat/queryCommands', { query: '' }, true],
    ['chat/delete', {}, true],
    ['chat/clear', {}, true],
    ['chat/open', {}, true],
    ['chat/update', { title: 'T' }, true],
    ['chat/promptStop', {}, false],
    ['chat/promptSteer', { message: 'Left.' }, false],
    ['chat/selectedModelChanged', { model: 'acme/large' }, false],
    ['chat/selectedAgentChanged', { agent: 'plan' }, false],
    ['chat/toolCallApprove', { toolCallId: 8 }, false],
    ['chat/toolCallReject', { toolCallId: 8 }, false],
  ])('%s', (method, more, isRequest) => {
    const words = Object.fromEntries(
      Object.entries(more).map(([key, value]) => [key, key.endsWith('Id') ? String(value) : value]),
    );
    const heard = told(method, { chatId: 7, ...more }, isRequest);
    expect(heard).toEqual(told(method, { chatId: '7', ...words }, isRequest));
    expect(heard.notes).toEqual([]);
    expect(heard.delivered.length + heard.sent.length).toBeGreaterThan(0);
  });

  test('the answer to a prompt names the chat as all that is said of it does', () => {
    const { sent, others } = greeted('modern').request('chat/prompt', { chatId: 7, message: 'Hello.' }, 'p');
    expect(others[0]).toMatchObject({ do: 'subscribe', as: '7' });
    expect(sent.at(-1)).toMatchObject({ id: 'p', result: { chatId: '7', status: 'prompting' } });
  });
});
