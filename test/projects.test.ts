// The project `unit` builds nothing and starts no process: each way to start one throws, and the message says what to do.

// The project `unit` builds nothing and starts no process: each way to start one throws, and the message says what to do.
import children, { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const example = 'the example of test/projects.test.ts';
const ways = { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };

test.each(Object.entries(ways))('%s is refused', (_, start) => {
  expect(() => start(example)).toThrow('call the file *.spawn.test.ts');
});

test('there are no other ways', () => {
  const functions = Object.entries(children).filter(
    ([name, value]) => /^[a-z]/u.test(name) && value instanceof Function,
  );
  expect(functions.map(([name]) => name).sort()).toEqual(Object.keys(ways).sort());
});
