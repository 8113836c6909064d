// Agents that ask for leave in their own protocol (the demo agent, a scripted Claude Code, a scripted ECA server) before
// clients of each protocol, those that cannot ask their user included.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { agentRoles } from '../support/agent-roles.ts';
import { type Asked, type Connect, connections } from '../support/approval-clients.ts';
import { promptFrame } from '../support/claude-turn.ts';
import { connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-asking-'));
let server: GatewayServer;
beforeAll(async () => {
  const config = join(folder, 'patchbay.json');
  const agents = Object.fromEntries(['demo', 'claude'].map((name) => [name, agentRoles.get(name)?.config]));
  // The newer one ends the run when its user says no (docs/protocols/eca.md 4.4).
  const eca = { protocol: 'eca', command: [...(agentRoles.get('eca')?.config.command ?? []), 'first'] };
  writeFileSync(config, JSON.stringify({ agents: { ...agents, eca } }));
  server = await startServerWith(config);
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** What an agent wants to do, and what it says when it was allowed and when it was denied. */
interface Wish {
  readonly tool: string;
  readonly shown: string;
  readonly allowed: string;
  readonly denied: string;
}

const wishes: Record<string, Wish> = {
  demo: { tool: 'write_note', shown: 'Patchbay was here.', allowed: 'I wrote the note.', denied: 'You denied it' },
  claude: { tool: 'Look', shown: 'drawer', allowed: 'There are three cables.', denied: 'Then I do not look.' },
  eca: { tool: 'eca_look', shown: 'drawer', allowed: 'There are three cables.', denied: 'Then I do not look.' },
};

const textOf = ({ client }: Asked, from = 0) =>
  client.frames
    .slice(from)
    .map((frame) => JSON.stringify(frame))
    .join('\n');

async function attached(connect: Connect, session: string): Promise<Asked> {
  const client = await connect(server, session);
  onTestFinished(() => client.client.close());
  return client;
}

describe.each(Object.entries(wishes))('%s', (agent, wish) => {
  test.each(Object.entries(connections))('%s', async (_kind, connect) => {
    const client = await attached(connect, await server.createSession(agent));

    await client.prompt('ask');
    const first = await client.asked();
    expect(first.tool).toBe(wish.tool);
    expect(first.shown).toContain(wish.shown);
    await client.allow(first.id);
    expect(await client.over()).toBe('well');
    expect(textOf(client)).toContain(wish.allowed);

    const second = client.client.frames.length;
    await client.prompt('ask');
    await client.deny((await client.asked()).id, 'not today');
    expect(await client.over()).toBe('well');
    expect(textOf(client, second)).toContain(wish.denied);

    const third = client.client.frames.length;
    await client.prompt('ask');
    await client.asked();
    await client.interrupt();
    await client.over();
    expect(textOf(client, third)).not.toMatch(new RegExp(`${wish.allowed}|${wish.denied}`, 'u'));
    expect(client.client.frames.filter(({ type }) => type === 'error')).toEqual([]);
  });

  test('a client that cannot ask its user, alone: denied', async () => {
    const legacy = await connectWebSocket(server, await server.createSession(agent), 'pi-legacy');
    onTestFinished(legacy.close);
    await legacy.send({ type: 'prompt', message: 'ask' });
    await legacy.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
    expect(JSON.stringify(legacy.frames)).toContain(wish.denied);
  });

  test('beside one that can: that one is asked', async () => {
    const session = await server.createSession(agent);
    const legacy = await connectWebSocket(server, session, 'pi-legacy');
    onTestFinished(legacy.close);
    const claude = await attached(connections['claude over WebSocket'], session);
    await legacy.send({ type: 'prompt', message: 'ask' });
    await claude.allow((await claude.asked()).id);
    expect(await claude.over()).toBe('well');
    await legacy.waitFor(({ type }) => type === 'agent_end', 'the end of the run');
    expect(JSON.stringify(legacy.frames)).toContain(wish.allowed);
  });
});

test('a pi client answers what a Claude client was asked, who learns that it is over', async () => {
  const session = await server.createSession('claude');
  const claude = await attached(connections['claude over WebSocket'], session);
  const pi = await attached(connections['pi over WebSocket'], session);
  await claude.client.send(promptFrame('ask'));
  const { id } = await claude.asked();
  await pi.allow((await pi.asked()).id);
  await claude.client.waitFor(
    (frame) => frame.type === 'control_cancel_request' && frame.request_id === id,
    'the withdrawal',
  );
  expect([await claude.over(), await pi.over()]).toEqual(['well', 'well']);
});
