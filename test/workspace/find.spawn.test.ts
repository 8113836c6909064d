// What a user is offered that types so much: paths of the folders, best first, without what is ignored or chosen.
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/core/model/content.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { link, pipe, plant, type Tree } from './tree.ts';

function find(folders: readonly string[], typed: string, chosen: readonly Context[] = []): Promise<readonly Context[]> {
  return new Promise((resolve) => createWorkspace(folders).find(typed, chosen, resolve));
}

/** What is offered, as paths from the folder; directories end in `/`, the folder itself is `./`. */
async function offered(tree: Tree, typed: string, chosen: readonly Context[] = []): Promise<string[]> {
  const root = plant(tree);
  return (await find([root], typed, chosen)).map((context) => {
    if (context.type !== 'file' && context.type !== 'directory') return context.type;
    expect(path.isAbsolute(context.path)).toBe(true);
    return (path.relative(root, context.path) || '.') + (context.type === 'directory' ? '/' : '');
  });
}

const project: Tree = {
  'README.md': '',
  'src/main.ts': '',
  'src/domain/tomain.ts': '',
  'src/domain/x.ts': '',
  'main/notes.txt': '',
};

describe('what is typed', () => {
  const table: readonly [typed: string, offered: readonly string[]][] = [
    [
      '',
      [
        'repo-map',
        './',
        'README.md',
        'main/',
        'src/',
        'main/notes.txt',
        'src/domain/',
        'src/main.ts',
        'src/domain/tomain.ts',
        'src/domain/x.ts',
      ],
    ],
    ['main', ['main/', 'src/main.ts', 'src/domain/', 'src/domain/tomain.ts', 'main/notes.txt', 'src/domain/x.ts']],
    ['MAIN.', ['src/main.ts', 'src/domain/tomain.ts']],
    [' readme ', ['README.md']],
    ['src/d', ['src/domain/', 'src/domain/tomain.ts', 'src/domain/x.ts']],
    ['./src/m', ['src/main.ts']],
    ['re', ['repo-map', 'README.md']],
    ['repoM', ['repo-map']],
    ['repo-map', ['repo-map']],
    ['nothing like it', []],
    ['../', []],
    ['~', []],
    ['*', []],
    ['/etc', []],
  ];
  test.each(table)('%j', async (typed, expected) => {
    expect(await offered(project, typed)).toEqual(expected);
  });

  test('an absolute path, as far as it goes', async () => {
    const root = plant(project);
    const paths = (await find([root], `${root}/src/m`)).map((context) => ('path' in context ? context.path : ''));
    expect(paths).toEqual([`${root}/src/main.ts`]);
  });

  test('what was chosen is not offered, however it was named', async () => {
    const root = plant(project);
    const chosen: Context[] = [
      { type: 'repo-map' },
      { type: 'directory', path: root },
      { type: 'file', path: 'README.md', lines: { start: 1, end: 2 } },
      { type: 'file', path: `file://${root}/src/main.ts` },
      { type: 'directory', path: `${root}/src/` },
      // A file of that name is another thing.
      { type: 'file', path: `${root}/main` },
      { type: 'web', url: 'https://example.org/' },
    ];
    const found = (await find([root], '', chosen)).map((context) => ('path' in context ? context.path : context.type));
    expect(found.map((name) => path.relative(root, name))).toEqual([
      'main',
      'main/notes.txt',
      'src/domain',
      'src/domain/tomain.ts',
      'src/domain/x.ts',
    ]);
  });

  test('several folders, each path once, in the words in which they were named', async () => {
    const one = plant({ 'a.txt': '', 'pkg/a.txt': '' });
    const around = plant();
    link(around, 'other', plant({ 'a.txt': '' }));
    const found = await find([one, path.join(one, 'pkg'), path.join(around, 'other')], 'a.txt');
    const paths = found.map((context) => ('path' in context ? context.path : ''));
    expect([...paths].sort()).toEqual([`${one}/a.txt`, `${one}/pkg/a.txt`, `${around}/other/a.txt`].sort());
  });

  test('no more than a hundred', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, '']));
    expect(await offered(many, 'f')).toHaveLength(100);
  });

  test('without folders nothing', async () => {
    expect(await find([], '')).toEqual([]);
  });

  test('it answers later, and all who ask meanwhile', async () => {
    const workspace = createWorkspace([plant(project)]);
    const told: string[] = [];
    const asked = ['x.ts', 'notes'].map(
      (typed) =>
        new Promise<void>((resolve) => {
          workspace.find(typed, [], (contexts) => {
            told.push(`${typed}:${contexts.length}`);
            resolve();
          });
        }),
    );
    expect(told).toEqual([]);
    await Promise.all(asked);
    expect(told).toEqual(['x.ts:1', 'notes:1']);
  });
});

