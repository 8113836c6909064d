// Sentences for the user of an editor: as messages where it shows them, else in the chat, and never in both.
import { describe, expect, test } from 'vitest';
import { refused } from '../../../src/core/model/errors.ts';
import { answerAll, connect, eras } from './client.ts';

const down = refused('agent-down', 'spawn pi ENOENT');

/** What an editor of that name is told of an agent that cannot start, and then of a model that is refused. */
function editor(name: string | undefined) {
  let isUp = false;
  const client = connect({
    answering(command) {
      if (command.type === 'set-model') return refused('invalid', 'no');
      return command.type === 'query' && !isUp ? down : answerAll(command);
    },
  });
  const clientInfo = name === undefined ? {} : { clientInfo: { name } };
  client.request('initialize', { ...eras.modern, ...clientInfo }, 'init');
  const greeted = client.notify('initialized').sent;
  isUp = true;
  const prompted = client.request('chat/prompt', { chatId: 'c', message: 'Hello.', model: 'large' }).sent;
  const later = client.notify('workspace/didChangeWorkspaceFolders', {
    event: { added: [{ uri: 'http://elsewhere' }], removed: [] },
  }).sent;
  return { greeted, prompted, later };
}

const messages = (sent: readonly { readonly method?: string }[]) =>
  sent.filter(({ method }) => method === '$/showMessage');

describe.each(['emacs', 'Neovim', undefined])('an editor named %j', (name) => {
  test('is sent messages', () => {
    const { greeted, prompted, later } = editor(name);
    expect(messages(greeted)).toMatchObject([{ params: { type: 'error', message: 'spawn pi ENOENT' } }]);
    expect(JSON.stringify(greeted.filter(({ method }) => method === 'config/updated'))).not.toContain('ENOENT');
    expect(messages(prompted)).toHaveLength(1);
    expect(
      prompted.filter(({ params }) => params?.role === 'system' && JSON.stringify(params).includes('"text"')),
    ).toHaveLength(1);
    expect(messages(later)).toHaveLength(1);
  });
});

describe.each(['VsCode', 'VS Code', 'Desktop', 'IntelliJ'])('an editor named %j', (name) => {
  test('finds them in the welcome, then in its chat', () => {
    const { greeted, prompted, later } = editor(name);
    expect([messages(greeted), messages(prompted), messages(later)]).toEqual([[], [], []]);
    expect(greeted.findLast(({ method }) => method === 'config/updated')).toMatchObject({
      params: { chat: { welcomeMessage: 'spawn pi ENOENT' } },
    });
    expect(prompted).toContainEqual({
      jsonrpc: '2.0',
      method: 'chat/contentReceived',
      params: {
        chatId: 'c',
        role: 'system',
        content: { type: 'text', text: '\n\nThe model large was not chosen: no\n' },
      },
    });
    expect(later).toMatchObject([
      { params: { chatId: 'c', role: 'system', content: { text: expect.stringContaining('was left out') } } },
    ]);
  });
});

test('a chat that was deleted is told nothing more', () => {
  const client = connect();
  client.request('initialize', { ...eras.modern, clientInfo: { name: 'VsCode' } }, 'init');
  client.notify('initialized');
  client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
  client.request('chat/delete', { chatId: 'c' });
  const { sent } = client.notify('mcp/connectServer', { name: 'git' });
  const chat = { welcomeMessage: expect.stringContaining('agent’s own') };
  expect(sent).toMatchObject([{ method: 'config/updated', params: { chat } }]);
});

test('a welcome holds only so many sentences, and says that there is more', () => {
  const client = connect();
  client.request('initialize', { ...eras.modern, clientInfo: { name: 'VsCode' } }, 'init');
  client.notify('initialized');
  const added = Array.from({ length: 8 }, (_, at) => ({ uri: `http://a${at}` }));
  const more = added.map(({ uri }) => ({ uri: `${uri}b` }));
  for (const uris of [added, more]) {
    client.notify('workspace/didChangeWorkspaceFolders', { event: { added: uris, removed: [] } });
  }
  const { sent } = client.notify('mcp/connectServer', { name: 'git' });
  expect(JSON.stringify(sent.at(-1))).toMatch(/http:\/\/a0\b.*There is more, in the log/u);
});

test('a welcome keeps what was said before it was known', () => {
  const client = connect({ answering: (command) => (command.type === 'query' ? undefined : answerAll(command)) });
  const folders = { workspaceFolders: [{ uri: 'http://elsewhere' }] };
  client.request('initialize', { ...eras.modern, ...folders, clientInfo: { name: 'VsCode' } }, 'init');
  client.notify('initialized');
  const sent = ['models', 'state', 'thinking-levels', 'tools', 'tool-servers'].flatMap(
    (subject) =>
      client.settle('query', subject === 'state' ? answerAll({ type: 'query', subject: 'state' }) : down, subject).sent,
  );
  const welcomes = sent.flatMap(({ method, params }) => (method === 'config/updated' ? [params?.chat] : []));
  expect(JSON.stringify(welcomes.at(-1))).toMatch(/Welcome\..*elsewhere.* was left out.*spawn pi ENOENT/u);
});
