// Files to read: a folder of its own for each test, with files, links and pipes in it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Files by their path; a path that ends in `/` is an empty directory. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** Makes those files in a new directory that goes away with the test. Returns it, without links. */
export function plant(tree: Tree = {}): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'patchbay-workspace-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(tree)) {
    const file = path.join(root, name);
    mkdirSync(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(file, content);
  }
  return root;
}

/** A link there to that. */
export function link(root: string, name: string, target: string): void {
  symlinkSync(target, path.join(root, name));
}

/** A pipe that nobody writes to: to open it as usual is to wait for ever. */
export function pipe(root: string, name: string): void {
  execFileSync('mkfifo', [path.join(root, name)]);
}
