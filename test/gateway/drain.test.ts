// A gateway on the network that is told to stop: whom it refuses, how long it waits, and what it says of that (docs/faults.md
// F22).
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { exchange } from '../transports/support/raw-http.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** A gateway with a run in session `s` that never ends. */
async function openBusy(config: object = {}) {
  const clock = createVirtualClock();
  const gateway = createGateway(parseConfig(config), { log: () => {}, clock });
  disposals.push(() => gateway.close('the test is over'));
  gateway.board.createSession({ id: 's' }, owner);
  /** Connects a client; the text of all that it hears, and its end. */
  function connect(frontend: string, session?: string) {
    const [near, far] = memoryPair();
    const heard: string[] = [];
    far.open({ frame: ({ text }) => heard.push(text), fault() {}, end: ({ reason }) => heard.push(`END ${reason}`) });
    gateway.board.connect(near, { frontend, options: {}, principal: owner, ...(session && { session }) });
    return { heard, say: (frame: object) => far.send(JSON.stringify(frame)) };
  }
  const client = connect('pi', 's');
  client.say({ type: 'prompt', message: 'hang' });
  await settle();
  expect(gateway.board.session('s', owner).state).toBe('running');
  return { clock, gateway, client, connect };
}

/** Lets everything happen that waits for no timer of the gateway. */
async function settle(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

test('whoever comes is refused with 503 and Retry-After, also by the upgrade; the run is left alone', async () => {
  const { gateway, client } = await openBusy();
  const server = await listen({ board: gateway.board });
  disposals.push(() => server.close());
  const head = [`Host: 127.0.0.1:${server.port}`, `Authorization: Bearer ${server.token}`];
  void gateway.drain('bye', 60_000);
  for (const path of ['/v1/pi/ws', '/v1/pi/ws?session=s', '/v1/pi-server/ws']) {
    const { status, headers, body } = await exchange(server.port, [`GET ${path} HTTP/1.1`, ...head, ...upgrade]);
    expect([status, headers.get('retry-after'), body]).toEqual([503, '1', expect.stringContaining('shutting-down')]);
  }
  const post = ['POST /v1/sessions HTTP/1.1', ...head, 'Content-Type: application/json', 'Content-Length: 2'];
  const { status, headers } = await exchange(server.port, post, '{}');
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect((await exchange(server.port, ['GET /readyz HTTP/1.1', ...head])).status).toBe(503);
  expect(client.heard.some((frame) => frame.startsWith('END'))).toBe(false);
});

test.each([
  ['its own, without clients that expect another', 10_000, null],
  ['its own, when clients expect less', 10_000, 5000],
  ['that of connected clients, when they expect more', 30_000, 30_000],
])('it waits for one time: %s', async (_name, ms, promised) => {
  const { clock, gateway, client, connect } = await openBusy({
    frontends: { 'pi-server': { drainMs: promised ?? 60_000 } },
  });
  const told = promised === null ? null : connect('pi-server');
  let isOver = false;
  const drained = gateway.drain('bye', 10_000).then(() => {
    isOver = true;
  });
  await settle();
  const news = told?.heard.filter((frame) => frame.includes('server_shutdown')).map((frame) => JSON.parse(frame));
  if (news !== undefined) expect(news).toMatchObject([{ data: { timeoutMs: ms } }]);
  clock.advance(ms - 1);
  await settle();
  expect(isOver).toBe(false);
  clock.advance(1);
  await drained;
  await settle();
  expect(client.heard.at(-1)).toContain('END');
  expect(client.heard.filter((frame) => frame.includes('"agent_end"'))).toHaveLength(1);
});
