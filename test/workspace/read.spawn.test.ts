// What a model is told of each context, and what its user is told where that is not all of it.
import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/core/model/content.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { link, pipe, plant, type Tree } from './tree.ts';

/** The one reading of a context. */
function readIn(tree: Tree, context: Context) {
  const [reading] = createWorkspace([plant(tree)]).read([context]);
  if (reading === undefined) throw new Error('nothing was said of the context');
  expect(reading.context).toEqual(context);
  return { text: reading.text, problem: reading.problem };
}

const file = (path: string, start?: number, end?: number): Context =>
  start === undefined || end === undefined ? { type: 'file', path } : { type: 'file', path, lines: { start, end } };

describe('a file', () => {
  const lines = 'one\ntwo\nthree\nfour\n';
  const table: readonly [name: string, content: string, context: Context, text: string][] = [
    ['whole', lines, file('a'), `<file path="a">\n${lines}</file>`],
    ['without a line feed at its end', 'one', file('a'), '<file path="a">\none\n</file>'],
    ['empty', '', file('a'), '<file path="a">\n</file>'],
    ['with a mark of its encoding', '\ufeffone\n', file('a'), '<file path="a">\none\n</file>'],
    ['with CRLF', 'one\r\ntwo\r\n', file('a'), '<file path="a">\none\r\ntwo\r\n</file>'],
    ['some lines', lines, file('a', 2, 3), '<file path="a" lines="2-3">\ntwo\nthree\n</file>'],
    ['one line', lines, file('a', 1, 1), '<file path="a" lines="1-1">\none\n</file>'],
    ['lines beyond its end', lines, file('a', 4, 9), '<file path="a" lines="4-4">\nfour\n</file>'],
    ['lines before its beginning', lines, file('a', -3, 1), '<file path="a" lines="1-1">\none\n</file>'],
    [
      'where the user’s cursor is',
      lines,
      { type: 'file', path: 'a', lines: { start: 2, end: 2 }, automatic: true },
      '<file path="a" lines="2-2" cursor="true">\ntwo\n</file>',
    ],
    ['all its lines', lines, file('a', 1, 4), `<file path="a" lines="1-4">\n${lines}</file>`],
  ];
  test.each(table)('%s', (_, content, context, text) => {
    expect(readIn({ a: content }, context)).toEqual({ text, problem: undefined });
  });

  test('its name cannot end the tag', () => {
    expect(readIn({ 'a"><b>&': 'x\n' }, file('a"><b>&')).text).toBe(
      '<file path="a&quot;&gt;&lt;b&gt;&amp;">\nx\n</file>',
    );
  });

  test.each([
    ['behind its end', file('a', 3, 4), 'the lines that were chosen are not in it: it has 2'],
    ['backwards', file('a', 2, 1), 'the lines that were chosen are not in it: it has 2'],
    ['of nothing', file('a', 0, 0), 'the lines that were chosen are not in it: it has 2'],
    ['that are no numbers', file('a', Number.NaN, Number.NaN), 'the lines that were chosen are not in it: it has 2'],
  ])('lines %s', (_, context, fault) => {
    expect(readIn({ a: 'one\ntwo\n' }, context)).toEqual({
      text: null,
      problem: `The file "a" was left out: ${fault}.`,
    });
  });

  test.each([
    ['bytes', Uint8Array.of(0xff, 0xfe, 0x00)],
    ['half a character', Uint8Array.of(0x61, 0xc3)],
    ['Latin-1', Uint8Array.of(0x66, 0xfc, 0x72)],
    ['a NUL', 'a\0b'],
  ])('%s: no text', (_, content) => {
    expect(readIn({ a: content }, file('a'))).toEqual({
      text: null,
      problem: 'The file "a" was left out: it is not a text in UTF-8.',
    });
  });

  test('that may not be read', () => {
    const root = plant({ a: 'x\n' });
    chmodSync(`${root}/a`, 0);
    const [reading] = createWorkspace([root]).read([file('a')]);
    // The superuser may read anything.
    const isRoot = process.getuid?.() === 0;
    expect(reading?.problem).toBe(isRoot ? undefined : 'The file "a" was left out: it cannot be read.');
  });

  test('too long: cut at the end of a line', () => {
    const line = `${'ü'.repeat(499)}\n`;
    const { text, problem } = readIn({ a: line.repeat(500) }, file('a'));
    // 999 bytes a line, 256 KiB in all.
    expect(text).toBe(`<file path="a" lines="1-262">\n${line.repeat(262)}</file>`);
    expect(problem).toBe('The file "a" was cut at its line 262: a prompt carries 256 KiB of a file.');
  });

  test('too long in its first line: cut between two characters', () => {
    const { text, problem } = readIn({ a: `a${'ü'.repeat(200_000)}` }, file('a'));
    expect(text).toBe(`<file path="a" lines="1-1">\na${'ü'.repeat(131_071)}\n</file>`);
    expect(problem).toContain('was cut at its line 1');
  });

  test('lines far behind what a prompt carries of a file', () => {
    const content = Array.from({ length: 100_000 }, (_, at) => `line ${at + 1}\n`).join('');
    expect(readIn({ a: content }, file('a', 90_000, 90_001)).text).toBe(
      '<file path="a" lines="90000-90001">\nline 90000\nline 90001\n</file>',
    );
    const { text, problem } = readIn({ a: content }, file('a', 10, 90_000));
    expect(text?.startsWith('<file path="a" lines="10-')).toBe(true);
    expect(Buffer.byteLength(text ?? '')).toBeLessThan(257 * 1024);
    expect(problem).toMatch(/^The file "a" was cut at its line \d+: a prompt carries 256 KiB of a file\.$/u);
  });

  test('lines are looked for in so much text and no more', () => {
    const root = plant({ a: '\n'.repeat(8 * 1024 * 1024), b: 'x\n' });
    const contexts = Array.from({ length: 9 }, (_, at) => file('a', at + 1, at + 1));
    const readings = createWorkspace([root]).read([...contexts, file('b')]);
    expect(readings.filter(({ problem }) => problem === undefined)).toHaveLength(9);
    expect(readings[8]?.problem).toBe('The file "a" was left out: lines were looked for in too much text already.');
  });

  test('a prompt carries so much and no more, and says where it ends', () => {
    const root = plant(
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, `${'x'.repeat(199_999)}\n`])),
    );
    const readings = createWorkspace([root]).read(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(name)));
    const bytes = readings.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ''), 0);
    expect(bytes).toBeLessThanOrEqual(1024 * 1024);
    expect(readings.slice(0, 5).map(({ problem }) => problem)).toEqual(Array.from({ length: 5 }, () => undefined));
    expect(readings[5]?.problem).toBe('The file "f" was cut at its line 1: a prompt carries 1 MiB of contexts.');
  });

  test('what is named twice is told once', () => {
    const root = plant({ a: 'x\n' });
    expect(createWorkspace([root]).read([file('a'), file('a'), file('a', 1, 1)])).toHaveLength(2);
  });

  test('of too many contexts the last are left out in one sentence', () => {
    const root = plant({ a: 'x\n' });
    const readings = createWorkspace([root]).read(Array.from({ length: 150 }, (_, at) => file('a', 1, at + 1)));
    expect(readings).toHaveLength(101);
    expect(readings.at(-1)).toMatchObject({
      text: null,
      problem: '50 contexts were left out: a prompt has 100 at most.',
    });
  });
});

