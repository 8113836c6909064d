// The bounded log of frames, compared with a plain array that keeps everything.

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { sizeOf } from '../../../src/core/contract/traffic.ts';
import { comparePlaces } from '../../../src/core/stream/cursor.ts';
import { TextPage } from '../../../src/core/stream/text-page.ts';
import { createWindow, defaultWindow, type WindowLimits } from '../../../src/core/stream/window.ts';
import { stretchOf } from '../../support/core/bursts.ts';

const epoch = '0123456789ab';

/** A window and all frames ever pushed, numbered from 0. */
function filled(pushes: readonly { readonly size: number; readonly seq: number }[], limits: WindowLimits, from = 0) {
  const window = createWindow(epoch, { seq: from, sub: 0 }, limits);
  const all = pushes.map(({ size, seq }, number) => {
    const out = `${number}`.padEnd(size, '.');
    window.push(out, seq);
    return { out, seq, sub: pushes.slice(0, number + 1).filter((other) => other.seq === seq).length };
  });
  return { window, all };
}

const frames = (...sizes: number[]) => sizes.map((size, at) => ({ size, seq: at + 1 }));

describe('bounds', () => {
  test.each<[string, number[], WindowLimits, number]>([
    ['nothing pushed', [], { frames: 3, bytes: 100 }, 0],
    ['just as many frames', [1, 1, 1], { frames: 3, bytes: 100 }, 0],
    ['one frame too many', [1, 1, 1, 1], { frames: 3, bytes: 100 }, 1],
    ['just as many bytes', [50, 50], { frames: 9, bytes: 100 }, 0],
    ['one byte too many', [50, 51], { frames: 9, bytes: 100 }, 1],
    ['small frames make room for a large one', [10, 10, 10, 90], { frames: 9, bytes: 100 }, 2],
    ['a frame larger than all: it stays, alone', [10, 500], { frames: 9, bytes: 100 }, 1],
    ['and goes with the next', [10, 500, 10], { frames: 9, bytes: 100 }, 2],
  ])('%s', (_name, sizes, limits, base) => {
    const { window } = filled(frames(...sizes), limits);
    expect([window.base, window.top]).toEqual([base, sizes.length]);
  });

  test('by default 8,192 frames or 8 MiB (docs/faults.md 2.1)', () => {
    expect(defaultWindow).toEqual({ frames: 8192, bytes: 8 * 1024 * 1024 });
    const window = createWindow(epoch, { seq: 0, sub: 0 });
    for (let seq = 1; seq <= 20_000; seq += 1) window.push('x', seq);
    expect([window.base, window.top]).toEqual([20_000 - 8192, 20_000]);
    const large = createWindow(epoch, { seq: 0, sub: 0 });
    for (let seq = 1; seq <= 20; seq += 1) large.push('x'.repeat(1024 * 1024), seq);
    expect([large.base, large.top]).toEqual([12, 20]);
  });

  test('what fell off is let go of at once', () => {
    const { window } = filled(frames(...Array.from({ length: 3000 }, () => 1)), { frames: 2, bytes: 100 });
    for (let number = 0; number < 2998; number += 1) expect(window.at(number)).toBeUndefined();
    expect([window.at(2998)?.seq, window.at(2999)?.seq, window.at(3000)]).toEqual([2999, 3000, undefined]);
  });
});

describe('texts', () => {
  const texts = fc.array(
    fc.record({
      size: fc.constantFrom(1, 63, 64, 65, 400, 1023, 1024, 1025, 5000),
      letters: fc.constantFrom('a', 'é', '\u2028', '橋', '🌉', '\ud83c', 'a\ud83c', '"\\n'),
    }),
    { maxLength: 40 },
  );

  test('are read as they were pushed, whatever their letters and lengths, and again', () => {
    fc.assert(
      fc.property(texts, (list) => {
        const window = createWindow(epoch, { seq: 0, sub: 0 });
        const pushed = list.map(({ size, letters }, number) => `${number}`.padEnd(size, letters));
        pushed.forEach((text, number) => {
          window.push(text, number + 1);
          expect(window.at(number)?.out).toBe(text);
        });
        window.pushStretch(stretchOf(['the end']), pushed.length + 1, null);
        for (const _ of [1, 2]) expect(pushed.map((_text, number) => window.at(number)?.out)).toEqual(pushed);
      }),
    );
  });

  test('are moved out of the heap with the next frame, if they are neither short nor long', () => {
    const moved = vi.spyOn(TextPage.prototype, 'add');
    const window = createWindow(epoch, { seq: 0, sub: 0 });
    for (const [at, size] of [63, 64, 1024, 1025, 400, 400].entries()) window.push('x'.repeat(size), at + 1);
    expect(moved.mock.calls.map(([text]) => text.length)).toEqual([64, 1024, 400]);
    moved.mockRestore();
  });
});

