// Cursors: formatted, parsed, compared, and refused when they are foreign or malformed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparePlaces, formatCursor, numberCursor, type Place, parseCursor } from '../../../src/core/stream/cursor.ts';

const epoch = '0123456789ab';

test('what was written is read again', () => {
  fc.assert(
    fc.property(fc.nat({ max: 999_999_999 }), fc.nat({ max: 99_999 }), (seq, sub) => {
      expect(parseCursor(epoch, formatCursor(epoch, { seq, sub }))).toEqual({ seq, sub });
    }),
  );
});

test.each<[string, ReturnType<typeof parseCursor>]>([
  ['0123456789ab.0.0', { seq: 0, sub: 0 }],
  ['0123456789ab.12.3', { seq: 12, sub: 3 }],
  [`${0x0123 * 2 ** 37 + 12 * 2 ** 11 + 3}`, { seq: 12, sub: 3 }],
  [`0${0x0123 * 2 ** 37}`, { seq: 0, sub: 0 }],
  [`${0x0124 * 2 ** 37 + 12 * 2 ** 11 + 3}`, 'epoch'],
  [`${0x0123 * 2 ** 37 - 1}`, 'epoch'],
  ['0', 'epoch'],
  ['9007199254740991', 'epoch'],
  ['9007199254740992', 'unknown'],
  [' 1', 'unknown'],
  ['-1', 'unknown'],
  ['1.5', 'unknown'],
  ['1e3', 'unknown'],
  ['0x10', 'unknown'],
  ['1'.repeat(17), 'unknown'],
  ['0123456789ab.999999999999999.999999999', { seq: 999_999_999_999_999, sub: 999_999_999 }],
  ['0123456789ac.12.3', 'epoch'],
  ['', 'unknown'],
  ['null', 'unknown'],
  ['0123456789ab', 'unknown'],
  ['0123456789ab.1', 'unknown'],
  ['0123456789ab.1.', 'unknown'],
  ['0123456789ab.1.2.3', 'unknown'],
  ['0123456789ab.-1.0', 'unknown'],
  ['0123456789ab.1.5e3', 'unknown'],
  ['0123456789ab.1.0x1', 'unknown'],
  [' 0123456789ab.1.0', 'unknown'],
  ['0123456789ab.1.0\n', 'unknown'],
  ['0123456789AB.1.0', 'unknown'],
  ['0123456789.1.0', 'unknown'],
  ['0123456789ab.1234567890123456.0', 'unknown'],
  ['0123456789ab.1.1234567890', 'unknown'],
  ['0123456789ab.١.0', 'unknown'],
  [`0123456789ab.${'1'.repeat(100_000)}.0`, 'unknown'],
])('%j', (cursor, expected) => expect(parseCursor(epoch, cursor)).toEqual(expected));

test('any text is a place, another epoch or unknown', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseCursor(epoch, text)).toBe(/^\d{1,16}$/u.test(text) ? 'epoch' : 'unknown');
    }),
  );
});

describe('as a number', () => {
  const epochs = fc.integer({ min: 1, max: 0xffff }).map((short) => `${short.toString(16).padStart(4, '0')}89abcdef`);
  const places = fc.record({ seq: fc.nat({ max: 2 ** 26 - 1 }), sub: fc.nat({ max: 2 ** 11 - 1 }) });

  test('what was written is read again, in this life of the session and in no other', () => {
    fc.assert(
      fc.property(epochs, epochs, places, (mine, other, place) => {
        const text = String(numberCursor(mine, place));
        expect(parseCursor(mine, text)).toEqual(place);
        if (other !== mine) expect(parseCursor(other, text)).toBe('epoch');
      }),
    );
  });

  test('it is in the order of places, and JSON holds it exactly', () => {
    fc.assert(
      fc.property(epochs, places, places, (mine, one, other) => {
        const [a = 0, b = 0] = [numberCursor(mine, one), numberCursor(mine, other)].map(Number);
        expect(Math.sign(a - b)).toBe(Math.sign(comparePlaces(one, other)));
        expect([a, b].every((number) => Number.isSafeInteger(number) && number > 0)).toBe(true);
      }),
    );
  });

  test.each<[string, Place, number | null]>([
    ['ffffffffffff', { seq: 2 ** 26 - 1, sub: 2 ** 11 - 1 }, Number.MAX_SAFE_INTEGER],
    ['ffffffffffff', { seq: 2 ** 26, sub: 0 }, null],
    ['ffffffffffff', { seq: 0, sub: 2 ** 11 }, null],
    // Never 0: some clients take 0 for "no place".
    ['0000ffffffff', { seq: 0, sub: 0 }, 2 ** 37],
    ['000100000000', { seq: 1, sub: 1 }, 2 ** 37 + 2 ** 11 + 1],
  ])('%s %o', (life, place, expected) => expect(numberCursor(life, place)).toBe(expected));
});

test('places are in order of events, then of frames', () => {
  const places = [
    { seq: 2, sub: 0 },
    { seq: 1, sub: 2 },
    { seq: 10, sub: 0 },
    { seq: 1, sub: 10 },
  ];
  expect(places.sort(comparePlaces).map(({ seq, sub }) => `${seq}.${sub}`)).toEqual(['1.2', '1.10', '2.0', '10.0']);
});
