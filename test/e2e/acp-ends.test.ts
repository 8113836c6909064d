// The ends of an ACP agent and of its ACP client: an agent killed in each phase of a turn, and a client that leaves with a
// question open (docs/protocols/acp.md 4.44, 4.48, 7.56).
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { storedIdsIn } from '../../src/cli/stand-ins/stored-ids.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import type { GatewayPorts } from '../../src/gateway/gateway.ts';
import { killAllChildren } from '../../src/transports/child/process-group.ts';
import { type AcpClient, startAcpClient } from '../support/acp-client.ts';
import { connectRaw, type RawAcp } from '../support/acp-raw.ts';
import { at, rowsIn } from '../support/acp-traces.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../support/telling-program.ts';

const { session } = methods.agent;
const script = fileURLToPath(new URL('../support/scripted-acp.mjs', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-ends-')));
let acp: AcpClient;
let record = '';

const agentCommand = () => tellingCommand(script, record, ['--sessions', `${record}.sessions`]);

async function start(limits: object = {}): Promise<void> {
  record = join(mkdtempSync(join(folder, 'run-')), 'record');
  const config = `${record}.json`;
  const agents = { one: { protocol: 'acp', command: agentCommand() } };
  writeFileSync(config, JSON.stringify({ agents, limits, defaultAgent: 'one' }));
  const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: config, XDG_STATE_HOME: folder };
  acp = await startAcpClient({ permission: () => null }, undefined, { env });
}

const open = async () => (await acp.agent.request(session.new, { cwd: folder, mcpServers: [] })).sessionId;
const ask = (sessionId: string, text: string) =>
  acp.agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
const killLast = () => process.kill(startsIn(record).at(-1)?.pid ?? Number.NaN, 'SIGKILL');
const updates = (kind: string) => (message: unknown) => at(message, 'params', 'update', 'sessionUpdate') === kind;
const asksPermission = (message: unknown) => at(message, 'method') === 'session/request_permission';

afterEach(() => {
  for (const { sent } of startsIn(record)) expect(acpSchemaFaults(rowsIn('in', sent))).toEqual([]);
});

/** A gateway in this process and its client. `around`: what runs the agent's command. */
async function startHere(around: readonly string[], more: Partial<GatewayPorts> = {}): Promise<RawAcp> {
  const agents = { one: { protocol: 'acp', command: [...around, ...agentCommand()] } };
  const gateway = createGateway(parseConfig({ agents, defaultAgent: 'one' }), { log: () => {}, ...more });
  const client = await connectRaw(gateway);
  onTestFinished(() => {
    expect(acpSchemaFaults(client.rows)).toEqual([]);
    expect(acpOrderFaults(client.rows, { only: 'out' })).toEqual([]);
    gateway.close('the test is over');
  });
  return client;
}

describe('an agent that is killed', () => {
  /** No clock moves, and no timer rings. */
  const startStill = (around: readonly string[] = []) =>
    startHere(around, { clock: createVirtualClock(), conversations: storedIdsIn(`${record}.conversations`) });
  beforeEach(() => {
    record = join(mkdtempSync(join(folder, 'still-')), 'record');
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  });
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['in its text', 'hang', updates('agent_message_chunk')],
    ['in a tool', 'stick', updates('tool_call')],
    ['in a question for permission', 'ask', asksPermission],
  ])('%s: the prompt is answered with an error before any timer rings, and the next ones work', async (...row) => {
    const [, words, sign] = row;
    const client = await startStill();
    const id = await client.open(folder);
    const turn = client.prompt(id, words);
    await client.until('the sign', sign);
    killLast();
    expect(await turn).toMatchObject({ code: -32_603 });
    expect(await client.prompt(id, 'look')).toBe('end_turn');
    expect(await client.prompt(await client.open(folder), 'look')).toBe('end_turn');
  });

  it('whose own child lives on and holds its pipes: the prompt is answered before any timer rings all the same', async () => {
    onTestFinished(killAllChildren);
    const client = await startStill(['sh', '-c', `trap '' TERM; sleep 1000 & exec "$@"`, 'sh']);
    const turn = client.prompt(await client.open(folder), 'hang');
    await client.until('the text', updates('agent_message_chunk'));
    killLast();
    expect(await turn).toMatchObject({ code: -32_603 });
    expect(await client.prompt(await client.open(folder), 'look')).toBe('end_turn');
  });

  it('while it loads: the request is answered with an error before any timer rings, and a new session works', async () => {
    const before = await startStill();
    const sessionId = await before.open(folder);
    expect(await before.prompt(sessionId, 'look and die on load')).toBe('end_turn');
    const client = await startStill();
    const { error } = await client.ask('session/load', { sessionId, cwd: folder, mcpServers: [] });
    expect(error).toMatchObject({ code: -32_603 });
    expect(await client.prompt(await client.open(folder), 'look')).toBe('end_turn');
  });
});

it('an agent that asks 200 times at once: 64 questions wait for their user, and the others are rejected at once', async () => {
  record = join(mkdtempSync(join(folder, 'often-')), 'record');
  const client = await startHere([]);
  const turn = client.prompt(await client.open(folder), 'often');
  const idsOf = (method: string, ...path: string[]) =>
    client.rows.flatMap(({ json }) => (at(json, 'method') === method ? [at(json, ...path)] : []));
  await client.untilAll('the rejections', () => idsOf('$/cancel_request', 'params', 'requestId').length === 200 - 64);
  const withdrawn = new Set(idsOf('$/cancel_request', 'params', 'requestId'));
  const open = idsOf('session/request_permission', 'id').filter((id) => !withdrawn.has(id));
  expect(open).toHaveLength(64);
  for (const id of open) client.say({ id, result: { outcome: { outcome: 'selected', optionId: 'yes' } } });
  expect(await turn).toBe('end_turn');
  expect(idsOf('session/update', 'params', 'update', 'content', 'text')).toContain('64 of 200 are allowed.');
});

describe('a client', () => {
  afterEach(async () => {
    await acp.close();
    expect(acpSchemaFaults(acp.rows)).toEqual([]);
    expect(acpOrderFaults(acp.rows, { only: 'out' })).toEqual([]);
  });

  it('that leaves with a question open: the agent hears that its turn is cancelled', async () => {
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

  it('deletes a session: it is in no list any more, nor after a restart', async () => {
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

  it('cancels a prompt that its agent never answers: the next prompt has another agent', async () => {
    await start({ abortMs: 100 });
    const id = await open();
    const turn = ask(id, 'deaf');
    await acp.until(updates('agent_message_chunk'));
    await acp.cancel(id);
    await expect(turn).resolves.toMatchObject({ stopReason: 'cancelled' });
    await expect(ask(id, 'look')).resolves.toMatchObject({ stopReason: 'end_turn' });
    const prompts = startsIn(record).map(({ sent }) => sent.split('"method":"session/prompt"').length - 1);
    expect(prompts).toEqual([1, 1]);
  });
});