test('of too many contexts those that the user has chosen are told, not those that the client has added', () => {
  const automatic: Context = { type: 'file', path: 'b', automatic: true };
  const contexts = Array.from({ length: 100 }, (_, at) => file('a', 1, at + 1));
  const last = (...more: Context[]) =>
    createWorkspace([plant({ a: 'x\n' })])
      .read([...contexts, ...more])
      .at(-1);
  expect(last(automatic)?.context).toEqual(automatic);
  expect(last(automatic, file('c'))?.context).toEqual(file('c'));
});

describe('a directory', () => {
  const directory = (path: string): Context => ({ type: 'directory', path });

  test('its tree, and its texts', () => {
    const tree = {
      'src/b.txt': 'b\n',
      'src/a/deep.txt': 'deep\n',
      'src/a/z/': '',
      'src/.gitignore': 'ignored\n',
      'src/ignored': 'SECRET\n',
      'other.txt': 'SECRET\n',
    };
    expect(readIn(tree, directory('src'))).toEqual({
      text: [
        '<directory path="src">\n.gitignore\na/\n  deep.txt\n  z/\nb.txt\n</directory>',
        '<file path="src/.gitignore">\nignored\n</file>',
        '<file path="src/b.txt">\nb\n</file>',
        '<file path="src/a/deep.txt">\ndeep\n</file>',
      ].join('\n'),
      problem: undefined,
    });
  });

  test('the folder itself, and an empty one', () => {
    expect(readIn({ 'a.txt': 'a\n' }, directory('.')).text).toBe(
      '<directory path=".">\na.txt\n</directory>\n<file path="a.txt">\na\n</file>',
    );
    expect(readIn({ 'sub/': '' }, directory('sub/'))).toEqual({
      text: '<directory path="sub">\n</directory>',
      problem: undefined,
    });
  });

  test('rules from above hold in it, unless they leave it out itself', () => {
    const tree = { '.gitignore': '*.log\nbuild/\n', 'src/a.log': 'x\n', 'build/a.log': 'x\n', 'build/b': 'x\n' };
    expect(readIn(tree, directory('src')).text).toBe('<directory path="src">\n</directory>');
    expect(readIn(tree, directory('build')).text).toContain('<directory path="build">\na.log\nb\n</directory>');
  });

  test('links, pipes and what is no text are not read', () => {
    const root = plant({ 'src/a': 'a\n', 'src/picture': Uint8Array.of(0x89, 0x50, 0), 'outside.txt': 'SECRET\n' });
    link(root, 'src/link', '../outside.txt');
    link(root, 'src/up', '..');
    pipe(root, 'src/pipe');
    const [reading] = createWorkspace([root]).read([directory('src')]);
    expect(reading?.text).toBe('<directory path="src">\na\npicture\n</directory>\n<file path="src/a">\na\n</file>');
    expect(reading?.problem).toBe(
      'The directory "src" is not there whole: 1 of its files are no text of at most 64 KiB.',
    );
  });

  test('what is too much is said', () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`d/${1_000 + at}`, 'x\n']));
    const { text, problem } = readIn({ ...many, 'd/0-large': 'x'.repeat(65 * 1024) }, directory('d'));
    expect(text?.match(/<file /gu)).toHaveLength(99);
    expect(text).toContain('1129');
    expect(problem).toBe(
      'The directory "d" is not there whole: 1 of its files are no text of at most 64 KiB; ' +
        '31 are beyond 100 files or 256 KiB in all.',
    );
  });

  test('large files fill it up', () => {
    const large = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`d/${name}`, 'x'.repeat(60 * 1024)]),
    );
    const { text, problem } = readIn({ ...large, 'd/g': 'small\n' }, directory('d'));
    expect(text?.match(/<file path="d\/."/gu)).toEqual(
      ['a', 'b', 'c', 'd', 'g'].map((name) => `<file path="d/${name}"`),
    );
    expect(problem).toContain('2 are beyond 100 files or 256 KiB in all');
  });

  test('a listing that is too long ends, and says so', () => {
    const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`d/${10_000 + at}`, '']));
    const { text, problem } = readIn(many, directory('d'));
    expect(text?.match(/^1\d{4}$/gmu)).toHaveLength(2_000);
    expect(problem).toContain('it holds more than the listing');
  });
});

