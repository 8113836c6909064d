// `patchbay serve --journal` is killed in a text, in a tool and in an approval, and started again: clients of both transports
// go on behind their cursors byte for byte, the run is closed as interrupted, and the next prompt has the context
// (docs/faults.md F23).
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from '../support/approval-rig.ts';
import { patchbay } from '../support/command.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import { type Connection, connectEvents, connectResumable, type Heard } from '../support/resuming-readers.ts';

const asking: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
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
  fake = await startFakeAnthropic({ scenarios: asking });
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

/** A configuration with a journal of its own, and pi with its session files, which the usual command switches off. */
function configured() {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-journal-'));
  const pi = (more: readonly string[]) => {
    const { argv, env } = piCommand(home, more);
    const command = argv.filter((word) => word !== '--no-session');
    return { protocol: 'pi', command, cwd: home.project, env: { ...env, HOME: home.dir } };
  };
  const config = join(folder, 'patchbay.json');
  const agents = { pi: pi([]), asking: pi(['-e', extension]) };
  writeFileSync(config, JSON.stringify({ agents, defaultAgent: 'demo', journal: join(folder, 'journal') }));
  return { config, journal: join(folder, 'journal'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const transports = { ws: connectResumable, sse: connectEvents };
const dialects = ['pi', 'claude'] as const;
const isOver = ({ frame }: Heard) => /"type":"(agent_end|result)"/u.test(frame);
/** Answers to commands are in no record. */
const isAnswer = ({ frame }: Heard) => frame.startsWith('{"type":"response"') || /"command":"get_state"/u.test(frame);

interface Listener {
  readonly name: string;
  readonly heard: readonly Heard[];
  readonly connection: Connection;
  /** Resolves as soon as that has been heard. */
  until(isSo: (heard: readonly Heard[]) => boolean, label: string): Promise<void>;
  /** The same place on another server. */
  again(server: GatewayServer, cursor: string | null): Listener;
}

function listen(
  server: GatewayServer,
  session: string,
  transport: keyof typeof transports,
  frontend: string,
  cursor: string | null = null,
): Listener {
  const heard: Heard[] = [];
  const watchers = new Set<() => void>();
  const place = { port: Number(new URL(server.url).port), token: server.token, frontend, session, options: '' };
  const connection = transports[transport](place, cursor, (one) => {
    heard.push(one);
    for (const watcher of watchers) watcher();
  });
  const name = `${frontend} over ${transport}`;
  const said = () => `\n${heard.map(({ frame }) => frame.slice(0, 200)).join('\n')}`;
  return {
    name,
    heard,
    connection,
    until: async (isSo, label) =>
      void (await within(`${label} (${name})`, watchers, () => (isSo(heard) ? true : undefined), said)),
    again: (next, at) => listen(next, session, transport, frontend, at),
  };
}

const listenAll = (server: GatewayServer, session: string): Listener[] =>
  dialects.flatMap((dialect) => [listen(server, session, 'ws', dialect), listen(server, session, 'sse', dialect)]);

/** Posts a frame to the session. With a key, the answer comes once everything before is on disk. */
async function post(server: GatewayServer, session: string, frontend: string, frame: object, key?: string) {
  const headers = {
    ...server.headers,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const answer = await fetch(`${server.url}/v1/${frontend}/sessions/${session}/frames`, {
    method: 'POST',
    headers,
    body: JSON.stringify(frame),
  });
  expect(await answer.json(), `${answer.status}`).toEqual({ accepted: 1 });
}

async function kill({ child }: GatewayServer): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** What the model was sent with that prompt. */
const sentWith = (text: string) =>
  JSON.stringify(fake.requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes(text))?.body.messages);

/** A whole run: pi writes its file with its first whole answer. */
async function runFirst(server: GatewayServer, session: string): Promise<void> {
  const client = listen(server, session, 'sse', 'pi');
  await post(server, session, 'pi', { type: 'prompt', message: '[[text]] my number is 4711' });
  await client.until((heard) => heard.some(isOver), 'the first run');
  client.connection.end();
}

interface Moment {
  readonly agent: string;
  readonly prompt: string;
  /** A frame of pi's dialect that shows the moment. */
  readonly shownBy: RegExp;
}

const moments: Record<string, Moment> = {
  'the demo in a text': { agent: 'demo', prompt: 'slow 50 long 2000', shownBy: /"text_delta"/u },
  'the demo in a tool': { agent: 'demo', prompt: 'slow 200 tool', shownBy: /"tool_execution_start"/u },
  'the demo in an approval': { agent: 'demo', prompt: 'ask', shownBy: /"extension_ui_request"/u },
  'pi in a text': { agent: 'pi', prompt: '[[abort-text]] and on', shownBy: /"text_delta"/u },
  'pi in a tool': { agent: 'pi', prompt: '[[abort-tool]] and on', shownBy: /"tool_execution_update"/u },
  'pi in an approval': { agent: 'asking', prompt: '[[may]] I?', shownBy: /"extension_ui_request"/u },
};

describe.each(Object.entries(moments))('killed with %s', (name, { agent, prompt, shownBy }) => {
  test('everybody goes on where they were', { timeout: 60_000 }, async () => {
    const { config, remove } = configured();
    const first = await serve(config);
    let second: GatewayServer | null = null;
    try {
      const session = await first.createSession(agent);
      if (agent !== 'demo') await runFirst(first, session);
      const listeners = listenAll(first, session);
      const haveCursors = () =>
        Promise.all(
          listeners.map((one) => one.until((heard) => heard.some(({ cursor }) => cursor !== null), 'a cursor')),
        );
      // What came before is not to be taken for the moment. The demo's session is empty, and has no place yet.
      if (agent !== 'demo') await haveCursors();
      const begun = listeners.map(({ heard }) => heard.length);
      const since = (one: Listener) => one.heard.slice(begun[listeners.indexOf(one)]);
      await post(first, session, 'pi', { type: 'prompt', message: prompt }, 'prompt');
      await Promise.all(
        listeners
          .filter((one) => one.name.startsWith('pi'))
          .map((one) => one.until(() => since(one).some(({ frame }) => shownBy.test(frame)), 'the moment')),
      );
      await haveCursors();
      // What was heard until now is on disk when this is answered.
      const before = listeners.map((one) => one.heard.filter(({ cursor }) => cursor !== null));
      await post(first, session, 'pi', { type: 'get_state' }, 'kept');
      expect(listeners.some((one) => since(one).some(isOver))).toBe(false);
      await kill(first);
      await Promise.all(listeners.map(({ connection }) => connection.over));

      const next = await serve(config);
      second = next;
      for (const [at, listener] of listeners.entries()) {
        const known = before[at] ?? [];
        const suffixes = [0, known.length >> 1, known.length - 1].map(async (from) => {
          const resumed = listener.again(next, known[from]?.cursor ?? null);
          await resumed.until((heard) => heard.some(isOver), 'the end of the run');
          resumed.connection.end();
          const all = await resumed.connection.over;
          const expected = known.slice(from + 1).filter((one) => !isAnswer(one));
          expect(all.slice(0, expected.length), `${listener.name} from ${from}`).toEqual(expected);
          return all;
        });
        const [whole = [], ...later] = await Promise.all(suffixes);
        expect(whole.filter(({ frame }) => frame.includes('"type":"reset"'))).toEqual([]);
        for (const one of later) expect(whole.slice(whole.length - one.length)).toEqual(one);
        const end = whole.find(isOver)?.frame ?? '';
        if (listener.name.startsWith('claude')) expect(end).toContain('"is_error":true');
      }
      // The same post again has no effect, and a new one does.
      const client = listen(next, session, 'sse', 'pi');
      await client.until((heard) => heard.some(({ cursor }) => cursor !== null), 'the conversation');
      await post(next, session, 'pi', { type: 'prompt', message: prompt }, 'prompt');
      const question = agent === 'demo' ? 'echo and again' : `[[text]] which was it, ${name}?`;
      const from = client.heard.length;
      await post(next, session, 'pi', { type: 'prompt', message: question });
      await client.until((heard) => heard.slice(from).some(isOver), 'the end of the next run');
      const said = client.heard.map(({ frame }) => frame);
      expect(said.slice(from).filter((frame) => frame.includes('"agent_start"'))).toHaveLength(1);
      if (agent !== 'demo') expect(sentWith(question), name).toContain('4711');
      client.connection.end();
      expect(existsSync(join(home.project, 'may.txt'))).toBe(false);
    } finally {
      await second?.close();
      remove();
    }
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
