// Lists call a stored session by its name and the beginning of its first prompt.
import { expect, test } from 'vitest';
import type { Event } from '../../src/core/model/event.ts';
import { type SessionTitle, titleAfter, titleOf } from '../../src/gateway/stored/session-title.ts';

const said = (text: string, more: object = {}): Event => ({
  type: 'message-added',
  role: 'user',
  content: [{ type: 'text', text }],
  ...more,
});
const named = (name: string): Event => ({ type: 'session-changed', changes: { name } });

test.each<[string, readonly Event[], SessionTitle]>([
  ['nothing was said', [{ type: 'run-start' }], {}],
  ['the first words stay', [said('hello there'), said('more')], { firstWords: 'hello there' }],
  ['a sub-agent is not the user', [said('look', { parent: 'call' }), said('hello')], { firstWords: 'hello' }],
  ['the newest name', [named('one'), said('hello'), named('two')], { name: 'two', firstWords: 'hello' }],
  [
    'a conversation that begins anew',
    [named('one'), said('hello'), { type: 'history-reset', reason: 'new' }, said('again')],
    { name: 'one', firstWords: 'again' },
  ],
])('%s', (_, events, title) => {
  expect(events.reduce<SessionTitle>(titleAfter, {})).toEqual(title);
});

test('the same object while the title stays: nothing is written', () => {
  const title = { name: 'one', firstWords: 'hello' };
  for (const event of [said('more'), named('one'), { type: 'turn-start' } as const])
    expect(titleAfter(title, event)).toBe(title);
});

test('a conversation whose first words are known is not read for them', () => {
  const transcript = {
    info: { name: 'mine' },
    get items(): never {
      throw new Error('the conversation was read');
    },
  };
  expect(titleOf(transcript, 'hello')).toEqual({ name: 'mine', firstWords: 'hello' });
  expect(() => titleOf(transcript)).toThrow('the conversation was read');
});
