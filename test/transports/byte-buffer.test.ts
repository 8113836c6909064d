// Collecting the pieces of one message.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createByteBuffer } from '../../src/transports/framing/byte-buffer.ts';

it('gives the pieces back in order, whatever their sizes, again and again', () => {
  const size = fc.oneof(fc.nat(10), fc.integer({ min: 1000, max: 1050 }), fc.integer({ min: 15_000, max: 17_000 }));
  fc.assert(
    fc.property(fc.array(fc.array(size)), (messages) => {
      const buffer = createByteBuffer();
      let count = 0;
      for (const sizes of messages) {
        const pieces = sizes.map((length) => {
          count += 1;
          return Buffer.alloc(length, count);
        });
        for (const piece of pieces) buffer.add(piece);
        const whole = Buffer.concat(pieces);
        expect(buffer.length).toBe(whole.length);
        expect(whole.equals(buffer.take())).toBe(true);
        expect(buffer.length).toBe(0);
      }
    }),
    { numRuns: 300 },
  );
});

it('gives back what was copied, whatever becomes of the pieces and of other buffers', () => {
  const size = fc.oneof(fc.nat(10), fc.integer({ min: 1000, max: 1050 }), fc.integer({ min: 60_000, max: 70_000 }));
  const step = fc.record({ size, of: fc.nat(1), does: fc.constantFrom('add', 'copy', 'take', 'clear') });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const buffers = [0, 1].map(() => ({ buffer: createByteBuffer(), expected: Buffer.alloc(0) }));
      const given: [Uint8Array, Buffer][] = [];
      for (const [index, { size, of, does }] of steps.entries()) {
        const one = buffers[of];
        if (one === undefined) continue;
        if (does === 'add' || does === 'copy') {
          const piece = Buffer.alloc(size, index);
          one.expected = Buffer.concat([one.expected, piece]);
          one.buffer[does](piece);
          if (does === 'copy') piece.fill(0xff);
        } else {
          if (does === 'take') given.push([one.buffer.take(), one.expected]);
          else one.buffer.clear();
          one.expected = Buffer.alloc(0);
        }
        expect(one.buffer.length).toBe(one.expected.length);
      }
      given.push(...buffers.map(({ buffer, expected }): [Uint8Array, Buffer] => [buffer.take(), expected]));
      for (const [whole, expected] of given) expect(expected.equals(whole)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('forgets on request', () => {
  const buffer = createByteBuffer();
  for (const text of ['a', 'b', 'c'.repeat(2000), 'd']) buffer.add(Buffer.from(text));
  buffer.clear();
  buffer.add(Buffer.from('e'));
  expect(Buffer.from(buffer.take()).toString()).toBe('e');
});

it('does not copy a message that came in one piece', () => {
  const buffer = createByteBuffer();
  const piece = Buffer.from('x');
  buffer.add(piece);
  expect(buffer.take()).toBe(piece);
});

it('knows what stands where, however it is spread over pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 5 })),
      fc.uint8Array({ maxLength: 6 }),
      fc.nat(),
      (pieces, part, seed) => {
        const buffer = createByteBuffer();
        for (const piece of pieces) buffer.add(piece);
        const whole = Buffer.concat(pieces);
        const place = seed % (whole.length + 1);
        expect(buffer.hasAt(place, part)).toBe(whole.subarray(place, place + part.length).equals(part));
        expect(buffer.hasAt(place, whole.subarray(place))).toBe(true);
        expect(whole.equals(buffer.take())).toBe(true);
      },
    ),
  );
});
