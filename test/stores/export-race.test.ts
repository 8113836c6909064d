// Somebody moves folders about while an export is opened (docs/threats.md T9), or the disk is full: the file system is ours for
// a moment.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pageMark } from '../../src/core/export/html.ts';
import { createExports } from '../../src/stores/export.ts';
import { writeExport } from '../support/core/written-export.ts';
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
  writeFileSync: (...[file, data, ...rest]: Parameters<typeof real.writeFileSync>) => {
    real.writeFileSync(file, hooks.isFull ? String(data).slice(0, 5) : data, ...rest);
    if (hooks.isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  },
}));

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-race-')));
  for (const folder of ['exports', 'exports/sub', 'outside']) mkdirSync(join(base, folder));
});
afterEach(() => {
  hooks.beforeOpen = () => {};
  hooks.afterOpen = () => {};
  hooks.isFull = false;
  rmSync(base, { recursive: true, force: true });
});

/** Puts a link to the outside where the folder was. */
function swap(): void {
  renameSync(join(base, 'exports/sub'), join(base, 'exports/was'));
  symlinkSync(join(base, 'outside'), join(base, 'exports/sub'));
}

function swapBack(): void {
  rmSync(join(base, 'exports/sub'));
  renameSync(join(base, 'exports/was'), join(base, 'exports/sub'));
}

const createSubject = () => createExports({ directory: () => join(base, 'exports'), session: 's', isOurs: false });
/** All files, with what they hold. */
const files = () =>
  readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]);
const older = `${pageMark}older words`;

const swaps: [string, () => void, () => void][] = [
  ['before it is opened', swap, () => {}],
  ['just for the moment in which it is opened', swap, swapBack],
  ['after it was opened', () => {}, swap],
];

test.each(swaps)('a folder that is swapped %s: nothing is written, nothing is left', (_name, beforeOpen, afterOpen) => {
  hooks.beforeOpen = nth(1, beforeOpen);
  hooks.afterOpen = nth(1, afterOpen);
  expect(() => writeExport(createSubject(), `${pageMark}words`, 'sub/a.html')).toThrow(
    expect.objectContaining({ code: 'invalid', message: 'export path: changed while the export was being written' }),
  );
  expect(files()).toEqual([]);
});

test.each(
  // It is opened in vain, then to see what is there, then the new one beside it.
  [2, 3].flatMap((open) => swaps.map(([when, before, after]) => [open, when, before, after] as const)),
)('the same with an older export, at opening %i, %s', (open, _when, beforeOpen, afterOpen) => {
  writeFileSync(join(base, 'exports/sub/a.html'), older);
  writeFileSync(join(base, 'outside/a.html'), `${pageMark}outside`);
  hooks.beforeOpen = nth(open, beforeOpen);
  hooks.afterOpen = nth(open, afterOpen);
  expect(() => writeExport(createSubject(), `${pageMark}words`, 'sub/a.html')).toThrow(
    expect.objectContaining({ code: 'invalid', message: 'export path: changed while the export was being written' }),
  );
  expect(files().map(([, text]) => text)).toEqual(expect.arrayContaining([older, `${pageMark}outside`]));
  expect(files()).toHaveLength(2);
});

test('a full disk leaves the older export as it was, and nothing beside it', () => {
  writeFileSync(join(base, 'exports/a.html'), older);
  const before = files();
  hooks.isFull = true;
  for (const name of ['a.html', 'b.html']) {
    expect(() => writeExport(createSubject(), `${pageMark}words`, name)).toThrow(
      expect.objectContaining({ code: 'internal', message: 'the export could not be written (ENOSPC)' }),
    );
  }
  hooks.isFull = false;
  expect(files()).toEqual(before);
});

function nth(number: number, act: () => void): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === number) act();
  };
}

test.each(['a.html', 'b.html'])('%s that is given up half written is gone, and an older one is as it was', (name) => {
  writeFileSync(join(base, 'exports/a.html'), older);
  const before = files();
  const file = createSubject().open(name);
  file.write(`${pageMark}half`);
  file.abandon();
  file.abandon();
  expect(files()).toEqual(before);
});

test('a disk that is full from the second portion on: nothing is left, and the older export is as it was', () => {
  writeFileSync(join(base, 'exports/a.html'), older);
  const before = files();
  for (const name of ['a.html', 'b.html']) {
    const file = createSubject().open(name);
    file.write(pageMark);
    hooks.isFull = true;
    expect(() => file.write('words')).toThrow('the export could not be written (ENOSPC)');
    file.abandon();
    hooks.isFull = false;
  }
  expect(files()).toEqual(before);
});

test('a folder that is swapped between two portions: nothing is left', () => {
  const file = createSubject().open('sub/a.html');
  file.write(pageMark);
  swap();
  file.write('words');
  expect(() => file.finish()).toThrow('export path: changed while the export was being written');
  expect(files()).toEqual([]);
});

test('of two at once to one place, the last that is whole stays, and the other is refused', () => {
  const [first, second] = [createSubject().open('a.html'), createSubject()];
  first.write(pageMark);
  const replacing = second.open('a.html');
  replacing.write(`${pageMark}second`);
  replacing.finish();
  expect(() => first.finish()).toThrow('export path: changed while the export was being written');
  expect(files()).toEqual([[join(base, 'exports/a.html'), `${pageMark}second`]]);
});

test('a client that owns the process: a file that is given up is gone', () => {
  const file = createExports({ directory: () => base, session: 's', isOurs: true }).open('a.html');
  file.write(pageMark);
  file.abandon();
  expect(files()).toEqual([]);
});
