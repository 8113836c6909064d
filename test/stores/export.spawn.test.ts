// Exports on a disk: where a client's path may lead, and what is never overwritten (docs/threats.md T9).
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { htmlPage, pageMark } from '../../src/core/export/html.ts';
import { written } from '../../src/core/export/html-markup.ts';
import { figuresOf } from '../../src/core/log/messages.ts';
import { GatewayError } from '../../src/core/model/errors.ts';
import { createExportPlaces, createExports } from '../../src/stores/export.ts';
import { writeExport } from '../support/core/written-export.ts';

let base = '';
let root = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-export-')));
  root = join(base, 'exports');
  for (const folder of ['exports', 'exports/sub', 'exports/sub.', 'exports-evil', 'work'])
    mkdirSync(join(base, folder));
  writeFileSync(join(base, 'secret.html'), 'secret');
  symlinkSync(base, join(root, 'up'));
  symlinkSync(join(root, 'sub'), join(root, 'inner'));
  symlinkSync(join(base, 'secret.html'), join(root, 'link.html'));
  symlinkSync(join(root, 'nowhere.html'), join(root, 'dangling.html'));
  mkdirSync(join(root, 'folder.html'));
  writeFileSync(join(root, 'mine.html'), '<!doctype html>\n<p>mine</p>');
  writeFileSync(join(root, 'empty.html'), '');
  execFileSync('mkfifo', [join(root, 'pipe.html')]);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const page = (title: string) =>
  [pageMark, ...written(htmlPage({ title, exportedAt: 0, messages: [], figures: figuresOf([]) }))].join('');
const exportsAt = (directory = root) =>
  createExports({ directory: () => directory, session: 'one/../two', isOurs: false });

/** The sentence of the refusal; fails when there is none. */
function refusalOf(write: () => unknown): string {
  try {
    write();
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === 'invalid') return thrown.message;
    throw thrown;
  }
  throw new Error('it was written');
}

const inside = (...parts: string[]) => join(root, ...parts);

describe('a path that is allowed', () => {
  test.each<[string, () => string | undefined, () => string]>([
    ['none', () => undefined, () => inside('session-one____two.html')],
    ['a name', () => 'a.html', () => inside('a.html')],
    ['a name with a dot, spaces and letters', () => 'a é b.v2.html', () => inside('a é b.v2.html')],
    ['an emoji of several parts', () => '👩\u200d💻.html', () => inside('👩\u200d💻.html')],
    ['letters from right to left', () => 'שלום.html', () => inside('שלום.html')],
    ['a name that is as long as it may be', () => `${'a'.repeat(250)}.html`, () => inside(`${'a'.repeat(250)}.html`)],
    ['dots that are no step up', () => 'a..b.html', () => inside('a..b.html')],
    ['a folder', () => 'sub/a.html', () => inside('sub', 'a.html')],
    ['a folder that ends in a dot', () => 'sub./a.html', () => inside('sub.', 'a.html')],
    ['steps that go nowhere', () => './sub/.//a.html', () => inside('sub', 'a.html')],
    ['an absolute one', () => inside('sub', 'a.html'), () => inside('sub', 'a.html')],
    ['a link to a folder inside', () => 'inner/a.html', () => inside('sub', 'a.html')],
  ])('%s', (_name, path, expected) => {
    const html = page('one');
    expect(writeExport(exportsAt(), html, path())).toBe(expected());
    expect(readFileSync(expected(), 'utf8')).toBe(html);
    expect(statSync(expected()).mode & 0o777).toBe(0o600);
  });
});

const ending = 'export path: must end in a file name with `.html`';
const outside = 'export path: must lie in an existing directory inside the export directory';
const taken = 'export path: there is a file of that name that is not an export';
const steps = 'export path: must not hold `..`';
const control = 'export path: must not hold control characters or backslashes';
const marks = 'export path: must not hold characters that change how a name is read';
const hidden = 'export path: must not end in a name with a leading dot, which folders do not show';
const named = 'export path: must end in a name of at most 255 bytes';
const tilde = 'export path: must not begin with `~`, which is not expanded';

