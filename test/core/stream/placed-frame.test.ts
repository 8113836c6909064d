// Frames of a stretch are counted as the same frames one by one: text by its UTF-16 units, wherever its bytes lie.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlacedStretch } from '../../../src/core/stream/placed-frame.ts';

const text = fc.array(fc.constantFrom('a', 'word', '{"delta":"', 'é', '漢', '🙂', '\u2028', '\u007f', ' '), {
  maxLength: 12,
});
const frames = fc.array(
  text.map((parts) => parts.join('')),
  { minLength: 1, maxLength: 8 },
);

test('a frame of a stretch ends where it would end alone', () => {
  fc.assert(
    fc.property(frames, fc.nat(8), fc.nat(50), (texts, offset, start) => {
      const lines = Buffer.from(texts.map((line) => `${line}\n`).join(''));
      const block = Buffer.alloc(offset + lines.length + 3, 0xff);
      lines.copy(block, offset);
      const bytes = block.subarray(offset, offset + lines.length);
      const ends = Int32Array.from([...bytes.keys()].filter((at) => bytes[at] === 0x0a));
      const stretch = new PlacedStretch('epoch', { bytes, ends, isAscii: false }, 7, 1, null, start);
      let sum = start;
      for (const [place, line] of texts.entries()) {
        sum += line.length;
        expect(stretch.endOf(7 + place)).toBe(sum);
      }
    }),
  );
});
