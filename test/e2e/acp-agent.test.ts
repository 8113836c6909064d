// An ACP agent (scripted, a line for each message) behind clients of other protocols: leave given, kept and refused, a stop, an
// error, a command, contexts, a plan, a form, the end of the process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rowsIn } from '../support/acp-traces.ts';
import { type Asked, type Connect, connections } from '../support/approval-clients.ts';
import { connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../support/telling-program.ts';

const script = fileURLToPath(new URL('../support/scripted-acp.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-acp-agent-'));
const record = join(folder, 'record');
let server: GatewayServer;
beforeAll(async () => {
  const config = join(folder, 'patchbay.json');
  const command = tellingCommand(script, record, []);
  writeFileSync(config, JSON.stringify({ agents: { acp: { protocol: 'acp', command } } }));
  server = await startServerWith(config);
});
afterAll(async () => {
  await server?.close();
  for (const { sent } of startsIn(record)) expect(acpSchemaFaults(rowsIn('in', sent))).toEqual([]);
  rmSync(folder, { recursive: true });
});

const textOf = ({ client }: Asked, from = 0) =>
  client.frames
    .slice(from)
    .map((frame) => JSON.stringify(frame))
    .join('\n');

async function attached(connect: Connect): Promise<Asked> {
  const client = await connect(server, await server.createSession('acp'));
  onTestFinished(() => client.client.close());
  return client;
}

test.each(Object.entries(connections))('asks %s', async (_, connect) => {
  const client = await attached(connect);
  await client.prompt('ask');
  const first = await client.asked();
  expect([first.tool, first.shown]).toEqual([expect.stringMatching(/look/u), expect.stringMatching(/drawer/u)]);
  await client.allow(first.id);
  expect(await client.over()).toBe('well');
  expect(textOf(client)).toContain('There are three cables.');

  const second = client.client.frames.length;
  await client.prompt('ask');
  await client.deny((await client.asked()).id, 'not today');
  expect(await client.over()).toBe('well');
  expect(textOf(client, second)).toContain('Then I do');
  expect(textOf(client, second)).not.toContain('There are three cables.');

  const third = client.client.frames.length;
  await client.prompt('ask');
  await client.asked();
  await client.interrupt();
  await client.over();
  expect(textOf(client, third)).not.toContain('There are three cables.');

  await client.prompt('two');
  await client.allow((await client.asked()).id);
  await client.allow((await client.asked()).id);
  expect(await client.over()).toBe('well');
});

test('fails, wants a login, is stopped, carries out a command, plans and reads contexts, in one session', async () => {
  const client = await attached(connections['claude over WebSocket']);
  await client.prompt('fail');
  expect(await client.over()).toBe('badly');
  expect(textOf(client)).toContain('Scripted response status: 529 body: overloaded');

  await client.prompt('login');
  expect(await client.over()).toBe('badly');
  expect(textOf(client)).toContain('Log in to the agent first: API key (Use an API key).');

  await client.prompt('hang');
  await client.client.waitFor((frame) => JSON.stringify(frame).includes('about to'), 'the first words');
  await client.interrupt();
  expect(await client.over()).toBe('badly');

  for (const [prompt, words] of [
    ['/costs', 'Total cost: $0.01'],
    ['plan', 'That is the plan.'],
    ['contexts', '[]'],
  ] as const) {
    const from = client.client.frames.length;
    await client.prompt(prompt);
    expect(await client.over()).toBe('well');
    expect(textOf(client, from)).toContain(words);
  }
});

test('dies, and the next prompt has another one', async () => {
  const client = await attached(connections['claude over WebSocket']);
  await client.prompt('die');
  expect(await client.over()).toBe('badly');
  const from = client.client.frames.length;
  await client.prompt('look');
  expect(await client.over()).toBe('well');
  expect(textOf(client, from)).toContain('There are three cables.');
});

test('tells a pi client its models and commands', async () => {
  const pi = await connectWebSocket(server, await server.createSession('acp'), 'pi');
  onTestFinished(pi.close);
  await pi.send({ type: 'get_available_models', id: 'models' });
  const models = await pi.waitFor(({ id }) => id === 'models', 'the models');
  expect(JSON.stringify(models)).toContain('scripted-2');
  await pi.send({ type: 'prompt', id: 'p', message: '/costs' });
  await pi.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
  await pi.send({ type: 'get_commands', id: 'commands' });
  const commands = await pi.waitFor(({ id }) => id === 'commands', 'the commands');
  expect(JSON.stringify(commands)).toContain('costs');
});
