// The parts of the ledger that can be looked at alone: fingerprints, weights, the store of outcomes, the queue.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/core/ledger/fingerprint.ts';
import { createOutcomeStore, type KeptOutcome } from '../../../src/core/ledger/outcomes.ts';
import { createQueue } from '../../../src/core/ledger/queue.ts';
import { estimateBytes } from '../../../src/core/model/memory-estimate.ts';

describe('canonical JSON', () => {
  test.each([
    [{ b: 1, a: [{ d: 1, c: 2 }] }, '{"a":[{"c":2,"d":1}],"b":1}'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [[undefined, 'x"'], '[null,"x\\""]'],
    [JSON.parse('{"z":0,"__proto__":{"b":1,"a":2}}'), '{"__proto__":{"a":2,"b":1},"z":0}'],
    ['text', '"text"'],
    [undefined, 'null'],
  ])('%j', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test('is the same value, whatever the order of keys, and not that of another value', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).reverse();
      return Object.fromEntries(entries.map(([name, field]) => [name, reversed(field)]));
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const text = canonicalJson(one);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
        expect(canonicalJson(reversed(one))).toBe(text);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        if (canonicalJson(other) === text && !isSame)
          expect(JSON.parse(JSON.stringify(other))).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe('weights', () => {
  test('are never much less than the text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(estimateBytes(value, Number.POSITIVE_INFINITY) * 2).toBeGreaterThanOrEqual(JSON.stringify(value).length);
      }),
      { numRuns: 300 },
    );
  });

  test('are not counted further than needed, not even of what has no end', () => {
    const endless: unknown[] = [];
    endless.push(endless, 'x');
    const weight = estimateBytes(endless, 1_000);
    expect(weight).toBeGreaterThanOrEqual(1_000);
    expect(weight).toBeLessThan(1_100);
  });

  test('of something very deep', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(estimateBytes(deep, Number.POSITIVE_INFINITY)).toBeGreaterThan(100_000);
  });
});

describe('the shelf', () => {
  const kept = (weight: number): KeptOutcome => ({
    type: 't',
    fingerprint: 'f',
    outcome: { ok: true },
    receipt: { replayed: false, timedOut: false },
    weight,
    at: 0,
  });

  test.each([
    ['by number', { count: 2, bytes: 100 }, [1, 1, 1], ['n1', 'n2']],
    ['by bytes', { count: 9, bytes: 100 }, [50, 50, 1], ['n1', 'n2']],
    ['by bytes, many for one', { count: 9, bytes: 100 }, [30, 30, 30, 90], ['n3']],
    ['the newest stays whatever it weighs', { count: 9, bytes: 100 }, [1, 500], ['n1']],
    ['and gives way to the next', { count: 9, bytes: 100 }, [500, 1], ['n1']],
    ['none at all', { count: 0, bytes: 100 }, [1], []],
  ])('%s', (_, limits, weights, expected) => {
    const shelf = createOutcomeStore(limits, () => 0);
    for (const [place, weight] of weights.entries()) shelf.put(`n${place}`, kept(weight));
    expect(weights.map((_, place) => `n${place}`).filter((name) => shelf.get(name) !== undefined)).toEqual(expected);
    expect(shelf.size).toBe(expected.length);
  });

  test('the same name again is the newest, and weighs once', () => {
    const shelf = createOutcomeStore({ count: 2, bytes: 100 }, () => 0);
    shelf.put('a', kept(50));
    shelf.put('b', kept(20));
    shelf.put('a', kept(60));
    expect(shelf.size).toBe(2);
    shelf.put('c', kept(1));
    expect([shelf.get('a')?.weight, shelf.get('b')]).toEqual([60, undefined]);
  });
});

test('the queue gives back what was put in, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 50 }), fc.constantFrom(1, 700), (moves, times) => {
      const queue = createQueue<number>();
      const plain: number[] = [];
      let next = 0;
      for (const isIn of moves) {
        for (let time = 0; time < times; time += 1) {
          if (isIn) {
            queue.push(next);
            plain.push(next);
            next += 1;
          } else {
            expect(queue.shift()).toBe(plain.shift());
          }
        }
        expect([queue.length, queue.peek()]).toEqual([plain.length, plain[0]]);
      }
    }),
    { numRuns: 30 },
  );
});
