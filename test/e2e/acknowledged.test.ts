// What a gateway has acknowledged outlives it: sessions that were answered 201 and prompts that were answered 202, with a journal
// and with Redis, whichever gateway was asked (decision 0026).
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../src/conformance/runner/free-port.ts';
import type { GatewayServer } from '../support/gateway.ts';
import { createGateways, listen, post, untilOwned } from '../support/gateway-pair.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

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

/** `silent`: takes prompts and never begins a run. */
const agents = { silent: { protocol: 'pi', command: ['sleep', '1000'] } };

async function withJournal(): Promise<() => Promise<GatewayServer>> {
  const server = { port: await freePort() };
  return () => gateways.start('a', { agents, defaultAgent: 'demo', server, journal: join(gateways.folder, 'journal') });
}

async function withRedis(name: string): Promise<GatewayServer> {
  const port = await freePort();
  return gateways.start(name, {
    agents,
    defaultAgent: 'demo',
    server: { port },
    store: `${redis.url}/0?prefix=acknowledged:`,
    advertise: `http://127.0.0.1:${port}`,
    limits: { leaseMs: 2000 },
  });
}

async function kill({ child }: GatewayServer): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Claude's prompts wait behind one another; pi refuses them while a run is open. */
const prompt = (server: GatewayServer, session: string, content: string) =>
  post(server, session, { type: 'user', message: { role: 'user', content } }, undefined, 'claude');

/** Posts prompts without waiting for one another, and kills `owner` with that many answers. Returns the acknowledged ones. */
async function promptUntilKilled(asked: GatewayServer, owner: GatewayServer, session: string, mostAnswers: number) {
  const acknowledged: string[] = [];
  let killed: Promise<void> | null = null;
  const words = Array.from({ length: 24 }, (_, at) => `slow 100 tool words-${at}-end`);
  await Promise.all(
    words.map(async (message) => {
      const answer = await prompt(asked, session, message).catch(() => null);
      if (answer?.status !== 202) return;
      acknowledged.push(message);
      if (acknowledged.length === mostAnswers) killed ??= kill(owner);
    }),
  );
  await (killed ?? kill(owner));
  return acknowledged;
}

const UserMessage = z.object({
  type: z.literal('message_end'),
  message: z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.looseObject({}))]) }),
});

/** The prompts that the session shows, in order. `expected`: those to wait for. */
async function promptsShown(server: GatewayServer, session: string, expected: readonly string[]): Promise<string[]> {
  const reader = listen(server, session, 'sse');
  const shown = () =>
    reader.heard.flatMap(({ frame }) => {
      const { data } = UserMessage.safeParse(JSON.parse(frame));
      const text = data === undefined ? '' : JSON.stringify(data.message.content);
      return /(?:slow|say) [^"]*/u.exec(text) ?? [];
    });
  await reader.until(() => expected.every((text) => shown().includes(text)), 'all that was acknowledged');
  reader.connection.end();
  return shown();
}

function expectEachOnce(shown: readonly string[], acknowledged: readonly string[]): void {
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(shown.filter((text) => acknowledged.includes(text)).sort()).toEqual([...acknowledged].sort());
  expect(new Set(shown).size).toBe(shown.length);
}

test('sessions: each that was answered 201 is there after a kill', async () => {
  const start = await withJournal();
  const first = await start();
  const made: string[] = [];
  let killed: Promise<void> | null = null;
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const id = await first.createSession().catch(() => null);
      if (id === null) return;
      made.push(id);
      if (made.length === 30) killed ??= kill(first);
    }),
  );
  await killed;
  const next = await start();
  const answer = await fetch(`${next.url}/v1/sessions?limit=100`, { headers: next.headers });
  const { sessions } = (await answer.json()) as { sessions: { id: string }[] };
  expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining(made));
  expect(made.length).toBeGreaterThanOrEqual(30);
});

test('journal: the prompt of an agent that has not begun, and those behind it, end as interrupted and are not repeated', async () => {
  const start = await withJournal();
  const first = await start();
  const session = await first.createSession('silent');
  const said = ['say one', 'say two', 'say two'];
  for (const message of said) expect((await prompt(first, session, message)).status).toBe(202);
  await kill(first);
  const next = await start();
  expect(await promptsShown(next, session, said)).toEqual(said);
  const claude = listen(next, session, 'ws', { frontend: 'claude' });
  await claude.until((heard) => heard.filter(({ frame }) => frame.includes('"type":"result"')).length > 0, 'the end');
  expect(claude.heard.find(({ frame }) => frame.includes('"type":"result"'))?.frame).toContain('"is_error":true');
  claude.connection.end();
  const state = await fetch(`${next.url}/v1/sessions/${session}`, { headers: next.headers });
  expect(await state.json()).toMatchObject({ state: 'idle' });
  // A second kill adds nothing.
  await kill(next);
  expect(await promptsShown(await start(), session, said)).toEqual(said);
});

test.each([1, 7, 24])('journal: killed with answer %i, each acknowledged prompt is shown once', async (mostAnswers) => {
  const start = await withJournal();
  const first = await start();
  const session = await first.createSession();
  const acknowledged = await promptUntilKilled(first, first, session, mostAnswers);
  expectEachOnce(await promptsShown(await start(), session, acknowledged), acknowledged);
});

test.each(['owner', 'follower'] as const)(
  'Redis: the %s is asked and the owner killed, each acknowledged prompt is shown once',
  async (who) => {
    const [first, second] = [await withRedis('a'), await withRedis('b')];
    const session = await first.createSession();
    await prompt(first, session, 'hello');
    // With a reader the other gateway answers posts itself.
    const reader = listen(second, session, 'sse', { frontend: 'claude' });
    await reader.until((heard) => heard.some(({ frame }) => frame.includes('"type":"result"')), 'the first run');
    const asked = who === 'owner' ? first : second;
    const acknowledged = await promptUntilKilled(asked, first, session, 7);
    await untilOwned(second, session, redis);
    expectEachOnce(await promptsShown(second, session, acknowledged), acknowledged);
    reader.connection.end();
  },
);
