// docs/guides/client-library.md: its program runs as it stands, but for the address and the way to the library.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/client-library.md'), 'utf8');
const library = pathToFileURL(join(root, 'dist/client/index.js')).href;

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

function run(code: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  const placed = code.replace("'agent-patchbay/client'", `'${library}'`);
  writeFileSync(file, placed.replaceAll('127.0.0.1:8137', new URL(server.url).host));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file], { timeout: 30_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

test.each(['websocket', 'sse'])('the program over %s', async (transport) => {
  const [program = '', ...others] = fences('js');
  expect(others).toEqual([]);
  expect(program).toContain("transport: 'websocket'");
  const printed = await run(program.replace("transport: 'websocket'", `transport: '${transport}'`));
  expect(printed).toMatch(/^\[open\]\n/u);
  expect(printed).toContain('may I write_note? yes');
  expect(printed).toMatch(/I wrote the note.*\n?\[over\]\n$/u);
});

test('its command starts what the program connects to', () => {
  expect(fences('sh')).toEqual(['PATCHBAY_TOKEN=let-me-in npx patchbay serve --agent demo --port 8137\n']);
});
