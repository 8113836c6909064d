// docs/guides/claude-browser.md: its programs run as they stand, but for the address, and its configurations are accepted.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/claude-browser.md'), 'utf8');

const fences = (language: string) =>
  [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)].flatMap((found) => (found[1] === language ? [found[2] ?? ''] : []));

let gateway: Gateway;
let server: Listening;
let folder: string;
beforeAll(async () => {
  gateway = createGateway(parseConfig({}), { log: () => {} });
  server = await listen({ board: gateway.board, token: 'let-me-in' });
  // Inside the project, so that the packages are found.
  folder = mkdtempSync(join(root, 'node_modules', '.guide-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  gateway.close('the test is over');
  await server.close();
});

function run(name: string, code: string): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, code.replaceAll('127.0.0.1:8137', new URL(server.url).host));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file], { timeout: 15_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

test.each([
  ['WebSocket', 'websocket:', [/^message_start\n/u, /hello/iu, /\nmessage_stop\n$/u]],
  ['server-sent events', 'sse:', [/^\[.*would like to write a note/u, /\nmay I write_note\? /u, /I wrote the note/u]],
])('the program over %s', async (name, words, expected) => {
  const [program = '', ...others] = fences('js').filter((code) => code.includes(words));
  expect(others).toEqual([]);
  const printed = await run(`${name}.mjs`, program);
  for (const pattern of expected) expect(printed).toMatch(pattern);
});

test('its configurations', () => {
  const [page, agents] = fences('json').map((code) => parseConfig(JSON.parse(code)));
  expect(page?.server.allowedOrigins).toHaveLength(1);
  expect(Object.keys(agents?.agents ?? {})).toEqual(['demo', 'far', 'far-sse']);
});

test('its command starts what the programs connect to', () => {
  expect(fences('sh')).toEqual(['PATCHBAY_TOKEN=let-me-in npx patchbay serve --agent demo --port 8137\n']);
});
