// What is remembered of files, and for how long.
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileCache, markOf } from '../../src/stores/file-cache.ts';

test('what was kept, for that mark', () => {
  const cache = createFileCache<number>(2);
  cache.set('a', '1', 5);
  expect([cache.get('a', '1'), cache.get('a', '2'), cache.get('b', '1')]).toEqual([5, undefined, undefined]);
  cache.set('a', '2', 6);
  expect([cache.get('a', '1'), cache.get('a', '2')]).toEqual([undefined, 6]);
});

test('of so many files, and the one goes that was not looked at for longest', () => {
  const cache = createFileCache<string>(2);
  for (const file of ['a', 'b']) cache.set(file, '1', file);
  cache.get('a', '1');
  cache.set('c', '1', 'c');
  expect(['a', 'b', 'c'].map((file) => cache.get(file, '1'))).toEqual(['a', undefined, 'c']);
});

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'patchbay-cache-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test.each<[string, (file: string) => void]>([
  ['is longer', (file) => writeFileSync(file, 'x', { flag: 'a' })],
  ['was written to at another time', (file) => utimesSync(file, 5, 5)],
  [
    'is another one of the same size and time',
    (file) => {
      writeFileSync(`${file}2`, 'x');
      utimesSync(`${file}2`, 1, 1);
      renameSync(`${file}2`, file);
    },
  ],
])('a file that %s has another mark', (_name, change) => {
  const file = join(base, 'f');
  writeFileSync(file, 'x');
  utimesSync(file, 1, 1);
  const mark = markOf(statSync(file));
  expect(markOf(statSync(file))).toBe(mark);
  change(file);
  expect(markOf(statSync(file))).not.toBe(mark);
});
