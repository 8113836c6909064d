// Runs every `patchbay conformance` command of docs/conformance. Three things are replaced: addresses and paths to
// programs; `claude`, `eca` and mostly `pi`, which are our own stand-ins; and the selection of checks, where a whole
// run would take long.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { claudeScript, demoScript, modelScript } from '../../src/conformance/runner/scripts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const docs = path.join(root, 'docs/conformance');
const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
const guide = readFileSync(path.join(docs, 'README.md'), 'utf8');

/** The code of each fence of this language in a page. */
const fences = (page: string, language: string): string[] =>
  [...page.matchAll(/```(\w+)\n([\s\S]*?)```/gu)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] ?? '');

const commands = pages.flatMap((name) =>
  fences(readFileSync(path.join(docs, name), 'utf8'), 'sh').flatMap((code) => code.trim().split('\n')),
);

/** How to run a command, and the expected outcome. */
interface Trial {
  /** Words that occur in this command only. */
  readonly words: string;
  /** Options that shorten the run. */
  readonly more?: string;
  readonly code: number;
  readonly prints: RegExp;
  /** Connects to the command once it has printed its address. */
  readonly visit?: (address: string, token: string) => void;
  /** Text for its stdin. */
  readonly hears?: string;
  /** Which program `pi` is; default: our stand-in in front of the demo agent. */
  readonly pi?: 'real';
  readonly leaves?: string;
}

const allPassed = /\d+ checks?: [1-9]\d* passed, 0 failed, 0 unclear/u;
/** One scenario, with patience for a busy machine. */
const few = '--only line-has-type --patience 60000';

const trials: readonly Trial[] = [
  { words: 'pi --list', code: 0, prints: /^pi, agents, version .*\n {2}pi\/\S+ +(?:MUST|SHOULD|MAY) +\S/u },
  { words: 'conformance pi -- pi', more: few, pi: 'real', code: 0, prints: allPassed },
  { words: '-- claude -p', more: '--prompts demo --only init-first', code: 0, prints: allPassed },
  { words: '-- eca server', more: '--only initialize-welcome', code: 0, prints: allPassed },
  { words: '-- npx patchbay serve', more: '--only 16.1-1 --only 4-12', code: 0, prints: allPassed },
  { words: '-- npx patchbay stdio', more: '--only 16.1-1 --only 4-12', code: 0, prints: allPassed },
  { words: '--url ws:', more: '--only 16.1-1 --only 4-12', code: 0, prints: allPassed },
  { words: "--url 'http:", more: few, code: 0, prints: allPassed },
  {
    words: "--only 'pi/set-*-told'",
    more: '--prompts demo',
    code: 0,
    prints: /✓ pi\/last-text (?:MUST|SHOULD)/u,
    leaves: 'report.html',
  },
  { words: '--script prompts.json', more: few, code: 0, prints: allPassed },
  { words: 'node my-client.mjs {agent}', code: 0, prints: allPassed },
  { words: '--listen 8200', code: 0, prints: allPassed, visit: prompting },
  {
    words: '--as client --stdio',
    code: 0,
    prints: allPassed,
    hears: '{"id":"1","type":"prompt","message":"[[text]]"}\n',
    leaves: 'client.html',
  },
  { words: 'pi --trace session.jsonl', code: 1, prints: /✗ pi\/get-state-data {2}MUST · get_state\n/u },
  { words: '--trace session.jsonl --json', code: 1, prints: /✗ pi\/get-state-data/u, leaves: 'report.json' },
  {
    words: '--known-failing known-failing.txt',
    more: `--prompts demo ${few}`,
    code: 0,
    prints: allPassed,
    leaves: 'report.xml',
  },
];

