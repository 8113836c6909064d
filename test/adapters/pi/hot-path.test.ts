// The hot path and the slow path are one: whatever lines come, in whatever pieces, the client is told the same.
import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/index.ts';
import { isFull } from '../../support/full.ts';
import { cut, mustTellAlike, pass, saidByAll } from '../../support/hot-path.ts';
import { type Mutation, mutations, stream, type Update, updates } from '../../support/pi-updates.ts';

const streams = isFull ? 300 : 80;

describe('the hot path', () => {
  test.each<[string, Options, boolean, string?]>([
    ['claude', {}, true],
    ['rpc-message', {}, true],
    ['pi', {}, false],
    ['pi', { dialect: 'delta-only' }, true],
    ['eca', {}, true],
    ['eca', {}, true, 'streams-asks'],
    ['acp', {}, true],
    ['canonical', {}, true],
  ])(
    'tells %s clients %j what the slow path tells them',
    (to, options, takesBursts, dialect) => {
      const { recognised, together } = mustTellAlike(updates.map(stream), 'pi', to, streams, options, { dialect });
      // Else this would compare the slow path with itself.
      expect(recognised).toBeGreaterThan(streams);
      if (takesBursts) expect(together).toBeGreaterThan(streams / 4);
    },
    60_000,
  );

  test.each(Object.keys(mutations) as Mutation[])('judges a line as the parser does: %s', (how) => {
    for (const shape of ['bare', 'snapshot', 'message first'] as const) {
      const parts = ['one', 'two', 'three \\ "', 'four'].map(
        (delta, place): Update => ({ shape, kind: 'text', index: 0, delta, mutation: place === 2 ? how : 'none' }),
      );
      saidByAll([stream(parts)], { from: 'pi', to: 'claude' });
    }
  });

  test.each([
    ['bare', 3],
    ['snapshot', 3],
    ['message first', 0],
  ] as const)('needs one parsed line for the rest of a block (%s)', (shape, expected) => {
    const parts = ['a', 'b', 'c\n', 'ü'].map(
      (delta): Update => ({ shape, kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    for (const way of ['glance', 'burst'] as const)
      expect(pass([stream(parts)], { from: 'pi', to: 'claude', way }).recognised).toBe(expected);
  });

  test('a recognised line that is too long is too long', () => {
    const parts = ['a', 'b', 'c'.repeat(3000), 'd'].map(
      (delta): Update => ({ shape: 'bare', kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    for (const sizes of [[], [100], [777]]) {
      const chunks = cut(stream(parts), sizes);
      const said = saidByAll(chunks, { from: 'pi', to: 'claude', maxFrameBytes: 2000 });
      expect(said).toContain('fault too-large');
    }
  });

  test('bytes that are no UTF-8 are refused on both', () => {
    const parts = ['a', 'b', 'c', 'd'].map(
      (delta): Update => ({ shape: 'bare', kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    const bytes = stream(parts);
    bytes[bytes.indexOf('"delta":"c"') + 9] = 0xff;
    saidByAll([bytes], { from: 'pi', to: 'claude' });
  });
});

const bare = (...texts: string[]) =>
  texts.map((delta): Update => ({ shape: 'bare', kind: 'text', index: 0, delta, mutation: 'none' }));
const words = Array.from({ length: 40 }, (_, place) => `word ${place} `);
const together = (bytes: Buffer, sizes: readonly number[] = []) => {
  const chunks = cut(bytes, sizes);
  const burst = pass(chunks, { from: 'pi', to: 'claude', way: 'burst' });
  expect(burst.said).toEqual(pass(chunks, { from: 'pi', to: 'claude', way: 'slow' }).said);
  return burst.together;
};

describe('a burst', () => {
  test.each(['bare', 'snapshot'] as const)('takes all deltas of a chunk but the one that teaches (%s)', (shape) => {
    const lines = stream(bare(...words).map((update) => ({ ...update, shape })));
    expect(together(lines)).toBe(words.length - 1);
  });

  test.each(['bare', 'snapshot'] as const)('goes on behind each border of a chunk (%s)', (shape) => {
    const bytes = stream(bare(...words.slice(0, 8)).map((update) => ({ ...update, shape })));
    const begin = bytes.indexOf('word 1');
    const end = bytes.indexOf('word 3');
    // A number that shares no divisor with the length of a line: each line is cut at other places.
    for (let border = begin; border < end; border += isFull ? 1 : 7) together(bytes, [border, bytes.length]);
  });

  test.each([
    ['half a surrogate pair', '\ud83d'],
    ['U+2028', 'a\u2028b'],
    ['U+2029', '\u2029'],
    ['a control character', '\u0001'],
    ['nothing', ''],
  ])('ends before %s, and goes on behind it', (_name, odd) => {
    for (const place of [2, 20, 39]) {
      const texts = words.with(place, odd);
      const behind = words.length - place - 1;
      // One delta is no burst.
      expect(together(stream(bare(...texts)))).toBe((place > 2 ? place - 1 : 0) + (behind > 1 ? behind : 0));
    }
  });

  test.each([
    ['escapes', 'a "quoted" \\ \n\t\b\f\r / line'],
    ['letters of two to four bytes', 'é漢🙂'],
    ['U+FEFF', '\ufeff'],
    ['DEL', '\u007f'],
    ['a long text', 'long '.repeat(2000)],
  ])('takes %s', (_name, odd) => {
    const texts = words.with(2, odd).with(20, odd).with(39, odd);
    expect(together(stream(bare(...texts)))).toBe(words.length - 1);
  });

  test('has at most 256 deltas, and another one follows', () => {
    const many = Array.from({ length: 600 }, (_, place) => `${place} `);
    expect(together(stream(bare(...many)))).toBe(many.length - 1);
  });

  test('is none when its bytes are no UTF-8: its lines go one by one, and the next chunk has bursts again', () => {
    const bytes = stream(bare(...words));
    bytes[bytes.indexOf('word 9')] = 0xff;
    const border = bytes.indexOf('\n', bytes.indexOf('word 19')) + 1;
    expect(together(bytes, [border, bytes.length])).toBe(20);
  });

  test('keeps characters apart that were cut in two', () => {
    const bytes = stream(bare('one ', 'two ', 'x?', '?y', 'five'));
    // Together, these two bytes would be a letter.
    bytes[bytes.indexOf('x?') + 1] = 0xc3;
    bytes[bytes.indexOf('?y')] = 0xa9;
    together(bytes);
  });

  test.each<[string, object, number]>([
    ['without a frame', { type: 'queue_update', steering: [], followUp: [] }, words.length - 1],
    // The frame waits for the end of the message, and nothing is written quickly before that.
    ['whose frame waits', { type: 'extension_ui_request', id: 'n', method: 'notify', message: 'here' }, 20],
  ])('ends before an event %s, which stays where it was', (_name, event, expected) => {
    const bytes = stream(bare(...words));
    const at = bytes.indexOf('\n', bytes.indexOf('word 20')) + 1;
    const parts = [bytes.subarray(0, at), Buffer.from(`${JSON.stringify(event)}\n`), bytes.subarray(at)];
    expect(together(Buffer.concat(parts))).toBe(expected);
  });
});
