// A text told in pieces is the pieces joined, whenever it is looked at.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingText } from '../../../src/core/model/growing-text.ts';

test('it is its pieces, at any time', () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.string({ maxLength: 3, unit: 'binary' }).map((add) => ({ add })) },
    { weight: 1, arbitrary: fc.string().map((set) => ({ set })) },
    { weight: 2, arbitrary: fc.constant({ look: true }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const growing = new GrowingText();
      let plain = '';
      for (const part of steps) {
        if ('add' in part) growing.add(part.add);
        if ('set' in part) growing.set(part.set);
        plain = 'set' in part ? part.set : 'add' in part ? plain + part.add : plain;
        if ('look' in part) expect(growing.text).toBe(plain);
        expect(growing.isEmpty).toBe(plain === '');
      }
      expect(growing.text).toBe(plain);
    }),
    { numRuns: 100 },
  );
});
