// docs/guides/conformance.md: its commands run as they stand, but for the way to the programs; and every guide has a test.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = join(root, 'docs/guides');
const text = readFileSync(join(guides, 'conformance.md'), 'utf8');
const commands = [...text.matchAll(/```sh\n([\s\S]*?)```/gu)].map((found) => found[1] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'patchbay-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The one command with these words, run. */
function run(words: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const found = commands.filter((command) => command.includes(words));
  expect(found, `one command with ${words}`).toHaveLength(1);
  const program = (name: string) => `"${process.execPath}" "${join(root, 'dist/cli', name)}.js"`;
  const command = (found[0] ?? '')
    .replaceAll('npx patchbay-pi', program('patchbay-pi'))
    .replaceAll('npx patchbay', program('main'));
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', command], { cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test('an agent', async () => {
  const { code, stdout, stderr } = await run('patchbay-pi');
  expect(code, stderr + stdout).toBe(0);
  expect(stdout).toMatch(/^[1-9]\d* checks?: [1-9]\d* passed, 0 failed, 0 unclear/mu);
});

test('a recording', async () => {
  const { code, stdout, stderr } = await run('session.jsonl');
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/✗ pi\/get-state-data/u);
});

test('the list', async () => {
  const { code, stdout } = await run('--list');
  expect(code).toBe(0);
  expect(stdout.match(/eca\/[\w-]+/gu)?.length).toBeGreaterThan(50);
});

test('every guide is on the first page of them, and every way on that page is there', () => {
  const index = readFileSync(join(guides, 'README.md'), 'utf8');
  const links = [...index.matchAll(/\]\(([^)#]+)\)/gu)].map((found) => found[1] ?? '');
  expect(links.filter((link) => !existsSync(join(guides, link)))).toEqual([]);
  const missing = readdirSync(guides).filter((name) => name !== 'README.md' && !links.includes(name));
  expect(missing).toEqual([]);
});

test('every guide with a command has a test that reads it', () => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  const sources = tests.map((name) => readFileSync(join(root, 'test', name), 'utf8')).join('\n');
  const untried = readdirSync(guides).filter((name) => {
    const guide = readFileSync(join(guides, name), 'utf8');
    return guide.includes('```sh') && !sources.includes(name.replace('.md', ''));
  });
  expect(untried).toEqual([]);
});
