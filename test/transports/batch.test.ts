// Pieces become few chunks with the same bytes, whoever else gathers at the same time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBatch, gather } from '../../src/transports/batch.ts';

const textOf = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString();

describe('gathering', () => {
  const large = 'x'.repeat(10_000);
  it.each<[string, (string | Uint8Array)[], string[]]>([
    ['nothing', [], []],
    ['nothing but empty strings', ['', ''], []],
    ['strings', ['a', 'é', 'b'], ['aéb']],
    ['small bytes and strings', ['a', Buffer.from('b'), Buffer.from('c'), 'd'], ['abcd']],
    ['large bytes alone', ['a', Buffer.from(large), 'b', Buffer.from('c')], ['a', large, 'bc']],
    ['long text alone', ['a', large, 'b'], ['a', large, 'b']],
    ['half pairs that meet', ['\ud83d', '\ude00'], ['😀']],
    ['half pairs that meet behind an empty string', ['a\ud83d', '', '\ude00b'], ['a😀b']],
    ['half pairs that never meet', ['\ud83d', Buffer.from('a'), '\ude00', '\ud83d'], ['\ufffda\ufffd\ufffd']],
  ])('%s', (_name, pieces, expected) => {
    expect(gather(pieces).map((chunk) => Buffer.from(chunk).toString())).toEqual(expected);
  });

  it('does not copy large bytes', () => {
    const bytes = Buffer.from(large);
    expect(gather(['a', bytes])[1]).toBe(bytes);
  });
});

describe('any batches side by side', () => {
  const units = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    units,
    fc.uint8Array(),
    fc.integer({ min: 0, max: 12_000 }).map((size) => 'é'.repeat(size)),
    fc.integer({ min: 0, max: 12_000 }).map((size) => new Uint8Array(size).fill(0x61)),
  );
  const step = fc.record({ to: fc.nat(2), piece: fc.option(piece) });

  it('keep their bytes apart, count them, and never touch what was taken', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const sides = [0, 1, 2].map(() => ({ batch: createBatch(), pieces: [] as (string | Uint8Array)[] }));
        const all: { chunks: Uint8Array[]; expected: string }[] = [];
        const take = ({ batch, pieces }: (typeof sides)[number]) => {
          const bytes = batch.length;
          const chunks = batch.take();
          expect(batch.length).toBe(0);
          expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBe(bytes);
          all.push({ chunks, expected: textOf(joined(pieces.splice(0))) });
        };
        for (const { to, piece } of steps) {
          const side = sides[to]!;
          if (piece === null) take(side);
          else {
            side.batch.add(piece);
            side.pieces.push(piece);
          }
        }
        for (const side of sides) take(side);
        for (const { chunks, expected } of all) expect(textOf(chunks)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  /** Neighbouring strings as one, then bytes. */
  function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    let text = '';
    for (const piece of [...pieces, new Uint8Array()]) {
      if (typeof piece === 'string') text += piece;
      else {
        chunks.push(Buffer.from(text), piece);
        text = '';
      }
    }
    return chunks;
  }
});
