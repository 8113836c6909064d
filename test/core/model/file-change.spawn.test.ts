// Diffs of files. The judges are the diff library's own applyPatch and, where it is installed, the patch program: what a diff
// says, done to the text before, gives the text after.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeOfHunks, changeOfPatch, fileChange, wholeFileChange } from '../../../src/core/model/file-change.ts';
import { cpuMs } from '../../support/cpu.ts';

const unended = '\\ No newline at end of file';
const numbered = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word}${at}\n`).join('');

/** With the lines that name the file, as editors put them in front. */
function applied(before: string, diff: string): string | false {
  return diff === '' ? before : applyPatch(before, `--- a\n+++ a\n${diff}\n`);
}

const hasPatch = spawnSync('patch', ['--version']).status === 0;

function patched(before: string, diff: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-diff-'));
  try {
    const file = path.join(folder, 'a');
    writeFileSync(file, before);
    // Binary: else it would take the line ends of CRLF files for its own.
    execFileSync('patch', ['--binary', '--silent', '--no-backup-if-mismatch', '--fuzz=0', file], {
      input: `--- a\n+++ a\n${diff}\n`,
    });
    return readFileSync(file, 'utf8');
  } catch {
    return 'the patch program refused it';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a whole file', () => {
  const table: readonly [name: string, before: string, after: string, diff: string, added: number, removed: number][] =
    [
      ['a new file', '', 'a\nb\n', '@@ -0,0 +1,2 @@\n+a\n+b', 2, 0],
      ['a new file that does not end in a line feed', '', 'a', `@@ -0,0 +1,1 @@\n+a\n${unended}`, 1, 0],
      ['a file that is emptied', 'a\nb\n', '', '@@ -1,2 +0,0 @@\n-a\n-b', 0, 2],
      ['equal texts', 'a\n', 'a\n', '', 0, 0],
      ['no text at all', '', '', '', 0, 0],
      ['a line in the middle', 'a\nb\nc\n', 'a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c', 1, 1],
      ['a line feed that is taken away', 'a\n', 'a', `@@ -1,1 +1,1 @@\n-a\n+a\n${unended}`, 1, 1],
      ['a line feed that is missing on both sides', 'a\nb', 'A\nb', `@@ -1,2 +1,2 @@\n-a\n+A\n b\n${unended}`, 1, 1],
      ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r', 1, 1],
      ['CRLF that becomes LF', 'a\r\n', 'a\n', '@@ -1,1 +1,1 @@\n-a\r\n+a', 1, 1],
      ['lines that look like marks', '-a\n+b\n', '-a\n--- c\n', '@@ -1,2 +1,2 @@\n -a\n-+b\n+--- c', 1, 1],
      ['line separators that are none', 'a\u2028b\n', 'a\u2028c\n', '@@ -1,1 +1,1 @@\n-a\u2028b\n+a\u2028c', 1, 1],
    ];
  test.each(table)('%s', (_, before, after, diff, linesAdded, linesRemoved) => {
    expect(wholeFileChange('a', { before, after })).toEqual({ path: 'a', diff, linesAdded, linesRemoved });
    expect(applied(before, diff)).toBe(after);
    if (hasPatch && diff !== '' && after !== '') expect(patched(before, diff)).toBe(after);
  });

  test('a change far from another has a hunk of its own', () => {
    const before = numbered(30, 'line ');
    const after = before.replace('line 3\n', 'three\n').replace('line 25\n', '');
    const { diff } = wholeFileChange('a', { before, after });
    expect(diff.split('\n').filter((line) => line.startsWith('@@'))).toEqual(['@@ -1,7 +1,7 @@', '@@ -23,7 +23,6 @@']);
    expect(applied(before, diff)).toBe(after);
  });

  /** Few different lines, so that much is common, with and without a line feed at the end. */
  const texts = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', '-x', '+y', '\\z', 'é\r'), { maxLength: 30 }), fc.boolean())
    .map(([lines, isEnded]) => lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''));

  test('applied to what was before it gives what is after, and the counts are its own', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { diff, linesAdded, linesRemoved } = wholeFileChange('a', { before, after });
        expect(applied(before, diff)).toBe(after);
        const marks = diff.split('\n').map((line) => line.charAt(0));
        expect(marks.filter((mark) => mark === '+')).toHaveLength(linesAdded);
        expect(marks.filter((mark) => mark === '-')).toHaveLength(linesRemoved);
      }),
    );
  });
});

describe('too long or too different to compare', () => {
  const common = numbered(50, 'same ');
  const table: readonly [name: string, before: string, after: string][] = [
    ['nothing in common', numbered(5_000, 'a'), numbered(5_000, 'b')],
    ['the same at both ends', `${common}${numbered(3_000, 'a')}${common}`, `${common}${numbered(3_000, 'b')}${common}`],
    ['every other line', numbered(4_000, 'a'), numbered(4_000, 'a').replace(/[02468]\n/gu, 'x\n')],
    ['more than a mebibyte', `${'a'.repeat(600_000)}\nz\n`, `${'b'.repeat(600_000)}\nz\n`],
    ['no line feed at the end', numbered(3_000, 'a'), `${numbered(3_000, 'b')}c`],
  ];
  test.each(table)('%s: one hunk that is true', (_, before, after) => {
    const { diff } = wholeFileChange('a', { before, after });
    expect(diff.match(/^@@ .*@@$/gmu)).toHaveLength(1);
    expect(applied(before, diff)).toBe(after);
  });

  test('only what differs is in it, with three lines around', () => {
    const change = wholeFileChange('a', {
      before: `${common}${numbered(3_000, 'a')}${common}`,
      after: `${common}${numbered(2_000, 'b')}${common}`,
    });
    expect(change).toMatchObject({ linesAdded: 2_000, linesRemoved: 3_000 });
    expect(change.diff.split('\n')[0]).toBe('@@ -48,3006 +48,2006 @@');
  });

  test('many pieces that have nothing in common take no longer than few', () => {
    const pieces = Array.from({ length: 300 }, (_, at) => ({
      before: numbered(380, `a${at}-`),
      after: numbered(380, `b${at}-`),
    }));
    const before = cpuMs();
    expect(fileChange('a', pieces)).toMatchObject({ linesAdded: 114_000, linesRemoved: 114_000 });
    // Without a bound for all of them together this takes half a minute.
    expect(cpuMs() - before).toBeLessThan(5_000);
  });
});

describe('pieces of a file', () => {
  const table: readonly [name: string, pieces: readonly [before: string, after: string][], diff: string][] = [
    ['none', [], ''],
    ['equal', [['a', 'a']], ''],
    ['no line feed at the end: no mark', [['a', 'b']], '@@ -1,1 +1,1 @@\n-a\n+b'],
    ['a line feed more is an empty line', [['a', 'a\n']], '@@ -1,1 +1,2 @@\n a\n+'],
    ['whole lines', [['a\nb\n', 'a\n']], '@@ -1,2 +1,1 @@\n a\n-b'],
    ['put in', [['', 'a']], '@@ -0,0 +1,1 @@\n+a'],
    ['taken out', [['a', '']], '@@ -1,1 +0,0 @@\n-a'],
    [
      'several, one behind the other',
      [
        ['a', 'A\nAA'],
        ['b', 'b'],
        ['c\nd', 'd'],
      ],
      '@@ -1,1 +1,2 @@\n-a\n+A\n+AA\n@@ -3,2 +4,1 @@\n-c\n d',
    ],
  ];
  test.each(table)('%s', (_, pieces, diff) => {
    const change = fileChange(
      'a',
      pieces.map(([before, after]) => ({ before, after })),
    );
    expect(change.diff).toBe(diff);
    const whole = (texts: readonly string[]) => texts.map((text) => (text === '' ? '' : `${text}\n`)).join('');
    // Whole lines are as they are; all others get a line feed.
    const before = whole(pieces.map(([text]) => text.replace(/\n$/u, '')));
    const after = whole(pieces.map(([text, now]) => (text.endsWith('\n') ? now.replace(/\n$/u, '') : now)));
    expect(applied(before, diff)).toBe(after);
  });
});

describe('what the agent tells itself', () => {
  test('hunks keep their places', () => {
    const hunks = [{ oldStart: 10, oldLines: 1, newStart: 10, newLines: 2, lines: [' a', '+b', unended] }];
    expect(changeOfHunks('x', hunks)).toEqual({
      path: 'x',
      diff: `@@ -10,1 +10,2 @@\n a\n+b\n${unended}`,
      linesAdded: 1,
      linesRemoved: 0,
    });
  });

  test('a patch, without the lines that name the file', () => {
    const patch = '--- a/x\n+++ b/x\n@@ -7,2 +7,1 @@ function f() {\n-a\n b\n';
    expect(changeOfPatch('x', patch)).toEqual({
      path: 'x',
      diff: '@@ -7,2 +7,1 @@\n-a\n b',
      linesAdded: 0,
      linesRemoved: 1,
    });
  });

  test.each([
    ['nothing', ''],
    ['words', 'replaced one block'],
    ['counts that are not true', '--- a\n+++ a\n@@ -1,5 +1,1 @@\n-a\n'],
    ['two files', '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n--- b\n+++ b\n@@ -1,1 +1,1 @@\n-a\n+b\n'],
    ['a patch beyond all measure', `--- a\n+++ a\n@@ -0,0 +1,1 @@\n+${'a'.repeat(1024 * 1024)}\n`],
  ])('no patch: %s', (_, patch) => {
    expect(changeOfPatch('x', patch)).toBeNull();
  });
});
