// ACP over WebSocket, with the client of the protocol's own library: in front of one gateway, and of a gateway that has another
// one as its ACP agent (docs/protocols/acp.md 8.57).

import { methods } from '@agentclientprotocol/sdk';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { type ConnectedAcp, connectAcpClient } from '../support/acp-client.ts';
import { at } from '../support/acp-traces.ts';
import { agentRoles } from '../support/agent-roles.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';

const { session } = methods.agent;
const cwd = process.cwd();
const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
  vi.unstubAllEnvs();
});

/** A gateway on the network. `agents`: its agents; the first one is the default. */
async function serve(agents: object) {
  const gateway = createGateway(parseConfig({ agents, defaultAgent: Object.keys(agents)[0], roots: [cwd] }), {
    log: () => {},
  });
  const server = await listen({ board: gateway.board });
  disposals.push(
    () => gateway.close('the test is over'),
    () => server.close(),
  );
  return { url: `ws://127.0.0.1:${server.port}/v1/acp/ws`, token: server.token ?? '' };
}

/** Gateways in a row, the last one with the demo agent; the address of the first one. */
async function serveRow(count: number) {
  let first = await serve({ demo: agentRoles.get('demo')?.config });
  for (let more = 1; more < count; more += 1) {
    vi.stubEnv(`TOKEN_OF_${more}`, first.token);
    first = await serve({ far: { protocol: 'acp', url: first.url, tokenVariable: `TOKEN_OF_${more}` } });
  }
  return first;
}

interface Remote extends ConnectedAcp {
  /** The names of the connection in the answer to the upgrade. */
  readonly names: readonly unknown[];
}

async function connect({ url, token }: { url: string; token: string }): Promise<Remote> {
  const names: unknown[] = [];
  class Listening extends WebSocket {
    constructor(...words: ConstructorParameters<typeof WebSocket>) {
      super(...words);
      this.once('upgrade', ({ headers }) => names.push(headers['acp-connection-id']));
    }
  }
  const headers = { authorization: `Bearer ${token}` };
  const stream = createWebSocketStream(url, { WebSocket: Listening as never, headers });
  const connected = await connectAcpClient(stream);
  disposals.push(() => connected.close());
  return { ...connected, names };
}

const open = async ({ agent }: Remote) => (await agent.request(session.new, { cwd, mcpServers: [] })).sessionId;
const ask = ({ agent }: Remote, sessionId: string, text: string) =>
  agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
const spoken = (client: Remote, id: string) =>
  client
    .updates(id, 'agent_message_chunk')
    .map((update) => at(update, 'content', 'text'))
    .join('');

describe.each([1, 2])('through %i gateways', (count) => {
  it('a turn, a question, a stop, and two sessions at once', async () => {
    const client = await connect(await serveRow(count));
    const [one, two] = [await open(client), await open(client)];
    const turns = await Promise.all([ask(client, one, 'think tool'), ask(client, two, 'think tool')]);
    expect(turns.map(({ stopReason }) => stopReason)).toEqual(['end_turn', 'end_turn']);
    for (const id of [one, two]) expect(spoken(client, id)).toContain('The lookup found 3 entries.');

    await expect(ask(client, one, 'ask')).resolves.toMatchObject({ stopReason: 'end_turn' });
    expect(client.rows.filter(({ json }) => at(json, 'method') === 'session/request_permission')).toHaveLength(1);

    const endless = ask(client, two, 'hang');
    await client.until(
      (message) =>
        at(message, 'params', 'sessionId') === two &&
        String(at(message, 'params', 'update', 'content', 'text')).includes('about to'),
    );
    await client.cancel(two);
    await expect(endless).resolves.toMatchObject({ stopReason: 'cancelled' });

    expect(acpSchemaFaults(client.rows)).toEqual([]);
    expect(acpOrderFaults(client.rows, { only: 'out' })).toEqual([]);
    expect(client.names).toEqual([expect.stringMatching(/^[\da-f-]{36}$/u)]);
  });
});

it('a folder outside the roots is refused in the words of the protocol', async () => {
  const client = await connect(await serveRow(1));
  const outside = client.agent.request(session.new, { cwd: '/etc', mcpServers: [] });
  await expect(outside).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining('roots') });
  expect(acpSchemaFaults(client.rows, { only: 'out' })).toEqual([]);
});

it('each connection has a name of its own, and without the token there is none', async () => {
  const place = await serveRow(1);
  const [first, second] = [await connect(place), await connect(place)];
  expect(new Set([...first.names, ...second.names]).size).toBe(2);
  await expect(connect({ ...place, token: 'guessed' })).rejects.toThrow('401');
});