describe('any window', () => {
  const pushes = fc
    .array(fc.record({ size: fc.integer({ min: 1, max: 30 }), step: fc.nat({ max: 2 }) }), { maxLength: 60 })
    .map((steps) => {
      let seq = 5;
      return steps.map(({ size, step }) => {
        seq += step;
        return { size: Math.max(size, 2), seq };
      });
    });
  const limits = fc.record({ frames: fc.integer({ min: 1, max: 20 }), bytes: fc.integer({ min: 1, max: 200 }) });

  test('keeps the newest frames, within its limits, as many as fit', () => {
    fc.assert(
      fc.property(pushes, limits, (pushed, limit) => {
        const { window, all } = filled(pushed, limit, 5);
        expect(window.top).toBe(all.length);
        const kept = all.slice(window.base);
        for (const [at, frame] of kept.entries()) expect(window.at(window.base + at)).toMatchObject(frame);
        const bytes = (some: typeof all) => some.reduce((sum, { out }) => sum + out.length, 0);
        const fits = (some: typeof all) => some.length <= limit.frames && bytes(some) <= limit.bytes;
        expect(kept.length <= 1 || fits(kept)).toBe(true);
        if (window.base > 0) expect(fits(all.slice(window.base - 1))).toBe(false);
        for (let number = 0; number <= all.length; number += 1)
          expect(window.bytesFrom(number)).toBe(bytes(all.slice(Math.max(number, window.base))));
      }),
    );
  });

  test('finds the frame after every place, from the one before its oldest to its newest', () => {
    fc.assert(
      fc.property(pushes, limits, (pushed, limit) => {
        const { window, all } = filled(pushed, limit, 5);
        const places = [{ seq: 5, sub: 0 }, ...all];
        for (const [at, { seq, sub }] of places.entries()) {
          expect(window.after({ seq, sub })).toBe(at < window.base ? null : at);
        }
        const { last } = window;
        expect({ seq: last.seq, sub: last.sub }).toEqual({ seq: places.at(-1)?.seq, sub: places.at(-1)?.sub });
        expect(window.after({ seq: last.seq, sub: last.sub + 1 })).toBeNull();
        expect(window.after({ seq: last.seq + 1, sub: 0 })).toBeNull();
      }),
    );
  });

  test('a place where an event said nothing is between its neighbours', () => {
    fc.assert(
      fc.property(pushes, fc.nat({ max: 80 }), (pushed, seq) => {
        const { window, all } = filled(pushed, { frames: 1000, bytes: 100_000 }, 5);
        const place = { seq, sub: 0 };
        const isWithin = seq >= 5 && comparePlaces(place, window.last) <= 0;
        const after = all.findIndex((frame) => comparePlaces(frame, place) > 0);
        expect(window.after(place)).toBe(isWithin ? (after === -1 ? all.length : after) : null);
      }),
    );
  });
});

test.each<[Parameters<typeof sizeOf>[0], number]>([
  ['', 0],
  ['abc', 3],
  [['ab', new Uint8Array(5), ''], 7],
  [[], 0],
])('size of %j', (out, size) => expect(sizeOf(out)).toBe(size));

