// `patchbay-eca` as a process: what it says of itself, what it refuses, a conversation as an editor leads it, and how it ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { patchbay, type RunOptions } from '../../support/command.ts';
import { type EditorProcess, startEditor } from '../../support/editor-process.ts';

const project = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-eca-project-')));
const home = mkdtempSync(join(tmpdir(), 'patchbay-eca-home-'));
const bin = fileURLToPath(new URL('../../../dist/cli/patchbay-eca.js', import.meta.url));
const tellingPi = fileURLToPath(new URL('../../support/telling-pi.mjs', import.meta.url));

/** Nothing of the tester's own surroundings chooses the agent. */
const plain = {
  PATCHBAY_AGENT: '',
  PATCHBAY_CONFIG: '',
  PATCHBAY_CHAIN: '',
  PATCHBAY_VERBOSE: '',
  XDG_CONFIG_HOME: '',
  HOME: home,
  PATH: '',
};

const run = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  patchbay(args, { cwd: project, ...options, program: 'patchbay-eca', env: { ...plain, ...env } });

/** As an editor starts it that puts its server where the executable lies (docs/protocols/eca.md 2.2). */
const start = (words: readonly string[] = [], env: Record<string, string> = { PATCHBAY_AGENT: 'demo' }) =>
  startEditor(process.execPath, [bin, 'server', ...words], {
    cwd: fileURLToPath(new URL('../../../dist/cli', import.meta.url)),
    env: { ...plain, ...env },
  });

function configWith(agents: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'patchbay-eca-')), 'patchbay.json');
  writeFileSync(file, JSON.stringify({ agents }));
  return file;
}

/** Resolves when nothing is left of it, and of what it has started. */
function runScript(script: string, args: readonly string[], env: Record<string, string>) {
  return new Promise<NodeJS.Signals | null>((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: project,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', (_code, signal) => resolve(signal));
  });
}

async function leave(editor: EditorProcess) {
  await editor.request('shutdown', {});
  editor.notify('exit', {});
  return await editor.exited;
}

describe('of itself it tells', () => {
  it('its help', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^patchbay-eca: a stand-in for eca/u);
    for (const name of ['PATCHBAY_AGENT', 'PATCHBAY_CONFIG', 'XDG_CONFIG_HOME']) expect(stdout).toContain(name);
  });

  it('the version of the eca whose protocol it speaks', async () => {
    const { code, stdout, stderr } = await run(['--version']);
    expect([code, stdout]).toEqual([0, 'eca 0.155.1\n']);
    expect(stderr).toMatch(/^patchbay-eca: agent-patchbay \d+\.\d+\.\d+/u);
  });
});

describe('wrong calls exit with 2, say what to do, and nothing on stdout', () => {
  const rows: [args: string[], sentence: RegExp][] = [
    [[], /^patchbay-eca: a stand-in for eca[\s\S]*patchbay-eca server/u],
    [['--verbose'], /^patchbay-eca: a stand-in for eca/u],
    [['chat'], /^patchbay-eca: unknown command chat; the only command is server\n$/u],
    [['server', '--frobnicate'], /^patchbay-eca: unknown option --frobnicate; the options are --help, .*\n$/u],
    [
      ['server', '--log-level', 'loud'],
      /^patchbay-eca: --log-level must be one of error, warn, info, debug, not loud\n$/u,
    ],
    [['server', '--patchbay-agnet=demo'], /^patchbay-eca: unknown option --patchbay-agnet;/u],
    [['server', '--patchbay-agent', 'nobody'], /^patchbay-eca: no agent named nobody; there is only demo\n$/u],
    [['server', '--patchbay-config', 'nowhere.json'], /^patchbay-eca: cannot read nowhere\.json/u],
  ];
  it.each(rows)('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr).toMatch(sentence);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('a conversation', () => {
  it('as an editor leads it: nothing but frames on stdout, also when it is told to tell all', async () => {
    const editor = start(['--verbose', '--config-file', '/nowhere/config.json', '']);
    const { result } = await editor.open(project);
    expect(result).toMatchObject({ models: expect.arrayContaining(['demo/demo-small']) });
    const chatId = 'd2f0b3a4-0000-4000-8000-000000000001';
    const answer = await editor.request('chat/prompt', { chatId, message: 'think tool', requestId: 'one' });
    expect(answer.result).toMatchObject({ chatId });
    await editor.finished(chatId);
    expect(editor.text(chatId)).toContain('The lookup found 3 entries.');
    expect(editor.contents(chatId).find(({ role }) => role === 'user')?.content.text).toBe('think tool\n');
    editor.notify('no/such', {});
    const { code, stderr } = await leave(editor);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^patchbay-eca: the agent demo does not take --config-file\n/u);
    expect(stderr).toContain('"note":"loss"');
  });

  it('of two chats at once: each hears its own, and ends', async () => {
    const editor = start();
    await editor.open(project);
    await Promise.all([
      editor.request('chat/prompt', { chatId: 'one', message: 'slow 2 text 300', requestId: '1' }),
      editor.request('chat/prompt', { chatId: 'two', message: 'tool', requestId: '2' }),
    ]);
    await Promise.all([editor.finished('one'), editor.finished('two')]);
    expect(editor.text('two')).toContain('The lookup found 3 entries.');
    expect(editor.text('one')).not.toContain('The lookup');
    editor.notify('no/such', {});
    expect(await leave(editor)).toEqual({ code: 0, stderr: '' });
  });

  it('in the folder that the editor names, wherever it has started us', async () => {
    const command = [process.execPath, '-e', "console.error('here: ' + process.cwd()); process.exit(3)"];
    const editor = start([], { PATCHBAY_CONFIG: configWith({ teller: { protocol: 'pi', command } }) });
    await editor.open(project);
    await editor.until('the reason', (message) => JSON.stringify(message).includes(`here: ${project}`));
    expect((await leave(editor)).code).toBe(0);
  });

  it('with an agent that is named in one word with all other arguments, a program that is started at once', async () => {
    const config = configWith({ teller: { protocol: 'pi', command: [process.execPath, tellingPi] } });
    const editor = start([`--patchbay-config ${config} --log-level warn`], {});
    await editor.open(project);
    await editor.until('its model', (message) => JSON.stringify(message).includes('telling-1'));
    expect(await leave(editor)).toEqual({ code: 0, stderr: '' });
  });
});

