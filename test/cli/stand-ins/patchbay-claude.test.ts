// `patchbay-claude` as a process: what it says of itself, what it refuses, `-p` in all formats, and how it ends.
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { patchbay, type RunOptions } from '../../support/command.ts';
import { Frame } from '../../support/inbox.ts';
import { faultsIn } from '../../support/judged.ts';

// Some of these start several programs, one behind the other.
vi.setConfig({ testTimeout: 60_000 });

const empty = mkdtempSync(join(tmpdir(), 'patchbay-claude-empty-'));
const bin = fileURLToPath(new URL('../../../dist/cli/patchbay-claude.js', import.meta.url));

/** Nothing of the tester's own surroundings chooses the agent, and nothing is left in the tester's home. */
const plain = {
  PATCHBAY_AGENT: '',
  PATCHBAY_CONFIG: '',
  PATCHBAY_CHAIN: '',
  PATCHBAY_VERBOSE: '',
  PATH: '',
  XDG_STATE_HOME: empty,
  XDG_CONFIG_HOME: empty,
};
const demo = { PATCHBAY_AGENT: 'demo' };
const streamJson = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

const run = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  patchbay(args, { cwd: empty, ...options, program: 'patchbay-claude', env: { ...plain, ...env } });

/** The working directory, with its configuration named by the environment. */
const namedIn = (cwd: string): RunOptions => ({ cwd, env: { PATCHBAY_CONFIG: join(cwd, 'patchbay.json') } });