describe('a path that is refused', () => {
  test.each<[string, () => string, string]>([
    ['nothing', () => '', ending],
    ['a step up', () => '../a.html', steps],
    ['a step up in the middle', () => 'sub/../../a.html', steps],
    ['a step up that stays inside', () => 'sub/../a.html', steps],
    ['a step up in an absolute one', () => `${root}/../secret.html`, steps],
    ['a step up of another system', () => '..\\a.html', control],
    ['a share of another system', () => '\\\\host\\share\\a.html', control],
    ['an encoded step up', () => '%2e%2e/a.html', outside],
    ['a NUL', () => 'a\0.html', control],
    ['a NUL behind the ending', () => 'a.html\0.html', control],
    ['a line break', () => 'a\n.html', control],
    ['a mark that turns the name around', () => '\u202efdp.html', marks],
    ['an isolate of text', () => 'a\u2066b\u2069.html', marks],
    ['a mark for text from right to left', () => 'sub/a\u200f.html', marks],
    ['another line break', () => 'a\u2028.html', marks],
    ['a delete character', () => 'a\x7f.html', control],
    ['an escape of a terminal', () => '\x1b[31ma.html', control],
    ['a leading dot', () => '.a.html', hidden],
    ['a leading dot in a folder', () => 'sub/.patchbay.html', hidden],
    ['two leading dots', () => '..a.html', hidden],
    ['a home', () => '~/a.html', tilde],
    ['somebody’s home', () => '~root/a.html', tilde],
    ['no ending', () => 'a', ending],
    ['another ending', () => 'a.htm', ending],
    ['the ending in capitals', () => 'a.HTML', ending],
    ['the ending and a space', () => 'a.html ', ending],
    ['the ending and a dot', () => 'a.html.', ending],
    ['the ending and a slash', () => 'a.html/', ending],
    ['the ending alone', () => '.html', ending],
    ['the ending alone in a folder', () => 'sub/.html', ending],
    ['dots before the ending', () => '...html', ending],
    ['too long', () => `${'a'.repeat(4092)}.html`, 'export path: must not be longer than 4096 bytes'],
    ['a name that is too long', () => `sub/${'a'.repeat(251)}.html`, named],
    ['a name that is too long in bytes', () => `${'é'.repeat(126)}.html`, named],
    ['too long in bytes', () => `${'é'.repeat(2046)}.html`, 'export path: must not be longer than 4096 bytes'],
    ['a file outside', () => join(base, 'a.html'), outside],
    ['a folder whose name begins alike', () => join(base, 'exports-evil', 'a.html'), outside],
    ['the system’s', () => '/etc/a.html', outside],
    ['the root', () => '/a.html', outside],
    ['a device folder', () => '/dev/a.html', outside],
    ['a folder that is not there', () => 'new/a.html', outside],
    ['a file as a folder', () => 'mine.html/a.html', outside],
    ['a folder that is a link out', () => 'up/a.html', outside],
    ['the way round through a link', () => 'up/work/a.html', outside],
    ['a link to a file outside', () => 'link.html', taken],
    ['a link to nothing', () => 'dangling.html', taken],
    ['a folder', () => 'folder.html', taken],
    ['a pipe', () => 'pipe.html', taken],
    ['a page that is no export', () => 'mine.html', taken],
    ['an empty file', () => 'empty.html', taken],
  ])('%s', (_name, path, sentence) => {
    const before = readdirSync(base, { recursive: true }).sort();
    expect(refusalOf(() => writeExport(exportsAt(), page('evil'), path()))).toBe(sentence);
    expect(readdirSync(base, { recursive: true }).sort()).toEqual(before);
    expect(readFileSync(join(base, 'secret.html'), 'utf8')).toBe('secret');
    expect(readFileSync(inside('mine.html'), 'utf8')).toContain('mine');
    expect(readFileSync(inside('empty.html'), 'utf8')).toBe('');
    expect(lstatSync(inside('link.html')).isSymbolicLink()).toBe(true);
  });
});

describe('what is there already', () => {
  test('is replaced when it is an export, whole', () => {
    const exports = exportsAt();
    writeExport(exports, page('a much longer title than the next one'), 'a.html');
    const second = page('two');
    writeExport(exports, second, 'a.html');
    expect(readFileSync(inside('a.html'), 'utf8')).toBe(second);
  });

  test('is not replaced when it has a second name, which may lie anywhere', () => {
    writeFileSync(join(base, 'other.html'), page('other'));
    linkSync(join(base, 'other.html'), inside('a.html'));
    expect(refusalOf(() => writeExport(exportsAt(), page('evil'), 'a.html'))).toBe(taken);
    expect(readFileSync(join(base, 'other.html'), 'utf8')).toBe(page('other'));
  });

  test('is told by its first bytes', () => {
    writeFileSync(inside('short.html'), pageMark.slice(0, -1));
    expect(refusalOf(() => writeExport(exportsAt(), page('x'), 'short.html'))).toBe(taken);
    expect(page('x').startsWith(pageMark)).toBe(true);
  });
});

