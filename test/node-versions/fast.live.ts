// The fast part of the tests, run by each of the newer Nodes.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { nodeIn } from '../support/programs.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

describe.each(['node-22', 'node-24'] as const)('%s', (name) => {
  const found = inject('programs')[name];
  const node = nodeIn(found);
  if (node === null) {
    test.skip(`${name}: ${Object(found).reason}`, () => {});
    return;
  }
  test('the fast part of the tests', { timeout: 300_000 }, async () => {
    const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/node-versions/fast.config.ts'];
    // Of a suite that runs another it would take the settings over.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };
    const ran = await run(node, words, { cwd: root, env, maxBuffer: 2 ** 26 }).catch((thrown: unknown) => {
      const { stdout, stderr } = Object(thrown);
      // The tests that failed stand in front of long diffs, which logs cut.
      const failed = String(stderr).match(/FAIL .*/gu) ?? [];
      throw new Error([...failed, String(stdout).slice(-400), String(stderr).slice(-4000)].join('\n'));
    });
    const summary = ran.stdout.match(/Tests .*/u)?.[0];
    process.stderr.write(`${name}: ${summary}\n`);
    expect(summary).toMatch(/\d+ passed/u);
  });
});
