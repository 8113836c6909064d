// Places in a stream: written, read, compared, and refused when they are not ours.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePlaces, formatCursor, parseCursor } from '../../src/core/cursor.ts';

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
      expect(parseCursor(epoch, text)).toBe('unknown');
    }),
  );
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