let folder = '';
let server: ChildProcess;
let address = '';
const token = 'let-me-in';

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'patchbay-docs-'));
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const shim = (name: string, words: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${words}\n`);
    chmodSync(path.join(bin, name), 0o755);
  };
  const ours = (name: string) => `exec '${process.execPath}' '${path.join(root, 'dist/cli', name)}'`;
  shim('npx', `shift; ${ours('main.js')} "$@"`);
  const real = path.join(root, 'node_modules/pi-modern/dist/cli.js');
  const standIn = `PATCHBAY_AGENT=demo ${ours('patchbay-pi.js')} "$@"`;
  shim('pi', `if [ "$PI" = real ]; then exec '${process.execPath}' '${real}' "$@"; fi\n${standIn}`);
  shim('claude', `PATCHBAY_AGENT=demo ${ours('patchbay-claude.js')} "$@"`);
  shim('eca', `PATCHBAY_AGENT=demo ${ours('patchbay-eca.js')} "$@"`);
  const [client = ''] = fences(guide, 'js');
  writeFileSync(path.join(folder, 'my-client.mjs'), client);
  const [session = ''] = fences(guide, 'jsonl');
  writeFileSync(path.join(folder, 'session.jsonl'), session);
  writeFileSync(path.join(folder, 'prompts.json'), fences(guide, 'json')[0] ?? '');
  writeFileSync(path.join(folder, 'known-failing.txt'), '# none\n');
  server = spawn(process.execPath, [path.join(root, 'dist/cli/main.js'), 'serve', '--agent', 'demo', '--json'], {
    cwd: folder,
    env: { ...process.env, PATCHBAY_TOKEN: token },
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
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** A client that connects, prompts once and disconnects. */
function prompting(url: string, bearer: string): void {
  const socket = new WebSocket(url, [`bearer.${bearer}`]);
  socket.on('open', () => socket.send('{"id":"1","type":"prompt","message":"[[text]]"}'));
  socket.on('message', (data) => {
    if (String(data).includes('"agent_end"')) socket.close();
  });
}

async function run(command: string, { more, visit, hears, pi }: Trial): Promise<{ code: number; printed: string }> {
  const [program = '', ...behind] = command.split(' -- ');
  const words = [[program, more ?? ''].join(' '), ...behind].join(' -- ');
  const localised = words.replaceAll('127.0.0.1:8137', address).replaceAll('--listen 8200', '--listen 0');
  const child = spawn('bash', ['-c', localised], {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`,
      TOKEN: token,
      HOME: folder,
      PI: pi,
    },
  });
  child.stdin.end(hears ?? '');
  let printed = '';
  let isVisited = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const found = /(ws:\S+)[\s\S]* token (\S+)\n/u.exec(printed);
      if (found === null || isVisited) return;
      isVisited = true;
      visit?.(found[1] ?? '', found[2] ?? '');
    });
  const [code] = await once(child, 'close');
  return { code: Number(code), printed };
}

test('every command has one trial, and every trial one command', () => {
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter((command) => trials.filter(({ words }) => command.includes(words)).length !== 1)).toEqual([]);
  expect(trials.filter(({ words }) => commands.filter((command) => command.includes(words)).length !== 1)).toEqual([]);
  for (const command of commands) expect(command).toMatch(/^npx patchbay conformance /u);
});

describe('the commands', () => {
  test.each(trials.map((trial) => [trial.words, trial] as const))(
    '%s',
    { concurrent: true, timeout: 120_000 },
    async (words, trial) => {
      const command = commands.find((one) => one.includes(words)) ?? '';
      const { code, printed } = await run(command, trial);
      expect(printed).toMatch(trial.prints);
      expect({ code, printed }).toMatchObject({ code: trial.code });
      if (trial.leaves !== undefined) expect(existsSync(path.join(folder, trial.leaves)), trial.leaves).toBe(true);
    },
  );
});

test('the table of script words is complete', () => {
  const [, table = ''] = /\| word \|[^\n]*\n\|[^\n]*\n([\s\S]*?)\n\n/u.exec(guide) ?? [];
  const words = [...table.matchAll(/`([^`]+)`/gu)].map(([, word = '']) => word);
  const asked = [demoScript, modelScript, claudeScript].flatMap((script) => [...script.keys()]);
  expect(asked.filter((word) => !words.includes(word))).toEqual([]);
});

test('links resolve', () => {
  for (const name of pages) {
    const page = readFileSync(path.join(docs, name), 'utf8');
    for (const [, link = ''] of page.matchAll(/\]\((?!http)([^)#]+)\)/gu))
      expect(existsSync(path.join(docs, link)), `${name}: ${link}`).toBe(true);
  }
});
