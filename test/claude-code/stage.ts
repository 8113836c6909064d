// Claude Code behind `patchbay serve` and `patchbay stdio`, on a fake model. Knows no client's protocol.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { spawnChannel } from '../../src/transports/child/child-process.ts';
import { type ClaudeHome, claudeCommand, makeClaudeHome } from '../support/claude-code-rig.ts';
import { type Client, connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { createInbox } from '../support/inbox.ts';
import { claudeScenarios } from './scenarios.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** `bare`: quick, three tools. `full`: with sub-agents, questions, hooks and tool servers. */
export type AgentName = 'bare' | 'full';

/** A gateway with Claude Code behind it. */
export interface Stage {
  readonly fake: FakeAnthropic;
  readonly home: ClaudeHome;
  /** The configuration that names both agents. */
  readonly config: string;
  readonly server: GatewayServer;
  /** A client of that frontend with a session and an agent of its own. */
  connect(frontend: string, options?: { agent?: AgentName; transport?: 'websocket' | 'stdio' }): Promise<Client>;
  close(): Promise<void>;
}

/** A client of `patchbay stdio`. */
function connectStdio(config: string, frontend: string, agent: AgentName): Client {
  const inbox = createInbox();
  const words = ['stdio', '--frontend', frontend, '--agent', agent, '--config', config];
  const channel = spawnChannel({ command: [process.execPath, cli, ...words], label: 'gateway' });
  const gone = new Promise<void>((resolve) => {
    channel.open({
      frame: (frame) => inbox.line(frame.text),
      fault: ({ message }) => inbox.cut(message),
      end({ reason, detail = '' }) {
        inbox.cut(`${reason} ${detail}`);
        resolve();
      },
    });
  });
  const sendRaw = async (text: string) => channel.send(text);
  return {
    ...inbox,
    sendRaw,
    send: (frame) => sendRaw(JSON.stringify(frame)),
    async close() {
      channel.close('normal', 'the test is over');
      await gone;
    },
  };
}

/** Starts all of it. */
export async function startStage(binary: string): Promise<Stage> {
  const fake = await startFakeAnthropic({ scenarios: claudeScenarios });
  const home = makeClaudeHome({ binary, baseUrl: fake.url });
  const agent = (isBare: boolean) => ({
    protocol: 'claude',
    command: claudeCommand(home, { isBare }),
    cwd: home.project,
  });
  const config = join(home.dir, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents: { bare: agent(true), full: agent(false) }, defaultAgent: 'bare' }));
  const server = await startServerWith(config);

  async function session(name: AgentName): Promise<string> {
    const headers = { ...server.headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: name });
    const response = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body });
    return z.looseObject({ id: z.string() }).parse(await response.json()).id;
  }

  return {
    fake,
    home,
    config,
    server,
    async connect(frontend, { agent: name = 'bare', transport = 'websocket' } = {}) {
      if (transport === 'stdio') return connectStdio(config, frontend, name);
      return connectWebSocket(server, await session(name), frontend);
    },
    async close() {
      await server.close();
      await fake.close();
      home.remove();
    },
  };
}