describe('an agent', () => {
  it('that cannot be started is told to the editor, and the process stays', async () => {
    const editor = start([], { PATCHBAY_CONFIG: configWith({ gone: { protocol: 'pi', command: ['/nowhere/pi'] } }) });
    await editor.open(project);
    await editor.until(
      'the reason',
      ({ method, params }) =>
        method === '$/showMessage' &&
        params?.type === 'error' &&
        String(params.message).includes('spawn /nowhere/pi ENOENT'),
    );
    const { result, error } = await editor.request('chat/queryCommands', { chatId: 'one', query: '' });
    expect([result, error]).toEqual([expect.objectContaining({ commands: expect.any(Array) }), undefined]);
    const { code, stderr } = await leave(editor);
    expect([code, stderr]).toEqual([0, expect.stringContaining('patchbay-eca: agent could not be started')]);
  });

  it('that dies ends its own turn, and no other chat', async () => {
    const editor = start();
    await editor.open(project);
    await editor.request('chat/prompt', { chatId: 'one', message: 'hello', requestId: '1' });
    await editor.finished('one');
    await editor.request('chat/prompt', { chatId: 'two', message: 'die', requestId: '2' });
    await editor.finished('two');
    await editor.request('chat/prompt', { chatId: 'one', message: 'tool', requestId: '3' });
    await editor.finished('one', 2);
    expect(editor.text('one')).toContain('The lookup found 3 entries.');
    expect((await leave(editor)).code).toBe(0);
  });
});

describe('the end', () => {
  it('of the process that the editor named ends it, though its pipes are open', async () => {
    const named = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
    const editor = start();
    await editor.request('initialize', { processId: named.pid, capabilities: {}, workspaceFolders: [] });
    named.kill('SIGKILL');
    const { code, stderr } = await editor.exited;
    expect([code, stderr]).toEqual([1, expect.stringContaining('the process of the editor is gone')]);
  });

  it('does not come of a process that was never there to be seen', async () => {
    const editor = start();
    await editor.request('initialize', { processId: 2_147_483_646, capabilities: {}, workspaceFolders: [] });
    await editor.request('chat/queryCommands', { query: '' });
    expect(await leave(editor)).toEqual({ code: 0, stderr: '' });
  });

  it('of the input ends what runs, and what waits behind it', async () => {
    const editor = start();
    await editor.open(project);
    await editor.request('chat/prompt', { chatId: 'one', message: 'hang', requestId: '1' });
    await editor.request('chat/prompt', { chatId: 'one', message: 'hang', requestId: '2' });
    editor.closeInput();
    expect(await editor.exited).toEqual({ code: 0, stderr: '' });
    await editor.finished('one');
  });

  it('of the input before anything was said', async () => {
    expect(await run(['server', '--patchbay-agent', 'demo'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('by exit without shutdown', async () => {
    const editor = start();
    await editor.open(project);
    editor.notify('exit', {});
    expect((await editor.exited).code).toBe(0);
  });

  it('of the editor itself, which nobody saw coming: a hung agent does not keep us', async () => {
    const script = fileURLToPath(new URL('../../support/dying-editor.mjs', import.meta.url));
    const env = { ...plain, PATCHBAY_AGENT: 'demo' };
    expect(await runScript(script, [bin], env)).toBe('SIGKILL');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('by %s ends the turn well, and the exit code names the signal', async (signal, expected) => {
    const editor = start();
    await editor.open(project);
    await editor.request('chat/prompt', { chatId: 'one', message: 'hang', requestId: '1' });
    await editor.until('the first words', () => editor.text('one').includes('I was about to'));
    editor.kill(signal);
    expect((await editor.exited).code).toBe(expected);
    await editor.finished('one');
  });
});