describe('what is left out', () => {
  const names = (tree: Tree) => offered({ ...tree, '.git/config': '', 'sub/.git': 'gitdir: elsewhere\n' }, '');
  const own = ['repo-map', './', 'sub/'];
  const table: readonly [name: string, tree: Tree, left: readonly string[]][] = [
    ['.git, wherever it is', {}, []],
    ['a name, wherever it is', { '.gitignore': 'x\n', x: '', 'sub/x': '' }, ['.gitignore']],
    ['a name at one place', { '.gitignore': '/x\n', x: '', 'sub/x': '' }, ['.gitignore', 'sub/x']],
    ['directories of a name', { '.gitignore': 'x/\n', 'x/a': '', 'sub/x': '' }, ['.gitignore', 'sub/x']],
    ['a negation', { '.gitignore': '*.log\n!keep.log\n', 'a.log': '', 'keep.log': '' }, ['.gitignore', 'keep.log']],
    ['nothing inside a directory that is', { '.gitignore': 'x/\n!x/a\n', 'x/a': '' }, ['.gitignore']],
    ['case counts', { '.gitignore': 'X\n', x: '', X: '' }, ['.gitignore', 'x']],
    [
      'the inner rule',
      { '.gitignore': '*.log\n', 'sub/.gitignore': '!a.log\n', 'sub/a.log': '', 'sub/b.log': '' },
      ['.gitignore', 'sub/.gitignore', 'sub/a.log'],
    ],
    ['the inner rule for itself', { 'sub/.gitignore': 'x\n', x: '', 'sub/x': '' }, ['x', 'sub/.gitignore']],
    [
      'an inner rule that takes a directory back',
      { '.gitignore': '/sub/*\n*.log\n', 'sub/.gitignore': '!d/\n', 'sub/d/a': '', 'sub/d/a.log': '', 'sub/e': '' },
      ['.gitignore', 'sub/d/', 'sub/d/a'],
    ],
    [
      'the same of a strange name',
      { '.gitignore': '/sub/*\n*.log\n', 'sub/.gitignore': '!*/\n', 'sub/[d] */a': '', 'sub/[d] */a.log': '' },
      ['.gitignore', 'sub/[d] */', 'sub/[d] */a'],
    ],
  ];
  test.each(table)('%s', async (_, tree, left) => {
    const found = await names(tree);
    expect(found.toSorted()).toEqual([...own, ...left].toSorted());
  });

  test('links and pipes', async () => {
    const root = plant({ a: '', 'd/b': '' });
    link(root, 'link', 'a');
    link(root, 'link-dir', 'd');
    link(root, 'd/up', '..');
    pipe(root, 'pipe');
    const found = (await find([root], '')).map((context) =>
      'path' in context ? path.relative(root, context.path) : '',
    );
    expect(found).toEqual(['', '', 'a', 'd', 'd/b']);
  });

  test('a `.gitignore` that is a link or a pipe is none', async () => {
    const root = plant({ a: '', 'd/b': '', 'outside/rules': 'a\nb\n' });
    link(root, '.gitignore', 'outside/rules');
    pipe(root, 'd/.gitignore');
    const found = (await find([root], 'd/b')).map((context) =>
      'path' in context ? path.relative(root, context.path) : '',
    );
    expect(found).toEqual(['d/b']);
  });

  test('what lies too deep', async () => {
    const tree = { [`${'d/'.repeat(31)}near`]: '', [`${'d/'.repeat(32)}far`]: '' };
    expect(await offered(tree, 'near')).toHaveLength(1);
    expect(await offered(tree, 'far')).toEqual([]);
  });

  test('what comes behind so many entries', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_100 }, (_, at) => [`a/${at}`, '']));
    const root = plant({ ...many, 'z/behind': '', before: '' });
    expect(await find([root], 'behind')).toEqual([]);
    expect(await find([root], 'before')).toEqual([{ type: 'file', path: `${root}/before` }]);
  });
});

describe('what would take too long', () => {
  test.each([
    ['thousands of rules', Array.from({ length: 8_000 }, (_, at) => `q${at}`).join('\n')],
    ['rules with many gaps', Array.from({ length: 16 }, (_, at) => `q${at}${'/**/a'.repeat(4)}`).join('\n')],
  ])('%s are tried on some names, and the rest is not offered', async (_, rules) => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`a/${at}`, '']));
    const root = plant({ ...many, '.gitignore': rules, 'z/behind': '', before: '' });
    expect(await find([root], 'behind')).toEqual([]);
    expect(await find([root], 'before')).toEqual([{ type: 'file', path: `${root}/before` }]);
  });

  test('a rule with more gaps than anybody needs is none', async () => {
    const deep = 'a/'.repeat(30);
    const left = await offered({ '.gitignore': `${'**/a/'.repeat(16)}b\n`, [`${deep}needle`]: '' }, 'needle');
    expect(left).toEqual([`${deep}needle`]);
  });
});

describe('git as the judge', () => {
  const hasGit = spawnSync('git', ['--version']).status === 0;
  const rules = fc.array(
    fc.constantFrom('a', '/a', 'a/', '*', '!a', '!a/', '*.b', '!*.b', 'a/b', '/a/*', '!a/b', '**/b', 'a/**', '#c', ''),
    { maxLength: 4 },
  );
  const layouts = fc.record({ top: rules, a: rules, ab: rules });

  test.runIf(hasGit)('the same files are left out', async () => {
    await fc.assert(
      fc.asyncProperty(layouts, async ({ top, a, ab }) => {
        const root = plant({
          '.gitignore': top.join('\n'),
          'a/.gitignore': a.join('\n'),
          'a/b/.gitignore': ab.join('\n'),
          ...Object.fromEntries(
            ['b', 'x.b', 'a/x.b', 'a/c', 'a/b/a', 'a/b/x.b', 'a/b/b/a', 'c/a/b', 'c/a/x.b', 'c/b'].map((name) => [
              name,
              '',
            ]),
          ),
        });
        const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
        git('init', '-q');
        const untracked = git('-c', 'core.excludesFile=/dev/null', 'ls-files', '-z', '--others', '--exclude-standard');
        const found = await find([root], '');
        const files = found.flatMap((context) => (context.type === 'file' ? [path.relative(root, context.path)] : []));
        expect(files.toSorted()).toEqual(untracked.split('\0').filter(Boolean).toSorted());
      }),
      { numRuns: 40 },
    );
  });
});
