// What is told beside the conversation: messages to the user, questions, settings, servers of tools, news of an agent of
// the same protocol.
import { describe, expect, test } from 'vitest';
import { askId } from '../../../src/adapters/eca/frontend/question-ids.ts';
import type { Event, EventOf, Logged } from '../../../src/core/model/event.ts';
import type { SessionInfo } from '../../../src/core/model/session-info.ts';
import {
  afterPrompt,
  contentsOf,
  crashed,
  done,
  heardLate,
  heardOf,
  modern,
  outline,
  paramsOf,
  run,
  started,
  stopped,
  told,
  user,
} from './projection-words.ts';

describe('messages to the user', () => {
  test.each<[string, Event, object]>([
    ['a notice', { type: 'notice', level: 'info', text: 'by the way' }, { type: 'info', message: 'by the way' }],
    ['a warning', { type: 'notice', level: 'warning', text: 'mind' }, { type: 'warning', message: 'mind' }],
    ['a complaint', { type: 'error', message: 'oh' }, { type: 'error', message: 'oh' }],
  ])('%s', (_, event, params) => {
    const { frames } = told([event]);
    expect(frames).toEqual([{ jsonrpc: '2.0', method: '$/showMessage', params }]);
    const inChat = told([event], { ...modern, saysInChat: true });
    const text = `\n\n${'text' in event ? event.text : 'oh'}\n`;
    expect(inChat.frames.map(({ method }) => method)).toEqual(['chat/opened', 'chat/contentReceived']);
    expect(contentsOf(inChat.frames, 'text')).toEqual([{ type: 'text', text }]);
  });

  test('a question that cannot be asked is said in the chat where messages are not shown', () => {
    const question: Event = { type: 'dialog-request', id: 'd', kind: 'interview', title: 'Many' };
    const { frames } = told([...run, user('go'), question], { ...modern, saysInChat: true });
    expect(paramsOf(frames, '$/showMessage')).toEqual([]);
    expect(contentsOf(frames, 'text').at(-1)?.text).toContain('what this editor cannot show: Many');
  });
});

describe('dialogs', () => {
  const confirm: Event = {
    type: 'dialog-request',
    id: 'd',
    kind: 'confirm',
    title: 'Really?',
    message: 'No way back.',
  };
  const ends = (outcome: EventOf<'dialog-end'>['outcome']): Event => ({ type: 'dialog-end', id: 'd', outcome });
  const asked = ['A prepare d "{\\"message\\":\\"No way back.\\"}"', 'A run d ?', 'S (Waiting for tool call approval)'];

  test.each<[string, Event[], string[]]>([
    ['answered', [ends('answered')], ['A called d', 'S (Generating)']],
    ['refused', [ends('cancelled')], ['A rejected d', 'S (Generating)']],
    ['too late', [ends('expired')], ['A failed d', 'S (Generating)']],
    [
      'stopped with the run',
      [{ type: 'dialog-end', id: 'd', outcome: 'cancelled', synthetic: true }, stopped],
      ['A rejected d', 'S "\\nPrompt stopped\\n"', 'stopping', 'S finished'],
    ],
    [
      'lost with the agent',
      [{ type: 'dialog-end', id: 'd', outcome: 'cancelled', synthetic: true }, crashed],
      ['A failed d', 'S "\\n\\nthe agent went away"', 'idle', 'S finished'],
    ],
  ])('yes or no is a call that waits: %s', (_, events, expected) => {
    expect(afterPrompt([confirm, ...events])).toEqual([...asked, ...expected]);
  });

  test('while a tool runs it goes on as that', () => {
    expect(afterPrompt([started('c'), confirm, ends('answered')]).slice(-2)).toEqual([
      'A called d',
      'S (Calling tool)',
    ]);
  });

  test('is summed up by its title', () => {
    const { frames } = told([...run, confirm]);
    expect(contentsOf(frames, 'toolCallRun')).toMatchObject([
      { name: 'confirm', summary: 'Really?', arguments: { message: 'No way back.' }, manualApproval: true },
    ]);
  });

  const select: Event = { type: 'dialog-request', id: 'd', kind: 'select', title: 'Which?', options: ['red', 'green'] };

  test.each<[string, Event, object]>([
    ['a choice', select, { question: 'Which?', options: [{ label: 'red' }, { label: 'green' }], allowFreeform: false }],
    [
      'an input',
      { type: 'dialog-request', id: 'd', kind: 'input', title: 'Name?', message: 'Any.' },
      { question: 'Name?\nAny.', allowFreeform: true },
    ],
  ])('%s is asked of clients that can answer', (_, event, params) => {
    const { frames } = told([...run, event], modern);
    const request = frames.at(-1);
    expect(request).toEqual({
      jsonrpc: '2.0',
      id: askId('session', 'd'),
      method: 'chat/askQuestion',
      params: { chatId: 'session', ...params },
    });
  });

  test.each<[EventOf<'dialog-end'>['outcome'], string[]]>([
    ['answered', []],
    ['cancelled', ['$/cancelRequest']],
    ['expired', ['$/cancelRequest']],
  ])('a question that is %s', (outcome, expected) => {
    expect(outline(told([select, ends(outcome)], modern).frames).slice(1)).toEqual(expected);
  });

  test.each<[string, Event, typeof modern | undefined]>([
    ['a choice, for others', select, undefined],
    ['an interview', { type: 'dialog-request', id: 'd', kind: 'interview', title: 'Which?' }, modern],
  ])('what cannot be asked is told: %s', (_, event, dialect) => {
    const { frames, losses } = told([event, ends('cancelled')], dialect);
    expect(paramsOf(frames, '$/showMessage')).toMatchObject([
      { type: 'warning', message: expect.stringContaining('Which?') },
    ]);
    expect(outline(frames)).toHaveLength(1);
    expect(losses).toEqual([`dialog ${event.type === 'dialog-request' ? event.kind : ''}`]);
  });
});

