// A message while it grows: at each step whole JSON, equal to what is known; earlier snapshots never change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGrowingJson } from '../../../src/adapters/pi/projection/growing-json.ts';
import { createSnapshot, type Snapshot } from '../../../src/adapters/pi/projection/snapshot.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { runs } from '../../support/full.ts';

type Piece = string | Uint8Array;
const head = { role: 'assistant' };

function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join('');
}

function read(snapshot: Snapshot): unknown {
  return JSON.parse(textOf(snapshot.pieces()));
}

/** Any text, with all that is hard about it: halves of pairs, controls, line separators, pieces of JSON. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: 'binary-ascii', maxLength: 200 }),
  fc.constantFrom('"', '\\', '\\u', '"}],"', '\ud83d', '\ude00', '\u2028', '\n', '\0', '', 'é'.repeat(2000)),
);

describe('text and thinking', () => {
  const step = fc.record({
    to: fc.nat(3),
    does: fc.constantFrom('start', 'append', 'append', 'append', 'end'),
    hostile,
  });

  test('any deltas, in any number of blocks: what JSON says is what was said, at each step', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isThinking) => {
        const snapshot = createSnapshot(head);
        const tail: Dictionary = { model: 'm', usage: { input: 1 } };
        snapshot.tail(tail);
        const blocks = new Map<number, Dictionary>();
        const ended = new Set<number>();
        const make = (text: string): Dictionary =>
          isThinking ? { type: 'thinking', thinking: text, thinkingSignature: '' } : { type: 'text', text };
        const field = isThinking ? 'thinking' : 'text';
        for (const { to, does, hostile } of steps) {
          const known = blocks.get(to);
          if (ended.has(to)) continue;
          if (known === undefined) {
            blocks.set(to, make(hostile));
            snapshot.start(to, make(hostile));
          } else if (does === 'end') {
            blocks.set(to, make(hostile));
            ended.add(to);
            snapshot.end(to, make(hostile));
          } else {
            blocks.set(to, make(`${known[field]}${hostile}`));
            snapshot.append(to, hostile);
          }
          expect(read(snapshot)).toEqual({ role: 'assistant', content: [...blocks.values()], ...tail });
        }
      }),
      { numRuns: 300 },
    );
  });

  test('what was handed out stays as it was, and holds no line end', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 2, maxLength: 60 }), (deltas) => {
        const snapshot = createSnapshot(head);
        snapshot.start(0, { type: 'text', text: '' });
        const before = deltas.map((delta) => {
          snapshot.append(0, delta);
          const pieces = snapshot.pieces();
          return { pieces, text: textOf(pieces) };
        });
        snapshot.end(0, { type: 'text', text: 'over' });
        snapshot.end(1, { type: 'text', text: 'x'.repeat(5000) });
        for (const { pieces, text } of before) {
          expect(textOf(pieces)).toBe(text);
          expect(text).not.toMatch(/[\n\r]/);
        }
      }),
    );
  });

  test('control characters and line separators look as JSON.stringify writes them', () => {
    const text = '\u0000\u0007\b\t\n\f\r\u001f\u007f\u2028\u2029"\\/é😀\ud83d';
    const snapshot = createSnapshot(head);
    snapshot.start(0, { type: 'text', text: '' });
    snapshot.append(0, text);
    expect(textOf(snapshot.pieces())).toBe(JSON.stringify({ ...head, content: [{ type: 'text', text }] }));
  });
});

describe('the message around its blocks', () => {
  test.each<[string, (snapshot: Snapshot) => void, unknown]>([
    ['nothing yet', () => {}, { role: 'assistant', content: [] }],
    ['a tail alone', (s) => s.tail({ a: 1 }), { role: 'assistant', content: [], a: 1 }],
    [
      'a tail is replaced as a whole; what JSON cannot say is left out',
      (s) => {
        s.tail({ a: 1, b: 2 });
        s.tail({ c: undefined, b: 3 });
      },
      { role: 'assistant', content: [], b: 3 },
    ],
    [
      'the field that grows keeps its place among the others',
      (s) => {
        s.start(0, { type: 'thinking', thinking: 'a', thinkingSignature: 's' });
        s.append(0, 'b');
      },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'ab', thinkingSignature: 's' }] },
    ],
    [
      'a block that ended before an older one did',
      (s) => {
        s.start(0, { type: 'text', text: 'a' });
        s.end(1, { type: 'text', text: 'b' });
        s.start(2, { type: 'text', text: 'c' });
      },
      { role: 'assistant', content: ['a', 'b', 'c'].map((text) => ({ type: 'text', text })) },
    ],
    [
      'a block of another kind does not grow',
      (s) => {
        s.start(0, { type: 'image', data: 'a' });
        s.append(0, 'b');
        s.append(1, 'there is none');
      },
      { role: 'assistant', content: [{ type: 'image', data: 'a' }] },
    ],
    [
      'nothing is added to what has ended',
      (s) => {
        s.start(0, { type: 'text', text: '' });
        s.start(1, { type: 'text', text: '' });
        s.end(1, { type: 'text', text: 'b' });
        s.append(1, 'c');
        s.end(0, { type: 'text', text: 'a' });
        s.append(0, 'c');
      },
      { role: 'assistant', content: ['a', 'b'].map((text) => ({ type: 'text', text })) },
    ],
  ])('%s', (_name, act, expected) => {
    const snapshot = createSnapshot(head);
    act(snapshot);
    expect(read(snapshot)).toEqual(expected);
    expect(textOf(snapshot.pieces())).toBe(JSON.stringify(expected));
  });

  test('the same few pieces, whatever was said, and the same bytes', () => {
    const snapshot = createSnapshot(head);
    for (let index = 0; index < 50; index += 1) snapshot.end(index, { type: 'text', text: 'x'.repeat(100) });
    snapshot.start(50, { type: 'text', text: '' });
    for (let size = 0; size < 300_000; size += 1000) snapshot.append(50, 'y'.repeat(1000));
    const first = snapshot.pieces();
    expect(snapshot.pieces()).toBe(first);
    snapshot.append(50, 'z');
    const second = snapshot.pieces();
    expect(second).toHaveLength(5);
    const buffers = (pieces: readonly Piece[]) =>
      pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.buffer]));
    expect(buffers(second)[0]).toBe(buffers(first)[0]);
    expect(buffers(second)[1]).toBe(buffers(first)[1]);
  });
});

describe('the arguments of a tool call', () => {
  const call = { type: 'toolCall', id: 'c', name: 'n', arguments: {} };

  /** The arguments after each of those pieces. */
  function shown(pieces: readonly string[]): unknown[] {
    const snapshot = createSnapshot(head);
    snapshot.start(0, call);
    return pieces.map((piece) => {
      snapshot.append(0, piece);
      const message = read(snapshot) as { content: { arguments: unknown }[] };
      expect(message).toEqual({ ...head, content: [{ ...call, arguments: message.content[0]?.arguments }] });
      return message.content[0]?.arguments;
    });
  }

  test.each([
    ['', {}],
    ['{', {}],
    [' \n{ ', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"', { a: '' }],
    ['{"a":"b', { a: 'b' }],
    ['{"a":"b\\', { a: 'b' }],
    ['{"a":"b\\u00e', { a: 'b' }],
    ['{"a":"b\\u00e9', { a: 'bé' }],
    ['{"a":"b\\"', { a: 'b"' }],
    ['{"a":1', {}],
    ['{"a":1 ', { a: 1 }],
    ['{"a":1,', { a: 1 }],
    ['{"a":-1.5e+3}', { a: -1500 }],
    ['{"a":tru', {}],
    ['{"a":true,"b":nul', { a: true }],
    ['{"a":[', { a: [] }],
    ['{"a":[1,"x', { a: [1, 'x'] }],
    ['{"a":[1,{"b":{"c":[]', { a: [1, { b: { c: [] } }] }],
    ['{"a":[],"b', { a: [] }],
    ['{ "a" : { } , "b" : [ 1 , 2 ] }\r\n', { a: {}, b: [1, 2] }],
    ['{"a":1,"a":"2"', { a: '2' }],
    ['{"__proto__":"x"', JSON.parse('{"__proto__":"x"}')],
    ['{"a":"\ud83d', { a: '\ud83d' }],
    ['{"\ud83d":"\ud83d\ude00"}', { '\ud83d': '😀' }],
    ['{"a":"\u2028é"}', { a: '\u2028é' }],
  ])('%j so far: %j', (text, expected) => {
    expect(shown([text])).toEqual([expected]);
    expect(shown(text.split('')).at(-1) ?? {}).toEqual(expected);
  });

  test.each([
    ['"text"', {}],
    ['[1]', {}],
    ['null', {}],
    ['x{"a":1}', {}],
    ['{"a":1}}', { a: 1 }],
    ['{"a":1},{"b":2}', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ['{,"a":1}', {}],
    ['{"a":"b",1:2}', { a: 'b' }],
    ['{"a":"b","c":}', { a: 'b' }],
    ['{"a":"b","c"=1}', { a: 'b' }],
    ['{"a":"b" "c":1}', { a: 'b' }],
    ['{"a":01}', {}],
    ['{"a":1.}', {}],
    ['{"a":+1}', {}],
    ['{"a":NaN}', {}],
    ['{"a":[1]}', { a: [1] }],
    ['{"a":[1,]}', { a: [1] }],
    ['{"a":[,1]}', { a: [] }],
    ['{"a":[1}}', { a: [1] }],
    ['{"a":"b\nc"}', { a: 'b' }],
    ['{"a":"b\\xc"}', { a: 'b' }],
    ['{"a":"b\\u12g4"}', { a: 'b' }],
    ["{'a':1}", {}],
  ])('%j is no JSON from some place on: %j is kept', (text, expected) => {
    expect(shown([text, '}', '"more":1}']).at(-1)).toEqual(expected);
    expect(shown([...text.split(''), '}']).at(-1)).toEqual(expected);
  });

  test('what was shown with the start stays until more is known, and the end is what the agent says it is', () => {
    const snapshot = createSnapshot(head);
    snapshot.start(0, { ...call, arguments: { guess: 1 } });
    snapshot.append(0, ' ');
    expect(read(snapshot)).toEqual({ ...head, content: [{ ...call, arguments: { guess: 1 } }] });
    snapshot.append(0, '{"a":1');
    expect(read(snapshot)).toEqual({ ...head, content: [call] });
    snapshot.end(0, { ...call, arguments: { a: 12 } });
    expect(read(snapshot)).toEqual({ ...head, content: [{ ...call, arguments: { a: 12 } }] });
  });

  /** Whether the second could still become the first: keys in order, strings cut, numbers and literals whole. */
  function isPrefix(part: unknown, whole: unknown): boolean {
    if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
    if (Array.isArray(part)) return Array.isArray(whole) && part.every((value, at) => isPrefix(value, whole[at]));
    if (typeof part !== 'object' || part === null) return Object.is(part, whole);
    if (typeof whole !== 'object' || whole === null) return false;
    const names = Object.keys(part);
    const wholeNames = new Set(Object.keys(whole));
    return names.every((name) => wholeNames.has(name) && isPrefix(Reflect.get(part, name), Reflect.get(whole, name)));
  }

  test('at each character of any object: valid, a beginning of the whole, and nothing less than before', () => {
    const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
    const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), value, { maxKeys: 4 });
    fc.assert(
      fc.property(anyObject, fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, null, space);
        const whole: unknown = JSON.parse(text);
        const json = createGrowingJson();
        let before: unknown = {};
        for (const character of text.split('')) {
          json.append(character);
          const known = json.known();
          const now: unknown = known === null ? {} : JSON.parse(textOf([known.bytes, known.ending]));
          if (!isPrefix(now, whole) || !isPrefix(before, now)) expect(now).toEqual({ before, whole });
          before = now;
        }
        expect(before).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  test('anything at all, in any pieces: valid at each step, and whole JSON is taken whole', () => {
    const fragment = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '\\',
        '1',
        '-',
        'e',
        'true',
        'nul',
        ' ',
        '\n',
        '\\u00',
        '\ud83d',
      ),
      hostile,
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (fragments) => {
        const states = shown(['{', ...fragments]);
        let whole: unknown;
        try {
          whole = JSON.parse(`{${fragments.join('')}`);
        } catch {
          return;
        }
        expect(states.at(-1)).toEqual(whole);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('deep nesting ends where readers end', () => {
    const states = shown(['{"a":', '['.repeat(1_000_000), '1']);
    expect(JSON.stringify(states.at(-1))).toBe(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`);
  });

  test('no character is read twice: a million of them in pieces of one are soon read', () => {
    const json = createGrowingJson();
    json.append('{"a":"');
    for (let count = 0; count < 1_000_000; count += 1) json.append('x');
    expect(json.known()?.bytes).toHaveLength(1_000_006);
  });
});
