// Which paths lead to a stored session (docs/threats.md T9; docs/protocols/pi-server.md 20.2, 23.13), and which files a list
// shows.
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SessionPlaces, storedFileAt, storedFilesIn } from '../../src/stores/session-places.ts';

let base = '';
let places: SessionPlaces;
const at = (...names: readonly string[]) => join(base, ...names);

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-places-')));
  const folders = [
    'own/deep/er',
    'own-evil',
    'real-home/sessions/project',
    'here/.tool/sessions/sub',
    'root/one/.tool/sessions',
    'root/two/inner/.tool/sessions',
    'root/three/.tool',
    'elsewhere/.tool/sessions',
    'secret',
  ];
  for (const folder of folders) mkdirSync(at(folder), { recursive: true });
  const files = [
    'own/a.jsonl',
    'own/a.json',
    'own/a.txt',
    'own/%2e%2e.jsonl',
    'own/.jsonl',
    'own/deep/er/b.jsonl',
    'own-evil/a.jsonl',
    'real-home/sessions/project/c.jsonl',
    'here/.tool/sessions/d.jsonl',
    'here/.tool/sessions/sub/e.jsonl',
    'here/d.jsonl',
    'root/one/.tool/sessions/f.jsonl',
    'root/two/inner/.tool/sessions/g.jsonl',
    'root/one/x.jsonl',
    'elsewhere/.tool/sessions/h.jsonl',
    'secret/s.jsonl',
  ];
  for (const file of files) writeFileSync(at(file), '{}\n');
  mkdirSync(at('own/folder.jsonl'));
  execFileSync('mkfifo', [at('own/pipe.jsonl')]);
  const links: [string, string][] = [
    ['real-home', 'home'],
    ['secret/s.jsonl', 'own/link.jsonl'],
    ['own/a.jsonl', 'own/inside.jsonl'],
    ['own/a.txt', 'own/text.jsonl'],
    ['secret', 'own/linked'],
    ['nowhere', 'own/dangling.jsonl'],
    ['own/loop.jsonl', 'own/loop.jsonl'],
    ['secret', 'root/three/.tool/sessions'],
    ['elsewhere', 'root/linked'],
    ['own', 'way-in'],
  ];
  for (const [target, link] of links) symlinkSync(at(target), at(link));
  linkSync(at('own/a.jsonl'), at('own/hard.jsonl'));
  places = {
    directories: [at('own'), at('home/sessions'), at('not/there')],
    projects: [
      { folder: at('here'), isRoot: false },
      { folder: at('root'), isRoot: true },
    ],
    inProject: ['.tool/sessions'],
    endings: ['.jsonl', '.json'],
  };
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a path that leads to one', () => {
  test.each<[string, string, string?]>([
    ['its own directory', 'own/a.jsonl'],
    ['the other ending', 'own/a.json'],
    ['a subfolder', 'own/deep/er/b.jsonl'],
    ['a name that looks encoded, and is not', 'own/%2e%2e.jsonl'],
    ['a directory behind a link of its user', 'home/sessions/project/c.jsonl', 'real-home/sessions/project/c.jsonl'],
    ['the same, without the link', 'real-home/sessions/project/c.jsonl'],
    ['a link to another one', 'own/inside.jsonl', 'own/a.jsonl'],
    ['a second name of it', 'own/hard.jsonl'],
    ['a project', 'here/.tool/sessions/d.jsonl'],
    ['a subfolder of that', 'here/.tool/sessions/sub/e.jsonl'],
    ['a project in a root', 'root/one/.tool/sessions/f.jsonl'],
    ['one further down', 'root/two/inner/.tool/sessions/g.jsonl'],
  ])('%s', (_name, path, real = path) => {
    expect(storedFileAt(at(path), places)).toEqual({ file: at(real) });
  });

  test('dots and slashes that mean nothing', () => {
    expect(storedFileAt(`${base}/own/.//./a.jsonl`, places)).toEqual({ file: at('own/a.jsonl') });
  });
});

const dangerous = 'contains potentially dangerous path components';
const relative = 'must be an absolute path';
const kind = 'must point to a .jsonl or .json session file';
const outside = 'must be under an allowed session directory';
const missing = 'must point to an existing session file';