describe('settings', () => {
  const changed = (changes: SessionInfo): Event => ({ type: 'session-changed', changes });
  const model = (id: string) => ({ id, provider: 'acme' });

  test('are told when they change while the chat is open, for this chat alone', () => {
    const { frames } = told([
      changed({
        model: model('large'),
        models: [model('large')],
        mode: 'code',
        modes: [{ id: 'code' }, { id: 'plan' }],
      }),
      ...run,
      changed({ model: model('small') }),
      changed({ model: model('small'), cwd: '/' }),
      changed({ mode: 'plan' }),
      changed({ models: [model('large'), model('small')] }),
    ]);
    expect(paramsOf(frames, 'config/updated')).toEqual([]);
    const open = told([
      changed({ model: model('large'), mode: 'code', modes: [{ id: 'code' }, { id: 'plan' }] }),
      ...run,
      user('go'),
      changed({ model: model('small') }),
      changed({ model: model('small'), cwd: '/' }),
      changed({ mode: 'plan' }),
      changed({ models: [model('large'), model('small')] }),
    ]);
    expect(paramsOf(open.frames, 'config/updated')).toEqual([
      {
        chatId: 'session',
        chat: {
          selectModel: 'acme/large',
          agents: ['code', 'plan'],
          behaviors: ['code', 'plan'],
          selectAgent: 'code',
          selectBehavior: 'code',
        },
      },
      { chatId: 'session', chat: { selectModel: 'acme/small' } },
      { chatId: 'session', chat: { selectAgent: 'plan', selectBehavior: 'plan' } },
      { chatId: 'session', chat: { models: ['acme/large', 'acme/small'] } },
    ]);
  });

  test('that become known between the connection and the first word are told with the opening', () => {
    const model = { id: 'large', provider: 'acme' };
    const past: Logged = { seq: 1, at: 0, event: changed({ mode: 'code' }), replay: 'present' };
    const live = [changed({ model }), ...run, user('go'), changed({ model })];
    const logged = [past, ...live.map((event, at): Logged => ({ seq: at + 2, at, event }))];
    const { frames } = heardOf(logged);
    expect(outline(frames).slice(0, 3)).toEqual(['chat/opened', 'config/updated', 'U "go\\n"']);
    expect(paramsOf(frames, 'config/updated')).toEqual([{ chatId: 'session', chat: { selectModel: 'acme/large' } }]);
    const first = told([...run, user('go'), changed({ model }), changed({ mode: 'plan' })]);
    expect(paramsOf(first.frames, 'config/updated').map(({ chat }) => chat)).toEqual([
      { selectModel: 'acme/large' },
      { selectAgent: 'plan', selectBehavior: 'plan' },
    ]);
  });

  test('whether the chat is trusted is told with the opening, to those as well who come late', () => {
    const { frames, log } = told([changed({ trusted: true }), ...run, user('go'), changed({ trusted: false })]);
    const trust = (heard: typeof frames) => paramsOf(heard, 'config/updated');
    expect(trust(frames)).toEqual([
      { chatId: 'session', chat: { selectTrust: true } },
      { chatId: 'session', chat: { selectTrust: false } },
    ]);
    const late = heardLate(log.logged).at(-1) ?? [];
    expect(outline(late).slice(0, 2)).toEqual(['chat/cleared', 'chat/opened']);
    expect(trust(late)).toEqual([{ chatId: 'session', chat: { selectTrust: false } }]);
  });

  test('a new name is the title', () => {
    const { frames } = told([
      ...run,
      user('go'),
      changed({ name: 'Cables' }),
      changed({ name: 'Cables' }),
      changed({ name: '' }),
    ]);
    expect(contentsOf(frames, 'metadata').map(({ title }) => title)).toEqual(['go', 'Cables']);
  });

  test('the name of the session wins over the first words', () => {
    const { frames } = told([changed({ name: 'Cables' }), ...run, user('go')]);
    expect(paramsOf(frames, 'chat/opened')).toEqual([{ chatId: 'session', title: 'Cables' }]);
    expect(contentsOf(frames, 'metadata')).toEqual([]);
  });

  test('a command is no title, the prompt after it is one, and no later prompt', () => {
    const { frames } = told([...run, user('/costs'), ...done, ...run, user('sort them'), user('again')]);
    expect(contentsOf(frames, 'metadata').map(({ title }) => title)).toEqual(['sort them']);
  });
});

