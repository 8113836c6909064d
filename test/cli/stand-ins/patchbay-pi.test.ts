// `patchbay-pi` as a process: what it says of itself, what it refuses, who answers, and how it ends.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { patchbay, type RunOptions } from '../../support/command.ts';

const empty = mkdtempSync(join(tmpdir(), 'patchbay-pi-empty-'));
const bin = fileURLToPath(new URL('../../../dist/cli/patchbay-pi.js', import.meta.url));
const tellingPi = fileURLToPath(new URL('../../support/telling-pi.mjs', import.meta.url));

/** Nothing of the tester's own surroundings chooses the agent. */
const plain = {
  PATCHBAY_AGENT: '',
  PATCHBAY_CONFIG: '',
  PATCHBAY_PI_DIALECT: '',
  PATCHBAY_CHAIN: '',
  PATH: '',
  XDG_CONFIG_HOME: empty,
};
const demo = { PATCHBAY_AGENT: 'demo' };

const run = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  patchbay(args, { cwd: empty, ...options, program: 'patchbay-pi', env: { ...plain, ...env } });

/** Writes a user's configuration; the environment that makes it the user's. */
function configured(agents: object): Pick<RunOptions, 'env'> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-pi-'));
  mkdirSync(join(folder, 'agent-patchbay'));
  writeFileSync(join(folder, 'agent-patchbay', 'patchbay.json'), JSON.stringify({ agents }));
  return { env: { XDG_CONFIG_HOME: folder } };
}

const Line = z.looseObject({ type: z.string(), command: z.string().optional() });
const linesOf = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => Line.parse(JSON.parse(line)));
const ask = (type: string, more: object = {}) => `${JSON.stringify({ type, id: type, ...more })}\n`;
const hello = ask('prompt', { message: 'hello' });
const State = z.object({
  data: z.looseObject({
    sessionName: z.string().optional(),
    thinkingLevel: z.string(),
    model: z.looseObject({ id: z.string() }),
  }),
});
const stateIn = (stdout: string) => State.parse(linesOf(stdout).find(({ command }) => command === 'get_state')).data;
const toldBy = (stdout: string) => JSON.parse(stateIn(stdout).sessionName ?? '');

