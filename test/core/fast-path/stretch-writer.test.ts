// Frames that are written many at once are those that would be written one by one.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameIn, frameStart, type Stretch } from '../../../src/core/contract/stretch.ts';
import { createMould, digitValues, type FrameParts, writeStretch } from '../../../src/core/fast-path/stretch-writer.ts';
import { eventsIn, textIn } from '../../../src/core/model/burst.ts';
import { burstOf, takingProjection, withAsides } from '../../support/core/bursts.ts';

const part = fc.stringMatching(/^[ -~]{0,40}$/u);
const delta = fc.oneof(
  fc.stringMatching(/^[ -~]{1,40}$/u),
  fc.constantFrom('é', '漢', '🙂', '\n', '"\\', 'x'.repeat(100), '\ufeff', '\u007f'),
);
const digitsOf = (number: number) => (number % digitValues).toString(16).padStart(3, '0');

function frameOf({ head, middle, tail, first }: FrameParts, text: string, number: number): string {
  const inside = JSON.stringify(text).slice(1, -1);
  if (first === 'none') return head + inside + middle + tail;
  const holes = first === 'delta' ? [inside, digitsOf(number)] : [digitsOf(number), inside];
  return head + holes[0] + middle + holes[1] + tail;
}

/** The bytes up to the end of each frame, without its surplus, are as many as its text has UTF-16 units. */
function mustCountUnits({ ends, surplus }: Stretch, frames: readonly string[]): void {
  const units = frames.map((_, place) => frames.slice(0, place + 1).join('\n').length);
  expect([...ends].map((end, place) => end - (surplus?.[place] ?? 0))).toEqual(units);
}

describe('frames of a burst', () => {
  test('are written whole, each at its place, also where the number passes its last digits', () => {
    const first = fc.constantFrom<FrameParts['first']>('delta', 'digits', 'none');
    const parts = fc.record({ head: part, middle: part, tail: part, first });
    const seq = fc.oneof(
      fc.integer({ min: 1, max: 9000 }),
      fc.integer({ min: digitValues - 20, max: digitValues + 2 }),
    );
    fc.assert(
      fc.property(
        parts,
        fc.array(delta, { minLength: 1, maxLength: 30 }),
        seq,
        fc.nat(),
        fc.nat(),
        (shape, deltas, number, a, b) => {
          const burst = burstOf(deltas);
          const from = a % deltas.length;
          const to = from + 1 + (b % (deltas.length - from));
          const asked: number[] = [];
          // The beginning of the number is part of the mould.
          const headAt = (at: number) => `${shape.head}${Math.floor(at / digitValues)}`;
          const stretch = writeStretch(burst, number, [from, to], (at) => {
            asked.push(at);
            const mould = createMould({ ...shape, head: headAt(at) });
            if (mould === null) throw new Error('not ASCII');
            return mould;
          });
          const expected = deltas.slice(from, to).map((text, place) => {
            const at = number + place;
            return frameOf({ ...shape, head: headAt(shape.first === 'none' ? number : at) }, text, at);
          });
          expect(Buffer.from(stretch.bytes).toString()).toBe(expected.map((frame) => `${frame}\n`).join(''));
          const read = expected.map((_, place) => Buffer.from(frameIn(stretch, place)).toString());
          expect(read).toEqual(expected);
          expect(frameStart(stretch, expected.length)).toBe(stretch.bytes.length);
          mustCountUnits(stretch, expected);
          expect(asked.slice(1).every((at) => at % digitValues === 0)).toBe(true);
        },
      ),
    );
  });

  test.each(['é', '\n', '\u007f'])('are not written many at once with %j around the delta', (odd) => {
    for (const name of ['head', 'middle', 'tail'] as const)
      expect(createMould({ head: 'a', middle: 'b', tail: 'c', first: 'delta', [name]: odd })).toBeNull();
  });
});

test('frames of two kinds are written in turns, from any place to any other', () => {
  const seq = fc.oneof(fc.integer({ min: 1, max: 9000 }), fc.integer({ min: digitValues - 20, max: digitValues + 2 }));
  fc.assert(
    fc.property(fc.array(delta, { minLength: 1, maxLength: 20 }), seq, fc.nat(), fc.nat(), (deltas, number, a, b) => {
      const burst = withAsides(burstOf(deltas));
      const { bursts, event: project } = takingProjection();
      const events = [...eventsIn(burst)];
      expect(events.map((event) => event.type)).toEqual(deltas.flatMap(() => ['unknown', 'block-delta']));
      expect(events[0]).toMatchObject({ payload: { note: 'n', count: 0, id: 'id-0', more: [1] } });
      const from = a % events.length;
      const to = from + 1 + (b % (events.length - from));
      // The first event has the number of its place.
      const expected = events
        .slice(from, to)
        .flatMap((event, place) => project({ seq: number + place, at: 0, event }).map((out) => `${String(out)}\n`));
      const stretch = bursts?.write(burst, number, from, to, 0);
      expect(Buffer.from(stretch?.bytes ?? []).toString()).toBe(expected.join(''));
      expect([...(stretch?.ends ?? [])].map((end) => stretch?.bytes[end])).toEqual(expected.map(() => 0x0a));
    }),
  );
});

test('a burst is its deltas, and each part of it their text', () => {
  fc.assert(
    fc.property(fc.array(delta, { minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(), (deltas, a, b) => {
      const extra = { pi: { usage: 1 } };
      const burst = burstOf(deltas, 3, extra);
      expect([...eventsIn(burst)]).toEqual(
        deltas.map((text) => ({ type: 'block-delta', index: 3, delta: text, extra })),
      );
      expect([...eventsIn(burstOf(deltas))].some((event) => 'extra' in event)).toBe(false);
      const from = a % deltas.length;
      const to = from + 1 + (b % (deltas.length - from));
      expect(textIn(burst, from, to)).toBe(deltas.slice(from, to).join(''));
    }),
  );
});
