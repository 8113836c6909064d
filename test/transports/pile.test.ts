// Collecting the pieces of one message.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPile } from '../../src/transports/framing/pile.ts';

it('gives the pieces back in order, whatever their sizes, again and again', () => {
  const size = fc.oneof(fc.nat(10), fc.integer({ min: 1000, max: 1050 }), fc.integer({ min: 15_000, max: 17_000 }));
  fc.assert(
    fc.property(fc.array(fc.array(size)), (messages) => {
      const pile = createPile();
      let count = 0;
      for (const sizes of messages) {
        const pieces = sizes.map((length) => {
          count += 1;
          return Buffer.alloc(length, count);
        });
        pieces.forEach(pile.add);
        const whole = Buffer.concat(pieces);
        expect(pile.length).toBe(whole.length);
        expect(whole.equals(pile.take())).toBe(true);
        expect(pile.length).toBe(0);
      }
    }),
    { numRuns: 300 },
  );
});

it('forgets on request', () => {
  const pile = createPile();
  for (const text of ['a', 'b', 'c'.repeat(2000), 'd']) pile.add(Buffer.from(text));
  pile.clear();
  pile.add(Buffer.from('e'));
  expect(Buffer.from(pile.take()).toString()).toBe('e');
});

it('does not copy a message that came in one piece', () => {
  const pile = createPile();
  const piece = Buffer.from('x');
  pile.add(piece);
  expect(pile.take()).toBe(piece);
});

it('knows what stands where, however it is spread over pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 5 })),
      fc.uint8Array({ maxLength: 6 }),
      fc.nat(),
      (pieces, part, seed) => {
        const pile = createPile();
        pieces.forEach(pile.add);
        const whole = Buffer.concat(pieces);
        const place = seed % (whole.length + 1);
        expect(pile.hasAt(place, part)).toBe(whole.subarray(place, place + part.length).equals(part));
        expect(pile.hasAt(place, whole.subarray(place))).toBe(true);
        expect(whole.equals(pile.take())).toBe(true);
      },
    ),
  );
});