const framesOf = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => Frame.parse(JSON.parse(line)));
const say = (text: string) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null })}\n`;
const resultsOf = (stdout: string) => framesOf(stdout).filter(({ type }) => type === 'result');

describe('of itself it tells', () => {
  it('its help', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^patchbay-claude: a stand-in for claude/u);
    for (const name of ['PATCHBAY_AGENT', 'PATCHBAY_CONFIG', 'XDG_STATE_HOME']) expect(stdout).toContain(name);
  });

  it('the version of the Claude Code whose format it speaks', async () => {
    const { code, stdout, stderr } = await run(['--version']);
    expect([code, stdout]).toEqual([0, '2.1.330 (Claude Code)\n']);
    expect(stderr).toMatch(/^patchbay-claude: agent-patchbay \d+\.\d+\.\d+/u);
  });

  it.each([[['auth', 'status', '--json']], [['auth', 'status']]])(
    '%j: nobody need log in; stdin stays unread',
    async (args) => {
      const { code, stdout, stderr } = await run(args, { holdInput: true });
      expect(JSON.parse(stdout)).toEqual({ loggedIn: true, authMethod: 'third_party', apiProvider: 'patchbay' });
      expect([code, stderr]).toEqual([0, '']);
    },
  );
});

describe('prompts that are longer than what the network may send', () => {
  // Two wishes with 9 MB between them: the second is heard when the whole came.
  const long = `think${' '.repeat(9_000_000)}text 20`;

  it('of -p', async () => {
    const { code, stdout } = await run(['-p'], { env: demo, input: long });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^w0 w1 w2/mu);
  });

  it('of the SDK', async () => {
    const { code, stdout } = await run(streamJson, { env: demo, input: say(long) });
    expect(code).toBe(0);
    expect(resultsOf(stdout)).toMatchObject([{ is_error: false, result: expect.stringMatching(/^w0 w1 w2/u) }]);
  });
});

describe('wrong calls exit with 2 and say what to do', () => {
  const rows: [args: string[], sentence: RegExp][] = [
    [[], /only -p and --input-format stream-json are served here; start claude itself for its interface\n/u],
    [['mcp', 'list'], /start claude itself for mcp list\n/u],
    [['auth', 'login'], /start claude itself for auth login\n/u],
    [['hello'], /start claude itself for hello\n/u],
    [['--input-format', 'stream-json'], /--input-format stream-json needs --output-format stream-json\n/u],
    [['-p', '--output-format', 'xml'], /--output-format must be text or json or stream-json, not xml\n/u],
    [['-p'], /give -p a prompt, as an argument or on stdin\n/u],
    [['-p', 'hi', '--patchbay-agent', 'nobody'], /no agent named nobody; there is only demo\n/u],
    [['-p', 'hi', '--session-id', 'one'], /--session-id must be a UUID\n/u],
  ];
  it.each(rows)('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr).toMatch(sentence);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('-p', () => {
  it.each<[string, string[], string, number, string | RegExp, string | RegExp]>([
    ['a prompt on the command line', ['-p', 'think', 'tool'], '', 0, 'The lookup found 3 entries.\n', ''],
    ['one on stdin', ['-p'], 'tool', 0, 'The lookup found 3 entries.\n', ''],
    ['both', ['-p', 'Read this:'], 'piped', 0, 'Hello! You said: Read this:\npiped\n', ''],
    ['a failure', ['-p', 'fail'], '', 1, '', 'patchbay-claude: the model is overloaded\n'],
    ['an agent that dies', ['-p', 'die'], '', 1, '', 'patchbay-claude: the demo agent died, as it was told to\n'],
    ['a question, which nobody is there for', ['-p', 'ask'], '', 0, /^You denied it/u, ''],
    ['a dialog, which nobody is there for', ['-p', 'confirm'], '', 0, /./u, ''],
    ['--model', ['-p', 'hello', '--model=gpt-9'], '', 0, 'Hello! You said: hello\n', /there is no model gpt-9\n$/u],
  ])('%s', async (_name, args, input, code, stdout, stderr) => {
    const finished = await run(args, { env: demo, input });
    expect(finished).toEqual({
      code,
      stdout: typeof stdout === 'string' ? stdout : expect.stringMatching(stdout),
      stderr: typeof stderr === 'string' ? stderr : expect.stringMatching(stderr),
    });
  });

  it('does not wait for ever for a stdin that nobody closes', async () => {
    const { code, stdout, stderr } = await run(['-p', 'hello'], { env: demo, holdInput: true });
    expect([code, stdout]).toEqual([0, 'Hello! You said: hello\n']);
    expect(stderr).toMatch(/nothing came on stdin within 3 seconds/u);
  });

  it.each([
    ['hello', 0, { subtype: 'success', is_error: false, result: 'Hello! You said: hello' }],
    ['fail', 1, { subtype: 'error_during_execution', is_error: true, errors: ['the model is overloaded'] }],
    ['die', 1, { is_error: true, errors: ['the demo agent died, as it was told to'] }],
  ])('json: the result of %j alone', async (prompt, code, result) => {
    const finished = await run(['-p', prompt, '--output-format', 'json'], { env: demo });
    expect(resultsOf(finished.stdout)).toEqual([expect.objectContaining(result)]);
    expect([framesOf(finished.stdout).length, finished.code]).toEqual([1, code]);
  });

  it.each([
    [[], false],
    [['--include-partial-messages'], true],
  ])('stream-json %j: the frames', async (more, streams) => {
    const { code, stdout } = await run(['-p', 'think tool', '--output-format', 'stream-json', ...more], { env: demo });
    const frames = framesOf(stdout);
    expect(faultsIn('claude', frames)).toEqual([]);
    expect([frames.some(({ type }) => type === 'stream_event'), frames.at(-1)?.type, code]).toEqual([
      streams,
      'result',
      0,
    ]);
  });

  it('that refuses to resume hears no prompt, which was meant for another conversation', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-claude-resume-'));
    const heard = join(folder, 'heard');
    const stored = join(folder, 'stored.jsonl');
    writeFileSync(stored, '');
    const script = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        require('node:fs').appendFileSync(${JSON.stringify(heard)}, line + '\\n');
        const { id, type } = JSON.parse(line);
        const success = type !== 'switch_session';
        const more = success ? { data: {} } : { error: 'it is broken' };
        process.stdout.write(JSON.stringify({ id, type: 'response', command: type, success, ...more }) + '\\n');
      });`;
    const agent = { protocol: 'pi', command: [process.execPath, '-e', script] };
    writeFileSync(join(folder, 'patchbay.json'), JSON.stringify({ agents: { agent }, defaultAgent: 'agent' }));
    const args = ['-p', 'hi', '--resume', stored, '--output-format', 'json'];
    const { code, stdout } = await run(args, namedIn(folder));
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { is_error: true, errors: ['it is broken'] }]);
    expect(readFileSync(heard, 'utf8')).toContain('switch_session');
    expect(readFileSync(heard, 'utf8')).not.toContain('"prompt"');
  });

  it('tells where it works', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-claude-here-')));
    const { stdout } = await run(['-p', 'hi', '--output-format', 'stream-json'], { cwd });
    const frames = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(frames.find(({ subtype }) => subtype === 'init')).toMatchObject({ cwd });
  });

  it('in front of an agent that is nowhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-claude-nowhere-'));
    writeFileSync(join(folder, 'patchbay.json'), JSON.stringify({ agents: { far: { protocol: 'claude' } } }));
    const { code, stderr } = await run(['-p', 'hi'], namedIn(folder));
    expect([code, stderr]).toEqual([1, expect.stringContaining('agent far needs a command or a url')]);
  });

  it('never starts a program that the project names', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'patchbay-claude-project-'));
    const proof = join(cwd, 'PWNED');
    const agents = { evil: { protocol: 'pi', command: ['/bin/sh', '-c', `echo hit > ${proof}`] } };
    writeFileSync(join(cwd, 'patchbay.json'), JSON.stringify({ agents }));
    const { code, stdout, stderr } = await run(['-p', 'hi'], { cwd });
    expect([code, stdout, existsSync(proof)]).toEqual([0, 'Hello! You said: hi\n', false]);
    expect(stderr).toContain('patchbay-claude: the patchbay.json of the working directory is not read');
    await run(['-p', 'hi'], namedIn(cwd));
    expect(existsSync(proof)).toBe(true);
  });

  it('that cannot resume says so in its format', async () => {
    const args = ['-p', 'hi', '--resume', 'abc', '--output-format'];
    const text = await run([...args, 'text'], { env: demo });
    expect(text).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/No conversation found/u) });
    const json = await run([...args, 'json'], { env: demo });
    expect(resultsOf(json.stdout)).toEqual([expect.objectContaining({ is_error: true })]);
    expect(json.code).toBe(1);
  });
});

