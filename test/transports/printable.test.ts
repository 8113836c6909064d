// Text of a peer for logs and messages.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstBytes, lastBytes, printable } from '../../src/transports/printable.ts';

it.each([
  ['plain é漢😀', 'plain é漢😀'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
  ['back\rwards \0 \x07 \x7f \x9b', 'back\\x0dwards \\x00 \\x07 \\x7f \\x9b'],
  ['line\u2028separators\u2029', 'line\\u2028separators\\u2029'],
  ['right\u202eleft\u2066', 'right\\u202eleft\\u2066'],
])('%j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

it('cuts between characters, from both ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, size) => {
      const first = firstBytes(text, size);
      const last = lastBytes(text, size);
      expect(Buffer.byteLength(first)).toBeLessThanOrEqual(size);
      expect(Buffer.byteLength(last)).toBeLessThanOrEqual(size);
      expect(text.startsWith(first)).toBe(true);
      expect(text.endsWith(last)).toBe(true);
      expect(Buffer.byteLength(first)).toBeGreaterThan(Math.min(size, Buffer.byteLength(text)) - 4);
    }),
  );
});
