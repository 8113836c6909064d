// Several clients of the Claude format share a session with others: each prompt is heard by all but the one who sent it.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Client, connectSse, connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';

// The gateway is a process of its own.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let server: GatewayServer;
beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'patchbay-shared-')), 'patchbay.json');
  writeFileSync(file, JSON.stringify({ agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } }));
  server = await startServerWith(file);
});
afterAll(() => server.close());

/** Words of users that a client has heard; what is told again to one that comes late in brackets. */
const heardBy = ({ frames }: Client): string[] =>
  frames.flatMap((frame: Frame) => {
    const words = JSON.stringify(frame.message ?? '').match(/"text":"(hello \w+)"/u)?.[1];
    if (frame.type !== 'user' || words === undefined) return [];
    return [frame.isReplay === true ? `(${words})` : words];
  });

const results = (client: Client, count: number) =>
  client.until(() => client.frames.filter(({ type }) => type === 'result').length >= count, `result ${count}`);

test('prompts of others are heard as they come, one’s own are not', async () => {
  const session = await server.createSession('demo');
  const [one, two, seed, sse] = [
    await connectWebSocket(server, session),
    await connectWebSocket(server, session),
    await connectWebSocket(server, session, 'rpc-message'),
    await connectSse(server, session),
  ];
  const pi = await connectWebSocket(server, session, 'pi');
  const claude = (text: string) => ({ type: 'user', message: { role: 'user', content: text } });
  const says: [Client, object][] = [
    [one, claude('hello one')],
    [two, claude('hello two')],
    [seed, { id: 'q', method: 'query', params: { message: 'hello seed' } }],
    [pi, { type: 'prompt', message: 'hello pi' }],
    [sse, claude('hello sse')],
  ];
  for (const [at, [client, frame]] of says.entries()) {
    await client.send(frame);
    for (const reader of [one, two, sse]) await results(reader, at + 1);
  }
  // The result of its own query is in an envelope.
  await results(seed, says.length - 1);
  const late = await connectWebSocket(server, session);
  await results(late, says.length);
  const all = ['hello one', 'hello two', 'hello seed', 'hello pi', 'hello sse'];
  expect(heardBy(one)).toEqual(all.filter((words) => words !== 'hello one'));
  expect(heardBy(two)).toEqual(all.filter((words) => words !== 'hello two'));
  expect(heardBy(seed)).toEqual(all.filter((words) => words !== 'hello seed'));
  // Nobody knows who reads a stream of events: its readers hear all.
  expect(heardBy(sse)).toEqual(all);
  expect(heardBy(late)).toEqual(all.map((words) => `(${words})`));
  for (const client of [one, two, seed, sse, pi, late]) await client.close();
});