describe('what a window holds in memory', () => {
  const limits = { frames: 8192, bytes: 1_000_000 };

  test('views of one growing buffer count for the buffer once: a thousand snapshots fit beside each other', () => {
    const window = createWindow(epoch, { seq: 0, sub: 0 }, limits);
    const buffer = new Uint8Array(400_000);
    for (let seq = 1; seq <= 1000; seq += 1) window.push(['[', buffer.subarray(0, seq * 400), ']'], seq);
    expect(window.base).toBe(0);
    const held = window.bytesFrom(0);
    expect(held).toBeGreaterThan(400_000);
    expect(held).toBeLessThan(600_000);
    expect(window.bytesFrom(1)).toBeLessThan(200_000);
  });

  test('bytes of their own count in full, and by what lies behind them', () => {
    const window = createWindow(epoch, { seq: 0, sub: 0 }, limits);
    for (let seq = 1; seq <= 20; seq += 1) window.push([new Uint8Array(100_000).subarray(0, 5)], seq);
    expect([window.base, window.top]).toEqual([11, 20]);
  });

  test('each buffer counts, until the first frame that showed it has fallen off', () => {
    const window = createWindow(epoch, { seq: 0, sub: 0 }, limits);
    const show = (buffer: Uint8Array) => {
      for (let views = 0; views < 10; views += 1) window.push([buffer.subarray(0, views)], 1);
    };
    show(new Uint8Array(300_000));
    show(new Uint8Array(600_000));
    expect(window.base).toBe(0);
    expect(window.bytesFrom(0)).toBeGreaterThan(900_000);
    show(new Uint8Array(200_000));
    expect([window.base, window.top]).toEqual([1, 30]);
    expect(window.bytesFrom(1)).toBeGreaterThan(800_000);
  });
});

describe('a stretch', () => {
  const groups = fc.array(fc.array(fc.stringMatching(/^[a-zé🙂]{1,9}$/u), { minLength: 1, maxLength: 12 }), {
    maxLength: 12,
  });
  const limits = fc.record({ frames: fc.integer({ min: 1, max: 20 }), bytes: fc.integer({ min: 1, max: 200 }) });

  test('is its frames, at every place and when some of them have fallen off', () => {
    fc.assert(
      fc.property(groups, limits, fc.array(fc.boolean()), (parts, limit, choices) => {
        const together = createWindow(epoch, { seq: 5, sub: 0 }, limit);
        const apart = createWindow(epoch, { seq: 5, sub: 0 }, limit);
        let seq = 6;
        for (const [place, texts] of parts.entries()) {
          const at = place + 100;
          if (choices[place] === true) for (const [more, text] of texts.entries()) together.push(text, seq + more, at);
          else together.pushStretch(stretchOf(texts), seq, at);
          for (const [more, text] of texts.entries()) apart.push(text, seq + more, at);
          seq += texts.length;
        }
        const all = parts.flat();
        const [top] = [together.top];
        expect([top, together.last.seq, together.last.sub]).toEqual([apart.top, apart.last.seq, apart.last.sub]);
        expect(together.base).toBe(apart.base);
        for (let number = 0; number <= top; number += 1) {
          const [one, other] = [together.at(number), apart.at(number)];
          expect(one?.out).toBe(other === undefined ? undefined : all[number]);
          const facts = (placed: typeof one) => [
            placed?.seq,
            placed?.sub,
            placed?.at,
            placed?.end,
            placed?.cursor,
            placed?.number,
          ];
          expect(facts(one)).toEqual(facts(other));
          expect(together.bytesFrom(number)).toBe(apart.bytesFrom(number));
          // All readers get the same object.
          expect(together.at(number)).toBe(one);
        }
        for (let place = 5; place <= seq; place += 1)
          for (const sub of [0, 1, 2])
            expect(together.after({ seq: place, sub })).toBe(apart.after({ seq: place, sub }));
      }),
    );
  });

  test('gives runs from each of its frames that is left, no further than asked', () => {
    const window = createWindow(epoch, { seq: 0, sub: 0 }, { frames: 5, bytes: 1000 });
    window.push('"single"', 1);
    const stretch = stretchOf(['a', 'bb', 'ccc', 'dddd']);
    window.pushStretch(stretch, 2, null);
    window.push('"single"', 6);
    expect([window.base, window.top]).toEqual([1, 6]);
    expect(window.stretchAt(0, 9)).toBeNull();
    expect(window.stretchAt(1, 9)).toMatchObject({ stretch, from: 0, to: 4 });
    expect(window.stretchAt(3, 4)).toMatchObject({ stretch, from: 2, to: 3 });
    expect(window.stretchAt(5, 9)).toBeNull();
    window.push('"single"', 7);
    // Its first frame has fallen off.
    expect([window.base, window.at(1), window.at(2)?.out]).toEqual([2, undefined, 'bb']);
    expect([window.after({ seq: 2, sub: 1 }), window.after({ seq: 1, sub: 1 })]).toEqual([2, null]);
    expect(window.stretchAt(2, 9)).toMatchObject({ stretch, from: 1, to: 4 });
  });
});
