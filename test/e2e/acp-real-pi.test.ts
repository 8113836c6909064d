// The real pi behind patchbay-acp, with the client of the protocol's own library in front (docs/protocols/acp.md 3, 4).
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Block, cut, type Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { type AcpClient, startAcpClient, type User } from '../support/acp-client.ts';
import { at } from '../support/acp-traces.ts';
import { extension } from '../support/approval-rig.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';

const { session } = methods.agent;
const text = (words: string): Block => ({ type: 'text', deltas: [words] });
const write: Block = {
  type: 'tool_use',
  name: 'write',
  deltas: cut(JSON.stringify({ path: 'out.txt', content: 'written' }), 7),
};
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ['ask', () => [{ blocks: [text('I write.'), write] }, { blocks: [text('That was it.')] }]],
]);

let fake: FakeAnthropic;
let home: PiHome;
let config = '';
let acp: AcpClient;
/** One session for all but the last test: a pi takes its time to start. */
let id = '';
const user: { permission?: User['permission'] } = {};

beforeAll(async () => {
  fake = await startFakeAnthropic({ scenarios });
  home = makePiHome({ baseUrl: fake.url });
  const { argv, env } = piCommand(home, ['-e', extension]);
  // Its sessions are kept: they are loaded again below.
  const command = argv.filter((word) => word !== '--no-session');
  mkdirSync(join(home.agentDir, 'prompts'));
  writeFileSync(join(home.agentDir, 'prompts/greet.md'), '[[text]] greet');
  config = join(home.dir, 'patchbay.json');
  const pi = { protocol: 'pi', command, env: { ...env, PATCHBAY_ASK: 'write' } };
  writeFileSync(config, JSON.stringify({ agents: { pi }, defaultAgent: 'pi' }));
  await start();
  id = await open();
});
afterAll(async () => {
  await leave();
  await fake.close();
  home.remove();
});

async function start(): Promise<void> {
  const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: config, XDG_STATE_HOME: join(home.dir, 'state') };
  acp = await startAcpClient(user, undefined, { env });
}

async function leave(): Promise<void> {
  await acp.close();
  expect(acpSchemaFaults(acp.rows)).toEqual([]);
  expect(acpOrderFaults(acp.rows, { only: 'out' })).toEqual([]);
}

const open = async () => (await acp.agent.request(session.new, { cwd: home.project, mcpServers: [] })).sessionId;
const prompt = (sessionId: string, ...blocks: readonly object[]) =>
  acp.agent.request(session.prompt, { sessionId, prompt: blocks as { type: 'text'; text: string }[] });
const ask = (words: string, sessionId = id) => prompt(sessionId, { type: 'text', text: words });

/** All updates of the session from here on. */
function listen(sessionId = id) {
  const from = acp.updates(sessionId).length;
  const heard = () => acp.updates(sessionId).slice(from);
  return {
    said: (kind = 'agent_message_chunk') =>
      heard()
        .flatMap((update) => (update.sessionUpdate === kind ? [at(update, 'content', 'text')] : []))
        .join(''),
    ends: () => heard().flatMap(({ status }) => (status === 'completed' || status === 'failed' ? [status] : [])),
  };
}

/** Resolves with the next message that fits. */
function next(fits: (message: unknown) => boolean): Promise<unknown> {
  const before = new Set(acp.rows.map(({ json }) => json));
  return acp.until((message) => !before.has(message) && fits(message));
}

const isUpdate = (kind: string) => (message: unknown) => at(message, 'params', 'update', 'sessionUpdate') === kind;
const asksPermission = (message: unknown) => at(message, 'method') === 'session/request_permission';