describe('the map of the workspace', () => {
  const map: Context = { type: 'repo-map' };

  test('a tree of all that is not ignored', () => {
    const tree = {
      '.git/config': 'SECRET\n',
      '.gitignore': 'node_modules\n',
      'node_modules/x/index.js': '',
      'src/core/a.ts': '',
      'src/b.ts': '',
      'README.md': '',
    };
    expect(readIn(tree, map)).toEqual({
      text: '<repo-map>\n.gitignore\nREADME.md\nsrc/\n  b.ts\n  core/\n    a.ts\n</repo-map>',
      problem: undefined,
    });
  });

  test('a name cannot pretend to be another line', () => {
    expect(readIn({ 'a\nb': '', 'c\u2028d': '' }, map).text).toBe('<repo-map>\na\ufffdb\nc\ufffdd\n</repo-map>');
  });

  test('of several folders each has a head, and one inside another is not told twice', () => {
    const one = plant({ 'a.txt': '', 'pkg/b.txt': '' });
    const other = plant({ 'c.txt': '' });
    const [reading] = createWorkspace([one, other, `${one}/pkg`]).read([map]);
    expect(reading?.text).toBe(`<repo-map>\n./\n  a.txt\n  pkg/\n    b.txt\n${other}/\n  c.txt\n</repo-map>`);
  });

  test('a large one keeps its upper levels', () => {
    const deep = Object.fromEntries(Array.from({ length: 2_500 }, (_, at) => [`a/b/${10_000 + at}`, '']));
    const { text, problem } = readIn({ ...deep, 'z/last.txt': '' }, map);
    expect(text).toContain('\nz/\n  last.txt\n');
    expect(text?.split('\n').length).toBeLessThan(2_010);
    expect(problem).toBe('The map of the workspace is not whole: of a folder it tells 2000 paths or 64 KiB.');
  });

  test('without folders there is none', () => {
    expect(createWorkspace([]).read([map])).toEqual([
      { context: map, text: null, problem: 'The map of the workspace was left out: this session has no folders.' },
    ]);
  });
});

