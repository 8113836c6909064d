// `patchbay serve --journal` is killed in a text, in a tool and in an approval, and started again: clients of both transports
// go on behind their cursors byte for byte, the run is closed as interrupted, and the next prompt has the context
// (docs/faults.md F23).
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import type { Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { beginsAnew } from '../../src/core/contract/adapter.ts';
import { extension } from '../support/approval-rig.ts';
import { patchbay } from '../support/command.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
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
import { type Start, startsIn, tellingCommand } from '../support/telling-program.ts';

/** Lasts as long as the agent. */
const lasting = 'echo begun; while kill -0 $PPID; do sleep 1; done';
const asking: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['stuck', () => [{ blocks: [{ type: 'tool_use', name: 'bash', deltas: [JSON.stringify({ command: lasting })] }] }]],
  [
    'may',
    () => [
      { blocks: [{ type: 'tool_use', name: 'bash', deltas: ['{"command":"echo made > may.txt"}'] }] },
      { blocks: [{ type: 'text', deltas: ['So much for that.'] }] },
    ],
  ],
]);

let fake: FakeAnthropic;
let home: PiHome;
beforeAll(async () => {
  fake = await startFakeAnthropic({ scenarios: asking, chat: true });
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

/** The real pi with its session files, which the usual command switches off. */
function realPi(more: readonly string[] = []): AgentConfig {
  const { argv, env } = piCommand(home, more);
  const [program = '', ...rest] = argv.filter((word) => word !== '--no-session');
  return { protocol: 'pi', command: [program, ...rest], cwd: home.project, env: { ...env, HOME: home.dir } };
}

/** What the model was sent with that prompt. */
const sentWith = (text: string) =>
  JSON.stringify(fake.requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes(text))?.body.messages);

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

/** An agent, and how its conversation is found again. */
interface Kind {
  agent(): AgentConfig;
  /** The first prompt of a session; null where the run of the kill is the first one. */
  readonly first: string | null;
  readonly moments: Readonly<Record<string, readonly [prompt: string, shownBy: RegExp]>>;
  readonly again: string;
  /** Fails if the agent of the next prompt does not know what was said. `warned`: clients were told that it begins anew. */
  check(again: string, starts: readonly Start[], warned: boolean): void;
}

const inText = /"text_delta"/u;
const inTool = /"tool_execution_(?:start|update)"/u;
const inQuestion = /"extension_ui_request"/u;

/** The words of the scripted agents. */
const scripted = {
  first: 'look my number is 4711',
  again: 'look which was it',
  moments: { 'a text': ['hang', inText], 'a tool': ['stick', inTool], 'an approval': ['ask', inQuestion] },
} as const;
const all = (pattern: RegExp, sent = '') => [...sent.matchAll(pattern)].map(([, word]) => word);
const knowsModel: Kind['check'] = (again, _, warned) => {
  expect(sentWith(again)).toContain('4711');
  expect(warned).toBe(false);
};
const forgets: Kind['check'] = (_, __, warned) => expect(warned).toBe(true);

/** `record`: where its processes write down how they were started. */
const telling = (record: string, protocol: string, ...args: string[]): AgentConfig => ({
  protocol,
  command: tellingCommand(fileURLToPath(new URL(`../support/scripted-${protocol}.mjs`, import.meta.url)), record, args),
});

/** By name. `file`: a file of its own for each session. */
const kinds = (file: (name: string) => string): Readonly<Record<string, (name: string) => Kind>> => ({
  'the demo': () => ({
    agent: () => ({ protocol: 'demo', options: { paceMs: 0 } }),
    first: null,
    moments: { 'a text': ['hang', inText], 'an approval': ['ask', inQuestion] },
    again: 'and again',
    check: (_, __, warned) => expect(warned).toBe(false),
  }),
  pi: () => ({
    agent: () => realPi(),
    first: '[[text]] my number is 4711',
    moments: { 'a text': ['[[abort-text]] and on', inText], 'a tool': ['[[stuck]] and on', inTool] },
    again: '[[text]] which was it',
    check: knowsModel,
  }),
  'pi with an extension': () => ({
    agent: () => realPi(['-e', extension]),
    first: '[[text]] my number is 4711',
    moments: { 'an approval': ['[[may]] I?', inQuestion] },
    again: '[[text]] which was it',
    check: knowsModel,
  }),
  // Is told what was said.
  anthropic: () => ({
    agent: () => ({ protocol: 'anthropic', options: { baseUrl: fake.url } }),
    first: '[[text]] my number is 4711',
    moments: { 'a text': ['[[hold]] and on', inText] },
    again: '[[text]] which was it',
    check: knowsModel,
  }),
  'Claude Code': (name) => ({
    ...scripted,
    agent: () => telling(file(name), 'claude'),
    check: (_, starts, warned) => {
      expect(starts.at(-1)?.argv.at(-1)).toBe('--resume=00000000-0000-4000-8000-000000000000');
      expect(warned).toBe(false);
    },
  }),
  ECA: (name) => ({
    ...scripted,
    agent: () => telling(file(name), 'eca', '--chats', file(`${name}, chats`)),
    check: (_, starts, warned) => {
      const chats = starts.flatMap(({ sent }) =>
        all(/"method":"chat\/(?:open|prompt)","params":\{"chatId":"([^"]+)"/gu, sent),
      );
      expect(starts.at(-1)?.sent).toContain('"chat/open"');
      expect(chats).toHaveLength(4);
      expect(new Set(chats).size).toBe(1);
      expect(warned).toBe(false);
    },
  }),
  'ECA that has lost its chats': (name) => ({
    ...scripted,
    moments: { 'a text': ['hang', inText] },
    agent: () => telling(file(name), 'eca'),
    check: forgets,
  }),
  'a pi-server': (name) => ({
    ...scripted,
    agent: () => telling(file(name), 'pi-server', '--patient'),
    check: (_, starts, warned) => {
      const last = starts.at(-1)?.sent ?? '';
      expect(all(/"sessionPath":"([^"]+)"/gu, last)).toHaveLength(1);
      expect(last).not.toContain('"create_session"');
      expect(warned).toBe(false);
    },
  }),
  'an ACP agent': (name) => ({
    ...scripted,
    agent: () => telling(file(name), 'acp', '--sessions', file(`${name}, sessions`)),
    check: (_, starts, warned) => {
      const ids = starts.flatMap(({ sent }) =>
        all(/"method":"session\/(?:load|prompt)","params":\{[^}]*"sessionId":"([^"]+)"/gu, sent),
      );
      expect(starts.at(-1)?.sent).toContain('"session/load"');
      expect(new Set(ids).size).toBe(1);
      expect(warned).toBe(false);
    },
  }),
  'pi 0.13': (name) => ({
    ...scripted,
    moments: { 'a text': ['hang', inText] },
    agent: () => telling(file(name), 'pi-legacy'),
    check: forgets,
  }),
});

