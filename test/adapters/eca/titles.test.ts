// Titles of chats: the first words of their user, cut as real servers cut them, and those of forks.
import { describe, expect, test } from 'vitest';
import { forkTitle, titleFrom, titleOf } from '../../../src/adapters/eca/frontend/titles.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Event } from '../../../src/core/model/event.ts';

test.each<[string, string | undefined]>([
  ['sort the cables', 'sort the cables'],
  ['\n\n  sort   the\tcables \nby colour', 'sort the cables'],
  ['## sort them', 'sort them'],
  ['---\nsort them', 'sort them'],
  ['x'.repeat(40), 'x'.repeat(40)],
  ['x'.repeat(41), `${'x'.repeat(39)}…`],
  ['sort all of the cables in the drawers by colour', 'sort all of the cables in the drawers…'],
  ['😀'.repeat(41), `${'😀'.repeat(39)}…`],
  ['/compact keep the names', undefined],
  ['/costs', undefined],
  ['/home/me/notes.txt says what?', '/home/me/notes.txt says what?'],
  ['', undefined],
  [' \n ', undefined],
  ['!?', undefined],
])('the title from %j', (prompt, title) => {
  expect(titleFrom(prompt)).toBe(title);
});

describe('the title of a conversation', () => {
  const user = (text: string, more: object = {}): Event => ({
    type: 'message-added',
    role: 'user',
    content: [{ type: 'text', text }],
    ...more,
  });
  test.each<[string, readonly Event[], string | undefined]>([
    ['nobody has said anything', [], undefined],
    ['its first words', [user('/costs'), user('one'), user('two')], 'one'],
    [
      'not those of a sub-agent, nor of the agent',
      [user('a', { parent: 'c' }), user('b', { origin: 'agent' })],
      undefined,
    ],
    ['without contexts', [user('<contexts>\na file\n</contexts>\n\nwhat is it?')], 'what is it?'],
    ['its name', [user('one'), { type: 'session-changed', changes: { name: 'Cables' } }], 'Cables'],
  ])('%s', (_, events, title) => {
    const transcript = emptyTranscript();
    for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at: 0, event });
    expect(titleOf(transcript)).toBe(title);
  });
});

test.each<[string | undefined, string]>([
  [undefined, 'Untitled (2)'],
  ['Cables', 'Cables (2)'],
  ['Cables (2)', 'Cables (3)'],
  ['Cables (x)', 'Cables (x) (2)'],
])('a fork of %j is %j', (title, forked) => {
  expect(forkTitle(title)).toBe(forked);
});
