// Which commands name a stored session; how their paths are looked at is told by test/gateway/gateway.spawn.test.ts.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Command } from '../../src/core/model/command.ts';
import { withPathsInside } from '../../src/stores/stored-sessions.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-stored-')));
afterAll(() => rmSync(root, { recursive: true }));

const naming: [name: string, command: (path: string) => Command][] = [
  ['switch-session', (path) => ({ type: 'switch-session', path, extra: { pi: { more: 1 } } })],
  ['load-session', (path) => ({ type: 'load-session', path })],
  ['new-session', (parent) => ({ type: 'new-session', parent })],
];

test.each(naming)('%s', (_name, command) => {
  expect(withPathsInside(command(root), [root])).toEqual(command(root));
  expect(() => withPathsInside(command(tmpdir()), [root])).toThrow(expect.objectContaining({ code: 'invalid' }));
  expect(() => withPathsInside(command(root), [])).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test.each<Command>([
  { type: 'new-session' },
  { type: 'delete-session' },
  { type: 'prompt', content: [], contexts: [{ type: 'file', path: '/etc/passwd' }] },
])('any other stays what it is: $type', (command) => {
  expect(withPathsInside(command, [])).toBe(command);
});
