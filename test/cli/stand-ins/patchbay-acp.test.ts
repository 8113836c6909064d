// `patchbay-acp` as a process: what it says of itself, what it refuses, which agent it chooses, sessions of the day before, and how
// it ends. What clients see is the subject of test/e2e/acp-sdk.test.ts.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { type AcpClient, startAcpClient } from '../../support/acp-client.ts';
import { at } from '../../support/acp-traces.ts';
import { patchbay, type RunOptions } from '../../support/command.ts';
import { acpOrderFaults } from '../../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../../support/telling-program.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-')));
const place = (name: string) => {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
};
const project = place('project');
/** Nothing of the tester's own surroundings chooses the agent. */
const plain = {
  PATCHBAY_AGENT: '',
  PATCHBAY_CONFIG: '',
  PATCHBAY_CHAIN: '',
  PATCHBAY_VERBOSE: '',
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: place('state'),
  HOME: place('home'),
};

const run = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  patchbay(args, { cwd: project, ...options, program: 'patchbay-acp', env: { ...plain, ...env } });

function configWith(agents: object, defaultAgent?: string): string {
  const file = join(mkdtempSync(join(folder, 'config-')), 'patchbay.json');
  writeFileSync(file, JSON.stringify({ agents, ...(defaultAgent && { defaultAgent }) }));
  return file;
}

const line = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const hello = line(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} });

describe('of itself it tells', () => {
  it('its help', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^patchbay-acp: an ACP agent/u);
    for (const name of ['PATCHBAY_AGENT', 'PATCHBAY_CONFIG', 'XDG_CONFIG_HOME', '--cwd'])
      expect(stdout).toContain(name);
  });

  it('its version', async () => {
    expect(await run(['--version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u),
      stderr: '',
    });
  });
});

describe('wrong calls exit with 2, say what to do, and nothing on stdout', () => {
  it.each<[args: string[], sentence: RegExp]>([
    [['acp'], /^patchbay-acp: Unexpected argument 'acp'.*--help lists the options\n$/u],
    [['--frobnicate'], /^patchbay-acp: Unknown option '--frobnicate'; --help lists the options\n$/u],
    [['--agent='], /^patchbay-acp: --agent needs a value\n$/u],
    [['--agent', 'nobody'], /^patchbay-acp: no agent named nobody; there is only demo\n$/u],
    [['--config', 'nowhere.json'], /^patchbay-acp: cannot read nowhere\.json/u],
    [['--agent', 'demo', '--cwd', '/nowhere'], /^patchbay-acp: --cwd \/nowhere: ENOENT/u],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr).toMatch(sentence);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('who is chosen', () => {
  const named = configWith({ one: { protocol: 'pi', command: ['/nowhere/one'] } }, 'one');
  const home = place('home-with');
  const users = place('home-with/.config/agent-patchbay');
  writeFileSync(join(users, 'patchbay.json'), readFileSync(named));
  writeFileSync(
    join(project, 'patchbay.json'),
    '{"agents": {"theirs": {"protocol": "pi", "command": ["/nowhere/two"]}}}',
  );

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['the name of the command line', ['--agent', 'demo'], { PATCHBAY_AGENT: 'one', PATCHBAY_CONFIG: named }, /^$/u],
    ['the name of the environment', [], { PATCHBAY_AGENT: 'demo', PATCHBAY_CONFIG: named }, /^$/u],
    ['the default of the file that is named', ['--config', named], {}, /one/u],
    ['the default of the file of the user', [], { HOME: home }, /one/u],
    ['the demo agent, and none of the project', [], {}, /the demo agent answers.*\n.*working directory is not read/u],
  ])('%s', async (_, args, env, stderr) => {
    const input = `${hello}${line(1, 'session/new', { cwd: project, mcpServers: [] })}`;
    const ran = await run(args, { env, input, holdInput: false });
    expect(ran.stderr).toMatch(stderr);
    expect(JSON.parse(ran.stdout.split('\n')[0] ?? '').result.protocolVersion).toBe(1);
  });
});

describe('a session of the day before', () => {
  let client: AcpClient | undefined;
  afterEach(async () => {
    await client?.close();
    client = undefined;
  });

  const script = (protocol: string) =>
    fileURLToPath(new URL(`../../support/scripted-${protocol}.mjs`, import.meta.url));
  /** What a program is sent that goes on with a conversation, and that deletes one; null: nothing, and none is started. */
  const agents: [string, string, (record: string) => string[], string, string | null][] = [
    ['Claude Code', 'claude', () => [], '--resume=', null],
    ['an ECA server', 'eca', (record) => ['--chats', `${record}.chats`], '"method":"chat/open"', '"chat/delete"'],
    ['an ACP agent', 'acp', (record) => ['--sessions', `${record}.sessions`], '"session/load"', '"session/delete"'],
    ['pi', 'pi', (record) => ['--keep', `${record}.jsonl`], '--session ', null],
  ];

  it.each(agents)('of %s is listed, loaded under its id, goes on, and is deleted', async (...row) => {
    const [, protocol, more, sign, deletion] = row;
    const record = join(mkdtempSync(join(folder, 'agent-')), 'record');
    const command = tellingCommand(script(protocol), record, more(record));
    const env = { ...plain, PATCHBAY_CONFIG: configWith({ one: { protocol, command } }, 'one') };
    const start = () => startAcpClient({}, undefined, { env });
    const ask = (sessionId: string, text: string) =>
      client?.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });

    client = await start();
    const opened = await client.agent.request(methods.agent.session.new, { cwd: project, mcpServers: [] });
    const { sessionId } = opened;
    await expect(ask(sessionId, 'look one')).resolves.toMatchObject({ stopReason: 'end_turn' });
    await client.close();

    client = await start();
    const { sessions } = await client.agent.request(methods.agent.session.list, { cwd: project });
    const entry = expect.objectContaining({ sessionId, cwd: project, title: 'look one' });
    expect(sessions).toContainEqual(entry);
    await client.agent.request(methods.agent.session.load, { sessionId, cwd: project, mcpServers: [] });
    await expect(ask(sessionId, 'look two')).resolves.toMatchObject({ stopReason: 'end_turn' });
    const next = startsIn(record).at(-1);
    expect(`${next?.argv.join(' ')}\n${next?.sent}`).toContain(sign);
    expect(acpSchemaFaults(client.rows)).toEqual([]);
    expect(acpOrderFaults(client.rows)).toEqual([]);
    expect(at(client.rows.at(-1)?.json, 'error')).toBeUndefined();
    await client.close();

    const before = startsIn(record).length;
    client = await start();
    const again = await client.agent.request(methods.agent.session.list, { cwd: project });
    expect(again.sessions).toContainEqual(entry);
    await client.agent.request(methods.agent.session.delete, { sessionId });
    const later = await client.agent.request(methods.agent.session.list, { cwd: project });
    expect(later.sessions.map((one) => one.sessionId)).not.toContain(sessionId);
    await client.close();
    const started = startsIn(record).slice(before);
    expect(started).toHaveLength(deletion === null ? 0 : 1);
    expect(started[0]?.sent ?? '').toContain(deletion ?? '');
  });

  it('that nobody knows is refused', async () => {
    client = await startAcpClient({}, undefined, { env: { ...plain, PATCHBAY_AGENT: 'demo' } });
    const params = { sessionId: 'nobody', cwd: project, mcpServers: [] };
    await expect(client.agent.request(methods.agent.session.load, params)).rejects.toMatchObject({ code: -32_002 });
  });
});
