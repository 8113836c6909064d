// `patchbay serve --journal` is killed in a text, in a tool and in an approval, and started again: clients of both transports
// go on behind their cursors byte for byte, the run is closed as interrupted, and the next prompt has the context
// (docs/faults.md F23).
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { beginsAnew } from '../../src/core/contract/adapter/stored-conversations.ts';
import { patchbay } from '../support/command.ts';
import { forEach } from '../support/cut-readers.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { makePiHome, type PiHome } from '../support/pi-rig.ts';
import {
  type Clients,
  goOn,
  isOver,
  kill,
  killIn,
  type Listener,
  listen,
  listenAll,
  post,
} from '../support/restarted-gateway.ts';
import { kindsOf, lastingScenarios } from '../support/stored-conversations.ts';
import { startsIn } from '../support/telling-program.ts';

let fake: FakeAnthropic;
let home: PiHome;
beforeAll(async () => {
  fake = await startFakeAnthropic({ scenarios: lastingScenarios, chat: true });
  home = makePiHome({ baseUrl: fake.url });
  // Where the gateway looks for the files of a pi with that home.
  mkdirSync(join(home.dir, '.pi'));
  symlinkSync(home.agentDir, join(home.dir, '.pi', 'agent'));
});
afterAll(async () => {
  await fake.close();
  home.remove();
});

const servers: GatewayServer[] = [];
afterEach(() => {
  for (const { child } of servers.splice(0)) child.kill('SIGKILL');
});

async function serve(config: string): Promise<GatewayServer> {
  const server = await startServerWith(config);
  servers.push(server);
  return server;
}

