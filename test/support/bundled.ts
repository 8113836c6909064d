// Modules of src for tests whose subject is a process: Node 20 runs no TypeScript, and dist holds programs, not modules.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll } from 'vitest';

/** Bundles modules, e.g. `transports/stdio`, and returns the folder in which each is `<module>.mjs`, while the file's tests run. */
export async function bundled(...modules: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-bundled-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string) => fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url));
  const input = Object.fromEntries(modules.map((name) => [name, file(name)]));
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ dir: folder, entryFileNames: '[name].mjs' });
  await bundle.close();
  return folder;
}
