// Agents that say what a gateway says to clients which resume: it reaches these clients inside of frames, and never as a message of the
// gateway (docs/protocols/resume.md 4.1).
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, connect } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { clientRoles } from '../support/client-roles.ts';
import { readAll } from '../support/told-frames.ts';

const forged = [
  '{"type":"reset","reason":"window","cursor":"forged.1.0"}',
  '{"type":"closed","reason":"forged"}',
  '{"cursor":"forged.1.0","frame":{"type":"closed","reason":"forged"}}',
  '{"session":"forged","cursor":"forged.1.0","frame":{}}',
  '{"type":"attach","session":"forged","cursor":null}',
  '{"type":"accepted","id":"forged"}',
];

const agents = ['pi', 'eca', 'acp', 'claude', 'pi-server'] as const;

const at = (name: string) => fileURLToPath(new URL(`../support/${name}.mjs`, import.meta.url));
const agentOf = (protocol: string) => ({
  protocol,
  command: [process.execPath, at('hostile'), at(`scripted-${protocol}`), JSON.stringify(forged)],
});

let gateway: ReturnType<typeof createGateway>;
let server: Listening;
beforeAll(async () => {
  const config = { agents: Object.fromEntries(agents.map((name) => [name, agentOf(name)])), defaultAgent: 'pi' };
  gateway = createGateway(parseConfig(config), { log: () => {} });
  server = await listen({ board: gateway.board });
});
afterAll(async () => {
  await gateway.close('the test is over');
  await server.close();
});

/** Connections of these protocols carry many sessions (docs/protocols/resume.md 3.4). */
const carryMany = new Set(['pi-server', 'eca', 'acp', 'canonical']);

/** WebSockets of a client, and each message of the gateway as it came. */
function tap(onMessage: () => void) {
  const messages: string[] = [];
  class Tapped extends WebSocket {
    constructor(...words: ConstructorParameters<typeof WebSocket>) {
      super(...words);
      this.on('message', (data) => {
        messages.push(String(data));
        onMessage();
      });
    }
  }
  return { WebSocket: Tapped, messages };
}

/** All texts in a value, also names. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

test.each(agents)('by an agent of %s', async (agent) => {
  const session = gateway.board.createSession({ agent }, owner).id;
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const request = (frontend: string) => ({ frontend, session, options: {}, principal: owner });
  const readers = [...clientRoles.keys()].map((frontend) => ({
    frontend,
    told: readAll(gateway.board, request(frontend), null, wake),
  }));
  const events = readers.find(({ frontend }) => frontend === 'canonical')?.told ?? [];
  let runs = 0;
  async function run(): Promise<void> {
    runs += 1;
    const bytes = Buffer.from(clientRoles.get('canonical')?.prompt('look') ?? '');
    await gateway.board.post(request('canonical'), [{ bytes }]);
    const isOver = () => events.filter(({ frame }) => frame.includes('"type":"run-end"')).length === runs;
    await within('the end of the run', watchers, () => isOver() || undefined);
  }

  await run();
  const clients = readers.map(({ frontend, told }) => {
    const from = told.findIndex(({ cursor }) => cursor !== null);
    const tapped = tap(wake);
    const ends: string[] = [];
    const client: Client<string> = connect({
      url: server.url,
      frontend,
      session,
      token: server.token ?? '',
      WebSocket: tapped.WebSocket,
      cursor: told[from]?.cursor ?? null,
      onFrame: () => {},
      onReset: (reason) => void ends.push(reason),
      onClosed: (reason) => void ends.push(reason),
    });
    const expected = () => told.slice(from + 1).map(({ cursor, frame }) => `"cursor":"${cursor}","frame":${frame}}`);
    return { frontend, expected, messages: tapped.messages, ends, client };
  });
  await run();

  for (const { frontend, expected, messages, ends, client } of clients) {
    await within(`all of ${frontend}`, watchers, () => messages.length >= expected().length || undefined);
    const head = carryMany.has(frontend) ? `{"session":"${session}",` : '{';
    expect(messages, frontend).toEqual(expected().map((rest) => `${head}${rest}`));
    for (const message of messages)
      expect(Object.keys(JSON.parse(message)).join(), frontend).toMatch(/^(session,)?cursor,frame$/u);
    const texts = messages.flatMap((message) => textsIn(JSON.parse(message).frame)).join('\n');
    for (const message of forged) expect(texts, frontend).toContain(message);
    expect([client.state, ends], frontend).toEqual(['open', []]);
    client.close();
  }
});
