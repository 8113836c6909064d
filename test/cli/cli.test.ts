// The command line: help, exit codes, helpful errors, configuration.
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { patchbay } from '../support/command.ts';

const empty = mkdtempSync(join(tmpdir(), 'patchbay-cli-'));

function folderWith(config: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-config-'));
  writeFileSync(join(folder, 'patchbay.json'), typeof config === 'string' ? config : JSON.stringify(config));
  return folder;
}

describe('help', () => {
  const commands = ['', 'serve', 'stdio', 'translate', 'chaos', 'agents', 'conformance'];
  it.each(commands)('%s --help shows examples and exits with 0', async (command) => {
    const { code, stdout } = await patchbay([...(command === '' ? [] : [command]), '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples?:\n\s+(patchbay|echo)/u);
  });

  it('--version prints the version of the package', async () => {
    const { code, stdout } = await patchbay(['--version']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/u)]);
  });
});

describe('wrong calls exit with 2 and say what to do', () => {
  const rows: [string, string[], RegExp][] = [
    ['unknown command', ['sevre'], /unknown command 'sevre'/u],
    ['unknown option', ['serve', '--prot', '1'], /unknown option '--prot'/u],
    ['port that is none', ['serve', '--port', 'x'], /number from 0 to 65535/u],
    ['unknown agent', ['serve', '--agent', 'nobody'], /no agent named nobody; there is only demo/u],
    ['unknown protocol', ['serve', '--backend', 'nope', '--', 'x'], /no protocol named "nope"; there are .*pi/u],
    [
      'agents’ protocols',
      ['serve', '--backend', 'x', '--', 'x'],
      /there are pi, pi-legacy, pi-server, claude, anthropic,/u,
    ],
    [
      'clients’ protocols',
      ['stdio', '--frontend', 'x'],
      /there are pi, pi-legacy, pi-server, claude, rpc-message, eca, acp, canonical\n/u,
    ],
    ['misspelt protocol', ['stdio', '--frontend', 'claud'], /no protocol named "claud"; did you mean "claude"\?\n/u],
    ['misspelt agent', ['serve', '--agent', 'dmo'], /no agent named dmo; did you mean "demo"\?\n/u],
    [
      'protocol without an agent side',
      ['serve', '--backend', 'rpc-message', '--', 'x'],
      /rpc-message has no agent side/u,
    ],
    ['program without a protocol', ['stdio', '--frontend', 'claude', '--', 'x'], /--backend <protocol>/u],
    ['protocol without a program', ['stdio', '--frontend', 'claude', '--backend', 'pi'], /where is the agent/u],
    ['agent given twice', ['serve', '--agent', 'demo', '--backend', 'pi', '--', 'x'], /not both/u],
    ['no frontend', ['stdio'], /--frontend/u],
    ['unknown frontend', ['stdio', '--frontend', 'nope'], /no protocol named "nope"/u],
    ['frontend without a client side', ['stdio', '--frontend', 'demo'], /demo has no client side/u],
    ['bad frontend option', ['stdio', '--frontend', 'claude', '--client', 'dialect=klingon'], /dialect/u],
    ['option that is no pair', ['stdio', '--frontend', 'claude', '--client', 'x'], /name=value/u],
    ['beyond loopback without a token', ['serve', '--host', '0.0.0.0'], /set a token/u],
    ['configuration that is not there', ['agents', '--config', 'nowhere.json'], /cannot read nowhere\.json/u],
  ];
  it.each(rows)('%s', async (_name, args, sentence) => {
    const { code, stdout, stderr } = await patchbay(args, { cwd: empty, env: { PATCHBAY_TOKEN: '' } });
    expect(stderr).toMatch(sentence);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('patchbay.json', () => {
  it('names agents, of which the only one is the default', async () => {
    const cwd = folderWith({ agents: { mine: { protocol: 'pi', command: ['pi', '--mode', 'rpc'] } } });
    const { code, stdout } = await patchbay(['agents'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/mine +pi +pi --mode rpc {2}\(default\)/u);
    expect(stdout).toMatch(/demo +demo +built in\n/u);
  });

  it('that is wrong is refused with its line', async () => {
    const text = '{\n  "agents": {\n    "a": { "protocol": "pi", "command": "pi --mode rpc" }\n  }\n}';
    const { code, stderr } = await patchbay(['agents'], { cwd: folderWith(text) });
    const words = 'agents.a.command is a list of words: ["pi","--mode","rpc"]';
    expect([code, stderr]).toEqual([2, `patchbay: patchbay.json:3: ${words}\n`]);
  });

  it.each<[string, string[], string | null]>([
    ['the file of the working directory', [], 'patchbay.json'],
    ['a named file', ['--config', 'other.json'], 'other.json'],
    ['no file', [], null],
  ])('stdio says which file it took: %s', async (_name, args, name) => {
    const cwd = realpathSync(name === null ? empty : folderWith({}));
    if (name !== null) writeFileSync(join(cwd, name), '{}');
    const { code, stderr } = await patchbay(['stdio', '--frontend', 'claude', ...args], { cwd });
    expect(code).toBe(0);
    if (name === null) expect(stderr).toBe('');
    else expect(JSON.parse(stderr)).toMatchObject({ level: 'info', file: join(cwd, name) });
  });

  it('serve says which file it took', async () => {
    const cwd = realpathSync(folderWith({}));
    const { stderr } = await patchbay(['serve', '--json'], { cwd, killAfter: 'ready' });
    expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({ level: 'info', file: join(cwd, 'patchbay.json') });
  });

  it('agents --json prints what each agent and protocol can do', async () => {
    const { stdout } = await patchbay(['agents', '--json'], { cwd: empty });
    const listed = JSON.parse(stdout) as { protocols: { id: string; asAgent: boolean; asClient: boolean }[] };
    expect(listed.protocols).toContainEqual(expect.objectContaining({ id: 'pi', asAgent: true }));
    expect(listed.protocols).toContainEqual(expect.objectContaining({ id: 'claude', asClient: true }));
  });
});

describe('stdio', () => {
  const prompt = (text: string) => `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`;
  const framesOf = (stdout: string) =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  it('answers what was asked before the input ended, then exits with 0', async () => {
    const { code, stdout, stderr } = await patchbay(['stdio', '--frontend', 'claude'], {
      input: prompt('one') + prompt('two'),
      cwd: empty,
    });
    const results = framesOf(stdout).filter((frame) => frame.type === 'result');
    expect(results.map((frame) => frame.is_error)).toEqual([false, false]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('says everything before it exits, also more than a pipe holds at once', async () => {
    const { code, stdout } = await patchbay(['stdio', '--frontend', 'claude'], {
      input: prompt('text 200000'),
      cwd: empty,
    });
    expect(framesOf(stdout).at(-1)).toMatchObject({ type: 'result', is_error: false });
    expect(code).toBe(0);
  });

  it.each([
    ['pi-legacy', { type: 'error', error: 'Unexpected end of JSON input' }],
    ['pi', { type: 'response', command: 'parse', success: false }],
  ])('answers a blank line where agents of its protocol do: %s', async (frontend, answer) => {
    const { code, stdout } = await patchbay(['stdio', '--frontend', frontend], { input: '\n', cwd: empty });
    expect(framesOf(stdout)).toMatchObject([answer]);
    expect(code).toBe(0);
  });

  it('passes over a blank line where they do not', async () => {
    const { code, stdout } = await patchbay(['stdio', '--frontend', 'claude'], { input: '\n', cwd: empty });
    expect([code, stdout]).toEqual([0, '']);
  });

  it('waits for a silent agent, and ends its run well when it is told to stop', async () => {
    const { code, stdout } = await patchbay(['stdio', '--frontend', 'claude'], {
      input: prompt('hang'),
      cwd: empty,
      killAfter: 'I was about to',
    });
    expect(framesOf(stdout).at(-1)).toMatchObject({
      type: 'result',
      is_error: true,
      errors: [expect.stringMatching(/SIGTERM/u)],
    });
    expect(code).toBe(0);
  });

  const behind = (script: string) => ['--backend', 'pi', '--', 'bash', '-c', script];
  it.each<[string, string[], string, RegExp]>([
    ['cannot be started', ['--backend', 'pi', '--', '/nowhere/pi'], 'hello', /could not be started.*ENOENT/u],
    ['dies', ['--agent', 'demo'], 'die', /died/u],
    ['leaves in order', behind('exit 0'), 'hello', /^agent exited \(code 0\)$/u],
    ['complains on stderr', behind('echo no key >&2; exit 3'), 'hello', /^agent exited \(code 3\): no key$/u],
    ['complains on stdout', behind('echo please log in; exit 1'), 'hello', /^agent exited \(code 1\): please log in$/u],
  ])('an agent that %s: the client, the log and the exit code say so', async (_name, agent, words, reason) => {
    const { code, stdout, stderr } = await patchbay(['stdio', '--frontend', 'claude', ...agent], {
      input: prompt(words),
      cwd: empty,
    });
    expect(framesOf(stdout).at(-1)).toMatchObject({
      type: 'result',
      is_error: true,
      errors: [expect.stringMatching(reason)],
    });
    expect(
      stderr
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ level: 'error', text: 'the agent is gone', reason: expect.stringMatching(reason) }]);
    expect(code).toBe(1);
  });

  it('an agent that died before a signal came: the exit code still says so', async () => {
    const { code } = await patchbay(['stdio', '--frontend', 'claude', ...behind('exit 3')], {
      input: prompt('hello'),
      holdInput: true,
      cwd: empty,
      killAfter: '"type":"result"',
    });
    expect(code).toBe(1);
  });

  it('writes nothing but frames to stdout', async () => {
    const { stdout } = await patchbay(['stdio', '--frontend', 'claude', '--verbose'], {
      input: `{\n${prompt('tool')}`,
      cwd: empty,
    });
    expect(framesOf(stdout).every((frame) => typeof frame.type === 'string')).toBe(true);
  });
});

describe('translate', () => {
  const trace = [
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: { role: 'assistant', content: [] } },
    { type: 'message_update', assistantMessageEvent: { type: 'text_start', contentIndex: 0 } },
    { type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'Hi' } },
  ];
  const types = (stdout: string) =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).type);

  it('takes raw frames and rows of a trace alike, and closes what the input leaves open', async () => {
    const raw = trace.map((frame) => `${JSON.stringify(frame)}\n`).join('');
    const rows = trace.map((frame) => `${JSON.stringify({ dir: 'out', line: JSON.stringify(frame) })}\n`).join('');
    const passedOver = `${JSON.stringify({ dir: 'in', line: '{"type":"abort"}' })}\n`;
    const one = await patchbay(['translate', '--from', 'pi', '--to', 'claude'], { input: raw });
    const two = await patchbay(['translate', '--from', 'pi', '--to', 'claude'], { input: passedOver + rows });
    expect(one.stdout).toBe(two.stdout);
    expect(types(one.stdout).at(-1)).toBe('result');
    expect(one.code).toBe(0);
  });

  it.each([
    ['where it was started', [], empty],
    ['in a folder that is named', ['--cwd', '/rack'], '/rack'],
  ])('tells a client that its agent works %s', async (_, more, folder) => {
    const input = `${JSON.stringify({ type: 'agent_start' })}\n`;
    const { stdout } = await patchbay(['translate', '--from', 'pi', '--to', 'claude', ...more], { input, cwd: empty });
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ subtype: 'init', cwd: folder });
  });

  it('counts losses on stderr when asked', async () => {
    const input = `${JSON.stringify({ type: 'brand_new_event' })}\n`;
    const { stderr } = await patchbay(['translate', '--from', 'pi', '--to', 'claude', '--losses'], { input });
    expect(stderr).toMatch(/^1 losses\n {2}1 × event of pi\n$/u);
  });

  it.each([
    [[], '2 violations\n'],
    [['--losses'], '2 violations\n  2 × skipped a line that is no JSON (7 bytes)\n0 losses\n'],
  ])('tells how much was not understood, in any case: %j', async (more, told) => {
    const input = `garbage\n${JSON.stringify({ type: 'agent_start' })}\ngarbage\n`;
    const { code, stderr } = await patchbay(['translate', '--from', 'pi', '--to', 'claude', ...more], { input });
    expect([code, stderr]).toEqual([0, told]);
  });
});