describe('a client that owns the process', () => {
  const ours = () => createExports({ directory: () => root, session: 'one', isOurs: true });

  test.each<[string, () => string, () => string]>([
    ['a name', () => 'a.html', () => inside('a.html')],
    ['another ending', () => 'a.htm', () => inside('a.htm')],
    ['a step up', () => '../a.html', () => join(base, 'a.html')],
    ['a file outside', () => join(base, 'work', 'a.html'), () => join(base, 'work', 'a.html')],
    ['a page that is no export', () => 'mine.html', () => inside('mine.html')],
    ['a file through a link', () => 'link.html', () => join(base, 'secret.html')],
  ])('names any path: %s', (_name, path, file) => {
    const html = page('one');
    writeExport(ours(), html, path());
    expect(readFileSync(file(), 'utf8')).toBe(html);
  });

  test.each<[string, () => string, RegExp]>([
    ['a folder that is not there', () => 'new/a.html', /^export path: ENOENT.*new\/a\.html/u],
    ['a folder', () => 'folder.html', /^export path: .*\/folder\.html is no file$/u],
    ['a pipe', () => 'pipe.html', /^export path: .*\/pipe\.html is no file$/u],
    ['a NUL', () => 'a\0.html', /^export path: .*null bytes/u],
  ])('is told what cannot be: %s', (_name, path, words) => {
    expect(refusalOf(() => writeExport(ours(), page('x'), path()))).toMatch(words);
  });
});

test('the directory may itself be behind a link: what counts is where that leads', () => {
  const alias = join(base, 'alias');
  symlinkSync(root, alias);
  expect(writeExport(exportsAt(alias), page('x'), 'a.html')).toBe(inside('a.html'));
  expect(writeExport(exportsAt(alias), page('x'), join(root, 'b.html'))).toBe(inside('b.html'));
});

test('a disk that refuses is no fault of the client, and tells it no place of ours', () => {
  const message = 'the export could not be written (EEXIST)';
  const exports = createExportPlaces(inside('mine.html'))({ session: 's', cwd: base, isOurs: false });
  expect(() => writeExport(exports, page('x'), 'a.html')).toThrow(
    expect.objectContaining({ code: 'internal', message }),
  );
});

describe('the exports of a gateway', () => {
  const cwd = () => join(base, 'work');
  const exporter = (isOurs: boolean) => ({ session: 's', cwd: cwd(), isOurs });

  test('of a client that owns the process go where it works', () => {
    const exports = createExportPlaces(undefined)(exporter(true));
    expect(exports.pathsForAgent).toBe(true);
    expect(writeExport(exports, page('x'), undefined)).toBe(join(cwd(), 'session-s.html'));
    expect(writeExport(exports, page('x'), 'a.html')).toBe(join(cwd(), 'a.html'));
    expect(writeExport(exports, page('x'), inside('a.html'))).toBe(inside('a.html'));
  });

  test('of others go to a directory that is ours alone, made once and with the first', () => {
    const places = createExportPlaces(undefined);
    const exports = places(exporter(false));
    const file = writeExport(exports, page('x'), undefined);
    const directory = dirname(file);
    try {
      expect(exports.pathsForAgent).toBe(false);
      expect(file).toBe(join(directory, 'session-s.html'));
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      expect(dirname(writeExport(places({ ...exporter(false), session: 't' }), page('x'), 'a.html'))).toBe(directory);
      expect(refusalOf(() => writeExport(exports, page('x'), join(cwd(), 'a.html')))).toBe(outside);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test.each<[string, (directory: string) => void]>([
    ['was taken by a cleaner', () => {}],
    ['is somebody else’s by now', (directory) => mkdirSync(directory, { mode: 0o755 })],
    ['is a link by now', (directory) => symlinkSync(base, directory)],
  ])('of others go to a new directory when theirs %s', (_name, replace) => {
    const exports = createExportPlaces(undefined)(exporter(false));
    const first = dirname(writeExport(exports, page('x'), undefined));
    rmSync(first, { recursive: true });
    replace(first);
    const second = dirname(writeExport(exports, page('x'), 'a.html'));
    rmSync(second, { recursive: true });
    rmSync(first, { recursive: true, force: true });
    expect(second).not.toBe(first);
    expect(readdirSync(base)).not.toContain('a.html');
  });

  test('go where the configuration says, which is made when it is needed', () => {
    const configured = join(base, 'new', 'deep');
    const places = createExportPlaces(configured);
    expect(existsSync(configured)).toBe(false);
    expect(writeExport(places(exporter(false)), page('x'), 'a.html')).toBe(join(configured, 'a.html'));
    expect(writeExport(places(exporter(true)), page('x'), 'b.html')).toBe(join(configured, 'b.html'));
    expect(writeExport(places(exporter(true)), page('x'), join(cwd(), 'c.html'))).toBe(join(cwd(), 'c.html'));
    expect(refusalOf(() => writeExport(places(exporter(false)), page('x'), join(cwd(), 'd.html')))).toBe(outside);
  });
});
