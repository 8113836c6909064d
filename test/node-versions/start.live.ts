// Every command starts on each of the newer Nodes, tells its version and its help, and speaks its first frame before the demo agent.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { nodeIn } from '../support/programs.ts';

const programs = ['main', 'patchbay-pi', 'patchbay-claude', 'patchbay-eca', 'patchbay-acp'] as const;
type Program = (typeof programs)[number];
const fileOf = (program: Program) => fileURLToPath(new URL(`../../dist/cli/${program}.js`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end; `until`: it is ended as soon as stdout has said this. */
function run(node: string, program: Program, words: readonly string[], input = '', until?: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: folder, PATCHBAY_AGENT: 'demo' };
    const child = spawn(node, [fileOf(program), ...words], { cwd: folder, env });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // Some protocols are sent the separator escaped.
      stdout = `${stdout}${text}`.replaceAll('\\u2028', '\u2028');
      if (until !== undefined && stdout.includes(until)) child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.write(input);
    if (until === undefined) child.stdin.end();
  });
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
const message = (value: object) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...value });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
/** A line separator of Unicode, which ends a line for the `readline` of some Nodes and not for ours. */
const separated = 'a\u2028b';
const userFrame = { type: 'user', message: { role: 'user', content: separated } };
const initialize = { id: 1, method: 'initialize', params: { processId: null, capabilities: {}, workspaceFolders: [] } };

/** What is started with which words and input, and what its output must hold. */
const starts: readonly (readonly [Program, readonly string[], string, string])[] = [
  ['main', ['agents'], '', 'demo'],
  ['main', ['conformance', '--list'], '', 'pi/'],
  ['main', ['serve', '--agent', 'demo', '--port', '0', '--json'], '', '"type":"ready"'],
  [
    'main',
    ['stdio', '--frontend', 'pi', '--agent', 'demo'],
    line({ type: 'prompt', message: separated }),
    `You said: ${separated}`,
  ],
  ['main', ['stdio', '--frontend', 'claude', '--agent', 'demo'], line(userFrame), `You said: ${separated}`],
  ['main', ['translate', '--from', 'pi', '--to', 'claude'], line({ type: 'agent_start' }), '"type":"system"'],
  ['patchbay-pi', ['--mode', 'rpc'], line({ type: 'prompt', message: separated }), `You said: ${separated}`],
  [
    'patchbay-claude',
    ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    line(userFrame),
    `You said: ${separated}`,
  ],
  ['patchbay-eca', ['server'], message(initialize), '"result"'],
  ['patchbay-acp', [], line({ jsonrpc: '2.0', ...initialize }), '"result"'],
];

describe.each(['node-22', 'node-24'] as const)('%s', (name) => {
  const found = inject('programs')[name];
  const node = nodeIn(found);
  if (node === null) {
    test.skip(`${name}: ${Object(found).reason}`, () => {});
    return;
  }
  test.each(programs)('%s --version, --help', async (program) => {
    const [version, help] = [await run(node, program, ['--version']), await run(node, program, ['--help'])];
    expect([version.code, help.code], version.stderr + help.stderr).toEqual([0, 0]);
    expect(version.stdout).toMatch(/\d+\.\d+\.\d+/u);
    expect(help.stdout).toMatch(/usage/iu);
  });
  test.each(starts)('%s %s', async (program, words, input, says) => {
    const { stdout, stderr } = await run(node, program, words, input, says);
    expect(stdout, stderr).toContain(says);
    expect(stderr).not.toMatch(/Warning|Error/u);
  });
});
