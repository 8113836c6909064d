// What the model is shown of a conversation that began before this agent did: the same as if it had been there.
import { describe, expect, test } from 'vitest';
import { exchangesOf } from '../../../src/adapters/anthropic/exchanges.ts';
import { messagesOf } from '../../../src/core/log/messages.ts';
import { lineOfMessage, readSession, textOfLine } from '../../../src/core/log/session-lines.ts';
import type { Content, Message } from '../../../src/core/model/content.ts';
import { message, startMachine, text, thinking } from './machine.ts';

const user = (words: string, more: object = {}): Message => ({
  role: 'user',
  content: [{ type: 'text', text: words }],
  ...more,
});
const answer = (content: Content[], more: object = {}): Message => ({
  role: 'assistant',
  provider: 'anthropic',
  model: 'm',
  stop: { reason: 'end' },
  content,
  ...more,
});
const words = (said: string): Content => ({ type: 'text', text: said });
const thought: Content = { type: 'thinking', text: 'hm', signature: 's' };

/** Through a file and back. */
function stored(messages: readonly Message[]): readonly Message[] {
  const head = { type: 'patchbay-session', version: 1, id: 's', agent: 'a', createdAt: '' } as const;
  return readSession(textOfLine(head) + messages.map((one) => textOfLine(lineOfMessage(one))).join(''))?.messages ?? [];
}

describe('a conversation that was recorded', () => {
  test('is shown to the next agent as it would have been shown by the first', () => {
    const first = startMachine({});
    first.ask({
      type: 'prompt',
      content: [words('one'), { type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
    });
    first.say(...message([...thinking(0, 'sig', 'hm'), ...text(1, 'answer')]));
    first.ask({ type: 'prompt', content: [words('two')] });
    first.say(...message(text(0, 'more')));
    first.ask({ type: 'prompt', content: [words('three')] });

    const second = startMachine({});
    const past = stored(messagesOf(first.transcript)).slice(0, -1);
    second.recall(past);
    second.ask({ type: 'prompt', content: [words('three')] });
    expect(second.body().messages).toEqual(first.body().messages);
    expect(second.body().messages).toHaveLength(5);
  });
});

describe('of what was said', () => {
  test.each<[string, Message[], object[]]>([
    ['nothing', [], []],
    [
      'a prompt and its answer',
      [user('a'), answer([words('b')])],
      [{ prompt: [{ type: 'text', text: 'a' }], answers: [{ model: 'm', blocks: [{ type: 'text', text: 'b' }] }] }],
    ],
    ['a prompt without an answer', [user('a'), user('b')], []],
    ['an answer without a prompt', [answer([words('a')])], []],
    ['what was refused', [user('a'), answer([words('b')], { stop: { reason: 'refusal' } })], []],
    ['an answer of nothing but thought', [user('a'), answer([thought])], []],
    ['a prompt that says nothing', [user('  '), answer([words('b')])], []],
    ['what a sub-agent said', [user('a', { parent: 'p' }), answer([words('b')], { parent: 'p' })], []],
  ])('%s', (_name, messages, exchanges) => {
    expect(exchangesOf(messages)).toEqual(exchanges);
  });

  const call: Content = {
    type: 'tool-call',
    id: 'c',
    name: 'search',
    input: { q: 1 },
    extra: { anthropic: { caller: 'x' } },
  };
  const result: Content = {
    type: 'opaque',
    name: 'web_search_tool_result',
    protocol: 'anthropic',
    payload: { type: 'web_search_tool_result', tool_use_id: 'c', content: [] },
  };
  const shown = { type: 'server_tool_use', id: 'c', name: 'search', input: { q: 1 }, caller: 'x' };
  test.each<[string, Message, object[]]>([
    [
      'thought and words',
      answer([thought, words('b')]),
      [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['thought without a proof', answer([{ type: 'thinking', text: 'hm' }, words('b')]), [{ type: 'text', text: 'b' }]],
    [
      'hidden thought',
      answer([{ type: 'thinking', text: '', redacted: true, signature: 'd' }, words('b')]),
      [
        { type: 'redacted_thinking', data: 'd' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['thought at the end', answer([words('b'), thought]), [{ type: 'text', text: 'b' }]],
    ['somebody else’s thought', answer([thought, words('b')], { provider: 'other' }), [{ type: 'text', text: 'b' }]],
    ['what was cut', answer([thought, words('b')], { stop: { reason: 'aborted' } }), [{ type: 'text', text: 'b' }]],
    [
      'a tool of a server, with its result',
      answer([call, result, words('b')]),
      [shown, result.payload as object, { type: 'text', text: 'b' }],
    ],
    ['a call that got no result', answer([call, words('b')]), [{ type: 'text', text: 'b' }]],
    ['somebody else’s block', answer([{ ...result, protocol: 'other' }, words('b')]), [{ type: 'text', text: 'b' }]],
    [
      'words that quote',
      answer([{ ...words('b'), extra: { anthropic: { citations: [{ a: 1 }] } } } as Content]),
      [{ type: 'text', text: 'b', citations: [{ a: 1 }] }],
    ],
    ['words that are none', answer([words(' '), words('b')]), [{ type: 'text', text: 'b' }]],
  ])('an answer: %s', (_name, said, blocks) => {
    expect(exchangesOf([user('a'), said])).toMatchObject([{ answers: [{ blocks }] }]);
    expect(exchangesOf([user('a'), said])[0]?.answers[0]?.blocks).toEqual(blocks);
  });

  test('several answers of one prompt, where the model paused', () => {
    const messages = [user('a'), answer([words('b')], { stop: { reason: 'pause' } }), answer([words('c')])];
    expect(exchangesOf(messages)).toMatchObject([{ answers: [{}, {}] }]);
  });
});

test('told again, it forgets what it was told before and what was said since', () => {
  const machine = startMachine({});
  machine.recall([user('old'), answer([words('old')])]);
  machine.ask({ type: 'prompt', content: [words('mine')] });
  machine.say(...message(text(0, 'yours')));
  machine.recall([user('new'), answer([words('newer')])]);
  machine.ask({ type: 'prompt', content: [words('now')] });
  expect(machine.body().messages.map(({ content }) => content[0]?.text)).toEqual(['new', 'newer', 'now']);
});
