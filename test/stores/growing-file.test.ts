// Files that are only added to: whole lines, for this user alone, and never in another place than was meant (docs/threats.md T9). The
// file system is ours for a moment.
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { longestFile, newGrowingFile, oldGrowingFile } from '../../src/stores/growing-file.ts';
import { readBounded } from '../../src/stores/read-bounded.ts';
import { replaceFs } from '../support/our-fs.ts';

const hooks = { beforeOpen: () => {}, afterOpen: () => {}, isFull: false };

replaceFs((real) => ({
  openSync: (...call: Parameters<typeof real.openSync>) => {
    hooks.beforeOpen();
    try {
      return real.openSync(...call);
    } finally {
      hooks.afterOpen();
    }
  },
  writeSync: (descriptor: number, bytes: Buffer, offset: number) => {
    // As systems do it: what there is room for, then nothing.
    if (offset > 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    return real.writeSync(descriptor, bytes, 0, hooks.isFull ? Math.ceil(bytes.length / 2) : bytes.length);
  },
}));

let base = '';
const at = (name: string) => join(base, name);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-growing-')));
});
afterEach(() => {
  hooks.beforeOpen = () => {};
  hooks.afterOpen = () => {};
  hooks.isFull = false;
  rmSync(base, { recursive: true, force: true });
});

const conflict = expect.objectContaining({ code: 'conflict' });
const read = (name: string) => readFileSync(at(name), 'utf8');

describe('a new one', () => {
  test('is made with its directories at the first words, and nobody else can look into it', () => {
    const file = newGrowingFile(at('a/b/c.jsonl'));
    expect(file).toMatchObject({ file: at('a/b/c.jsonl'), isMade: false });
    expect(readdirSync(base)).toEqual([]);
    file.append('one\n');
    file.append('two\n');
    expect(file.isMade).toBe(true);
    expect(read('a/b/c.jsonl')).toBe('one\ntwo\n');
    expect(statSync(at('a/b/c.jsonl')).mode & 0o777).toBe(0o600);
    for (const folder of ['a', 'a/b']) expect(statSync(at(folder)).mode & 0o777).toBe(0o700);
  });

  test.each<[string, () => void]>([
    ['a file of somebody else', () => writeFileSync(at('f'), 'other')],
    ['a link', () => symlinkSync(at('outside'), at('f'))],
    ['a link to nothing', () => symlinkSync(at('nowhere'), at('f'))],
    ['a folder', () => mkdirSync(at('f'))],
  ])('is not made where there is %s', (_name, prepare) => {
    writeFileSync(at('outside'), 'outside');
    prepare();
    expect(() => newGrowingFile(at('f')).append('x\n')).toThrow(
      expect.objectContaining({ code: 'internal', message: 'the file could not be written (EEXIST)' }),
    );
    expect(read('outside')).toBe('outside');
    expect(readdirSync(base)).not.toContain('nowhere');
  });

  test('lies where its directory really is', () => {
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('link'));
    const file = newGrowingFile(at('link/f'));
    file.append('x\n');
    expect(file.file).toBe(at('real/f'));
    file.append('y\n');
    expect(read('real/f')).toBe('x\ny\n');
  });
});

describe('one that is there', () => {
  const made = () => {
    const file = newGrowingFile(at('f'));
    file.append('one\n');
    return file;
  };

  test.each<[string, () => void]>([
    ['it is gone', () => rmSync(at('f'))],
    ['somebody has added to it', () => writeFileSync(at('f'), 'x', { flag: 'a' })],
    ['somebody has cut it', () => truncateSync(at('f'), 2)],
    [
      'a link has taken its place',
      () => {
        renameSync(at('f'), at('outside'));
        symlinkSync(at('outside'), at('f'));
      },
    ],
    [
      'a folder has taken its place',
      () => {
        rmSync(at('f'));
        mkdirSync(at('f'));
      },
    ],
  ])('is not added to when %s', (_name, change) => {
    const file = made();
    change();
    const before = readdirSync(base);
    expect(() => file.append('two\n')).toThrow();
    expect(readdirSync(base)).toEqual(before);
    for (const name of before.filter((one) => statSync(at(one)).isFile())) expect(read(name)).not.toContain('two');
  });

  test('goes on behind a line that was cut', () => {
    writeFileSync(at('f'), 'one\nhal');
    oldGrowingFile(at('f'), 7).append('two\n');
    expect(read('f')).toBe('one\nhal\ntwo\n');
  });

  test('that was empty begins', () => {
    writeFileSync(at('f'), '');
    oldGrowingFile(at('f'), 0).append('two\n');
    expect(read('f')).toBe('two\n');
  });

  test('may have been read too long ago', () => {
    writeFileSync(at('f'), 'one\nmore\n');
    expect(() => oldGrowingFile(at('f'), 4).append('two\n')).toThrow(conflict);
  });

  test('keeps its lines apart when the disk was full for a while', () => {
    const file = made();
    hooks.isFull = true;
    expect(() => file.append('a long line\n')).toThrow(
      expect.objectContaining({ code: 'internal', message: 'the file could not be written (ENOSPC)' }),
    );
    hooks.isFull = false;
    file.append('three\n');
    expect(read('f')).toBe('one\na long\nthree\n');
  });

  test('has an end', () => {
    const file = made();
    expect(() => file.append('x'.repeat(longestFile))).toThrow(expect.objectContaining({ code: 'limit' }));
    expect(read('f')).toBe('one\n');
  });
});

