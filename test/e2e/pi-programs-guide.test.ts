// docs/guides/pi-programs.md: its commands and its programs run as they stand, but for the way to the programs and the port.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ClientOptions } from '../../src/adapters/pi/frontend/dialect.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = (name: string) => join(root, 'dist/cli', `${name}.js`);
const guide = readFileSync(join(root, 'docs/guides/pi-programs.md'), 'utf8');
const fences = (language: string) =>
  [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)].flatMap((found) => (found[1] === language ? [found[2] ?? ''] : []));

const folder = mkdtempSync(join(root, 'node_modules/.patchbay-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The one fence of that language with these words. */
function fence(language: string, words: string): string {
  const found = fences(language).filter((code) => code.includes(words));
  expect(found, `one ${language} fence with ${words}`).toHaveLength(1);
  return found[0] ?? '';
}

function run(file: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, words, { cwd: folder }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

const Line = z.looseObject({ type: z.string(), command: z.string().optional() });
async function piPrints(words: string): Promise<z.infer<typeof Line>[]> {
  const command = fence('sh', words)
    .trim()
    .replace('npx patchbay-pi', `"${process.execPath}" "${built('patchbay-pi')}"`);
  const printed = await run('bash', ['-c', command]);
  return printed
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));
}

test('the stand-in answers as pi does', async () => {
  const lines = await piPrints('think tool');
  const data = { disposition: 'started' };
  expect(lines[0]).toEqual({ id: '1', type: 'response', command: 'prompt', success: true, data });
  expect(lines.map(({ type }) => type)).toContain('tool_execution_end');
  expect(lines.at(-1)?.type).toBe('agent_settled');
});

test('the stand-in of 0.13 says no responses', async () => {
  const types = (await piPrints('PATCHBAY_PI_DIALECT=legacy')).map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual(['agent_start', 'agent_end']);
  expect(types).not.toContain('response');
});

test("pi's own client", async () => {
  const code = fence('js', 'RpcClient')
    .replace(
      '@mariozechner/pi-coding-agent/dist/modes/rpc/rpc-client.js',
      join(root, 'node_modules/pi-modern/dist/modes/rpc/rpc-client.js'),
    )
    .replace('./node_modules/agent-patchbay/dist/cli/patchbay-pi.js', built('patchbay-pi'));
  const file = join(folder, 'rpc-client.mjs');
  writeFileSync(file, code);
  expect(await run(process.execPath, [file])).toBe('Hello! You said: hello\n2 messages\n');
});

test('the dialects of the table are those that there are', () => {
  const dialects = ClientOptions.shape.dialect.unwrap().options;
  expect([...guide.matchAll(/^\| `([\w-]+)`/gmu)].map((found) => found[1])).toEqual([...dialects, 'legacy']);
});

let server: ChildProcess | undefined;
beforeAll(async () => {
  const words = fence('sh', 'patchbay serve')
    .trim()
    .replace('npx patchbay', `exec "${process.execPath}" "${built('main')}"`);
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  server = spawn('bash', ['-c', `${words.replace('8137', '0')} --json`], { cwd: folder, stdio: [...stdio] });
});
afterAll(async () => {
  server?.kill();
  if (server !== undefined) await once(server, 'exit');
});

test('a client over WebSocket', async () => {
  if (server?.stdout == null) throw new Error('no stdout');
  const [ready] = await once(server.stdout, 'data');
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(String(ready)));
  const file = join(folder, 'socket.mjs');
  writeFileSync(file, fence('js', 'new WebSocket').replace('ws://127.0.0.1:8137', url.replace('http', 'ws')));
  expect(await run(process.execPath, [file])).toBe('Hello! You said: hello');
});
