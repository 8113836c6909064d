// Frames of a stretch are counted as the same frames one by one: text by its UTF-16 units, wherever its deltas lie.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStretchWrapper } from '../../../src/core/fast-path/stretch-wrapper.ts';
import { PlacedStretch } from '../../../src/core/stream/placed-frame.ts';
import { partTexts, stretchOf } from '../../support/core/bursts.ts';

const text = fc.array(fc.constantFrom('a', 'word', '{"delta":"', 'é', '漢', '🙂', '\u2028', '\u007f', ' '), {
  maxLength: 12,
});
const frames = fc.array(
  text.map((parts) => parts.join('')),
  { minLength: 1, maxLength: 8 },
);

test('a frame of a stretch ends where it would end alone', () => {
  fc.assert(
    fc.property(frames, fc.nat(50), (texts, start) => {
      const stretch = new PlacedStretch('epoch', stretchOf(texts), 7, 1, null, start);
      let sum = start;
      for (const [place, line] of texts.entries()) {
        sum += line.length;
        expect(stretch.endOf(7 + place)).toBe(sum);
      }
    }),
  );
});

test('a wrapped part of a stretch ends where its frames would end alone', () => {
  const wrap = createStretchWrapper('head', 'tail');
  fc.assert(
    fc.property(frames, fc.nat(7), (texts, skipped) => {
      const from = Math.min(skipped, texts.length - 1);
      const part = wrap?.({ stretch: stretchOf(texts), from, to: texts.length });
      if (part === undefined) throw new Error('there is no wrapper');
      const stretch = new PlacedStretch('epoch', part.stretch, 0, 1, null, 0);
      const wrapped = partTexts(part);
      expect(wrapped).toHaveLength(texts.length - from);
      expect(stretch.endOf(wrapped.length - 1)).toBe(wrapped.join('').length);
    }),
  );
});
