// `patchbay serve --journal` is killed in a text, in a tool and in an approval, and started again: clients of both transports
// go on behind their cursors byte for byte, the run is closed as interrupted, and the next prompt has the context
// (docs/faults.md F23).
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from '../support/approval-rig.ts';
import { patchbay } from '../support/command.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import {
  isOver,
  kill,
  killAt,
  type Listener,
  listen,
  listenAll,
  type Moment,
  post,
} from '../support/restarted-gateway.ts';

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

const moments: Record<string, Moment & { readonly agent: string }> = {
  'the demo in a text': { agent: 'demo', prompt: 'slow 50 long 2000', shownBy: /"text_delta"/u },
  'the demo in a tool': { agent: 'demo', prompt: 'slow 200 tool', shownBy: /"tool_execution_start"/u },
  'the demo in an approval': { agent: 'demo', prompt: 'ask', shownBy: /"extension_ui_request"/u },
  'pi in a text': { agent: 'pi', prompt: '[[abort-text]] and on', shownBy: /"text_delta"/u },
  'pi in a tool': { agent: 'pi', prompt: '[[abort-tool]] and on', shownBy: /"tool_execution_update"/u },
  'pi in an approval': { agent: 'asking', prompt: '[[may]] I?', shownBy: /"extension_ui_request"/u },
};

describe.each(Object.entries(moments))('killed with %s', (name, { agent, ...moment }) => {
  test('everybody goes on where they were', async () => {
    const { config, remove } = configured();
    const first = await serve(config);
    let second: GatewayServer | null = null;
    try {
      const session = await first.createSession(agent);
      if (agent !== 'demo') await runFirst(first, session);
      const next = await killAt(moment, { first, session, isNew: agent === 'demo', restart: () => serve(config) });
      second = next;
      // The same post again has no effect, and a new one does.
      const client = listen(next, session, 'sse', 'pi');
      await client.until((heard) => heard.some(({ cursor }) => cursor !== null), 'the conversation');
      await post(next, session, 'pi', { type: 'prompt', message: moment.prompt }, 'prompt');
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
