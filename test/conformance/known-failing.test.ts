// The list of checks that are expected not to pass, and the patterns that select checks.
import { describe, expect, test } from 'vitest';
import type { Result, Verdict } from '../../src/conformance/check/check.ts';
import { chooserOf, chooserOfAny } from '../../src/conformance/check/pattern.ts';
import { compareKnown, readKnownFailing } from '../../src/conformance/report/known-failing.ts';

const result = (id: string, verdict: Verdict): Result => ({ id, verdict, ms: 0, conversations: [] });
const results = [
  result('toy/good', 'passed'),
  result('toy/bad', 'failed'),
  result('toy/bad-too', 'failed'),
  result('toy/dim', 'unclear'),
  result('toy/none', 'not-applicable'),
];
const all = [...results.map(({ id }) => id), 'toy/not-run'];

describe('the list', () => {
  const rows: [string, string, string[], string[]][] = [
    ['is empty', '\n  # nothing\n', [], []],
    ['names one that fails', 'toy/bad # theirs', ['toy/bad'], []],
    ['names one that is unclear', 'toy/dim', ['toy/dim'], []],
    ['names several by a pattern', '*bad*\r\n', ['toy/bad', 'toy/bad-too'], []],
    ['names one that passes', 'toy/bad\ntoy/good', ['toy/bad'], ['line 2: toy/good passes']],
    ['has a pattern of which one passes', 'toy/*d', ['toy/bad'], ['line 1: toy/good passes']],
    ['names one that there is not', 'toy/ba', [], ['line 1: there is no check toy/ba']],
    ['has a pattern that means none', 'other/*', [], ['line 1: there is no check other/*']],
    ['names one that was not run', 'toy/not-run', [], []],
    ['names one that is not applicable', 'toy/none', [], []],
  ];
  test.each(rows)('%s', (_name, text, ids, stale) => {
    const compared = compareKnown(readKnownFailing(text), all, results);
    expect([[...compared.ids], compared.stale]).toEqual([ids, stale]);
  });
});

describe('patterns', () => {
  test.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/bc', false],
    ['a/*', 'a/b/c', true],
    ['*b', 'a/b', true],
    ['a*c', 'abc', true],
    ['a*c', 'ab', false],
    ['a.b*', 'axb', false],
  ])('%s means %s: %s', (pattern, id, isMeant) => expect(chooserOf(pattern)(id)).toBe(isMeant));

  test.each([
    [[], 'anything', true],
    [['b'], 'abc', true],
    [['x', 'c'], 'abc', true],
    [['x'], 'abc', false],
    [['b*'], 'abc', false],
  ])('any of %j selects %s: %s', (patterns, id, isMeant) => expect(chooserOfAny(patterns)(id)).toBe(isMeant));
});
