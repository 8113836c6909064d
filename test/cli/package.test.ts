// The package as its users have it: packed, unpacked into an empty folder, called by its names.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-package-'));
const modules = join(folder, 'node_modules');

function run(program: string, args: readonly string[], cwd = folder): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}

beforeAll(async () => {
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root);
  await run('tar', ['-xzf', `${manifest.name}-${manifest.version}.tgz`]);
  writeFileSync(join(folder, 'package.json'), '{}');
  mkdirSync(modules);
  renameSync(join(folder, 'package'), join(modules, manifest.name));
  // A registry has nothing to do with the question, so the dependencies are those of this checkout.
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  // npm links the programs, as it does at the end of an installation.
  await run('npm', ['rebuild', '--offline', '--ignore-scripts', manifest.name]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  it.each([
    ['agent-patchbay', /^\d+\.\d+\.\d+\n$/u],
    ['patchbay', /^\d+\.\d+\.\d+\n$/u],
    ['patchbay-pi', /^\d+\.\d+\.\d+\n$/u],
    ['patchbay-claude', /^\d+\.\d+\.\d+ \(Claude Code\)\n$/u],
    ['patchbay-eca', /^eca \d+\.\d+\.\d+\n$/u],
  ])('npx %s runs', async (name, version) => {
    expect(await run('npx', ['--offline', name, '--version'])).toMatch(version);
  });

  it('brings the schema of patchbay.json along', () => {
    const schema = JSON.parse(readFileSync(join(modules, manifest.name, 'patchbay.schema.json'), 'utf8'));
    expect(Object.keys(schema.properties)).toContain('agents');
  });
});
