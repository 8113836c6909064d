// The README's commands and code, run as they stand: only the address and the way to the program are put in.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config/config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The code of each fence of that language, in order. */
function fences(language: string): string[] {
  return [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/gu)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] ?? '');
}

/** The one fence of that language which holds these words. */
function fence(language: string, words: string): string {
  const found = fences(language).filter((code) => code.includes(words));
  expect(found, `one ${language} fence with ${words}`).toHaveLength(1);
  return found[0] ?? '';
}

let server: ChildProcess;
let address = '';
beforeAll(async () => {
  const words = ['serve', '--agent', 'demo', '--json'];
  server = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...words], {
    env: { ...process.env, PATCHBAY_TOKEN: 'let-me-in' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (server.stdout === null) throw new Error('no stdout');
  const [line] = await once(server.stdout, 'data');
  address = new URL(JSON.parse(String(line)).url).host;
});
afterAll(async () => {
  const gone = once(server, 'exit');
  server.kill();
  await gone;
});

function localised(code: string): string {
  return (
    code
      .replaceAll('127.0.0.1:8137', address)
      .replaceAll('npx patchbay-claude', `node ${join(root, 'dist/cli/patchbay-claude.js')}`)
      .replaceAll('npx patchbay-pi', `node ${join(root, 'dist/cli/patchbay-pi.js')}`)
      .replaceAll('npx patchbay-acp', `node ${join(root, 'dist/cli/patchbay-acp.js')}`)
      .replaceAll('npx patchbay-eca', `node ${join(root, 'dist/cli/patchbay-eca.js')}`)
      // A pi needs longer to start on a machine that has other work.
      .replaceAll('npx patchbay conformance', 'npx patchbay conformance --patience 60000')
      .replaceAll('npx patchbay', `node ${join(root, 'dist/cli/main.js')}`)
      .replaceAll("'agent-patchbay'", `'${join(root, 'dist/index.js')}'`)
  );
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: root }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}

/** What a command that does not end by itself prints until it has said these words. */
async function readUntil(command: string, words: string): Promise<string> {
  const child = spawn('bash', ['-c', `exec ${command}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (printed.includes(words)) break;
  }
  child.kill();
  return printed;
}

/** Runs a script of the README from inside the project, so that it finds the packages. */
async function runScript(code: string): Promise<string> {
  const file = join(mkdtempSync(join(root, 'node_modules', '.readme-')), 'client.mjs');
  writeFileSync(file, localised(code));
  return run(process.execPath, [file]);
}

describe('the README', () => {
  it('names both commands first', () => {
    const [first] = fences('sh');
    expect(first).toMatch(/^npm install && npm start.*\nnpm install && npm test/u);
  });

  it('streams over SSE with its curl lines', async () => {
    const lines = fence('sh', 'curl').trim().split('\n');
    expect(lines).toHaveLength(3);
    const [create = '', post = '', events = ''] = lines.map(localised);
    expect(JSON.parse(await run('bash', ['-c', create]))).toMatchObject({ id: 'one', agent: 'demo' });
    await run('bash', ['-c', post]);
    expect(await readUntil(events, '"type":"result"')).toMatch(/"type":"result","subtype":"success"/u);
  });

  it('prints an answer with its WebSocket client', async () => {
    expect(await runScript(fence('js', 'new WebSocket'))).toMatch(/hello/u);
  });

  it('answers on stdio', async () => {
    const printed = await run('bash', ['-c', localised(fence('sh', 'patchbay stdio').trim())]);
    expect(printed).toMatch(/"type":"result","subtype":"success"/u);
  });

  it('stands in for pi on stdio', async () => {
    const printed = await run('bash', ['-c', localised(fence('sh', 'patchbay-pi').trim())]);
    expect(printed).toMatch(
      /^\{"id":"1","type":"response","command":"prompt","success":true,"data":\{"disposition":"started"\}\}$/mu,
    );
    expect(printed).toMatch(/"type":"agent_settled"/u);
  });

  it('stands in for Claude Code by hand', async () => {
    const printed = await run('bash', ['-c', localised(fence('sh', 'patchbay-claude').trim())]);
    expect(JSON.parse(printed)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
  });

  it('checks a pi', async () => {
    const pi = `"${process.execPath}" "${join(root, 'node_modules/pi-modern/dist/cli.js')}" --mode`;
    const command = localised(fence('sh', 'patchbay conformance').trim()).replace(' pi --mode', ` ${pi}`);
    expect(await run('bash', ['-c', command])).toMatch(/^[1-9]\d* checks?: [1-9]\d* passed, 0 failed, 0 unclear/mu);
  });

  it('stands in for an ECA server', async () => {
    const printed = await run('bash', ['-c', localised(fence('sh', 'patchbay-eca').trim())]);
    const [header = '', body = ''] = printed.split('\r\n\r\n');
    expect(header).toBe(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toMatchObject({ id: 1, result: { chatWelcomeMessage: expect.any(String) } });
  });

  it('stands in for an ACP agent', async () => {
    const printed = await run('bash', ['-c', localised(fence('sh', 'patchbay-acp').trim())]);
    expect(JSON.parse(printed)).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
  });

  it('works as a library', async () => {
    expect(await runScript(fence('ts', 'createGateway'))).toMatch(/^[0-9a-f-]{36}\n$/u);
  });

  it('shows configurations that are accepted', () => {
    const names = fences('json').map((code) => parseConfig(JSON.parse(code)).defaultAgent);
    expect(names).toEqual(['pi', 'claude-code', 'demo']);
  });

  it('links only to what exists', () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/gu)].map((found) => found[1] ?? '');
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect(existsSync(join(root, link)), link).toBe(true);
  });
});
