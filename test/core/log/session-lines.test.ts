// Sessions as lines: what is written is read, and whatever else is in such a file says nothing.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  lineOfMessage,
  mostLines,
  outlineOf,
  readSession,
  type SessionHead,
  textOfHead,
  textOfLine,
} from '../../../src/core/log/session-lines.ts';
import type { Message } from '../../../src/core/model/content.ts';
import { countParses } from '../../support/core/count-parses.ts';

const head: SessionHead = {
  type: 'patchbay-session',
  version: 1,
  id: 's',
  agent: 'a',
  createdAt: '2026-01-01T00:00:00Z',
};
const first = textOfLine(head);
const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const line = (text: string) => textOfLine(lineOfMessage(said(text)));
const named = (name: string) => textOfLine({ type: 'session-changed', changes: { name } });
const reset = textOfLine({ type: 'history-reset' });
const textsIn = (text: string) =>
  readSession(text)?.messages.map(({ content: [part] }) => (part?.type === 'text' ? part.text : null));

test('every message comes back as it was', () => {
  const messages: Message[] = [
    {
      role: 'user',
      origin: 'steer',
      id: 'm',
      timestamp: 5,
      content: [{ type: 'image', data: 'AAAA', mediaType: 'image/png' }],
    },
    {
      role: 'assistant',
      parent: 'p',
      model: 'm',
      provider: 'v',
      stop: { reason: 'end', raw: 'end_turn' },
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      cost: { total: 0.5 },
      failure: { kind: 'provider', message: 'x' },
      extra: { other: { deep: [1, { a: null }] } },
      content: [
        { type: 'thinking', text: 'hm', signature: 's' },
        { type: 'tool-call', id: 'c', name: 'n', input: { constructor: 1, 'a b': ['\u2028\n\ud800'] } },
        { type: 'opaque', name: 'o', protocol: 'p', payload: { a: 1 } },
      ],
    },
    {
      role: 'tool',
      call: 'c',
      name: 'n',
      isError: true,
      details: { a: 1 },
      content: [{ type: 'text', text: 'ö\r\n😀' }],
    },
  ];
  const text = first + messages.map((message) => textOfLine(lineOfMessage(message))).join('');
  expect(readSession(text)).toEqual({ head, name: undefined, messages, dropped: 0, lines: 5, isCut: false });
  expect(outlineOf(text)).toEqual({ head, name: undefined, messageCount: 3 });
});

test('any text comes back', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      expect(textsIn(first + texts.map(line).join(''))).toEqual(texts);
    }),
  );
});

test('the newest name counts, an empty one is none; a reset forgets what was before it', () => {
  expect(readSession(textOfLine({ ...head, name: 'x' }))?.name).toBe('x');
  const text = `${first}${line('a')}${named('one')}${reset}${line('b')}${named('two')}`;
  expect(readSession(text)).toMatchObject({ name: 'two', messages: [said('b')] });
  expect(outlineOf(text)).toMatchObject({ name: 'two', messageCount: 1 });
  expect(readSession(text + named(''))?.name).toBeUndefined();
  expect(outlineOf(text + named(''))?.name).toBeUndefined();
});

describe('lines that say nothing are dropped, and all others count', () => {
  const deep = (levels: number) => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;
  test.each<[string, string]>([
    ['cut', line('half').slice(0, 30)],
    ['no JSON', 'nothing\n'],
    ['NULs, as after a loss of power', `${'\0'.repeat(64)}\n`],
    ['no object', '[]\n'],
    ['a null', 'null\n'],
    ['another type', '{"type":"message"}\n'],
    ['a type of every object', '{"type":"constructor"}\n'],
    ['no type', '{"role":"user","content":[]}\n'],
    ['a role that there is not', '{"type":"message-added","role":"king","content":[]}\n'],
    ['content of another type', '{"type":"message-added","role":"user","content":"text"}\n'],
    ['a part of another type', '{"type":"message-added","role":"user","content":[{"type":"text","text":5}]}\n'],
    ['a name that is none', '{"type":"session-changed","changes":{"name":5}}\n'],
    ['too deep', `{"type":"message-added","role":"tool","content":[],"details":${deep(100)}}\n`],
    ['very deep', `{"type":"message-added","role":"tool","content":[],"details":${deep(100_000)}}\n`],
    ['a second head', first],
  ])('%s', (_name, strange) => {
    const text = `${first}${line('a')}${strange.endsWith('\n') ? strange : `${strange}\n`}${line('b')}`;
    expect(textsIn(text)).toEqual(['a', 'b']);
    expect(readSession(text)?.dropped).toBe(1);
  });

  test('what is as deep as a frame may be stays', () => {
    const text = `${first}{"type":"message-added","role":"tool","content":[],"details":${deep(60)}}\n`;
    expect(readSession(text)?.messages).toHaveLength(1);
  });

  test('fields that it does not know', () => {
    const text = `${first}{"type":"message-added","role":"user","content":[],"__proto__":{"polluted":1},"more":1}\n`;
    expect(readSession(text)?.messages).toEqual([{ role: 'user', content: [] }]);
    expect('polluted' in {}).toBe(false);
  });
});

