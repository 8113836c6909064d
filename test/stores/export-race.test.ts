// Somebody moves folders about while an export is opened (threat T9): the file system is ours for a moment.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pageMark } from '../../src/core/html.ts';
import { createExports } from '../../src/stores/export.ts';

const hooks = vi.hoisted(() => ({ beforeOpen: () => {}, afterOpen: () => {} }));

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>();
  return {
    ...real,
    openSync: (...call: Parameters<typeof real.openSync>) => {
      hooks.beforeOpen();
      try {
        return real.openSync(...call);
      } finally {
        hooks.afterOpen();
      }
    },
  };
});

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-race-')));
  for (const folder of ['exports', 'exports/sub', 'outside']) mkdirSync(join(base, folder));
});
afterEach(() => {
  hooks.beforeOpen = () => {};
  hooks.afterOpen = () => {};
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

test.each<[string, () => void, () => void]>([
  ['before it is opened', swap, () => {}],
  ['just for the moment in which it is opened', swap, swapBack],
  ['after it was opened', () => {}, swap],
])('a folder that is swapped %s: nothing is written', (_name, beforeOpen, afterOpen) => {
  const exports = createExports({ directory: () => join(base, 'exports'), session: 's', pathsForAgent: false });
  hooks.beforeOpen = once(beforeOpen);
  hooks.afterOpen = once(afterOpen);
  expect(() => exports.write(`${pageMark}words`, 'sub/a.html')).toThrow(
    expect.objectContaining({ code: 'invalid', message: 'export path: changed while the export was being written' }),
  );
  const outside = readdirSync(join(base, 'outside'));
  expect(outside.map((name) => readFileSync(join(base, 'outside', name), 'utf8')).join('')).toBe('');
});

function once(act: () => void): () => void {
  let left = 1;
  return () => {
    left -= 1;
    if (left === 0) act();
  };
}