describe('of itself it tells', () => {
  it('its help', async () => {
    const { code, stdout, stderr } = await run(['--mode', 'rpc', '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^patchbay-pi: a stand-in for pi/u);
    for (const name of ['PATCHBAY_AGENT', 'PATCHBAY_CONFIG', 'PATCHBAY_PI_DIALECT']) expect(stdout).toContain(name);
  });

  it.each([
    ['growing', '0.54.2'],
    ['delta-only', '0.87.1'],
    ['legacy', '0.13.2'],
  ])('the version of the pi whose dialect it speaks: %s', async (dialect, version) => {
    const { code, stdout, stderr } = await run(['--version'], { env: { PATCHBAY_PI_DIALECT: dialect } });
    expect([code, stdout]).toEqual([0, `${version}\n`]);
    expect(stderr).toMatch(/^patchbay-pi: agent-patchbay \d+\.\d+\.\d+/u);
  });
});

describe('wrong calls exit with 2 and say what to do', () => {
  const rows: [args: string[], sentence: RegExp, env?: Record<string, string>][] = [
    [['--mode', 'text'], /only --mode rpc is served here; start pi itself for --mode text\n/u],
    [['--mode', 'json', '-p', 'hello'], /start pi itself for --mode json\n/u],
    [['-p', 'hello'], /start pi itself for -p\n/u],
    [['List all files'], /start pi itself for the message "List all files"\n/u],
    [['--list-models'], /start pi itself for --list-models\n/u],
    [['install', 'npm:x'], /start pi itself for install\n/u],
    [['--mode', 'rpc', '@notes.md'], /start pi itself for @notes\.md\n/u],
    [['--patchbay-agent', 'nobody'], /no agent named nobody; there is only demo/u],
    [['--patchbay-agent', '--mode', 'rpc'], /^patchbay-pi: --patchbay-agent needs a name\n$/u],
    [['--patchbay-agnet=demo', '--mode', 'rpc'], /^patchbay-pi: unknown option --patchbay-agnet;/u],
    [['--patchbay-config', 'nowhere.json'], /cannot read nowhere\.json/u],
    [['--patchbay-dialect', 'klingon'], /no dialect named klingon; the dialects are growing, delta-only, legacy/u],
    [['--mode', 'rpc'], /no dialect named klingon/u, { PATCHBAY_PI_DIALECT: 'klingon' }],
  ];
  it.each(rows)('%j', async (args, sentence, env) => {
    const { code, stdout, stderr } = await run(args, env === undefined ? {} : { env });
    expect(stderr).toMatch(sentence);
    expect([code, stdout]).toEqual([2, '']);
  });
});

it('exports where its user says, as pi does', async () => {
  const outputPath = join(mkdtempSync(join(tmpdir(), 'patchbay-pi-')), 'out.html');
  const { code, stdout } = await run(['--mode', 'rpc'], {
    env: demo,
    input: ask('export_html', { outputPath }),
  });
  expect(linesOf(stdout).find(({ command }) => command === 'export_html')).toMatchObject({
    success: true,
    data: { path: outputPath },
  });
  expect([code, readFileSync(outputPath, 'utf8').slice(0, 15)]).toEqual([0, '<!doctype html>']);
});

describe('who answers', () => {
  it('the demo agent, and it says so, when nothing is configured and there is no pi', async () => {
    const { code, stdout, stderr } = await run(['--mode', 'rpc', '--no-session'], { input: ask('get_state') });
    expect([code, stateIn(stdout).model.id]).toEqual([0, 'demo-small']);
    expect(stderr).toMatch(
      /^patchbay-pi: no \/[^ ]*\/agent-patchbay\/patchbay\.json and no pi on the PATH: the demo agent answers; [^\n]*\n$/u,
    );
  });

  it('the agent of the user’s patchbay.json, a program that gets our command line behind its own', async () => {
    const command = [process.execPath, tellingPi, '--mode', 'rpc', '--model', 'from-config'];
    const user = configured({ teller: { protocol: 'pi', command } });
    const args = ['--mode', 'rpc', '--provider', 'p', '--model', 'mine', '-e', 'x.ts', '--patchbay-dialect', 'growing'];
    const { code, stdout, stderr } = await run(args, { ...user, input: ask('get_state') });
    expect(toldBy(stdout)).toEqual({
      argv: [
        '--mode',
        'rpc',
        '--model',
        'from-config',
        '--mode',
        'rpc',
        '--provider',
        'p',
        '--model',
        'mine',
        '-e',
        'x.ts',
      ],
      chain: expect.stringMatching(/patchbay\.json#teller$/u),
    });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('never a program that the project names, unless the user names the file of the project', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'patchbay-pi-project-'));
    const proof = join(cwd, 'PWNED');
    const agents = { evil: { protocol: 'pi', command: ['/bin/sh', '-c', `echo hit > ${proof}`] } };
    writeFileSync(join(cwd, 'patchbay.json'), JSON.stringify({ agents }));
    const { code, stdout, stderr } = await run(['--mode', 'rpc'], { cwd, input: ask('get_state') });
    expect([code, stateIn(stdout).model.id, existsSync(proof)]).toEqual([0, 'demo-small', false]);
    expect(stderr).toContain('patchbay-pi: the patchbay.json of the working directory is not read');
    await run(['--mode', 'rpc', '--patchbay-config', 'patchbay.json'], { cwd, input: ask('get_state') });
    expect(existsSync(proof)).toBe(true);
  });

  it('a program that is started at once, for it may speak before it is asked', async () => {
    const user = configured({ teller: { protocol: 'pi', command: [process.execPath, tellingPi] } });
    const { stdout } = await run(['--mode', 'rpc', '--greet'], { ...user, holdInput: true, killAfter: 'good morning' });
    expect(linesOf(stdout)).toEqual([
      expect.objectContaining({ type: 'extension_ui_request', message: 'good morning' }),
    ]);
  });

  it('another patchbay-pi, when that leads to somebody', async () => {
    const user = configured({ outer: { protocol: 'pi', command: [process.execPath, bin], env: demo } });
    const { stdout } = await run(['--mode', 'rpc', '--model', 'demo-large'], {
      ...user,
      input: hello + ask('get_state'),
    });
    expect(linesOf(stdout).map(({ type }) => type)).toContain('agent_end');
    expect(stateIn(stdout).model.id).toBe('demo-large');
  });

  it('nobody, when it leads back to ourselves', async () => {
    const user = configured({ circle: { protocol: 'pi', command: [process.execPath, bin] } });
    const { code, stdout } = await run(['--mode', 'rpc'], { ...user, input: hello });
    const answer = linesOf(stdout).find(({ command }) => command === 'prompt');
    expect(answer).toMatchObject({ success: false, error: expect.stringMatching(/leads back to patchbay-pi itself/u) });
    expect(code).toBe(0);
  });
});

describe('an agent that is a program', () => {
  const untilPrompted = `while read -r line; do case "$line" in *'"prompt"'*) exit 3;; esac; done`;

  it.each<[string, string[], string]>([
    ['ends at once', ['/bin/sh', '-c', 'echo boom: no key >&2; exit 3'], 'agent exited (code 3): boom: no key'],
    [
      'cannot be started',
      ['/nowhere/pi'],
      'agent could not be started: spawn /nowhere/pi ENOENT (there is no such program, at least not on the PATH of this process)',
    ],
  ])('that %s ends us as well, with its last words, though the client waits', async (_name, command, words) => {
    const user = configured({ failing: { protocol: 'pi', command } });
    const { code, stderr } = await run(['--mode', 'rpc'], { ...user, holdInput: true });
    expect([code, stderr]).toEqual([1, `patchbay-pi: ${words}\n`]);
  });

  it('that ends before it said anything still lets its client hear why', async () => {
    const command = ['/bin/sh', '-c', `echo boom: no key >&2; ${untilPrompted}`];
    const user = configured({ failing: { protocol: 'pi', command } });
    const { code, stdout, stderr } = await run(['--mode', 'rpc'], { ...user, holdInput: true, input: hello });
    expect(linesOf(stdout)).toContainEqual(
      expect.objectContaining({ command: 'prompt', success: false, error: 'agent exited (code 3): boom: no key' }),
    );
    expect([code, stderr]).toEqual([1, 'patchbay-pi: agent exited (code 3): boom: no key\n']);
  });

  it('that ends later is told of, and is no failure of ours', async () => {
    const greeting = JSON.stringify({ type: 'extension_ui_request', id: 'g', method: 'notify', message: 'hi' });
    const command = ['/bin/sh', '-c', `echo '${greeting}'; ${untilPrompted}`];
    const user = configured({ failing: { protocol: 'pi', command } });
    const { code, stderr } = await run(['--mode', 'rpc'], { ...user, input: hello });
    expect([code, stderr]).toEqual([0, 'patchbay-pi: agent exited (code 3)\n']);
  });
});

describe('an agent of another kind', () => {
  it('is asked for the model and the level, and what it does not take is told', async () => {
    const args = ['--mode', 'rpc', '--model', 'demo/demo-medium:high', '--system-prompt', 'x', '--continue'];
    const { stdout, stderr } = await run(args, { env: demo, input: ask('get_state') });
    expect(stateIn(stdout)).toMatchObject({ model: { id: 'demo-medium' }, thinkingLevel: 'high' });
    expect(stderr).toBe('patchbay-pi: the agent demo does not take --system-prompt, --continue\n');
  });

  it('that refuses the model answers with its own, and that is told', async () => {
    const args = ['--mode', 'rpc', '--provider', 'anthropic', '--model', 'opus'];
    const { code, stdout, stderr } = await run(args, { env: demo, input: ask('get_state') });
    expect([code, stateIn(stdout).model.id]).toEqual([0, 'demo-small']);
    expect(stderr).toBe('patchbay-pi: set-model at the start was refused: there is no model opus\n');
  });
});

describe('dialects', () => {
  const updates = (stdout: string) =>
    linesOf(stdout).filter(({ type, ...line }) => type === 'message_update' && 'assistantMessageEvent' in line);

  it.each([
    ['growing', true, true],
    ['delta-only', false, true],
    ['legacy', true, false],
  ])('%s', async (dialect, grows, answers) => {
    const { code, stdout } = await run(['--mode', 'rpc', '--patchbay-dialect', dialect], { env: demo, input: hello });
    const lines = linesOf(stdout);
    expect(updates(stdout).length).toBeGreaterThan(2);
    expect(updates(stdout).every((line) => 'message' in line === grows)).toBe(true);
    expect(lines.some(({ type }) => type === 'response')).toBe(answers);
    expect([lines.at(-1)?.type, code]).toEqual([expect.stringMatching(/^agent_(end|settled)$/u), 0]);
  });
});

const endOf = (lines: readonly { readonly type?: unknown }[]) => lines.slice(-2).map(({ type }) => type);

describe('the end', () => {
  it('of the input lets the run finish, as pi 0.54 does', async () => {
    const { code, stdout, stderr } = await run([], { env: demo, input: ask('prompt', { message: 'slow 5' }) });
    expect(endOf(linesOf(stdout))).toEqual(['agent_end', 'agent_settled']);
    expect([code, stderr]).toEqual([0, '']);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends the run well, and the exit code names the signal',
    async (signal) => {
      const { code, stdout } = await run(['--mode', 'rpc'], {
        env: demo,
        input: ask('prompt', { message: 'hang' }),
        killAfter: 'I was about to',
        signal,
      });
      expect(endOf(linesOf(stdout))).toEqual(['agent_end', 'agent_settled']);
      expect(code).toBe(signal === 'SIGTERM' ? 143 : 130);
    },
  );
});
