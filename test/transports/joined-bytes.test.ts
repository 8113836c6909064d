// Pieces of one write are joined once for readers at the same place, and an encoding is never taken for another one
// (docs/limits.md 6.4).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSharedBytes, joinShared } from '../../src/transports/shared-bytes.ts';

const pieces = (...texts: string[]) => texts.map((text) => Buffer.from(text));
const textOf = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString();

describe('what is joined', () => {
  test.each([[[]], [['a']]])('%j is left as it is', (texts) => {
    const given = pieces(...texts);
    expect(joinShared(given)).toBe(given);
  });

  test('the same pieces give the very same chunk, in whatever list they come', () => {
    const given = pieces('a', 'b', 'c');
    const [first, ...others] = joinShared(given);
    expect([first?.toString(), others]).toEqual(['abc', []]);
    expect(joinShared([...given])[0]).toBe(first);
  });

  test.each([
    ['one less', ([a, b]: Buffer[]) => [a!, b!]],
    ['one more', (given: Buffer[]) => [...given, Buffer.from('d')]],
    ['another order', (given: Buffer[]) => given.toReversed()],
    ['another last piece', ([a, b]: Buffer[]) => [a!, b!, Buffer.from('x')]],
    ['equal bytes of another frame', (given: Buffer[]) => given.map((piece) => Buffer.from(piece))],
  ])('%s gives a chunk of its own', (_name, change) => {
    const given = pieces('a', 'b', 'c');
    const [first] = joinShared(given);
    const changed = change(given);
    const joined = joinShared(changed);
    expect(joined[0]).not.toBe(first);
    expect([joined.length, textOf(joined)]).toEqual([1, textOf(changed)]);
  });

  test('more than 256 KiB are not copied, and a smaller write before stays known', () => {
    const small = pieces('a', 'b');
    const [joined] = joinShared(small);
    const half = Buffer.alloc(128 * 1024);
    expect(joinShared([half, half])).toHaveLength(1);
    const large = [half, half, Buffer.from('x')];
    expect(joinShared(large)).toBe(large);
    const [again] = joinShared(small);
    expect(again).toEqual(joined);
    expect(joinShared(large)).toBe(large);
    expect(joinShared(small)[0]).toBe(again);
  });
});

test('an encoding is that of its key, whatever came between, and is made anew only when it is let go', () => {
  const lengths = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.integer({ min: 20 * 1024, max: 300 * 1024 })), {
    minLength: 60,
    maxLength: 90,
  });
  fc.assert(
    fc.property(lengths, (asked) => {
      const shared = createSharedBytes();
      const last = new Map<number, Buffer>();
      let bytesSince = new Map<number, number>();
      for (const [key, length] of asked) {
        let isMade = false;
        const encoded = shared.get(key, () => {
          isMade = true;
          return Buffer.alloc(length, key);
        });
        if (!isMade) {
          expect(encoded).toBe(last.get(key));
          // Two generations are kept, of which the older one may be too long by its last piece.
          expect(bytesSince.get(key)).toBeLessThan((512 + 300 + 512) * 1024);
        } else {
          // At least half a mebibyte of others came meanwhile.
          if (last.has(key)) expect(bytesSince.get(key)).toBeGreaterThan(512 * 1024);
          last.set(key, encoded as Buffer);
          bytesSince = new Map([...bytesSince].map(([other, bytes]) => [other, bytes + length]));
          bytesSince.set(key, 0);
        }
        expect((encoded as Buffer)[0]).toBe(key);
      }
    }),
  );
});
