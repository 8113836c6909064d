// Deltas that are collected from lines are the burst that they would be if they were written anew.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collector } from '../../../src/core/fast-path/delta-collector.ts';
import { burstOf } from '../../support/core/bursts.ts';

const delta = fc.oneof(
  fc.stringMatching(/^[ -~]{1,40}$/u),
  fc.constantFrom('é', '漢字', '🙂', 'a🙂é', '\n', '"\\', '\ufeff', '\u007f\u{10ffff}'),
);

test('text, bytes, ends and surplus are those of the deltas', () => {
  fc.assert(
    fc.property(fc.array(delta, { minLength: 1, maxLength: 30 }), (deltas) => {
      collector.clear();
      for (const text of deltas) {
        const line = Buffer.from(`${JSON.stringify(text)}}`);
        expect(collector.add(line, 1, line.length)).toBe(line.length - 2);
        collector.keep();
      }
      const { extra: _, ...expected } = burstOf(deltas, 3);
      expect(collector.burst(3, undefined, undefined)).toMatchObject(expected);
      collector.clear();
    }),
  );
});
