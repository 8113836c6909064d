// Gateways without a common store (decision 0033): the id of a session names its gateway, and others forward to it.
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connect } from '../../src/client/index.ts';
import { freePort } from '../../src/conformance/runner/free-port.ts';
import { createGateways, listen, post, token } from '../support/gateway-pair.ts';
import { createArrivals } from '../transports/support/arrivals.ts';

let gateways: ReturnType<typeof createGateways>;
beforeEach(() => {
  gateways = createGateways();
});
afterEach(() => gateways.end());

test('a session stays on the gateway that was asked, and is reached through the other one until its gateway is gone', async () => {
  const ports = { a: await freePort(), b: await freePort() };
  const nodes = { a: `http://127.0.0.1:${ports.a}`, b: `http://127.0.0.1:${ports.b}` };
  const start = (node: 'a' | 'b') =>
    gateways.start(node, { defaultAgent: 'demo', server: { port: ports[node] }, nodes, node });
  const [first, second] = [await start('a'), await start('b')];
  const session = await first.createSession();
  expect(session).toMatch(/^a-[0-9a-f-]{36}$/u);
  expect(await second.createSession()).toMatch(/^b-/u);

  const reader = listen(second, session, 'sse');
  expect((await post(second, session, { type: 'prompt', message: 'hello' })).status).toBe(202);
  await reader.until((heard) => heard.some(({ frame }) => frame.includes('"agent_end"')), 'the run');
  reader.connection.end();

  const told = createArrivals<unknown>();
  const states = createArrivals<string>();
  const client = connect({
    url: second.url,
    frontend: 'canonical',
    session,
    token,
    WebSocket,
    onFrame: (frame) => told.add('event' in frame ? frame.event.type : frame),
    onState: (state) => states.add(state),
  });
  await told.first(1);
  await client.send({ id: 1, command: { type: 'prompt', content: [{ type: 'text', text: 'again' }] } });
  await expect.poll(() => told.items.filter((type) => type === 'run-end').length).toBe(1);

  const taken = await fetch(`${second.url}/v1/sessions`, {
    method: 'POST',
    headers: { ...second.headers, 'content-type': 'application/json' },
    body: '{"id":"a-mine"}',
  });
  expect(taken.status).toBe(409);
  // The other one is asked once, and does not send the request back.
  expect((await post(second, 'a-none', { type: 'get_state' })).status).toBe(404);

  first.child.kill('SIGKILL');
  // Its gateway may come back, so the client tries again.
  await expect.poll(() => states.items.includes('waiting')).toBe(true);
  client.close();
  await reader.connection.over;
  await expect.poll(async () => (await post(second, session, { type: 'get_state' })).status).toBe(503);
});

/** TLS in front of a port, with a certificate for 127.0.0.1 that only the tests know. */
async function tlsInFrontOf(port: number, at: number): Promise<() => void> {
  const server = createTlsServer({ key: readFileSync(pem('key')), cert: readFileSync(pem('certificate')) }, (near) => {
    const far = connectTcp(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  return () => void server.close();
}
const pem = (name: string) => fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url));

test('with TLS between gateways: requests, streams and WebSockets are forwarded, and to no gateway without a trusted certificate', async () => {
  const ports = { a: await freePort(), b: await freePort(), c: await freePort(), tls: await freePort() };
  const nodes = {
    a: `https://127.0.0.1:${ports.tls}`,
    b: `http://127.0.0.1:${ports.b}`,
    c: `http://127.0.0.1:${ports.c}`,
  };
  const start = (node: 'a' | 'b' | 'c', env: Record<string, string> = {}) =>
    gateways.start(node, { defaultAgent: 'demo', server: { port: ports[node] }, nodes, node }, env);
  const closeTls = await tlsInFrontOf(ports.a, ports.tls);
  try {
    const first = await start('a');
    const trusting = await start('b', { NODE_EXTRA_CA_CERTS: pem('certificate') });
    const session = await first.createSession();
    const readers = (['sse', 'ws'] as const).map((transport) =>
      listen(trusting, session, transport, { options: `session=${session}` }),
    );
    expect((await post(trusting, session, { type: 'prompt', message: 'hello' })).status).toBe(202);
    const isOver = ({ frame }: { frame: string }) => frame.includes('"agent_end"');
    await Promise.all(readers.map((one) => one.until((heard) => heard.some(isOver), 'the run')));
    for (const { connection } of readers) connection.end();
    expect((await post(await start('c'), session, { type: 'get_state' })).status).toBe(503);
  } finally {
    closeTls();
  }
});
