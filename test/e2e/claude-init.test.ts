// What `system init` tells a client on the network of each kind of agent: all fields that the newest SDK requires
// (SDKSystemMessage of @anthropic-ai/claude-agent-sdk 0.3.330), and nothing empty where something is true.
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { AgentConfig } from '../../src/config/agent-config.ts';
import { agentRoles } from '../support/agent-roles.ts';
import { connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';

// The gateway is a process of its own, and so are most agents.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const words = z.array(z.string().min(1));
const Init = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  apiKeySource: z.string().min(1),
  claude_code_version: z.string().regex(/^\d+\.\d+\.\d+$/u),
  cwd: z.string(),
  tools: words,
  mcp_servers: z.array(z.looseObject({ name: z.string().min(1), status: z.string().min(1) })),
  model: z.string().min(1),
  permissionMode: z.string().min(1),
  slash_commands: words,
  output_style: z.string().min(1),
  skills: words,
  plugins: z.array(z.looseObject({ name: z.string().min(1), path: z.string().min(1) })),
  uuid: z.string().length(36),
  session_id: z.string().min(1),
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-init-')));
const stops: (() => Promise<void>)[] = [];
let server: GatewayServer;
beforeAll(async () => {
  const agents: Record<string, AgentConfig> = {};
  for (const [name, { config, start }] of agentRoles) {
    const { options, stop } = (await start?.()) ?? { options: {}, stop: async () => {} };
    stops.push(stop);
    agents[name] = { ...config, options: { ...config.options, ...options } };
  }
  agents.placed = { protocol: 'demo', cwd: folder };
  const file = join(folder, 'patchbay.json');
  writeFileSync(file, JSON.stringify({ agents }));
  server = await startServerWith(file, { ANTHROPIC_API_KEY: 'test' });
});
afterAll(async () => {
  await server.close();
  for (const stop of stops) await stop();
});

test.each([
  ...[...agentRoles].map(([name, { turn }]): [string, string, string] => [name, turn.prompt, process.cwd()]),
  ['placed', 'hello', folder],
])('%s', async (agent, prompt, cwd) => {
  const client = await connectWebSocket(server, await server.createSession(agent));
  await client.send({ type: 'user', message: { role: 'user', content: prompt } });
  const init = await client.waitFor((frame) => frame.type === 'system' && frame.subtype === 'init', 'init');
  expect(Init.parse(init)).toMatchObject({ cwd });
  await client.close();
});
