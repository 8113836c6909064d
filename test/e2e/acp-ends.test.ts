// The ends of an ACP agent and of its ACP client: an agent killed in each phase of a turn, and a client that leaves with a
// question open (docs/protocols/acp.md 4.44, 4.48, 7.56).
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { type AcpClient, startAcpClient } from '../support/acp-client.ts';
import { at } from '../support/acp-traces.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../support/telling-program.ts';

const { session } = methods.agent;
const script = fileURLToPath(new URL('../support/scripted-acp.mjs', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-ends-')));
let acp: AcpClient;
let record = '';

async function start(): Promise<void> {
  record = join(mkdtempSync(join(folder, 'run-')), 'record');
  const command = tellingCommand(script, record, ['--sessions', `${record}.sessions`]);
  const config = `${record}.json`;
  writeFileSync(config, JSON.stringify({ agents: { one: { protocol: 'acp', command } }, defaultAgent: 'one' }));
  const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: config, XDG_STATE_HOME: folder };
  acp = await startAcpClient({ permission: () => null }, undefined, { env });
}

const open = async () => (await acp.agent.request(session.new, { cwd: folder, mcpServers: [] })).sessionId;
const ask = (sessionId: string, text: string) =>
  acp.agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
const killLast = () => process.kill(startsIn(record).at(-1)?.pid ?? Number.NaN, 'SIGKILL');
const updates = (kind: string) => (message: unknown) => at(message, 'params', 'update', 'sessionUpdate') === kind;
const asksPermission = (message: unknown) => at(message, 'method') === 'session/request_permission';

afterEach(async () => {
  await acp.close();
  expect(acpSchemaFaults(acp.rows)).toEqual([]);
  expect(acpOrderFaults(acp.rows, { only: 'out' })).toEqual([]);
});

describe('an agent that is killed', () => {
  it.each([
    ['in its text', 'hang', updates('agent_message_chunk')],
    ['in a tool', 'stick', updates('tool_call')],
    ['in a question for permission', 'ask', asksPermission],
  ])('%s: the prompt is answered with an error, and the next ones work', async (_, words, sign) => {
    await start();
    const id = await open();
    const turn = ask(id, words);
    await acp.until(sign);
    killLast();
    await expect(turn).rejects.toMatchObject({ code: -32_603 });
    await expect(ask(id, 'look')).resolves.toMatchObject({ stopReason: 'end_turn' });
    await expect(ask(await open(), 'look')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });

  it('while it loads: the request is answered with an error, and a new session works', async () => {
    await start();
    const id = await open();
    await ask(id, 'look and die on load');
    await acp.close();
    const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: `${record}.json`, XDG_STATE_HOME: folder };
    acp = await startAcpClient({}, undefined, { env });
    const params = { sessionId: id, cwd: folder, mcpServers: [] };
    await expect(acp.agent.request(session.load, params)).rejects.toMatchObject({ code: -32_603 });
    await expect(ask(await open(), 'look')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });
});

it('a client that leaves with a question open: the agent hears that its turn is cancelled', async () => {
  await start();
  const turn = ask(await open(), 'ask');
  await acp.until(asksPermission);
  const [agent] = startsIn(record);
  await Promise.all([acp.close(), turn.catch(() => {})]);
  const sent = startsIn(record).find(({ pid }) => pid === agent?.pid)?.sent ?? '';
  expect(sent).toContain('"method":"session/cancel"');
  expect(sent).toContain('"result":{"outcome":{"outcome":"cancelled"}}');
  expect(sent).not.toContain('"selected"');
});

it('a session that is deleted is in no list any more, nor after a restart', async () => {
  await start();
  const [one, two] = [await open(), await open()];
  for (const id of [one, two]) await ask(id, 'look');
  const listed = async () => (await acp.agent.request(session.list, {})).sessions.map(({ sessionId }) => sessionId);
  expect(await listed()).toEqual(expect.arrayContaining([one, two]));
  await acp.agent.request(session.delete, { sessionId: one });
  expect(await listed()).not.toContain(one);
  await acp.close();
  const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: `${record}.json`, XDG_STATE_HOME: folder };
  acp = await startAcpClient({}, undefined, { env });
  expect(await listed()).not.toContain(one);
  expect(await listed()).toContain(two);
});

it('an agent that answers no cancelled prompt gets no second one: another agent does', async () => {
  await start();
  const id = await open();
  const turn = ask(id, 'deaf');
  await acp.until(updates('agent_message_chunk'));
  await acp.cancel(id);
  await expect(turn).resolves.toMatchObject({ stopReason: 'cancelled' });
  await expect(ask(id, 'look')).resolves.toMatchObject({ stopReason: 'end_turn' });
  const prompts = startsIn(record).map(({ sent }) => sent.split('"method":"session/prompt"').length - 1);
  expect(prompts).toEqual([1, 1]);
});
