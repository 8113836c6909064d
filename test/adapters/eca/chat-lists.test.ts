// Chats of this process and of files: listed, and opened again; the machine alone.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import { answerAll, connect, greeted, methodsOf } from './client.ts';

const time = '2026-01-02T00:00:00.000Z';
const later = '2026-01-03T00:00:00.000Z';
const stored = [
  {
    id: 'old',
    file: '/s/old',
    cwd: '/b',
    createdAt: time,
    modifiedAt: later,
    firstWords: 'sort them',
    messageCount: 4,
  },
  { id: 'elsewhere', file: '/s/elsewhere', cwd: '/c', messageCount: 2 },
  { id: 'open', file: '/s/open', cwd: '/b', messageCount: 2 },
  { id: 'a b', file: '/s/odd', cwd: '/b', messageCount: 2 },
];
const open = [
  { id: 'session-1', messageCount: 0, createdAt: time },
  {
    id: 'session-9',
    messageCount: 2,
    name: 'Cables',
    running: true,
    file: '/s/open',
    modifiedAt: time,
    model: { id: 'm', provider: 'p' },
  },
  { id: 'silent', messageCount: 0 },
];

function listing(others: Partial<Record<string, Outcome>> = {}) {
  return (command: Command): Outcome => {
    const other = others[command.type];
    if (other !== undefined) return other;
    if (command.type === 'list-sessions') return { ok: true, data: { sessions: open } };
    if (command.type === 'list-stored-sessions') return { ok: true, data: { sessions: stored } };
    if (command.type === 'load-session')
      return { ok: true, data: { session: { id: 'session-7' }, problems: ['mind'] } };
    return answerAll(command);
  };
}

/** The harness finds sessions that a command names; these commands name none. */
function listed(params: object, others: Partial<Record<string, Outcome>> = {}, folders?: readonly string[]) {
  const client = connect({ bound: undefined, answering: listing(others) });
  const workspaceFolders = (folders ?? ['/b']).map((folder) => ({ uri: `file://${folder}` }));
  client.request('initialize', { capabilities: {}, workspaceFolders }, 'i');
  client.notify('initialized');
  client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
  client.happen('session-1', {
    type: 'message-added',
    role: 'user',
    content: [{ type: 'text', text: 'Hello there.' }],
  });
  return { client, sent: client.request('chat/list', params, 'l').sent };
}

describe('the list', () => {
  const old = {
    id: 'old',
    title: 'sort them',
    status: 'idle',
    createdAt: Date.parse(time),
    updatedAt: Date.parse(later),
    messageCount: 4,
  };
  const cables = {
    id: 'session-9',
    title: 'Cables',
    status: 'running',
    updatedAt: Date.parse(time),
    model: 'p/m',
    messageCount: 2,
  };
  const mine = { id: 'c', title: 'Hello there.', status: 'idle', createdAt: Date.parse(time), messageCount: 0 };

  test.each<[string, object, readonly object[]]>([
    ['newest first', {}, [old, mine, cables]],
    ['only so many', { limit: 1 }, [old]],
    ['a limit that is none', { limit: 0 }, [old, mine, cables]],
    ['a limit of another type', { limit: 'x' }, [old, mine, cables]],
    ['by their beginning', { sortBy: 'createdAt' }, [mine, old, cables]],
  ])('%s', (_, params, chats) => {
    expect(listed(params).sent).toEqual([{ jsonrpc: '2.0', id: 'l', result: { chats } }]);
  });

  test('without folders: of all', () => {
    const [answer] = listed({}, {}, []).sent;
    expect(JSON.stringify(answer)).toContain('elsewhere');
  });

  test('a gateway that cannot tell: nothing, and no error', () => {
    const others = { 'list-sessions': refused('invalid', 'no'), 'list-stored-sessions': refused('invalid', 'no') };
    expect(listed({}, others).sent).toEqual([{ jsonrpc: '2.0', id: 'l', result: { chats: [] } }]);
  });

  test('a connection that belongs to a session has that one', () => {
    const client = connect({ bound: 'one' });
    const { sent, delivered } = client.request('chat/list', {});
    expect(delivered).toEqual([]);
    expect(sent).toMatchObject([{ result: { chats: [{ id: 'one', status: 'idle', messageCount: 0 }] } }]);
  });
});

describe('a stored chat is opened', () => {
  test('from its file, and told under its own id', () => {
    const client = greeted('modern', { answering: listing() });
    const { delivered, others, sent } = client.request('chat/open', { chatId: 'old' }, 'o');
    expect(delivered.at(-1)).toEqual({ command: { type: 'load-session', path: '/s/old' }, session: undefined });
    expect(others).toContainEqual(expect.objectContaining({ do: 'subscribe', session: 'session-7', as: 'old' }));
    expect(sent).toMatchObject([
      { method: '$/showMessage', params: { message: 'mind' } },
      { id: 'o', result: { found: true, chatId: 'old', title: 'sort them' } },
    ]);
  });

  test.each<[string, string, Partial<Record<string, Outcome>>, readonly string[]]>([
    ['that is in no list', 'none', {}, ['answer']],
    [
      'whose agent does not open it',
      'old',
      { 'load-session': refused('agent-refused', 'no') },
      ['$/showMessage', 'answer'],
    ],
    ['that is opened without a name', 'old', { 'load-session': { ok: true } }, ['$/showMessage', 'answer']],
  ])('… one %s is not found', (_, chatId, others, said) => {
    const client = greeted('modern', { answering: listing(others) });
    const { sent } = client.request('chat/open', { chatId }, 'o');
    expect(methodsOf(sent)).toEqual(said);
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 'o', result: { found: false } });
  });
});