test('a file that is cut anywhere gives what was whole', () => {
  const text = first + ['a', 'b', 'c'].map(line).join('');
  for (let length = first.length - 1; length <= text.length; length += 1) {
    const whole = ['a', 'b', 'c'].filter((_, at) => first.length + (at + 1) * line('a').length - 1 <= length);
    expect(textsIn(text.slice(0, length))).toEqual(whole);
  }
});

test.each<[string, string]>([
  ['nothing', ''],
  ['an empty line before', `\n${first}`],
  ['another program', '{"type":"session","version":3,"id":"x","timestamp":"","cwd":"/"}\n'],
  ['a newer version', textOfLine(head).replace('"version":1', '"version":2')],
  ['no id', textOfLine(head).replace('"id":"s",', '')],
  ['a name of another type', textOfLine(head).replace('"id":"s"', '"id":"s","name":5')],
  ['no text at all', '\0\u0001\ufffd'],
])('no session of ours: %s', (_name, text) => {
  expect(readSession(text + line('a'))).toBe(null);
  expect(outlineOf(text + line('a'))).toBe(null);
});

describe('what somebody has made to keep us busy', () => {
  const of = (beginning: string, values: number) => `${beginning}:[${Array(values).fill('5').join()}]}\n`;
  const million = 1_000_000;
  const deepLine = '['.repeat(million) + ']'.repeat(million);

  test.each<[string, string, { parses: number; isCut: boolean }]>([
    ['very deep', deepLine, { parses: 1, isCut: false }],
    ['very deep, in an object', `{"a":${deepLine}}`, { parses: 1, isCut: false }],
    ['very wide', of('{"type":"message-added","role":"user","content"', million), { parses: 1, isCut: false }],
    ['rather wide, again and again', of('{"type":"none","a"', 30_000).repeat(100), { parses: 5, isCut: true }],
    ['empty lines', '\n'.repeat(million), { parses: 1, isCut: true }],
    ['lines of spaces', ' \n'.repeat(million), { parses: 1, isCut: true }],
    ['lists', '[]\n'.repeat(million), { parses: 1, isCut: true }],
    ['objects that say nothing', '{}\n'.repeat(million), { parses: 1002, isCut: true }],
    ['objects that are none', '{x\n'.repeat(million), { parses: 1002, isCut: true }],
    [
      'very many values',
      of('{"type":"message-added","role":"tool","content":[],"details"', 90_000).repeat(40),
      { parses: 23, isCut: true },
    ],
  ])('%s', (_name, lines, { parses, isCut }) => {
    const text = first + lines;
    expect(countParses(() => expect(readSession(text)?.isCut).toBe(isCut))).toBe(parses);
    // A list looks at a few names and no more.
    expect(countParses(() => outlineOf(text))).toBeLessThanOrEqual(17);
  });

  test('names that are none: an older one counts, if it is not too far away', () => {
    const none = '{"type":"session-changed"\n';
    expect(outlineOf(first + named('x') + none.repeat(15))?.name).toBe('x');
    expect(countParses(() => expect(outlineOf(first + named('x') + none.repeat(100_000))?.name).toBeUndefined())).toBe(
      17,
    );
  });

  test('a first line that is very long is none, and none of ours is', () => {
    const long = { ...head, name: 'n'.repeat(100_000) };
    expect(countParses(() => expect(readSession(textOfLine(long))).toBe(null))).toBe(0);
    expect(countParses(() => expect(outlineOf(textOfLine(long))).toBe(null))).toBe(0);
    expect(readSession(textOfHead(long))).toMatchObject({ head, name: long.name });
    expect(textOfHead({ ...head, name: 'n' })).toBe(textOfLine({ ...head, name: 'n' }));
  });

  test('as many lines as may be are read', () => {
    const text = `${first}${'\n'.repeat(mostLines - 3)}${line('a')}`;
    expect(readSession(text)).toMatchObject({ isCut: false, lines: mostLines, messages: [said('a')] });
    expect(readSession(`${text}\n`)).toMatchObject({ isCut: true });
  });

  test('brackets and commas in strings count for nothing', () => {
    const text = `${'[{,'.repeat(100_000)}\\"[,\\\\`;
    expect(textsIn(first + line(text))).toEqual([text]);
  });
});
