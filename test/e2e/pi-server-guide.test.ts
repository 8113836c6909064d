// docs/guides/pi-server.md: its commands and its program run as they stand, but for the way to the program and the port; its
// configurations are accepted, and the limits that it shows are the defaults.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../../src/adapters/pi-server/settings.ts';
import { parseConfig } from '../../src/config/config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = `node ${join(root, 'dist/cli/main.js')}`;
const guide = readFileSync(join(root, 'docs/guides/pi-server.md'), 'utf8');
const fences = (language: string) =>
  [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] ?? '');

const folder = mkdtempSync(join(root, 'node_modules/.patchbay-guide-'));
const home = mkdtempSync(join(tmpdir(), 'patchbay-guide-home-'));
const env = { ...process.env, HOME: home, XDG_STATE_HOME: '' };
beforeAll(() => {
  // A program whose words are on the PATH everywhere but here.
  writeFileSync(join(folder, 'patchbay.json'), (fences('json')[1] ?? '').replace('"npx", "patchbay"', program()));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(home, { recursive: true });
});

function program(): string {
  return JSON.stringify(main.split(' ')).slice(1, -1);
}

/** The one line of the shell fences with these words. */
function line(words: string): string {
  const lines = fences('sh')
    .join('')
    .split('\n')
    .filter((text) => text.includes(words));
  expect(lines, `one line with ${words}`).toHaveLength(1);
  return (lines[0] ?? '').replace('npx patchbay', main);
}

function run(file: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, words, { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

test('the program, against the server of the first command', async () => {
  const server = spawn(
    'bash',
    ['-c', `exec ${line('patchbay serve').replace('PATCHBAY_TOKEN=let-me-in ', '').replace('8137', '0')} --json`],
    {
      cwd: folder,
      env: { ...env, PATCHBAY_TOKEN: 'let-me-in' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const [ready] = await once(server.stdout, 'data');
    const { url } = JSON.parse(String(ready));
    const file = join(folder, 'client.mjs');
    writeFileSync(file, (fences('js')[0] ?? '').replace('ws://127.0.0.1:8137', url.replace('http', 'ws')));
    expect(await run(process.execPath, [file])).toBe(
      'Hello! You said: hello\nversion 1\nSession version mismatch: expected 7, got 1\n',
    );
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});

test('the command on stdin and stdout', async () => {
  const frames = (await run('bash', ['-c', line('health_check')])).trim().split('\n');
  expect(frames.map((frame) => JSON.parse(frame).type)).toEqual([
    'server_ready',
    'command_accepted',
    'command_started',
    'command_finished',
    'response',
  ]);
});

test('a pi-server as agent', async () => {
  expect(await run('bash', ['-c', line('--agent local')])).toMatch(
    /"type":"result","subtype":"success".*"result":"Hello! You said: hello"/u,
  );
});

test('the limits are the defaults', () => {
  const { frontends } = parseConfig(JSON.parse(fences('json')[0] ?? ''));
  expect(frontends['pi-server']).toEqual(readSettings({}));
});