describe('killed while all these runs are open, the gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-agents-'));
  const file = (name: string) => join(folder, name);
  const rows = Object.entries(kinds(file)).flatMap(([name, make]) =>
    Object.entries(make('').moments).map(([moment, [prompt, shownBy]]) => {
      const title = `${name} in ${moment}`;
      return { ...make(title), title, id: title.replaceAll(/[^a-z0-9]/giu, '-'), prompt, shownBy };
    }),
  );
  const killed = new Map<string, Killed>();
  let next: GatewayServer;
  let remove = () => {};

  beforeAll(async () => {
    const agents = Object.fromEntries(rows.map(({ id, agent }) => [id, agent()]));
    const { config, ...rest } = configured(agents);
    remove = rest.remove;
    const start = () => startServerWith(config, { ANTHROPIC_API_KEY: 'test' });
    const first = await start();
    const runs = await Promise.all(
      rows.map(async ({ id, first: words, prompt, shownBy }) => {
        const session = await first.createSession(id);
        if (words !== null) await runFirst(first, session, words);
        return { session, prompt, shownBy, isNew: words === null };
      }),
    );
    const { next: started, clients } = await killIn(runs, first, start);
    next = started;
    for (const [at, { session }] of runs.entries()) {
      const of = clients[at];
      if (of !== undefined) killed.set(rows[at]?.id ?? '', { session, clients: of });
    }
    // Twenty programs start at the same time, on a machine that others use too.
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
