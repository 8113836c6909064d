// Many sessions over one WebSocket of the client library: each goes on behind its own cursor after a cut, and can be left alone
// (docs/guides/client-library.md).
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { CanonicalFrame } from '../../src/client/index.ts';
import { connectMany, type ManyClient, SendRefused, type SessionLine } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { mostAttached } from '../../src/transports/resume/connection.ts';
import { type ByteProxy, createByteProxy } from '../support/byte-proxy.ts';
import { type Arrivals, createArrivals } from '../transports/support/arrivals.ts';

let gateway: ReturnType<typeof createGateway>;
let server: Listening;
let proxy: ByteProxy;
let client: ManyClient;
beforeEach(async () => {
  const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
  gateway = createGateway(parseConfig({ agents, defaultAgent: 'demo' }), { log: () => {} });
  proxy = await createByteProxy(() => server.port);
  server = await listen({ board: gateway.board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
  client = connectMany({
    url: `ws://127.0.0.1:${proxy.port}/v1/canonical/ws`,
    frontend: 'canonical',
    token: server.token ?? '',
    WebSocket,
    backoff: { firstMs: 1, mostMs: 4 },
  });
});
afterEach(async () => {
  client.close();
  await gateway.close('the test is over');
  await server.close();
  proxy.close();
});

interface Told {
  readonly line: SessionLine;
  readonly frames: Arrivals<CanonicalFrame>;
  readonly ends: Arrivals<string>;
  /** Prompts, and resolves with the end of the run. */
  run(text: string): Promise<void>;
}

function attach(session = gateway.board.createSession({}, owner).id): Told & { session: string } {
  const frames = createArrivals<CanonicalFrame>();
  const ends = createArrivals<string>();
  const line = client.attach(session, {
    onFrame: (frame) => frames.add(frame as CanonicalFrame),
    onReset: (reason) => ends.add(`reset: ${reason}`),
    onClosed: (reason) => ends.add(reason),
  });
  let runs = 0;
  return {
    session,
    line,
    frames,
    ends,
    async run(text) {
      runs += 1;
      await line.send({ id: runs, command: { type: 'prompt', content: [{ type: 'text', text }] } });
      const over = ({ items }: Arrivals<CanonicalFrame>) =>
        items.filter((frame) => 'event' in frame && frame.event.type === 'run-end').length;
      await expect.poll(() => over(frames), { timeout: 20_000 }).toBe(runs);
    },
  };
}

const numbers = ({ items }: Arrivals<CanonicalFrame>) =>
  items.flatMap((frame) => ('event' in frame ? [frame.seq] : []));

test('each session goes on behind its own cursor when the connection is cut', async () => {
  const [one, two] = [attach(), attach()];
  await Promise.all([one.run('hello'), two.run('think')]);
  for (const _ of [1, 2, 3]) {
    proxy.cut();
    await Promise.all([one.run('hello'), two.run('think')]);
  }
  for (const { frames, ends } of [one, two]) {
    const heard = numbers(frames);
    expect(heard).toEqual(heard.map((_, at) => at + 1));
    expect(ends.items).toEqual([]);
  }
});

test('a session that is left is silent, and its place is free', async () => {
  const one = attach();
  await one.run('hello');
  one.line.detach();
  one.line.detach();
  const heard = one.frames.items.length;
  const others = Array.from({ length: mostAttached }, () => attach());
  await Promise.all([others[0]?.run('hello'), others.at(-1)?.run('hello')]);
  const tooMany = attach();
  expect(await tooMany.ends.first(1)).toEqual([`a connection carries at most ${mostAttached} sessions`]);
  expect(one.frames.items.length).toBe(heard);
  others[1]?.line.detach();
  const again = attach(one.session);
  await again.run('and again');
  const waiting = again.line.send({ id: 'late', command: { type: 'abort' } });
  again.line.detach();
  await expect(waiting).rejects.toThrow(SendRefused);
});

test('a wrong token is the end', async () => {
  const states = createArrivals<string>();
  const wrong = connectMany({
    url: `ws://127.0.0.1:${proxy.port}/v1/canonical/ws`,
    frontend: 'canonical',
    token: 'wrong',
    WebSocket,
    isTurnedAway: async () => true,
    onState: ({ is }) => states.add(is),
  });
  wrong.attach('s', { onFrame: () => {} });
  expect(await states.first(3)).toEqual(['connecting', 'waiting', 'over']);
});
