// Clients of a gateway that does not have their session (decision 0033): they read it there, what they say reaches the owner, and
// when the owner is killed the gateway takes the session over, with pi and its conversation.
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { within } from '../../src/conformance/bounded-wait.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { freePort } from '../../src/conformance/runner/free-port.ts';
import type { GatewayServer } from '../support/gateway.ts';
import { createGateways, type Listener, listen, post, token, untilOwned } from '../support/gateway-pair.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import type { Heard } from '../support/resuming-readers.ts';

let redis: RedisServer;
let fake: FakeAnthropic;
let home: PiHome;
let gateways: ReturnType<typeof createGateways>;
beforeAll(async () => {
  redis = await startRedis();
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  // Where the gateway looks for the files of a pi with that home.
  mkdirSync(join(home.dir, '.pi'));
  symlinkSync(home.agentDir, join(home.dir, '.pi', 'agent'));
});
afterAll(async () => {
  await redis.dispose();
  await fake.close();
  home.remove();
});
beforeEach(() => {
  gateways = createGateways();
});
afterEach(() => gateways.end());

async function start(name: string): Promise<GatewayServer> {
  const port = await freePort();
  const { argv, env } = piCommand(home, []);
  const command = argv.filter((word) => word !== '--no-session');
  return gateways.start(name, {
    agents: { pi: { protocol: 'pi', command, cwd: home.project, env: { ...env, HOME: home.dir } } },
    defaultAgent: 'demo',
    server: { port },
    store: `${redis.url}/0?prefix=test:`,
    advertise: `http://127.0.0.1:${port}`,
    limits: { leaseMs: 2000 },
  });
}

const isOver = ({ frame }: Heard) => /"type":"(agent_end|result)"/u.test(frame);
/** Answers to commands are in no record. */
const isAnswer = ({ frame }: Heard) => frame.startsWith('{"type":"response"') || /"command":"get_state"/u.test(frame);
const isPlaced = ({ cursor }: Heard) => cursor !== null;

/** A client that names its session only in messages. */
async function connectPiServer({ url }: GatewayServer) {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/pi-server/ws`, 'pi-server.v1', { headers });
  const heard: string[] = [];
  const watchers = new Set<() => void>();
  socket.on('message', (data) => {
    heard.push(String(data));
    for (const watcher of watchers) watcher();
  });
  await once(socket, 'open');
  return {
    say: (line: object) => socket.send(JSON.stringify(line)),
    until: (part: RegExp) =>
      within(
        `${part}`,
        watchers,
        () => heard.find((line) => part.test(line)),
        () => heard.join('\n').slice(0, 4000),
      ),
    end: () => socket.terminate(),
  };
}

test('clients that name the session in their messages read it at the other gateway and are answered there', async () => {
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession();
  const direct = listen(first, session, 'ws');
  const resuming = listen(second, session, 'ws');
  const client = await connectPiServer(second);
  client.say({ id: '1', type: 'switch_session', sessionId: session });
  await client.until(/"id":"1".*"success":true/u);
  client.say({ id: '2', type: 'prompt', sessionId: session, message: 'echo over there' });
  await client.until(/"id":"2".*"success":true/u);
  await client.until(/"type":"agent_end"/u);
  await Promise.all([direct, resuming].map((one) => one.until((heard) => heard.some(isOver), 'the run')));
  const told = [direct, resuming].map(({ heard }) => heard.filter((one) => isPlaced(one) && !isAnswer(one)));
  expect(told[1]?.slice(0, 10)).toEqual(told[0]?.slice(0, 10));
  const shown = await fetch(`${second.url}/v1/sessions`, { headers: second.headers });
  expect(await shown.json()).toMatchObject({ sessions: [{ id: session, agent: 'demo' }] });
  // Only gateways bring commands of others.
  const brought = await fetch(`${first.url}/v1/sessions/${session}/deliveries`, {
    method: 'POST',
    headers: { ...first.headers, 'content-type': 'application/json' },
    body: JSON.stringify([{ command: { type: 'prompt', content: [] } }]),
  });
  expect(brought.status).toBe(404);
  // Its gateway deletes it, and the answer comes before the end of what is shown of it here.
  client.say({ id: '3', type: 'delete_session', sessionId: session });
  await client.until(/"id":"3".*"success":true/u);
  const gone = await Promise.all(
    [first, second].map(({ url, headers }) => fetch(`${url}/v1/sessions/${session}`, { headers })),
  );
  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
  client.end();
  for (const { connection } of [direct, resuming]) connection.end();
});

test('the owner is killed: readers of the other gateway are sent back, go on byte for byte, and pi has the context', async () => {
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession('pi');
  const begun = listen(second, session, 'sse');
  await post(second, session, { type: 'prompt', message: '[[text]] my number is 4711' }, 'number');
  await begun.until((heard) => heard.some(isOver), 'the first run');
  begun.connection.end();
  const dialects = ['pi', 'claude'] as const;
  const transports = ['ws', 'sse'] as const;
  const readers = dialects.flatMap((frontend) =>
    transports.map((transport) => ({ frontend, transport, ...listen(second, session, transport, { frontend }) })),
  );
  await Promise.all(readers.map((one) => one.until((heard) => heard.some(isPlaced), 'a place')));
  const from = readers.map(({ heard }) => heard.length);
  const hasText = (one: Listener, at: number) =>
    one.heard.slice(from[at]).some(({ frame }) => /text_delta/u.test(frame));
  await post(second, session, { type: 'prompt', message: '[[abort-text]] and on' }, 'hanging');
  await Promise.all(
    readers.map((one, at) => (one.frontend === 'pi' ? one.until(() => hasText(one, at), 'text') : undefined)),
  );
  const gone = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await gone;
  // Nobody asks for anything: the gateway finds out that nobody has the session.
  const told = await Promise.all(readers.map(({ connection }) => connection.over));
  expect(told.flat().filter(({ frame }) => frame.includes('"type":"closed"'))).toEqual([]);
  await untilOwned(second, session, redis);
  for (const [at, { frontend, transport }] of readers.entries()) {
    const known = (told[at] ?? []).filter(isPlaced);
    for (const cut of [0, known.length >> 1, known.length - 1]) {
      const again = listen(second, session, transport, { frontend, cursor: known[cut]?.cursor ?? null });
      await again.until((heard) => heard.some(isOver), 'the end of the run');
      const expected = known.slice(cut + 1).filter((one) => !isAnswer(one));
      expect(again.heard.slice(0, expected.length), `${frontend} over ${transport} from ${cut}`).toEqual(expected);
      expect(again.heard.some(({ frame }) => frame.includes('"type":"reset"'))).toBe(false);
      again.connection.end();
    }
  }
  const client = listen(second, session, 'sse');
  await client.until((heard) => heard.filter(isOver).length === 2, 'the conversation');
  // What was posted through this gateway to the one of before counts once.
  await post(second, session, { type: 'prompt', message: '[[abort-text]] and on' }, 'hanging');
  const runs = client.heard.length;
  await post(second, session, { type: 'prompt', message: '[[text]] which number?' });
  await client.until((heard) => heard.slice(runs).some(isOver), 'the next run');
  expect(client.heard.slice(runs).filter(({ frame }) => frame.includes('"agent_start"'))).toHaveLength(1);
  const asked = fake.requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes('which number'));
  expect(JSON.stringify(asked?.body.messages)).toContain('4711');
  client.connection.end();
});
