// What a list shows of a session file of pi, and which files are none: pi empties a file that is none of its own.
import { describe, expect, test } from 'vitest';
import { storedFormat } from '../../../src/adapters/pi/stored-session.ts';
import { countParses } from '../../support/core/count-parses.ts';

const header = { type: 'session', version: 3, id: 'abc', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/work' };
const entry = (type: string, more: object = {}) => ({ type, id: 'e', parentId: null, timestamp: '', ...more });
const message = (role: string) => entry('message', { message: { role, content: [] } });
const said = (content: unknown) => entry('message', { message: { role: 'user', content } });
const file = (...lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

test('the header, the name and the messages', () => {
  const text = file(
    header,
    entry('model_change', { provider: 'p', modelId: 'm' }),
    message('user'),
    message('assistant'),
    entry('session_info', { name: 'first' }),
    message('toolResult'),
    entry('compaction', { summary: 'message', firstKeptEntryId: 'e', tokensBefore: 1 }),
    entry('session_info', { name: 'second' }),
    entry('custom', { data: { type: 'message' } }),
  );
  const { id, timestamp: createdAt, cwd } = header;
  expect(storedFormat.read(text)).toEqual({ id, createdAt, cwd, name: 'second', messageCount: 3 });
});

test.each<[string, readonly unknown[], string | undefined]>([
  ['a text', [said('one'), said('two')], 'one'],
  ['parts', [said([{ type: 'image' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }])], 'ab'],
  ['behind the agent’s own', [message('assistant'), said('one')], 'one'],
  ['too far behind', [...Array.from({ length: 4 }, () => message('assistant')), said('one')], undefined],
  ['no words', [said([{ type: 'image' }])], undefined],
  ['very many words', [said('😀'.repeat(300))], '😀'.repeat(200)],
])('the first words of its user: %s', (_name, entries, words) => {
  expect(storedFormat.read(file(header, ...entries))?.firstWords).toBe(words);
});

describe('the same session as another one', () => {
  const as = { id: 'new', createdAt: '2026-02-02T00:00:00.000Z', from: '/s/abc.jsonl' };
  test('has a header of its own, and the same entries', () => {
    const entries = file(message('user'), message('assistant'));
    const [first = '', ...rest] = (storedFormat.copy?.(file(header) + entries, as) ?? '').split('\n');
    expect(JSON.parse(first)).toEqual({ ...header, id: 'new', timestamp: as.createdAt, parentSession: '/s/abc.jsonl' });
    expect(rest.join('\n')).toBe(entries);
  });

  test.each([
    ['nothing', ''],
    ['no session', file(message('user'))],
    ['a header that was cut', JSON.stringify(header).slice(0, -1)],
  ])('of %s there is none', (_name, text) => {
    expect(storedFormat.copy?.(text, as)).toBe(null);
  });
});

describe('the same', () => {
  test.each<[string, string, object]>([
    ['of an empty session', file(header), { messageCount: 0 }],
    ['cut in the middle of a line', file(header, message('user')).slice(0, -3), { messageCount: 1 }],
    [
      'with spaces and another order',
      `${file(header)} { "type" : "message" }\n{"id":"e","type":"message"}\n`,
      { messageCount: 2 },
    ],
    ['with lines that are none', `${file(header)}nothing\n\nnull\n[]\n"message"\n{"type":5}\n`, { messageCount: 0 }],
    ['with a name that was taken away', file(header, entry('session_info', { name: 'x' }), entry('session_info')), {}],
    ['with an empty name', file(header, entry('session_info', { name: '' })), {}],
    ['with a name of another type', file(header, entry('session_info', { name: 5 })), {}],
  ])('%s', (_name, text, fields) => {
    const { id, timestamp: createdAt, cwd } = header;
    expect(storedFormat.read(text)).toEqual({ id, createdAt, cwd, messageCount: 0, ...fields });
  });

  test('of an older pi, which knew no folder', () => {
    expect(storedFormat.read(file({ type: 'session', id: 'x' }))).toEqual({ id: 'x', messageCount: 0 });
    expect(storedFormat.read(file({ type: 'session', id: 'x', cwd: '' }))).toEqual({ id: 'x', messageCount: 0 });
  });
});

test.each<[string, string]>([
  ['nothing', ''],
  ['another line first', file(message('user'), header)],
  ['an empty line first', `\n${file(header)}`],
  ['no id', file({ ...header, id: undefined })],
  ['an empty id', file({ ...header, id: '' })],
  ['an id of another type', file({ ...header, id: 5 })],
  ['another program', file({ ...header, type: 'patchbay-session' })],
  ['a list', file([header])],
  ['a folder of another type', file({ ...header, cwd: 5 })],
  ['a header that was cut', JSON.stringify(header).slice(0, -1)],
  ['very deep', `${'[{"a":'.repeat(50_000)}`],
])('none of its own: %s', (_name, text) => {
  expect(storedFormat.read(text)).toBe(null);
});

describe('what somebody has put into a project to keep us busy', () => {
  const name = `${JSON.stringify(entry('session_info', { name: 'x' }))}\n`;
  test.each<[string, string, number]>([
    ['empty lines', '\n'.repeat(200_000), 1],
    ['lines of spaces', '  \n'.repeat(200_000), 1],
    ['lists', '[]\n'.repeat(200_000), 1],
    ['a very deep line', '['.repeat(1_000_000), 1],
    ['a very deep object', '{"a":'.repeat(1_000_000), 1],
    ['a very long line', `{"a":"${'x'.repeat(1_000_000)}","type":"message"}`, 1],
    ['objects that are none', '{x\n'.repeat(200_000), 102],
    ['names that are none', '{"type":"session_info",\n'.repeat(200_000), 102],
    ['entries', file(message('user')).repeat(1000), 5],
    ['names', name.repeat(10), 11],
    ['very many names', `${name.slice(0, -2)},"a":[${'1,'.repeat(900)}1]}\n`.repeat(1000), 221],
  ])('%s', (_name, lines, parses) => {
    expect(countParses(() => expect(storedFormat.read(file(header) + lines)).toMatchObject({ id: 'abc' }))).toBe(
      parses,
    );
  });

  test('a first line that is very long is none', () => {
    const long = file({ ...header, more: 'x'.repeat(100_000) });
    expect(countParses(() => expect(storedFormat.read(long)).toBe(null))).toBe(0);
  });
});
