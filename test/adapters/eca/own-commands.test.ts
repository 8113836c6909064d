// Slash commands that the gateway carries out itself: listed, done when sent as prompts, and the agent's own when it has one.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import { answerAll, greeted, methodsOf, typesOf } from './client.ts';

const usage = { input: 10, output: 3, cacheRead: 5, cacheWrite: 0 };
const statistics = {
  userMessages: 1,
  assistantMessages: 1,
  toolCalls: 0,
  toolResults: 0,
  totalMessages: 2,
  usage,
  cost: { total: 0.0123 },
};

/** A client with a chat `c` whose agent has these commands. */
function chatting(theirs: readonly string[] = [], others: Partial<Record<string, Outcome>> = {}) {
  const answering = (command: Command): Outcome => {
    const other = others[command.type === 'query' ? command.subject : command.type];
    if (other !== undefined) return other;
    if (command.type === 'query' && command.subject === 'commands') {
      return { ok: true, data: { commands: theirs.map((name) => ({ name })) } };
    }
    if (command.type === 'query' && command.subject === 'statistics') return { ok: true, data: statistics };
    return answerAll(command);
  };
  const client = greeted('modern', { answering });
  client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
  return client;
}

const names = (sent: readonly { readonly result?: unknown }[]) =>
  JSON.stringify(sent.map(({ result }) => result)).match(/(?<="name":")[^"]+/gu) ?? [];

test.each<[string, readonly string[], string, readonly string[]]>([
  ['all', [], '', ['compact', 'instructions', 'fork', 'clear', 'costs']],
  ['one that the agent has itself', ['/compact', 'x'], '', ['fork', 'clear', 'costs', 'compact', 'x']],
  ['what was typed', ['x'], '/cle', ['clear']],
])('are listed first: %s', (_, theirs, query, expected) => {
  expect(names(chatting(theirs).request('chat/queryCommands', { chatId: 'c', query }).sent)).toEqual(expected);
});

test('those that the agent cannot do are not listed, and are prompts', () => {
  const client = greeted();
  expect(names(client.request('chat/queryCommands', { query: 'c' }).sent)).toEqual(['costs']);
});

describe('sent as a prompt', () => {
  const echo = (text: string) => ({
    params: { chatId: 'c', role: 'user', content: { type: 'text', text: `${text}\n` } },
  });
  const told = (text: string) => ({
    params: { chatId: 'c', role: 'system', content: { text: expect.stringContaining(text) } },
  });
  const finished = { params: { chatId: 'c', content: { type: 'progress', state: 'finished' } } };
  const answer = { id: 'p', result: { chatId: 'c', status: 'prompting' } };
  const send = (client: ReturnType<typeof chatting>, message: string) => {
    const { sent, delivered } = client.request('chat/prompt', { chatId: 'c', message }, 'p');
    return { sent: sent.filter(({ params }) => !JSON.stringify(params ?? {}).includes('"running"')), delivered };
  };

  test('costs: figures, and the answer last', () => {
    const { sent, delivered } = send(chatting(), '/costs');
    expect(typesOf(delivered)).toEqual(['query commands', 'query statistics']);
    expect(sent).toMatchObject([echo('/costs'), told('Total output tokens: 3'), finished, answer]);
    expect(JSON.stringify(sent[1])).toMatch(/input tokens: 10.*cache read tokens: 5.*cost: \$0\.0123/u);
  });

  test('compact: with instructions; how it went is told once', () => {
    const client = chatting([], { compact: { ok: true, data: { summary: 's', tokensBefore: 70 } } });
    const { sent, delivered } = send(client, ' /compact keep the\nnames ');
    expect(delivered.at(-1)?.command).toEqual({ type: 'compact', instructions: 'keep the\nnames' });
    expect(sent).toMatchObject([
      echo(' /compact keep the\nnames '),
      told('The conversation was compacted (from 70 tokens)'),
      finished,
      answer,
    ]);
  });

  test('compact: an agent that tells of it is not repeated', () => {
    const client = greeted('modern', {
      answering: (command) => (command.type === 'compact' ? undefined : answerAll(command)),
    });
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    client.request('chat/prompt', { chatId: 'c', message: '/compact' }, 'p');
    client.happen('session-1', { type: 'compaction-start', trigger: 'manual' });
    client.happen('session-1', { type: 'compaction-end', outcome: 'failed' });
    expect(methodsOf(client.settle('compact', refused('agent-refused', 'nothing to do')).sent)).toEqual([
      'chat/contentReceived progress finished',
      'answer',
    ]);
  });

  test.each<[string, Partial<Record<string, Outcome>>, string]>([
    ['/compact', { compact: refused('agent-refused', 'nothing to do') }, 'could not be compacted: nothing to do'],
    ['/compact', { compact: refused('aborted', 'stopped') }, 'was stopped'],
    ['/clear', { 'new-session': refused('busy', 'at work') }, 'was not cleared: at work'],
    ['/costs', { statistics: refused('agent-down', 'gone') }, 'not known: gone'],
  ])('%s that fails: %j', (message, others, words) => {
    const { sent } = send(chatting([], others), message);
    expect(sent).toMatchObject([echo(message), told(words), finished, answer]);
  });

  test('clear: the session begins again', () => {
    const { sent, delivered } = send(chatting(), '/clear');
    expect(typesOf(delivered)).toEqual(['query commands', 'new-session', 'query state']);
    expect(sent).toMatchObject([echo('/clear'), finished, answer]);
  });

  test('fork: another chat', () => {
    const { sent, delivered } = send(chatting(), '/fork');
    expect(delivered.map(({ command }) => command)).toContainEqual({
      type: 'create-session',
      folders: ['/my ws', '/b'],
      past: { session: 'session-1' },
    });
    expect(sent).toMatchObject([echo('/fork'), told('Chat forked to: Untitled (2)'), finished, answer]);
  });

  test('in a run: it goes on, and frees the chat itself', () => {
    const client = chatting();
    client.happen('session-1', { type: 'run-start' });
    const { sent, delivered } = send(client, '/compact');
    expect(typesOf(delivered)).toEqual(['query commands']);
    expect(sent).toMatchObject([echo('/compact'), told('the agent is at work'), answer]);
  });

  test.each([
    ['one that the agent has', '/compact now', ['compact']],
    ['one that nobody has', '/compactor', []],
    ['a path', '/costs/of.txt', []],
    ['in the middle', 'do /compact', []],
    ['`constructor`', '/constructor', []],
  ])('%s is a prompt', (_, message, theirs) => {
    const { delivered } = send(chatting(theirs), message);
    expect(delivered.at(-1)?.command).toMatchObject({ type: 'prompt', content: [{ text: message }] });
  });

  test('a stop while it is at work: answered once, and the compaction is stopped', () => {
    const client = greeted('modern', {
      answering: (command) => (command.type === 'compact' ? undefined : answerAll(command)),
    });
    client.request('chat/prompt', { chatId: 'c', message: 'Hello.' });
    client.request('chat/prompt', { chatId: 'c', message: '/compact' }, 'p');
    client.happen('session-1', { type: 'compaction-start', trigger: 'manual' });
    const { sent, delivered } = client.notify('chat/promptStop', { chatId: 'c' });
    expect(methodsOf(sent)).toEqual(['answer', 'chat/contentReceived progress finished']);
    expect(delivered.map(({ command }) => ('target' in command ? command.target : ''))).toEqual(['run', 'compaction']);
    expect(client.settle('compact', refused('aborted', 'stopped')).sent.flatMap(({ id }) => id ?? [])).toEqual([]);
  });
});