/** A configuration with a journal of its own. `agents`: beside the demo. */
function configured(agents: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-journal-'));
  const config = join(folder, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents, defaultAgent: 'demo', journal: join(folder, 'journal') }));
  return { config, journal: join(folder, 'journal'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const notThere = (id: string) => {
  throw new Error(`no session of ${id}`);
};

/** A session whose run was open, and who was there. */
interface Killed {
  readonly session: string;
  readonly clients: Clients;
}

/** A whole run: agents store a conversation with its first whole answer. */
async function runFirst(server: GatewayServer, session: string, message: string): Promise<void> {
  const client = listen(server, session, 'sse', 'pi');
  await post(server, session, 'pi', { type: 'prompt', message });
  await client.until((heard) => heard.some(isOver), 'the first run');
  client.connection.end();
}

describe('killed while all these runs are open, the gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-agents-'));
  const file = (name: string) => join(folder, name);
  const rows = Object.entries(kindsOf({ file, fake: () => fake, home: () => home })).flatMap(([name, make]) =>
    Object.entries(make('').moments).map(([moment, [prompt, shownBy]]) => {
      const title = `${name} in ${moment}`;
      return { ...make(title), title, id: title.replaceAll(/[^a-z0-9]/giu, '-'), prompt, shownBy };
    }),
  );
  const killed = new Map<string, Killed>();
  /** The one that runs. */
  let next: GatewayServer;
  let remove = () => {};

  beforeAll(async () => {
    const agents = Object.fromEntries(rows.map(({ id, agent }) => [id, agent()]));
    const { config, ...rest } = configured(agents);
    remove = rest.remove;
    const start = async () => {
      next = await startServerWith(config, { ANTHROPIC_API_KEY: 'test' });
      return next;
    };
    const first = await start();
    const makeRun = async ({ id, first: words, prompt, shownBy }: (typeof rows)[number]) => {
      const session = await first.createSession(id);
      if (words !== null) await runFirst(first, session, words);
      return { session, prompt, shownBy, isNew: words === null };
    };
    // Programs that start share the processors.
    const runs = await forEach(rows, makeRun, 4);
    const { clients } = await killIn(runs, first, start);
    for (const [at, { session }] of runs.entries()) {
      const of = clients[at];
      if (of !== undefined) killed.set(rows[at]?.id ?? '', { session, clients: of });
    }
  }, 300_000);
  afterAll(async () => {
    await next?.close();
    remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(rows)('goes on: $title', async ({ title, id, prompt, again, check }) => {
    const { session, clients } = killed.get(id) ?? notThere(id);
    await goOn(next, clients);
    const client = listen(next, session, 'sse', 'pi');
    const events = listen(next, session, 'ws', 'canonical');
    await client.until((heard) => heard.some(({ cursor }) => cursor !== null), 'the conversation');
    await events.until((heard) => heard.some(({ cursor }) => cursor !== null), 'the conversation');
    const [from, eventsFrom] = [client.heard.length, events.heard.length];
    // The same post again has no effect, and a new one does.
    await post(next, session, 'pi', { type: 'prompt', message: prompt }, `prompt-${session}`);
    const question = `${again}, ${title}?`;
    await post(next, session, 'pi', { type: 'prompt', message: question });
    await client.until((heard) => heard.slice(from).some(isOver), 'the end of the next run');
    const isEnd = ({ frame }: { readonly frame: string }) => frame.includes('"type":"run-end"');
    await events.until((heard) => heard.slice(eventsFrom).some(isEnd), 'the end of the next run');
    const said = client.heard.slice(from).map(({ frame }) => frame);
    expect(said.filter((frame) => frame.includes('"type":"agent_start"'))).toHaveLength(1);
    check(
      question,
      startsIn(file(title)),
      events.heard.some(({ frame }) => frame.includes(beginsAnew)),
    );
    for (const { connection } of [client, events]) connection.end();
    expect(existsSync(join(home.project, 'may.txt'))).toBe(false);
  });
});

test('a ticket that was settled before the kill is answered from the disk, and not carried out again', async () => {
  const { config, remove } = configured();
  const first = await serve(config);
  const session = await first.createSession();
  const command = { id: 'c1', type: 'set_session_name', sessionId: session, name: 'first' };
  const responseIn = ({ heard }: Listener) =>
    heard.map(({ frame }) => frame).find((frame) => frame.includes('"id":"c1"') && frame.includes('"response"'));
  const teller = listen(first, session, 'sse', 'pi-server');
  await post(first, session, 'pi-server', command);
  await teller.until(() => responseIn(teller) !== undefined, 'the outcome');
  await kill(first);

  const next = await serve(config);
  try {
    const again = listen(next, session, 'sse', 'pi-server');
    await post(next, session, 'pi-server', command);
    await again.until(() => responseIn(again) !== undefined, 'the outcome of before');
    expect(JSON.parse(responseIn(again) ?? '')).toEqual({
      ...JSON.parse(responseIn(teller) ?? ''),
      replayed: true,
    });
    // The version goes on: one that a client knows from before is still the one of the session.
    expect(JSON.parse(responseIn(teller) ?? '')).toMatchObject({ sessionVersion: 1 });
    await post(next, session, 'pi-server', { ...command, id: 'c2', name: 'second', ifSessionVersion: 1 });
    const isNext = ({ frame }: { frame: string }) => frame.includes('"id":"c2"') && frame.includes('"response"');
    await again.until((heard) => heard.some(isNext), 'the next outcome');
    expect(JSON.parse(again.heard.find(isNext)?.frame ?? '')).toMatchObject({ success: true, sessionVersion: 2 });
    again.connection.end();
  } finally {
    await next.close();
    remove();
  }
});

test('told to stop, the gateway sends clients away without closing the session, and a second one waits for its folder', async () => {
  const { config, journal, remove } = configured();
  const first = await serve(config);
  const session = await first.createSession();
  const listeners = listenAll(first, session);
  await post(first, session, 'pi', { type: 'prompt', message: 'hello' });
  await Promise.all(listeners.map((one) => one.until((heard) => heard.some(isOver), 'the run')));

  const refused = await patchbay(['serve', '--journal', journal]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `patchbay: another gateway (process ${first.child.pid}) uses the journal ${journal}\n`,
  ]);

  await first.close();
  const ends = await Promise.all(listeners.map(({ connection }) => connection.over));
  expect(ends.flat().filter(({ frame }) => frame.includes('"type":"closed"'))).toEqual([]);

  const next = await serve(config);
  try {
    for (const [at, listener] of listeners.entries()) {
      const all = ends[at] ?? [];
      const cursor = all.findLast((one) => one.cursor !== null)?.cursor ?? null;
      const resumed = listener.again(next, cursor);
      await post(next, session, 'pi', { type: 'prompt', message: `again ${at}` });
      await resumed.until((heard) => heard.some(isOver), 'the next run');
      expect(resumed.heard.some(({ frame }) => frame.includes('"reset"'))).toBe(false);
      resumed.connection.end();
      await resumed.connection.over;
    }
  } finally {
    await next.close();
    remove();
  }
});
