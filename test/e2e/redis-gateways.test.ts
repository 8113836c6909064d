// Several `patchbay serve --store` on one Redis (decision 0033): a gateway that was killed, a gateway that was stopped and lost
// its sessions (docs/faults.md F32), and requests that arrive at a gateway without the session.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../src/conformance/runner/free-port.ts';
import type { GatewayServer } from '../support/gateway.ts';
import { createGateways, listen, nodeSecret, post, token, untilOwned } from '../support/gateway-pair.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import type { Heard } from '../support/resuming-readers.ts';

const support = fileURLToPath(new URL('../support', import.meta.url));

let redis: RedisServer;
let gateways: ReturnType<typeof createGateways>;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());
beforeEach(() => {
  gateways = createGateways();
});
afterEach(() => gateways.end());

const isOver = ({ frame }: Heard) => /"type":"(agent_end|result)"/u.test(frame);
const isAnswer = ({ frame }: Heard) => frame.startsWith('{"type":"response"');
const hasText = (heard: readonly Heard[]) =>
  heard.some(({ cursor, frame }) => cursor !== null && frame.includes('text_delta'));

/** Starts a gateway on the Redis that others reach. */
async function start(name: string) {
  const port = await freePort();
  const advertise = `http://127.0.0.1:${port}`;
  // An agent with a child of its own, which says for ever that it is busy.
  const script = `sleep 1000 >/dev/null 2>&1 & echo "$$ $!" > "$0"; exec "$@"`;
  const pids = join(gateways.folder, `${name}.pids`);
  const command = ['sh', '-c', script, pids, process.execPath, join(support, 'scripted-pi.mjs')];
  return gateways.start(name, {
    agents: { hanging: { protocol: 'pi', command } },
    defaultAgent: 'demo',
    server: { port },
    store: `${redis.url}/0?prefix=test:`,
    advertise,
    limits: { leaseMs: 1500 },
  });
}

test('a gateway is killed: another one has its session after the lease, and clients go on byte for byte', async () => {
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession();
  const transports = ['ws', 'sse'] as const;
  const listeners = transports.map((transport) => listen(first, session, transport));
  expect((await post(first, session, { type: 'prompt', message: 'slow 50 long 2000' }, 'one')).status).toBe(202);
  await Promise.all(listeners.map((one) => one.until(hasText, 'text')));
  const before = listeners.map(({ heard }) => heard.filter(({ cursor }) => cursor !== null));
  expect((await post(first, session, { type: 'get_state' }, 'kept')).status).toBe(202);
  const gone = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await gone;
  const asked = await post(second, session, { type: 'get_state' });
  expect([asked.status, asked.text]).toEqual([
    503,
    '{"error":{"code":"timeout","message":"the gateway that has the session does not answer"}}',
  ]);

  await untilOwned(second, session, redis);
  for (const [at, transport] of transports.entries()) {
    const known = before[at] ?? [];
    for (const from of [0, known.length - 1]) {
      const again = listen(second, session, transport, { cursor: known[from]?.cursor ?? null });
      await again.until((heard) => heard.some(isOver), 'the end of the run');
      const expected = known.slice(from + 1).filter((one) => !isAnswer(one));
      expect(again.heard.slice(0, expected.length)).toEqual(expected);
      expect(again.heard.some(({ frame }) => frame.includes('"type":"reset"'))).toBe(false);
      again.connection.end();
    }
  }
  const client = listen(second, session, 'sse');
  await client.until((heard) => heard.some(isOver), 'the conversation');
  // The post of before counts once, a new one is a prompt.
  await post(second, session, { type: 'prompt', message: 'slow 50 long 2000' }, 'one');
  const from = client.heard.length;
  await post(second, session, { type: 'prompt', message: 'echo and again' });
  await client.until((heard) => heard.slice(from).some(isOver), 'the next run');
  expect(client.heard.slice(from).filter(({ frame }) => frame.includes('"agent_start"'))).toHaveLength(1);
  client.connection.end();
});

test('outcomes of tickets go to the gateway that takes a session over; all gateways count its version', async () => {
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession();
  const command = (id: string, version: number) => ({
    id,
    type: 'set_session_name',
    sessionId: session,
    name: id,
    ifSessionVersion: version,
  });
  const responses = async (
    server: GatewayServer,
    commands: readonly { readonly id: string; readonly [field: string]: unknown }[],
  ) => {
    const reader = listen(server, session, 'sse', { frontend: 'pi-server' });
    // An answer goes to the gateway at which the client reads.
    await reader.until((heard) => heard.length > 0, 'the stream');
    const told: unknown[] = [];
    for (const one of commands) {
      const isIts = ({ frame }: Heard) => frame.includes(`"id":"${one.id}"`) && frame.includes('"type":"response"');
      expect((await post(server, session, one, undefined, 'pi-server')).status).toBe(202);
      await reader.until((heard) => heard.some(isIts), one.id);
      told.push(JSON.parse(reader.heard.find(isIts)?.frame ?? ''));
    }
    reader.connection.end();
    return told;
  };
  const before = [
    ...(await responses(first, [command('c1', 0)])),
    // The gateway that reads the session answers with the version that its command made at the owner.
    ...(await responses(second, [command('b1', 1), command('b2', 2)])),
    ...(await responses(first, [command('c2', 3)])),
  ];
  expect(before).toMatchObject([1, 2, 3, 4].map((sessionVersion) => ({ success: true, sessionVersion })));
  // And it hears of commands that were given elsewhere.
  let asked = 0;
  const state = async () => responses(second, [{ id: `g${asked++}`, type: 'get_state', sessionId: session }]);
  await expect.poll(state, { timeout: 20_000 }).toMatchObject([{ sessionVersion: 4 }]);
  const gone = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await gone;
  await untilOwned(second, session, redis);
  const [again, next] = await responses(second, [command('c2', 3), command('c3', 4)]);
  expect(again).toEqual({ ...(before[3] as object), replayed: true });
  expect(next).toMatchObject({ success: true, sessionVersion: 5 });
});

