// A wrapped stretch is the stretch of the wrapped frames.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStretchWrapper } from '../../../src/core/fast-path/stretch-wrapper.ts';
import { stretchOf } from '../../support/core/bursts.ts';

const frames = ['{}', '"é漢🙂"', 'x'.repeat(1000), '"\\n"', '[1]'];
const ascii = fc.stringMatching(/^[ -~]{0,20}$/u);

test('each frame of the part is wrapped, and no other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...frames), { minLength: 1 }),
      fc.nat(),
      fc.nat(),
      ascii,
      ascii,
      (list, a, b, head, tail) => {
        const from = a % list.length;
        const to = from + 1 + (b % (list.length - from));
        const wrapped = createStretchWrapper(head, tail)?.({ stretch: stretchOf(list), from, to });
        const expected = stretchOf(list.slice(from, to).map((frame) => head + frame + tail));
        expect(wrapped).toMatchObject({ from: 0, to: to - from });
        expect(wrapped?.stretch.bytes).toEqual(expected.bytes);
        expect(wrapped?.stretch.ends).toEqual(expected.ends);
      },
    ),
  );
});

test.each(['é', '\u2028', '\n', '\u007f'])('nothing is wrapped into %j', (text) => {
  expect(createStretchWrapper(text, '}')).toBeNull();
  expect(createStretchWrapper('{', text)).toBeNull();
});