describe('stream-json', () => {
  it('lets the turn end when the input does', async () => {
    const { code, stdout, stderr } = await run(streamJson, { env: demo, input: say('slow 5') });
    expect([resultsOf(stdout).length, code, stderr]).toEqual([1, 0, '']);
  });

  it('answers what is no frame with an error, and goes on', async () => {
    const { code, stdout } = await run(streamJson, { env: demo, input: `{"type":"user"\n[]\n\n${say('hello')}` });
    expect(framesOf(stdout).filter(({ type }) => type === 'error')).toHaveLength(2);
    expect([resultsOf(stdout)[0]?.result, code]).toEqual(['Hello! You said: hello', 0]);
  });

  it('plays the prompts back when asked to', async () => {
    const args = [...streamJson, '--replay-user-messages', ''];
    const { stdout } = await run(args, { env: demo, input: say('hello') });
    expect(framesOf(stdout)).toContainEqual(expect.objectContaining({ type: 'user', isReplay: true }));
  });

  it('hears the client when the agent has heard the command line', async () => {
    const args = [...streamJson, '--model=demo-large', '--permission-mode', 'plan'];
    const { stdout } = await run(args, { env: demo, input: say('hello') });
    expect(framesOf(stdout)[0]).toMatchObject({ subtype: 'init', model: 'demo-large', permissionMode: 'plan' });
  });

  it('denies at once when the client did not say that it can be asked', async () => {
    const options: RunOptions = { env: demo, input: say('ask'), holdInput: true, killAfter: '"type":"result"' };
    const { stdout } = await run(streamJson, options);
    expect(resultsOf(stdout)[0]?.result).toMatch(/^You denied it/u);
    const { stdout: asked } = await run([...streamJson, '--permission-prompt-tool=stdio'], {
      ...options,
      killAfter: 'can_use_tool',
    });
    expect(framesOf(asked).at(-1)).toMatchObject({ type: 'result', is_error: true });
  });

  it('ends with an agent that goes before anybody said a word, and says why', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'patchbay-claude-'));
    const agents = { failing: { protocol: 'pi', command: ['/bin/sh', '-c', 'echo no key >&2; exit 3'] } };
    writeFileSync(join(cwd, 'patchbay.json'), JSON.stringify({ agents }));
    const { code, stdout, stderr } = await run(streamJson, { ...namedIn(cwd), holdInput: true });
    expect(framesOf(stdout)).toEqual([
      expect.objectContaining({ type: 'result', is_error: true, errors: ['agent exited (code 3): no key'] }),
    ]);
    expect([code, stderr]).toEqual([1, 'patchbay-claude: agent exited (code 3): no key\n']);
  });

  it('another patchbay-claude is an agent like any other', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'patchbay-claude-'));
    const agents = { inner: { protocol: 'claude', command: [process.execPath, bin], env: demo } };
    writeFileSync(join(cwd, 'patchbay.json'), JSON.stringify({ agents }));
    const id = '0f3a2b1c-0000-4000-8000-000000000001';
    const args = [...streamJson, '--model', 'demo-large', '--session-id', id, '--include-partial-messages'];
    const { code, stdout } = await run(args, { ...namedIn(cwd), input: say('think tool') });
    const frames = framesOf(stdout);
    expect(faultsIn('claude', frames)).toEqual([]);
    expect(frames.find(({ subtype }) => subtype === 'init')).toMatchObject({ model: 'demo-large', session_id: id });
    expect([resultsOf(stdout)[0]?.result, code]).toEqual(['The lookup found 3 entries.', 0]);
  });

  it('one that leads back to ourselves is none', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'patchbay-claude-'));
    const agents = { circle: { protocol: 'claude', command: [process.execPath, bin] } };
    writeFileSync(join(cwd, 'patchbay.json'), JSON.stringify({ agents }));
    const { code, stdout } = await run(streamJson, { ...namedIn(cwd), input: say('hello') });
    expect(JSON.stringify(resultsOf(stdout))).toMatch(/leads back to patchbay-claude itself/u);
    expect(code).toBe(1);
  });
});

describe('a signal', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s ends the turn well, and the exit code names it', async (signal, expected) => {
    const { code, stdout } = await run([...streamJson, '--include-partial-messages'], {
      env: demo,
      input: say('hang'),
      holdInput: true,
      killAfter: 'text_delta',
      signal,
    });
    expect([resultsOf(stdout).length, code]).toEqual([1, expected]);
  });
});