/** The code with which a WebSocket is closed. `protocol`: of the client. */
function closeCode(url: string, protocol: string, session: string): { opened: Promise<void>; closed: Promise<number> } {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/v1/${protocol.split('.')[0]}/ws?session=${session}`,
    protocol,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  socket.on('error', () => {});
  const opened = new Promise<void>((resolve) => socket.on('open', resolve));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  if (protocol.endsWith('+resume'))
    socket.on('open', () => socket.send(JSON.stringify({ type: 'attach', session, cursor: null })));
  return { opened, closed };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a gateway stands still beyond its lease: it appends nothing more, ends its agent and sends its clients to the new owner', async () => {
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession('hanging');
  const sockets = ['pi.v1', 'pi.v1+resume'].map((protocol) => closeCode(first.url, protocol, session));
  await Promise.all(sockets.map(({ opened }) => opened));
  const stream = listen(first, session, 'sse');
  await post(first, session, { type: 'prompt', message: 'hang' }, 'one');
  await stream.until(hasText, 'text');
  const pids = readFileSync(join(gateways.folder, 'a.pids'), 'utf8').trim().split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  // What is heard may not yet be in Redis, and then the new owner knows of no run. This answer comes once all of it is there.
  expect((await post(first, session, { type: 'get_state' }, 'kept')).status).toBe(202);

  first.child.kill('SIGSTOP');
  await untilOwned(second, session, redis);
  const reader = listen(second, session, 'sse');
  await reader.until((heard) => heard.some(isOver), 'the interrupted run');
  const closed = reader.heard.length;
  first.child.kill('SIGCONT');
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([4010, 4010]);
  // The stream ends without a word that the session is over, and with the end of the run in the words of the protocol.
  const heard = await stream.connection.over;
  expect(heard.some(({ frame }) => frame.includes('"type":"closed"'))).toBe(false);
  expect(heard.some(isOver)).toBe(true);
  await expect.poll(() => pids.map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
  // Whoever comes back to the old owner is served by the new one, from there on.
  const back = listen(first, session, 'sse');
  await back.until((frames) => frames.some(isOver), 'the conversation');
  const framesOf = (frames: readonly Heard[]) => frames.slice(0, closed).map(({ frame }) => frame);
  await back.until((frames) => frames.length >= closed, 'all of it');
  expect(framesOf(back.heard)).toEqual(framesOf(reader.heard));
  back.connection.end();
  reader.connection.end();
});

test('a client connects anywhere: requests, streams and WebSockets reach the owner, and nothing that is not signed does', async () => {
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession();
  const through = listen(second, session, 'sse');
  const socket = listen(second, session, 'ws', { options: `session=${session}` });
  const direct = listen(first, session, 'sse');
  const all = [through, socket, direct];
  const ends = (heard: readonly Heard[]) => heard.filter(({ frame }) => frame.includes('"agent_settled"')).length;
  const told = { status: 202, text: '{"accepted":1}' };
  expect(await post(second, session, { type: 'prompt', message: 'hello' }, 'one')).toEqual(told);
  // From then on everybody is there.
  await Promise.all(all.map((one) => one.until((heard) => ends(heard) === 1, 'the first run')));
  const from = all.map(({ heard }) => heard.length);
  expect(await post(second, session, { type: 'prompt', message: 'again' }, 'two')).toEqual(told);
  await Promise.all(all.map((one) => one.until((heard) => ends(heard) === 2, 'the second run')));
  const heard = all.map((one, at) => one.heard.slice(from[at]).filter((said) => !isAnswer(said)));
  expect(heard).toEqual(all.map(() => heard[0]));
  expect(heard[0]?.some(isOver)).toBe(true);
  for (const { connection } of all) connection.end();
  const shown = await fetch(`${second.url}/v1/sessions/${session}`, { headers: second.headers });
  expect(await shown.json()).toMatchObject({ id: session, agent: 'demo' });
  const forged = await fetch(`${first.url}/v1/sessions/${session}`, {
    headers: { ...first.headers, 'x-patchbay-hop': `e30.${'0'.repeat(64)}.${'0'.repeat(64)}` },
  });
  expect(forged.status).toBe(401);
  const ended = await fetch(`${second.url}/v1/sessions/${session}`, { method: 'DELETE', headers: second.headers });
  expect(ended.status).toBe(204);
  expect((await fetch(`${first.url}/v1/sessions/${session}`, { headers: first.headers })).status).toBe(404);
  expect([first.log(), second.log()].join('')).not.toContain(nodeSecret);
});
