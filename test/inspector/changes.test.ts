// What the drawer tells of two frames of a kind.
import { expect, it } from 'vitest';
import { changesBetween, mostChanges } from '../../src/inspector/wire/changes.ts';

const grown = 'a text that is long enough to be told by its end';

it.each<readonly [name: string, before: unknown, after: unknown, changes: readonly unknown[]]>([
  ['the same', { a: 1, b: [true] }, { b: [true], a: 1 }, []],
  ['another value', { a: { b: 1 } }, { a: { b: 2 } }, [{ path: 'a.b', before: '1', after: '2' }]],
  ['another type', { a: [1] }, { a: { 0: 1 } }, [{ path: 'a', before: '[1]', after: '{"0":1}' }]],
  [
    'a field that went, and one that came',
    { a: null },
    { b: '' },
    [
      { path: 'a', before: 'null' },
      { path: 'b', after: '""' },
    ],
  ],
  ['a list that grew', { a: ['x'] }, { a: ['x', 'y'] }, [{ path: 'a[1]', after: '"y"' }]],
  ['a name that every object has', {}, { constructor: 1 }, [{ path: 'constructor', after: '1' }]],
  ['a text that grew', { a: grown }, { a: `${grown}.` }, [{ path: 'a', before: '…""', after: '…"."' }]],
  [
    'half of a pair',
    [`${grown}\u{1f600}`],
    [`${grown}\u{1f601}`],
    [{ path: '[0]', before: '…"\u{1f600}"', after: '…"\u{1f601}"' }],
  ],
  ['what turns the text around', { a: 1 }, { a: '\u202e' }, [{ path: 'a', before: '1', after: '"\\u202e"' }]],
  ['no object', 1, 'a', [{ path: '', before: '1', after: '"a"' }]],
])('%s', (_name, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes);
});

it('tells that there are more than it lists, and cuts what is long', () => {
  const many = Array.from({ length: 500 }, (_, at) => at);
  expect(changesBetween([], many).length).toBe(mostChanges + 1);
  expect(changesBetween({}, { a: 'x'.repeat(10_000_000) })[0]?.after?.length).toBeLessThan(400);
});
