// Texts of a thousand characters and more, made of everything that a reader of bytes could trip over.
import fc from 'fast-check';

const parts = [
  '"',
  '\\',
  '\\"',
  '":',
  '",',
  '{"a":"b"}',
  '\u2028',
  '\u0000',
  '\u0091',
  '\\u0091',
  '\ud83d',
  '😀',
  'é',
  '\n',
  ']}',
];

/** A text of any length: some are too short to be looked for, and some are as long as others but for one character. */
export const hostileText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 5, unit: 'binary' })), { maxLength: 4 }),
    fc.constantFrom(0, 900, 1100, 1100, 1101, 3000),
    fc.constantFrom('word ', 'ab', '漢字'),
    fc.array(fc.constantFrom(...parts), { maxLength: 2 }),
  )
  .map(([before, length, filling, behind]) => {
    const middle = filling.repeat(Math.ceil(length / filling.length)).slice(0, length);
    return before.join('') + middle + behind.join('');
  });

/** A text that is long enough, without what keeps a text from being looked for. */
export const knownText: fc.Arbitrary<string> = hostileText
  .map((text) => text.replaceAll('\u2028', '') + 'x'.repeat(1100))
  .filter((text) => text.length >= 1100);