it('says text, thoughts, and two tools at once', async () => {
  const { said, ends } = listen();
  await expect(ask('[[think]] hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
  expect([said('agent_thought_chunk'), said()]).toEqual(['Let me think about it.', 'The answer is 42.']);
  await ask('[[tools]] hello');
  expect(ends()).toEqual(['completed', 'completed']);
});

it('takes images, resources and links', async () => {
  const blocks = [
    { type: 'text', text: '[[text]] hello' },
    { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///p/a.ts', text: 'let resource = 1' } },
    { type: 'resource_link', uri: `file://${home.project}/notes.txt`, name: 'notes.txt' },
  ];
  await expect(prompt(id, ...blocks)).resolves.toMatchObject({ stopReason: 'end_turn' });
  const asked = fake.requests.findLast(({ prompt: { images } }) => images.length > 0);
  const told = JSON.stringify(asked?.body.messages);
  for (const words of ['image/png', 'let resource = 1', 'alpha']) expect(told).toContain(words);
});

it('lists a command of the user and carries it out, and changes its level of thinking', async () => {
  const listed = (message: unknown) => JSON.stringify(at(message, 'params', 'update', 'availableCommands') ?? []);
  await acp.until((message) => listed(message).includes('"greet"'));
  const { said } = listen();
  await ask('/greet');
  expect(said()).toBe('Hello, world. This is plain text.');
  const level = { configId: 'thought_level', value: 'high' };
  const { configOptions } = await acp.agent.request(session.setConfigOption, { sessionId: id, ...level });
  expect(configOptions).toContainEqual(expect.objectContaining({ id: 'thought_level', currentValue: 'high' }));
});

it('fails with an error, and says when it is at its limit of tokens', async () => {
  await expect(ask('[[bad-request]] hello')).rejects.toMatchObject({ code: -32_603 });
  await expect(ask('[[max-tokens]] hello')).resolves.toMatchObject({ stopReason: 'max_tokens' });
});

it.each([
  ['allow_once', 'completed', true],
  ['reject_once', 'failed', false],
])('asks for permission: with %s the call is %s', async (kind, status, isWritten) => {
  user.permission = () => kind;
  const { ends } = listen();
  await ask('[[ask]] hello');
  expect(ends()).toEqual([status]);
  const file = join(home.project, 'out.txt');
  expect(existsSync(file)).toBe(isWritten);
  rmSync(file, { force: true });
});

it.each([
  ['in its text', '[[hold]] hello', isUpdate('agent_message_chunk')],
  [
    'in a tool',
    '[[abort-tool]] hello',
    (message: unknown) => at(message, 'params', 'update', 'status') === 'in_progress',
  ],
  ['in a question', '[[ask]] hello', asksPermission],
  ['before its first word', '[[hold]] hello', null],
])('is cancelled %s, and takes the next prompt', async (_, words, sign) => {
  user.permission = () => null;
  const shown = sign && next(sign);
  const turn = ask(words);
  await shown;
  await acp.cancel(id);
  await expect(turn).resolves.toMatchObject({ stopReason: 'cancelled' });
  await expect(ask('[[text]] hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
});

it('asks no second time once a permission is remembered', async () => {
  user.permission = () => 'allow_always';
  const questions = () => acp.rows.filter(({ json }) => asksPermission(json)).length;
  const before = questions();
  await ask('[[ask]] hello');
  await ask('[[ask]] again');
  expect(questions()).toBe(before + 1);
});

it('has two sessions at once; one is loaded with its past after a restart, and pi knows it', async () => {
  const other = await open();
  const { ends } = listen();
  await Promise.all([ask('[[text]] my number is 4711', other), ask('[[tools]] hello')]);
  expect(ends()).toEqual(['completed', 'completed']);
  await leave();
  await start();
  const { sessions } = await acp.agent.request(session.list, { cwd: home.project });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining([id, other]));
  const { said } = listen(other);
  await acp.agent.request(session.load, { sessionId: other, cwd: home.project, mcpServers: [] });
  expect([said('user_message_chunk'), said()]).toEqual([
    '[[text]] my number is 4711',
    'Hello, world. This is plain text.',
  ]);
  await ask('[[text]] which was it?', other);
  const asked = fake.requests.findLast(({ prompt: { text: words } }) => words.includes('which was it?'));
  expect(JSON.stringify(asked?.body.messages)).toContain('4711');
  await acp.agent.request(session.close, { sessionId: other });
  await expect(ask('hello', other)).rejects.toMatchObject({ code: -32_002 });
});