describe('folders that are swapped while it is opened', () => {
  beforeEach(() => {
    for (const folder of ['in', 'out']) mkdirSync(at(folder));
  });
  const swap = () => {
    renameSync(at('in'), at('was'));
    symlinkSync(at('out'), at('in'));
  };
  const swapBack = () => {
    rmSync(at('in'));
    renameSync(at('was'), at('in'));
  };
  const once = (act: () => void) => {
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      act();
    };
  };
  const swaps: [string, () => void, () => void][] = [
    ['before', swap, () => {}],
    ['just for that moment', swap, swapBack],
    ['after', () => {}, swap],
  ];

  test.each(swaps)('%s: nothing is written outside', (_name, before, after) => {
    hooks.beforeOpen = once(before);
    hooks.afterOpen = once(after);
    expect(() => newGrowingFile(at('in/f')).append('secret\n')).toThrow(conflict);
    const all = readdirSync(base, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    for (const { parentPath, name } of all) expect(readFileSync(join(parentPath, name), 'utf8')).toBe('');
  });

  test.each(swaps)('%s: nothing is added outside', (_name, before, after) => {
    writeFileSync(at('out/f'), 'one\n');
    const file = newGrowingFile(at('in/f'));
    file.append('one\n');
    hooks.beforeOpen = once(before);
    hooks.afterOpen = once(after);
    expect(() => file.append('secret\n')).toThrow(conflict);
    expect(read('out/f')).toBe('one\n');
  });

  test.each(swaps)('%s: nothing is read outside', (_name, before, after) => {
    for (const folder of ['in', 'out']) writeFileSync(at(`${folder}/f`), folder);
    hooks.beforeOpen = once(before);
    hooks.afterOpen = once(after);
    expect(readBounded(at('in/f'), 100, 9)).toBe(null);
  });
});

describe('what is read', () => {
  test('as much as is wanted', () => {
    writeFileSync(at('f'), 'abcdef');
    expect(readBounded(at('f'), 100, 9)).toMatchObject({ text: 'abcdef', isWhole: true, size: 6, lines: 0 });
    expect(readBounded(at('f'), 4, 9)).toMatchObject({ text: 'abcd', isWhole: false, size: 6, lines: 0 });
  });

  test.each<[number, object]>([
    [1, { text: 'a\n', isWhole: false, lines: 1 }],
    [2, { text: 'a\n\n', isWhole: false, lines: 2 }],
    [3, { text: 'a\n\nb\n', isWhole: true, lines: 3 }],
    [4, { text: 'a\n\nb\n', isWhole: true, lines: 3 }],
  ])('and %i lines of three', (most, read) => {
    writeFileSync(at('f'), 'a\n\nb\n');
    expect(readBounded(at('f'), 100, most)).toMatchObject(read);
  });

  test.each<[string, () => void]>([
    ['nothing', () => {}],
    ['a folder', () => mkdirSync(at('f'))],
    [
      'a link',
      () => {
        writeFileSync(at('g'), 'x');
        symlinkSync(at('g'), at('f'));
      },
    ],
  ])('not %s', (_name, prepare) => {
    prepare();
    expect(readBounded(at('f'), 100, 9)).toBe(null);
  });

  test('a second name of a file is a file', () => {
    writeFileSync(at('g'), 'x');
    linkSync(at('g'), at('f'));
    expect(readBounded(at('f'), 100, 9)?.text).toBe('x');
  });
});