describe('a path that leads to none', () => {
  test.each<[string, string | (() => string), string]>([
    ['a way up', () => `${base}/own/../secret/s.jsonl`, dangerous],
    ['a way up and back', () => `${base}/own/../own/a.jsonl`, dangerous],
    ['a way up at the end', () => `${base}/own/deep/..`, dangerous],
    ['a way up that is relative', '../x.jsonl', dangerous],
    ['a way up in the middle of a relative one', 'a/../../x.jsonl', dangerous],
    ['somebody’s home', '~/x.jsonl', dangerous],
    ['the home of somebody else', '~root/x.jsonl', dangerous],
    ['a NUL', () => `${base}/own/a.jsonl\0.txt`, dangerous],
    ['a NUL before the ending', () => `${base}/own/a\0.jsonl`, dangerous],
    ['a line feed', () => `${base}/own/a\n.jsonl`, dangerous],
    ['a way up with backslashes', () => `${base}/own/..\\..\\secret\\s.jsonl`, dangerous],
    ['a share of another machine', '\\\\server\\share\\a.jsonl', dangerous],
    ['a device of Windows', '\\\\.\\pipe\\a.jsonl', dangerous],
    ['nothing', '', relative],
    ['a relative path', 'own/a.jsonl', relative],
    ['one that begins here', './a.jsonl', relative],
    ['a URL', 'file:///etc/a.jsonl', relative],
    ['a drive', 'C:/a.jsonl', relative],
    ['a home that the shell would know', '$HOME/a.jsonl', relative],
    ['no ending', '/etc/passwd', kind],
    ['another ending', () => at('own/a.txt'), kind],
    ['a dot behind it', () => at('own/a.jsonl.'), kind],
    ['a space behind it', () => `${at('own/a.jsonl')} `, kind],
    ['a slash behind it', () => `${at('own/a.jsonl')}/`, kind],
    ['capitals', () => at('own/a.JSONL'), kind],
    ['an ending and nothing else', () => at('own/.jsonl'), kind],
    ['the directory itself', () => at('own'), kind],
    ['the root of all', '/', kind],
    ['a twin of the directory', () => at('own-evil/a.jsonl'), outside],
    ['a folder beside it', () => at('secret/s.jsonl'), outside],
    ['one that is not there, and may not be asked for', () => at('secret/none.jsonl'), outside],
    ['a way in that is a link', () => at('way-in/a.jsonl'), outside],
    ['the own root of the process', () => `/proc/self/root${at('own/a.jsonl')}`, outside],
    ['a share with slashes', '//server/share/a.jsonl', outside],
    ['a device', '/dev/stdin.jsonl', outside],
    ['a project that is not allowed', () => at('elsewhere/.tool/sessions/h.jsonl'), outside],
    ['the allowed project, but not its sessions', () => at('here/d.jsonl'), outside],
    ['below a project that is no root', () => at('here/sub/.tool/sessions/d.jsonl'), outside],
    ['a root, but not its sessions', () => at('root/one/x.jsonl'), outside],
    ['a link to a file outside', () => at('own/link.jsonl'), outside],
    ['a link to a folder outside', () => at('own/linked/s.jsonl'), outside],
    ['sessions of a project that are a link', () => at('root/three/.tool/sessions/s.jsonl'), outside],
    ['a project that is a link', () => at('root/linked/.tool/sessions/h.jsonl'), outside],
    ['a file that is not there', () => at('own/none.jsonl'), missing],
    ['a folder that is not there', () => at('own/none/a.jsonl'), missing],
    ['a way up that is encoded', () => at('own/%2e%2e/secret/s.jsonl'), missing],
    ['below a file', () => at('own/a.jsonl/a.jsonl'), missing],
    ['a link to nothing', () => at('own/dangling.jsonl'), missing],
    ['a link to itself', () => at('own/loop.jsonl'), missing],
    ['a link to another kind of file', () => at('own/text.jsonl'), missing],
    ['a folder', () => at('own/folder.jsonl'), missing],
    ['a pipe', () => at('own/pipe.jsonl'), missing],
    ['a name that no file can have', () => at(`own/${'a'.repeat(300)}.jsonl`), missing],
    ['a path that is too long', () => at(`own/${'a/'.repeat(2100)}a.jsonl`), 'must not be longer than 4096 bytes'],
    ['half a character', () => at('own/\ud800.jsonl'), missing],
  ])('%s', (_name, path, fault) => {
    expect(storedFileAt(typeof path === 'string' ? path : path(), places)).toEqual({ fault });
  });
});

describe('a list', () => {
  test('shows every file once, and nothing behind a link that anybody could have made', () => {
    const files = storedFilesIn(places).map(({ file }) => file.slice(base.length + 1));
    expect(files.sort()).toEqual([
      'here/.tool/sessions/d.jsonl',
      'here/.tool/sessions/sub/e.jsonl',
      'own/%2e%2e.jsonl',
      'own/a.json',
      'own/a.jsonl',
      'own/deep/er/b.jsonl',
      'own/hard.jsonl',
      'real-home/sessions/project/c.jsonl',
      'root/one/.tool/sessions/f.jsonl',
    ]);
  });

  test('leads to what may be loaded', () => {
    for (const { file } of storedFilesIn(places)) expect(storedFileAt(file, places)).toEqual({ file });
  });

  test('begins with the newest', () => {
    utimesSync(at('own/a.json'), 2_000_000_000, 2_000_000_000);
    utimesSync(at('own/a.jsonl'), 1_900_000_000, 1_900_000_000);
    expect(storedFilesIn(places).slice(0, 2)).toMatchObject([
      { file: at('own/a.json'), modifiedAt: 2e12 },
      { file: at('own/hard.jsonl') },
    ]);
  });

  test('is empty where nothing is', () => {
    expect(storedFilesIn({ ...places, directories: [at('not/there'), at('own/a.json')], projects: [] })).toEqual([]);
  });
});
