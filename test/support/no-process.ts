// Runs before each file of the project `unit`: there, whatever would start a process throws, and the file fails.
import children from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, expect } from 'vitest';

const { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } = children;
const real = { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
const started: string[] = [];

/** What the test of this guard starts. */
const example = 'the example of test/projects.test.ts';

function refuse(program: unknown): never {
  if (program !== example) started.push(String(program));
  throw new Error(`a test of the project unit starts ${program}: call the file *.spawn.test.ts`);
}

Object.assign(children, Object.fromEntries(Object.keys(real).map((name) => [name, refuse])));
syncBuiltinESMExports();

afterAll(() => {
  Object.assign(children, real);
  syncBuiltinESMExports();
  expect(started, 'the project unit starts no process').toEqual([]);
});
