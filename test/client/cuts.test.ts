// The client library behind a network that cuts anywhere, also while its gateway is killed and started again: each frame is told once,
// and each prompt counts once
// (docs/guides/client-library.md).
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, connect } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import { listen } from '../../src/transports/http/server.ts';
import { createByteProxy } from '../support/byte-proxy.ts';
import { readCut } from '../support/cut-readers.ts';
import { isFull } from '../support/full.ts';
import { connectResumable, type Heard } from '../support/resuming-readers.ts';

/** Cuts for each transport. */
const wanted = isFull ? 1000 : 100;

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

async function start() {
  const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
  const gateway = createGateway(parseConfig({ agents, defaultAgent: 'demo' }), { log: () => {} });
  const proxy = await createByteProxy(() => server.port);
  const server = await listen({ board: gateway.board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
  disposals.push(
    () => gateway.close('the test is over'),
    () => server.close(),
    () => proxy.close(),
  );
  const session = gateway.board.createSession({}, owner).id;
  return { gateway, server, proxy, session, token: server.token ?? '' };
}

const isResult = ({ frame }: Heard) => frame.startsWith('{"type":"result"');

describe.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  test('nothing is lost and nothing comes twice, both ways', async () => {
    const { gateway, server, proxy, session, token } = await start();
    const watchers = new Set<() => void>();
    const wake = () => {
      for (const watcher of [...watchers]) watcher();
    };
    const place = { port: server.port, token, frontend: 'claude', session, options: '' };
    const uncut: Heard[] = [];
    const reader = connectResumable(place, null, (heard) => {
      uncut.push(heard);
      wake();
    });
    disposals.push(() => reader.end());

    const told: Heard[] = [];
    const resets: string[] = [];
    const client: Client<'claude'> = connect({
      url: `http://127.0.0.1:${proxy.port}`,
      frontend: 'claude',
      session,
      token,
      transport,
      WebSocket,
      backoff: { firstMs: 1, mostMs: 4 },
      onFrame(frame, cursor) {
        told.push({ cursor, frame: JSON.stringify(frame) });
        wake();
      },
      onReset: (reason) => void resets.push(reason),
    });
    disposals.push(() => client.close());

    let prompts = 0;
    async function run(words: string): Promise<void> {
      const text = `${words} number ${prompts}`;
      await client.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
      prompts += 1;
      await within('the end of the run', watchers, () => told.filter(isResult).length === prompts || undefined);
      await within('the last frame', watchers, () => told.at(-1)?.cursor === uncut.at(-1)?.cursor || undefined);
    }
    // Who is cut before the first cursor begins with a snapshot, and both may be there at different moments.
    await run('hello');
    const begin = { told: told.length, uncut: uncut.length };
    // From a short handshake to a few frames.
    proxy.budget = () => Math.floor(Math.random() ** 2 * 12_000);
    proxy.cut();
    while (proxy.cuts < wanted) await run('think tool unicode slow 1 long 40');
    const heard = told.slice(begin.told);
    expect(heard).toEqual(uncut.slice(begin.uncut));
    expect(heard.filter(isResult)).toHaveLength(prompts - 1);
    expect(resets).toEqual([]);
    expect(client.cursor).toBe(uncut.at(-1)?.cursor);
    expect(gateway.board.session(session, owner).state).toBe('idle');
  });

  test('the gateway is killed and started again on its store: the client goes on by itself', async () => {
    const store = createMemoryStore();
    const token = 'the-same-token-for-both-gateways';
    const serve = async () => {
      const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
      const gateway = createGateway(parseConfig({ agents, defaultAgent: 'demo' }), { log: () => {}, store });
      const server = await listen({ board: gateway.board, token, allowedHosts: [`127.0.0.1:${proxy.port}`] });
      disposals.push(
        () => gateway.close('the test is over'),
        () => server.close(),
      );
      return { gateway, server };
    };
    let port = 0;
    const proxy = await createByteProxy(() => port);
    disposals.push(() => proxy.close());
    const first = await serve();
    port = first.server.port;
    const session = first.gateway.board.createSession({}, owner).id;
    const told: Heard[] = [];
    const resets: string[] = [];
    const watchers = new Set<() => void>();
    const client: Client<'claude'> = connect({
      url: `http://127.0.0.1:${proxy.port}`,
      frontend: 'claude',
      session,
      token,
      transport,
      WebSocket,
      backoff: { firstMs: 1, mostMs: 4 },
      onFrame(frame, cursor) {
        told.push({ cursor, frame: JSON.stringify(frame) });
        for (const watcher of [...watchers]) watcher();
      },
      onReset: (reason) => void resets.push(reason),
    });
    disposals.push(() => client.close());
    const results = (count: number) =>
      within('the end of a run', watchers, () => told.filter(isResult).length === count || undefined);
    const prompt = (text: string) =>
      client.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
    await prompt('think tool unicode');
    await results(1);
    // The next run is open when the gateway dies.
    await prompt('slow 1 long 40 hang');
    await within('its text', watchers, () => told.at(-1)?.frame.includes('text_delta') || undefined);
    // Nothing reaches the client any more, and what has is kept.
    port = 0;
    proxy.cut();
    await first.gateway.board.whenKept?.(session, owner);
    await store.close();
    const second = await serve();
    port = second.server.port;
    await results(2);
    await prompt('hello');
    await results(3);

    expect(resets).toEqual([]);
    const begin = told.findIndex(({ cursor }) => cursor !== null);
    const place = { port, token, frontend: 'claude', session, options: '' };
    const last = told.at(-1)?.cursor ?? null;
    const whole = readCut(connectResumable, place, told.slice(begin, begin + 1));
    expect(await whole.until(last)).toEqual(told.slice(begin));
  });
});
