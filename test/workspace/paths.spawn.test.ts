// Where paths of clients may lead (docs/threats.md T9): each row is a path in the words of a client, and whether the one file that may
// be read is read by it. What may not be read lies beside the folder and says SECRET.
import { linkSync, renameSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/core/model/content.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { link, pipe, plant } from './tree.ts';

/** Beside each other: the folder, one whose name begins like it, and what is nobody's business. */
function grounds() {
  const around = plant({
    'work/a.txt': 'the file\n',
    'work/sub/b.txt': 'below\n',
    'work/with space.txt': 'the file\n',
    'work/%2e%2e': 'the file\n',
    'work/...': 'the file\n',
    'work/a.txt ': 'with a space\n',
    'work-evil/s.txt': 'SECRET\n',
    'outside/s.txt': 'SECRET\n',
    's.txt': 'SECRET\n',
  });
  const work = path.join(around, 'work');
  link(work, 'out-file', path.join(around, 's.txt'));
  link(work, 'out-dir', path.join(around, 'outside'));
  link(work, 'out-relative', '../s.txt');
  link(work, 'up', '..');
  link(work, 'loop', 'loop');
  link(work, 'nowhere', 'not-there');
  link(work, 'in-file', 'a.txt');
  link(work, 'in-dir', 'sub');
  link(work, 'device', '/dev/zero');
  link(work, 'self', '/proc/self/environ');
  link(around, 'linked-work', work);
  pipe(work, 'pipe');
  return { around, work };
}

function readAs(type: 'file' | 'directory', said: string, folders: readonly string[]) {
  const [reading, ...others] = createWorkspace(folders).read([{ type, path: said }]);
  expect(others).toEqual([]);
  return { text: reading?.text ?? null, problem: reading?.problem };
}

describe('read', () => {
  const table: readonly [said: string, shown: string][] = [
    ['a.txt', 'a.txt'],
    ['./a.txt', 'a.txt'],
    ['sub/b.txt', 'sub/b.txt'],
    ['sub//b.txt', 'sub/b.txt'],
    ['WORK/a.txt', 'a.txt'],
    ['AROUND/linked-work/a.txt', 'a.txt'],
    ['in-file', 'a.txt'],
    ['in-dir/b.txt', 'sub/b.txt'],
    ['with space.txt', 'with space.txt'],
    ['a.txt ', 'a.txt '],
    ['...', '...'],
    ['%2e%2e', '%2e%2e'],
    ['file://WORK/a.txt', 'a.txt'],
    ['file://localhost/WORK/a.txt', 'a.txt'],
    ['FILE:///WORK/with%20space.txt', 'with space.txt'],
    ['file:WORK/a.txt', 'a.txt'],
  ];
  test.each(table)('%j', (said, shown) => {
    const { around, work } = grounds();
    const { text, problem } = readAs('file', placed(said, around, work), [work]);
    expect(problem).toBeUndefined();
    expect(text).toMatch(new RegExp(`^<file path="${shown.replaceAll('.', '\\.')}">\n[^<]+\n</file>$`, 'u'));
  });
});

test('a hard link is the file itself: package stores and copied work trees are full of them', () => {
  const { around, work } = grounds();
  linkSync(path.join(around, 's.txt'), path.join(work, 'hard.txt'));
  expect(readAs('file', 'hard.txt', [work])).toMatchObject({
    text: expect.stringContaining('hard.txt'),
    problem: undefined,
  });
});

describe('not read', () => {
  const missing = /it is not there, or not in the folders of this session/u;
  const noFile = /it is no plain file/u;
  const badWords = /its path must not/u;
  const table: readonly [said: string, problem: RegExp][] = [
    ['../s.txt', badWords],
    ['sub/../../s.txt', badWords],
    ['sub/../a.txt', badWords],
    ['AROUND/work/../s.txt', badWords],
    ['..', badWords],
    ['sub/..', badWords],
    ['..\\s.txt', badWords],
    ['\\\\server\\share\\s.txt', badWords],
    ['a.txt\0', badWords],
    ['a.txt\0/../../s.txt', badWords],
    ['a\ntxt', badWords],
    ['~/s.txt', badWords],
    ['~root/s.txt', badWords],
    ['', badWords],
    [`${'a/'.repeat(3_000)}b`, badWords],
    ['file:///AROUND/work/../s.txt', badWords],
    ['file:///AROUND/work/%2e%2e/s.txt', badWords],
    ['file:///AROUND/work/..%2fs.txt', badWords],
    ['file:///WORK/a.txt%00', badWords],
    ['file://server/share/s.txt', /is no file URI of this machine/u],
    ['file:///WORK/%ff', /is no file URI of this machine/u],
    ['file:a.txt', /is no file URI of this machine/u],
    ['file:///WORK/a.txt?x', /is no file URI of this machine/u],
    ['AROUND/s.txt', missing],
    ['AROUND/outside/s.txt', missing],
    ['AROUND/work-evil/s.txt', missing],
    ['work-evil/s.txt', missing],
    ['/etc/passwd', missing],
    ['/proc/self/environ', missing],
    ['/dev/zero', missing],
    ['//etc/passwd', missing],
    ['out-file', missing],
    ['out-relative', missing],
    ['out-dir/s.txt', missing],
    ['up/s.txt', missing],
    ['loop', missing],
    ['nowhere', missing],
    ['device', missing],
    ['self', missing],
    ['not-there.txt', missing],
    ['a.txt/b', missing],
    ['a.txt.', missing],
    ['https://example.org/a.txt', missing],
    ['pipe', noFile],
    ['sub', noFile],
    ['.', noFile],
    ['in-dir', noFile],
  ];
  test.each(table)('%j', (said, expected) => {
    const { around, work } = grounds();
    const wish = placed(said, around, work);
    const { text, problem } = readAs('file', wish, [work]);
    expect(text).toBeNull();
    expect(problem).toMatch(expected);
    // It names what was said, and nothing else of this machine.
    expect(problem?.replace(JSON.stringify(wish), '')).not.toMatch(/patchbay-workspace|SECRET|\/tmp/u);
  });

  test.each(['..', 'up', 'out-dir', '/', '/etc', '/proc/self', 'a.txt', 'pipe', 'not-there'])(
    'directory %j',
    (said) => {
      const { work } = grounds();
      const { text, problem } = readAs('directory', said, [work]);
      expect(text).toBeNull();
      expect(problem).toMatch(/^The directory ".+" was left out: /u);
    },
  );
});

describe('the folders themselves', () => {
  test('without folders nothing is read', () => {
    const { work } = grounds();
    expect(readAs('file', path.join(work, 'a.txt'), [])).toEqual({
      text: null,
      problem: expect.stringContaining('this session has no folders'),
    });
  });

  test.each(['not-there', 'work/a.txt', 'work/pipe'])('%s is no folder', (name) => {
    const { around, work } = grounds();
    const { text } = readAs('file', path.join(work, 'a.txt'), [path.join(around, name)]);
    expect(text).toBeNull();
  });

  test('a relative folder is none: from where it would start is no business of a client', () => {
    expect(readAs('file', 'package.json', ['.']).text).toBeNull();
  });

  test('a link to a folder is one, and files are named as if they lay there', () => {
    const { around } = grounds();
    const other = plant();
    const folders = [other, path.join(around, 'linked-work')];
    expect(readAs('file', path.join(around, 'linked-work/a.txt'), folders).text).toContain(
      `<file path="${around}/linked-work/a.txt">`,
    );
  });

  test('a link that takes the place of a folder is not followed', () => {
    const { around, work } = grounds();
    const workspace = createWorkspace([work]);
    renameSync(work, path.join(around, 'moved'));
    link(around, 'work', path.join(around, 'outside'));
    const contexts: Context[] = [
      { type: 'file', path: path.join(work, 's.txt') },
      { type: 'file', path: 's.txt' },
      { type: 'directory', path: '.' },
      { type: 'repo-map' },
    ];
    const texts = workspace.read(contexts).map(({ text }) => text ?? '');
    expect(texts.join('\n')).not.toMatch(/SECRET|s\.txt/u);
  });

  test('relative paths start in the first folder; those of others are absolute', () => {
    const [one, other] = [plant({ 'a.txt': 'one\n' }), plant({ 'a.txt': 'other\n' })];
    const file = (said: string) => readAs('file', said, [one, other]).text;
    expect(file('a.txt')).toBe('<file path="a.txt">\none\n</file>');
    expect(file(path.join(one, 'a.txt'))).toBe('<file path="a.txt">\none\n</file>');
    expect(file(path.join(other, 'a.txt'))).toBe(`<file path="${other}/a.txt">\nother\n</file>`);
  });

  test('of folders in folders the inner one counts', () => {
    const root = plant({ 'pkg/a.txt': 'one\n' });
    const { text } = readAs('file', path.join(root, 'pkg/a.txt'), [path.join(root, 'pkg'), root]);
    expect(text).toBe('<file path="a.txt">\none\n</file>');
  });

  test('what editors send as the URI of a file is read', () => {
    const root = plant({ 'ü #1.txt': 'one\n' });
    const { text } = readAs('file', pathToFileURL(path.join(root, 'ü #1.txt')).href, [root]);
    expect(text).toBe('<file path="ü #1.txt">\none\n</file>');
  });
});

/** The path of a row with the directories of this machine in it; a URI takes them without their first slash. */
function placed(said: string, around: string, work: string): string {
  const isUri = /^file:\/\/(?:localhost)?\//iu.test(said);
  const bare = (place: string) => (isUri ? place.slice(1) : place);
  return said.replace('AROUND', bare(around)).replace('WORK', bare(work));
}