describe('what is nowhere in the folders', () => {
  const table: readonly [context: Context, text: string | null, problem: string][] = [
    [
      { type: 'web', url: 'https://example.org/?a="b"&c' },
      '<web url="https://example.org/?a=&quot;b&quot;&amp;c"/>',
      'The page "https://example.org/?a=\\"b\\"&c" was not fetched: the model is told its address only.',
    ],
    [
      { type: 'web', url: 'file:///etc/passwd' },
      '<web url="file:///etc/passwd"/>',
      'The page "file:///etc/passwd" was not fetched: the model is told its address only.',
    ],
    [
      { type: 'resource', uri: 'db://1', server: 'db', name: 'One', description: 'The first', mediaType: 'text/plain' },
      '<resource uri="db://1" server="db" name="One">\nThe first\n</resource>',
      'The resource "db://1" was not read: the model is told its description only.',
    ],
    [
      { type: 'resource', uri: 'db://1', server: 'db' },
      '<resource uri="db://1" server="db">\n</resource>',
      'The resource "db://1" was not read: the model is told its description only.',
    ],
    [
      { type: 'opaque', protocol: 'toy', payload: { path: '/etc/passwd' } },
      null,
      'A context of the prompt was left out: nobody here knows its kind.',
    ],
    [
      { type: 'opaque', protocol: 'toy', payload: {}, fault: 'the file is malformed (path: missing)' },
      null,
      'A context of the prompt was left out: the file is malformed (path: missing).',
    ],
  ];
  test.each(table)('%j', (context, text, problem) => {
    expect(readIn({}, context)).toEqual({ text, problem });
  });

  test('what is too long is left out, and its name is cut', () => {
    const { text, problem } = readIn({}, { type: 'web', url: `https://example.org/${'a'.repeat(2 ** 20)}` });
    expect(text).toBeNull();
    expect(problem).toMatch(/^The page "https:.{190,220} was left out: a prompt carries 1 MiB of contexts\.$/u);
  });
});