describe('servers of tools', () => {
  const tools = [{ name: 'read' }];
  test.each<[string, Omit<EventOf<'tool-server-changed'>, 'type'>, string, object]>([
    [
      'the agent’s own',
      { name: 'native', kind: 'native', status: 'running', tools },
      'tool/serverUpdated',
      { type: 'native', name: 'ECA', status: 'running', tools: [{ name: 'read', description: '', parameters: {} }] },
    ],
    [
      'another',
      { name: 'shelf', kind: 'mcp', status: 'starting', command: ['shelf', '--all'] },
      'tool/serverUpdated',
      { type: 'mcp', name: 'shelf', command: 'shelf', args: ['--all'], status: 'starting' },
    ],
    ['one that is gone', { name: 'shelf', kind: 'mcp', status: 'removed' }, 'tool/serverRemoved', { name: 'shelf' }],
  ])('%s', (_, server, method, params) => {
    const { frames } = told([{ type: 'tool-server-changed', ...server }]);
    expect(frames).toMatchObject([{ method, params }]);
  });
});

describe('news of an agent of the same protocol', () => {
  const unknown = (payload: unknown, protocol = 'eca'): Event => ({ type: 'unknown', protocol, payload });

  test('passes, under the name of the chat', () => {
    const { frames, losses } = told([
      unknown({ method: 'jobs/updated', params: { jobs: [] } }),
      unknown({
        jsonrpc: '2.0',
        method: 'chat/contentReceived',
        params: { chatId: 'theirs', role: 'system', content: { type: 'hookActionStarted', id: 'h' } },
      }),
    ]);
    expect(frames.filter(({ method }) => method !== 'chat/opened')).toEqual([
      { jsonrpc: '2.0', method: 'jobs/updated', params: { jobs: [] } },
      {
        jsonrpc: '2.0',
        method: 'chat/contentReceived',
        params: { chatId: 'session', role: 'system', content: { type: 'hookActionStarted', id: 'h' } },
      },
    ]);
    expect(losses).toEqual([]);
  });

  test.each<[string, unknown, string?]>([
    ['of another protocol', { method: 'jobs/updated', params: {} }, 'pi'],
    ['no object', 'jobs/updated'],
    ['no method', { params: {} }],
    ['a request', { id: 1, method: 'editor/getDiagnostics', params: {} }],
    [
      'what would end our run',
      { method: 'chat/contentReceived', params: { content: { type: 'progress', state: 'finished' } } },
    ],
    ['what we say ourselves', { method: 'chat/statusChanged', params: { status: 'idle' } }],
  ])('but not %s', (_, payload, protocol) => {
    const { frames, losses } = told([unknown(payload, protocol)]);
    expect(frames).toEqual([]);
    expect(losses).toEqual([`event of ${protocol ?? 'eca'}`]);
  });

  test('what else it says of its contents returns to them', () => {
    const eca = { contextBreakdown: { usedTokens: 5 }, sessionTokens: 99 };
    const said: Event[] = [
      user('go', { extra: { eca: { contentId: 'theirs' } } }),
      { type: 'usage-changed', sessionTokens: 5, extra: { eca } },
      started('c', { extra: { eca: { details: { type: 'shellCommand' } } } }),
    ];
    const { frames } = told([...run, ...said, ...done]);
    expect(contentsOf(frames, 'text')).toMatchObject([{ contentId: 'theirs' }]);
    expect(contentsOf(frames, 'usage')).toEqual([
      { type: 'usage', sessionTokens: 5, contextBreakdown: { usedTokens: 5 } },
    ]);
    expect(contentsOf(frames, 'toolCallRun')).toMatchObject([{ details: { type: 'shellCommand' } }]);
    const notice: Event = { type: 'notice', level: 'info', text: 'Total: 5', extra: { eca: { text: '\nTotal: 5' } } };
    expect(afterPrompt([notice])).toEqual(['S "\\nTotal: 5"']);
    const others = told([...run, user('go', { extra: { pi: { contentId: 'theirs' } } })]);
    expect(contentsOf(others.frames, 'text')).not.toMatchObject([{ contentId: 'theirs' }]);
  });
});

test.each<Event>([
  { type: 'tool-update', call: 'c', mode: 'append', content: [] },
  { type: 'display', place: 'title', lines: ['x'] },
  { type: 'queue-changed', steering: ['x'], followUp: [] },
  { type: 'task-changed', id: 't', status: 'running' },
  { type: 'bash-output', delta: 'x' },
])('there is no word for $type', (event) => {
  const { losses } = told([...run, started('c'), event]);
  expect(losses).toEqual([event.type]);
});
