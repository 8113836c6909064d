// A chat goes back to before something that its user has said, or another one begins as it does; the machine alone.
import { describe, expect, test } from 'vitest';
import { entryAt } from '../../../src/adapters/eca/frontend/rollbacks.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { epoch } from '../../support/telling.ts';
import { answerAll, greeted, methodsOf, typesOf } from './client.ts';

const user = (text: string, more: object = {}): Event => ({
  type: 'message-added',
  role: 'user',
  content: [{ type: 'text', text }],
  ...more,
});
const assistant: Event = { type: 'message-added', role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
const points = [
  { entry: 'e1', text: 'one' },
  { entry: 'e2', text: 'same' },
  { entry: 'e3', text: 'same' },
];

/** An agent that has names of its own for what was said. */
const answering =
  (others: Partial<Record<string, Outcome>> = {}) =>
  (command: Command): Outcome => {
    const other = others[command.type === 'query' ? command.subject : command.type];
    if (other !== undefined) return other;
    if (command.type === 'query' && command.subject === 'fork-points') return { ok: true, data: { points } };
    return answerAll(command);
  };

/** A client whose chat `c` holds these words of its user: `one` is told as the second event, `same` twice after it. */
function chatting(others: Partial<Record<string, Outcome>> = {}, setting: object = {}) {
  const client = greeted('modern', { answering: answering(others), ...setting });
  client.request('chat/prompt', { chatId: 'c', message: 'one' });
  client.happen('session-1', { type: 'run-start' }, user('one'), assistant, user('same'), assistant, user('same'));
  client.happen('session-1', { type: 'run-end', outcome: 'completed' });
  return client;
}
const at = (seq: number) => `${epoch}-${seq}`;

describe('rollback', () => {
  test.each<[string, number, string]>([
    ['the first', 2, 'e1'],
    ['the first of two that are the same', 4, 'e2'],
    ['the second of two that are the same', 6, 'e3'],
  ])('to before %s', (_, seq, entry) => {
    const { delivered, sent } = chatting().request('chat/rollback', {
      chatId: 'c',
      contentId: at(seq),
      include: ['messages'],
    });
    expect(delivered.at(-2)).toEqual({ command: { type: 'fork', entry }, session: 'session-1' });
    // The answer comes behind what the session tells of it.
    expect(typesOf(delivered).at(-1)).toBe('query state');
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test.each<[string, object, Partial<Record<string, Outcome>>, string, readonly string[]]>([
    ['of files alone', { include: ['tools'] }, {}, 'files cannot be taken back', []],
    ['to what nobody said', { contentId: 'x' }, {}, 'no such message', ['query fork-points']],
    ['to null', { contentId: null }, {}, 'no such message', []],
    ['in another chat', { chatId: 'd' }, {}, 'no such message', []],
    ['that the agent refuses', {}, { fork: refused('busy', 'at work') }, 'at work', ['query fork-points', 'fork']],
    [
      'that the agent does not do',
      {},
      { fork: { ok: true, data: { cancelled: true } } },
      'did not do it',
      ['query fork-points', 'fork'],
    ],
    ['without places', {}, { 'fork-points': refused('unsupported', 'no') }, 'no', ['query fork-points']],
  ])('%s: the user is told, and the request is answered', (_, params, others, words, asked) => {
    const { delivered, sent } = chatting(others).request('chat/rollback', { chatId: 'c', contentId: at(2), ...params });
    expect(typesOf(delivered)).toEqual(asked);
    expect(methodsOf(sent)).toEqual(['$/showMessage', 'answer']);
    expect(String(sent[0]?.params?.message)).toContain(words);
    expect(sent[1]).toMatchObject({ result: {} });
  });

  test('whoever wants files as well learns that they stay', () => {
    const { sent } = chatting().request('chat/rollback', {
      chatId: 'c',
      contentId: at(2),
      include: ['messages', 'tools'],
    });
    expect(sent).toMatchObject([
      { params: { chatId: 'c', role: 'system', content: { text: expect.stringContaining('Files stay') } } },
      { result: {} },
    ]);
  });

  test('a prompt that comes behind it waits for it', () => {
    const client = greeted('modern', {
      answering: (command) => (command.type === 'fork' ? undefined : answering()(command)),
    });
    client.request('chat/prompt', { chatId: 'c', message: 'one' });
    client.happen('session-1', user('one'));
    client.request('chat/rollback', { chatId: 'c', contentId: at(1) }, 'r');
    expect(client.request('chat/prompt', { chatId: 'c', message: 'two' }).delivered).toEqual([]);
    expect(typesOf(client.settle('fork', { ok: true }).delivered)).toEqual(['query state', 'prompt']);
  });
});

describe('fork', () => {
  test.each<[string, number, object]>([
    ['at the first: up to the second', 2, { session: 'session-1', before: 'e2' }],
    ['at the last: all of it', 6, { session: 'session-1' }],
  ])('%s', (_, seq, past) => {
    const { delivered, sent, others } = chatting().request('chat/fork', { chatId: 'c', contentId: at(seq) });
    const created = delivered.find(({ command }) => command.type === 'create-session');
    expect(created).toEqual({
      command: { type: 'create-session', folders: ['/my ws', '/b'], past },
      session: undefined,
    });
    expect(delivered.at(-1)).toEqual({ command: { type: 'set-name', name: 'one (2)' }, session: 'session-2' });
    expect(others).toContainEqual(expect.objectContaining({ do: 'subscribe', session: 'session-2', as: 'chat-1' }));
    expect(sent).toMatchObject([
      { params: { chatId: 'c', role: 'system', content: { text: '\n\nChat forked to: one (2)\n' } } },
      { result: {} },
    ]);
  });

  test.each<[string, object, Partial<Record<string, Outcome>>, string]>([
    ['at what nobody said', { contentId: 'x' }, {}, 'no such message'],
    ['of another chat', { chatId: 'd' }, {}, 'no such message'],
    ['that is refused', {}, { 'create-session': refused('unsupported', 'no file of it') }, 'no file of it'],
  ])('%s: the user is told', (_, params, others, words) => {
    const client = chatting();
    const failing = Object.keys(others).length > 0;
    const { sent } = failing
      ? greetedThen(others).request('chat/fork', { chatId: 'c', contentId: at(1) })
      : client.request('chat/fork', { chatId: 'c', contentId: at(2), ...params });
    expect(methodsOf(sent)).toEqual(['$/showMessage', 'answer']);
    expect(String(sent[0]?.params?.message)).toContain(words);
  });

  /** Its first session can be opened, and no second one. */
  function greetedThen(others: Partial<Record<string, Outcome>>) {
    let isOpen = false;
    const client = greeted('modern', {
      answering: (command) => (isOpen ? answering(others)(command) : answering()(command)),
    });
    client.request('chat/prompt', { chatId: 'c', message: 'one' });
    client.happen('session-1', user('one'));
    isOpen = true;
    return client;
  }
});

describe('the agent’s name for what was said', () => {
  function view(...events: readonly Event[]) {
    const transcript = emptyTranscript();
    for (const [place, event] of events.entries()) fold(transcript, { seq: place + 1, at: 0, event });
    return { id: 's', epoch, timeOrigin: 0, transcript };
  }
  test.each<[string, readonly Event[], string, readonly { entry: string; text: string }[], string | undefined]>([
    ['the same as ours', [user('a'), user('a')], at(2), [{ entry: 'message-2', text: 'x' }], 'message-2'],
    ['its own id', [user('a', { id: 'n' })], at(1), [{ entry: 'n', text: 'a' }], 'n'],
    [
      'older ones on its side alone',
      [user('a')],
      at(1),
      [...['old', 'new'].map((entry) => ({ entry, text: 'a' }))],
      'new',
    ],
    ['older ones on ours alone', [user('a'), user('a')], at(1), [{ entry: 'new', text: 'a' }], undefined],
    [
      'that of an ECA server',
      [user('a', { extra: { eca: { contentId: 'k' } } })],
      'k',
      [{ entry: 'e', text: 'a' }],
      'e',
    ],
    ['none of these words', [user('a')], at(1), [{ entry: 'e', text: 'b' }], undefined],
  ])('%s', (_, events, contentId, theirs, entry) => {
    expect(entryAt(view(...events), contentId, theirs)).toBe(entry);
  });
});
