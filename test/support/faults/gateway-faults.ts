// Faults of the gateway and around it, F22 to F27 and F29 to F32. What must be signalled is the command as it is built.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { parseConfig } from '../../../src/config/config.ts';
import { within } from '../../../src/conformance/bounded-wait.ts';
import { owner } from '../../../src/core/contract/principal.ts';
import { createGateway } from '../../../src/gateway/full-gateway.ts';
import { listen } from '../../../src/transports/http/server.ts';
import { connectWebSocket } from '../../../src/transports/websocket.ts';
import { createCuttableProxy } from '../cuttable-proxy.ts';
import { scenarioLines } from '../fixtures.ts';
import { type GatewayServer, startServerWith } from '../gateway.ts';
import { type Asked, refuse, sse, startScriptedApi, stream } from '../scripted-api.ts';
import { type Address, type Observer, observe } from './observers.ts';
import * as lines from './pi-lines.ts';
import { type Puppet, startPuppets } from './puppets.ts';
import { everybody, judge } from './rig.ts';
import { type FaultRow, must, type Outcome, outcomeOf, withRig } from './row.ts';

/** The built command with one session, whose agent has said half a text to everybody. */
interface Built {
  readonly server: GatewayServer;
  readonly config: string;
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly puppet: Puppet;
  agentsGone(): Promise<void>;
}

/** Starts the built command in a folder of its own. */
async function onBuilt(limits: object, act: (built: Built) => Promise<Outcome>): Promise<Outcome> {
  const puppets = await startPuppets();
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-fault-'));
  const config = join(folder, 'patchbay.json');
  const agents = { puppet: { protocol: 'pi', command: puppets.command } };
  writeFileSync(config, JSON.stringify({ agents, limits, frontends: { 'pi-server': { drainMs: 100 } } }));
  const server = await startServerWith(config);
  try {
    const session = await server.createSession();
    const observers = await Promise.all(everybody.map((kind) => observe(server, session, kind)));
    const [speaker] = observers;
    speaker?.say(speaker.dialect.role.prompt('one', speaker.frames));
    const puppet = await puppets.next();
    await puppet.told('prompt');
    puppet.say(...lines.halfText);
    await Promise.all(observers.map((one) => one.waitFor('half a text', (frame) => frame.includes('Five sockets'))));
    const outcome = await act({ server, config, session, observers, puppet, agentsGone: puppets.allGone });
    for (const one of observers) one.close();
    return outcome;
  } finally {
    await server.close();
    puppets.close();
    rmSync(folder, { recursive: true });
  }
}

const lastOf = (times: readonly number[]): number => Math.max(...times);
const endsOf = (observers: readonly Observer[]): number[] =>
  observers.map(({ endings, times }) => times[endings.at(-1) ?? 0] ?? 0);
const toldToStop = ({ observers }: Built): Promise<unknown> =>
  Promise.all(
    observers
      .filter(({ frontend }) => frontend === 'pi-server')
      .map((one) => one.waitFor('the shutdown', (frame) => frame.includes('server_shutdown'))),
  );

const signalled: readonly FaultRow[] = [
  {
    fault: 'F22',
    what: 'SIGTERM in a run (drainMs 400)',
    run: () =>
      onBuilt({ drainMs: 400 }, async (built) => {
        const { server, observers } = built;
        const exit = once(server.child, 'exit');
        const from = performance.now();
        server.child.kill('SIGTERM');
        await toldToStop(built);
        const headers = { ...server.headers, 'content-type': 'application/json' };
        const { status, headers: said } = await fetch(`${server.url}/v1/sessions`, {
          method: 'POST',
          headers,
          body: '{}',
        });
        must(status === 503 && said.get('retry-after') === '1', `a new session was answered with ${status}`);
        const reasons = await Promise.all(observers.map((one) => one.cut()));
        const [code] = await exit;
        must(code === 0, `the gateway exited with ${code}`);
        const ws = reasons.filter((_, at) => observers[at]?.transport === 'ws');
        must(
          ws.every((reason) => reason.includes('1001')),
          `WebSockets ended with ${ws.join(', ')}`,
        );
        await built.agentsGone();
        const toldMs = lastOf(endsOf(observers)) - from;
        return {
          clients: observers,
          toldMs,
          ...judge(observers, { runs: 1 }),
          verdict: '503 and Retry-After, one ending, 1001, exit 0',
        };
      }),
  },
  {
    fault: 'F22',
    what: 'a second SIGTERM in a run',
    run: () =>
      onBuilt({ drainMs: 60_000 }, async (built) => {
        const { server, observers } = built;
        const exit = once(server.child, 'exit');
        server.child.kill('SIGTERM');
        await toldToStop(built);
        const from = performance.now();
        server.child.kill('SIGTERM');
        await exit;
        await Promise.all(observers.map((one) => one.cut()));
        await built.agentsGone();
        const toldMs = lastOf(observers.map(({ endedAt }) => endedAt)) - from;
        return { clients: observers, toldMs, lost: 0, repeated: 0, verdict: 'stops at once, the agent too' };
      }),
  },
  {
    fault: 'F23',
    what: 'SIGKILL in a run, and a restart',
    run: () =>
      onBuilt({}, async (built) => {
        const { server, observers, session, config } = built;
        const from = performance.now();
        server.child.kill('SIGKILL');
        await Promise.all(observers.map((one) => one.cut()));
        const toldMs = lastOf(observers.map(({ endedAt }) => endedAt)) - from;
        await built.agentsGone();
        const next = await startServerWith(config);
        try {
          for (const kind of everybody) {
            const words = await refusalOf(next, session, kind.frontend, kind.transport);
            must(words.includes('404') && words.includes(`session ${session} not found`), `${kind.frontend}: ${words}`);
          }
        } finally {
          await next.close();
        }
        const verdict = 'as documented: not built; connections end, the agent too, the session is unknown afterwards';
        return { clients: observers, toldMs, lost: 0, repeated: 0, verdict };
      }),
  },
];

/** The answer to a client that asks for that session: status and body. */
async function refusalOf(server: GatewayServer, session: string, frontend: string, transport: string): Promise<string> {
  const path = transport === 'ws' ? `ws?session=${session}` : `sessions/${session}/events`;
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const headers = {
    ...server.headers,
    ...(transport === 'ws' ? { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } : {}),
  };
  const asking = request(`${server.url}/v1/${frontend}/${path}`, { headers, agent: false });
  asking.end();
  const [answer] = await once(asking, 'response');
  let body = '';
  for await (const chunk of answer) body += String(chunk);
  return `${answer.statusCode} ${body}`;
}

/** A folder that is removed again. */
async function inFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-fault-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A command of pi-server. */
type Command = { readonly type: string } & Readonly<Record<string, string>>;

/** Sends one command over a connection of pi-server that is bound to no session; its answer. */
async function ask({ url, token }: Address, command: Command): Promise<{ data?: Record<string, unknown> }> {
  const channel = connectWebSocket(`${url.replace('http', 'ws')}/v1/pi-server/ws`, { token });
  const answer = await new Promise<string>((resolve, reject) => {
    channel.open({
      frame: ({ text }) => text.includes('"type":"response"') && resolve(text),
      fault: () => {},
      end: ({ reason }) => reject(new Error(reason)),
    });
    channel.send(JSON.stringify({ id: 'ask', ...command }));
  });
  channel.close('normal', 'it was said');
  must(JSON.parse(answer).success === true, `${command.type}: ${answer}`);
  return JSON.parse(answer);
}

const sessionOf = async (address: Address, command: Command): Promise<string> =>
  String((await ask(address, command)).data?.sessionId);

const kept = (folder: string) => ({
  agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } },
  sessionDirectory: folder,
});

const files: readonly FaultRow[] = [
  {
    fault: 'F24',
    what: 'a kept session and an export that cannot be written',
    run: () =>
      inFolder((folder) => {
        const file = join(folder, 'file');
        writeFileSync(file, '');
        // What is below a file can never be written: a full disk for this test.
        const config = { ...kept(join(file, 'below')), exportDirectory: join(file, 'below') };
        const open = (address: Address) => sessionOf(address, { type: 'create_session' });
        return withRig({ config, open }, async (rig) => {
          rig.prompt('think');
          rig.cause();
          await rig.told();
          // Claude's clients hear it with the next run.
          const able = rig.observers.filter(({ frontend }) => !/claude|rpc/u.test(frontend));
          const isWarning = (frame: string) => frame.includes('not kept any more');
          await Promise.all(able.map((one) => one.waitFor('the warning', isWarning)));
          const warned = able.map(({ frames, times }) => times[frames.findIndex(isWarning)] ?? 0);
          const toldMs = rig.since(warned);
          must(rig.gateway.board.obstacles().length === 1, 'the gateway says that it is ready');
          const pi = rig.observers.find(({ frontend }) => frontend === 'pi');
          pi?.say(JSON.stringify({ type: 'export_html', id: 'export' }));
          const answer = await pi?.waitFor('the export', (frame) => frame.includes('"id":"export"'));
          must(answer?.includes('"success":false') === true, `the export: ${answer}`);
          rig.prompt('think');
          await rig.told();
          for (const { name, frames } of rig.observers) must(frames.some(isWarning), `${name} was not warned`);
          return outcomeOf(
            rig,
            toldMs,
            'no journal (not built); all are warned, not ready, the export is refused, the next prompt ran',
          );
        });
      }),
  },
  {
    fault: 'F25',
    what: 'a stored session whose last line is torn',
    run: () =>
      inFolder(async (folder) => {
        const open = (address: Address) => sessionOf(address, { type: 'create_session' });
        await withRig({ config: kept(folder), open, clients: everybody.slice(0, 2) }, async (rig) => {
          rig.prompt('think first words');
          await rig.told();
        });
        const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.jsonl'));
        const path = join(folder, name);
        writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
        const load = (address: Address) => sessionOf(address, { type: 'load_session', sessionPath: path });
        return withRig({ config: kept(folder), open: load }, async (rig) => {
          rig.prompt('think');
          rig.cause();
          const toldMs = await rig.told();
          const heard = rig.observers.filter(({ frames }) => frames.some((frame) => frame.includes('first words')));
          must(heard.length > 0, 'what was whole is lost');
          return outcomeOf(rig, toldMs, 'the torn line is dropped, the rest is loaded, the next prompt ran');
        });
      }),
  },
];

const demo = (limits: object = {}) => ({ agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } }, limits });
const day = 24 * 3_600_000;

/** Blocks the whole process for so long. */
const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const time: readonly FaultRow[] = [
  {
    fault: 'F26',
    what: 'the clock jumps a day ahead and two back in a run',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        try {
          rig.prompt('slow 2 long 60');
          const [one] = rig.observers;
          for (const days of [1, -1]) {
            const enough = (one?.frames.length ?? 0) + 10;
            await one?.until('ten frames', () => one.frames.length >= enough);
            vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * day });
            rig.cause();
          }
          const toldMs = await rig.told();
          const result = JSON.parse(one?.frames[one.endings[0] ?? 0] ?? '{}');
          must(result.duration_ms >= 0 && result.duration_ms < day / 2, `the run lasted ${result.duration_ms} ms`);
          return outcomeOf(rig, toldMs, 'order and durations as without the jumps');
        } finally {
          vi.useRealTimers();
        }
      }),
  },
  {
    fault: 'F30',
    what: 'the event loop is blocked for 900 ms (silenceMs 300)',
    run: async () => {
      const puppets = await startPuppets();
      const config = { agents: { puppet: { protocol: 'pi', command: puppets.command } }, limits: { silenceMs: 300 } };
      try {
        return await withRig({ config }, async (rig) => {
          rig.prompt('one');
          const puppet = await puppets.next();
          await puppet.told('prompt');
          puppet.say(...lines.halfText);
          await rig.allSee('Five sockets');
          rig.cause();
          puppet.say(...lines.otherHalf.slice(0, 1));
          // The order is with the agent before the loop stands still.
          await new Promise((resolve) => setImmediate(resolve));
          block(900);
          puppet.say(...lines.otherHalf.slice(1));
          const toldMs = await rig.told();
          const [one] = rig.observers;
          const end = one?.frames[one.endings[0] ?? 0] ?? '';
          must(end.includes('"is_error":false'), `the run did not end well: ${end}`);
          return outcomeOf(rig, toldMs, 'nobody counts as silent, the run is whole');
        });
      } finally {
        await puppets.allGone();
        puppets.close();
      }
    },
  },
];

/** What the Messages API says in front of its fault. */
const begin = (asked: Asked): void => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  stream(
    asked,
    sse('message_start', { message: { ...message, usage: { input_tokens: 3, output_tokens: 1 } } }),
    sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Half a ' } }),
  );
};
const finish = (asked: Asked): void => {
  stream(
    asked,
    sse('content_block_stop', { index: 0 }),
    sse('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } }),
    sse('message_stop'),
  );
  asked.response.end();
};

/** A run at the Messages API that fails as `fail` says; the next one is whole. */
async function atMessagesApi(
  fail: (
    api: Awaited<ReturnType<typeof startScriptedApi>>,
    cause: () => void,
    allSee: () => Promise<void>,
  ) => Promise<number>,
  verdict: string,
): Promise<Outcome> {
  const api = await startScriptedApi();
  const before = process.env.ANTHROPIC_API_KEY;
  process.env.ANTHROPIC_API_KEY = 'sk-ant-test';
  try {
    const config = { agents: { chat: { protocol: 'anthropic', options: { baseUrl: api.url } } } };
    return await withRig({ config }, async (rig) => {
      rig.prompt('one');
      const count = await fail(api, rig.cause, () => rig.allSee('Half a '));
      const toldMs = await rig.told();
      must(api.asked.length === count, `the API was asked ${api.asked.length} times`);
      rig.prompt('two');
      const next = await api.request(count);
      begin(next);
      finish(next);
      await rig.told();
      return outcomeOf(rig, toldMs, verdict);
    });
  } finally {
    if (before === undefined) delete process.env.ANTHROPIC_API_KEY;
    else process.env.ANTHROPIC_API_KEY = before;
    await api.close();
  }
}

const upstream: readonly FaultRow[] = [
  {
    fault: 'F27',
    what: 'the Messages API is cut in the middle of an event',
    run: () =>
      atMessagesApi(async (api, cause, allSee) => {
        const asked = await api.request(0);
        begin(asked);
        await allSee();
        asked.response.write('event: content_block_delta\ndata: {"type":"content_bl');
        cause();
        asked.response.destroy();
        return 1;
      }, 'the run failed, the post is not repeated, the next prompt ran'),
  },
  {
    fault: 'F28',
    what: 'the Messages API is overloaded each time (529)',
    run: () =>
      atMessagesApi(async (api, cause) => {
        cause();
        for (let n = 0; n < 4; n += 1) {
          refuse(await api.request(n), 529, 'overloaded_error', 'Come back later', { 'retry-after-ms': '1' });
        }
        return 4;
      }, 'four tries, then the run failed, the next prompt ran'),
  },
  ...([1006, 1011, 1013] as const).map(
    (code): FaultRow => ({
      fault: 'F29',
      what: `the WebSocket of the agent closes in a run (${code})`,
      run: () => closedBy(code),
    }),
  ),
];

/** A remote agent that speaks Claude's protocol closes its WebSocket in its first run. */
async function closedBy(code: number): Promise<Outcome> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const both = scenarioLines('text', 'claude');
  const said = both.slice(0, both.findIndex((line) => line.includes('"type":"result"')) + 1);
  const half = said.findIndex((line) => line.includes('content_block_delta')) + 1;
  const watchers = new Set<() => void>();
  let cut = (): void => {};
  let prompts = 0;
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { type, request_id } = JSON.parse(String(data));
      const response = { subtype: 'success', request_id, response: {} };
      if (type === 'control_request') socket.send(`${JSON.stringify({ type: 'control_response', response })}\n`);
      if (type !== 'user') return;
      prompts += 1;
      for (const line of said.slice(0, prompts === 1 ? half : said.length)) socket.send(line);
      cut = () => (code === 1006 ? socket.terminate() : socket.close(code, 'out of order'));
      for (const watcher of [...watchers]) watcher();
    }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const config = { agents: { far: { protocol: 'claude', url: `ws://127.0.0.1:${port}` } } };
  try {
    return await withRig({ config }, async (rig) => {
      rig.prompt('one');
      await within('the prompt', watchers, () => (prompts === 1 ? true : undefined));
      const delta = /"text":"([^"]+)"/u.exec(said[half - 1] ?? '')?.[1] ?? '';
      await rig.allSee(delta);
      rig.cause();
      cut();
      const toldMs = await rig.told();
      rig.prompt('two');
      await rig.told();
      must(prompts === 2, `the agent was prompted ${prompts} times`);
      return outcomeOf(rig, toldMs, 'the run failed, a new connection with the next prompt');
    });
  } finally {
    server.close();
  }
}

/** Another gateway is the agent, over its stream of server-sent events. */
async function overEvents(
  act: (stage: {
    readonly rig: Parameters<typeof outcomeOf>[0];
    readonly proxy: Awaited<ReturnType<typeof createCuttableProxy>>;
    closeFar(): void;
  }) => Promise<Outcome>,
): Promise<Outcome> {
  const far = createGateway(parseConfig(demo()), { log: () => {} });
  let port = 0;
  const proxy = await createCuttableProxy(() => port);
  const host = `127.0.0.1:${proxy.port}`;
  const server = await listen({ board: far.board, allowedHosts: [host] });
  port = server.port;
  vi.stubEnv('FAR_TOKEN', server.token ?? '');
  const { id } = far.board.createSession({}, owner);
  const at = `http://${host}/v1/pi/sessions/${id}`;
  const agent = { protocol: 'pi', tokenVariable: 'FAR_TOKEN', url: `${at}/events`, sendUrl: `${at}/frames` };
  try {
    return await withRig({ config: { agents: { far: agent } } }, (rig) =>
      act({ rig, proxy, closeFar: () => far.board.closeSession(id, owner) }),
    );
  } finally {
    far.close('the test is over');
    proxy.close();
    await server.close();
    vi.unstubAllEnvs();
  }
}

const streams: readonly FaultRow[] = [
  {
    fault: 'F27',
    what: 'the SSE of a remote agent is cut in a run, with ids',
    run: () =>
      overEvents(async ({ rig, proxy }) => {
        rig.prompt('slow 5 long 100');
        await rig.allSee('3 ');
        const asked = proxy.count('GET');
        rig.cause();
        must(proxy.cut('GET') === 1, 'there was no stream to cut');
        await proxy.asked('GET', asked + 1);
        const toldMs = await rig.told();
        const [one] = rig.observers;
        must(one?.frames[one.endings[0] ?? 0]?.includes('99 100 ') === true, 'a part of the text is lost');
        return outcomeOf(rig, toldMs, 'resumed behind the last id, the run is whole');
      }),
  },
  {
    fault: 'F27',
    what: 'the SSE of a remote agent is refused for good (404)',
    run: () =>
      overEvents(async ({ rig, closeFar }) => {
        rig.prompt('slow 5 long 2000');
        await rig.allSee('3 ');
        rig.cause();
        closeFar();
        const toldMs = await rig.told();
        return outcomeOf(rig, toldMs, 'the connection is lost, the run failed');
      }),
  },
];

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

const scarce: readonly FaultRow[] = [
  {
    fault: 'F31',
    what: 'one session too many (limits.sessions 1) in a run',
    run: () =>
      withRig({ config: demo({ sessions: 1 }) }, async (rig) => {
        rig.prompt('slow 2 long 60');
        rig.cause();
        const headers = { authorization: `Bearer ${rig.address.token}`, 'content-type': 'application/json' };
        const { status, body } = await fetch(`${rig.address.url}/v1/sessions`, { method: 'POST', headers, body: '{}' });
        await body?.cancel();
        must(status === 429, `it was answered with ${status}`);
        const toldMs = await rig.told();
        return outcomeOf(rig, toldMs, '429, the others go on');
      }),
  },
  ...(hasPrlimit
    ? [{ fault: 'F31', what: 'no free descriptor for an agent (prlimit) in a run', run: withoutDescriptors }]
    : []),
];

/** One session runs, the agent of another one cannot be started. */
function withoutDescriptors(): Promise<Outcome> {
  return onBuilt({}, async ({ server, observers, puppet }) => {
    const limitFiles = (soft: number) =>
      execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${soft}:`]);
    const other = await observe(server, await server.createSession(), { frontend: 'pi', transport: 'ws' });
    other.say('{"type":"get_state","id":"there"}');
    await other.waitFor('its state', (frame) => frame.includes('"there"'));
    const from = performance.now();
    limitFiles(3);
    other.say(other.dialect.role.prompt('two'));
    await other.waitFor('the refusal', (frame) => frame.includes('EMFILE'));
    const toldMs = performance.now() - from;
    limitFiles(1024);
    puppet.say(...lines.otherHalf);
    await Promise.all(observers.map((one) => one.until('the end of the run', () => one.endings.length === 1)));
    other.close();
    return {
      clients: observers,
      toldMs,
      ...judge(observers, { runs: 1 }),
      verdict: 'the command fails with the reason, the others go on',
    };
  });
}

const late: readonly FaultRow[] = [
  {
    fault: 'F32',
    what: 'an event of a run that has ended',
    run: async () => {
      const puppets = await startPuppets();
      const config = { agents: { puppet: { protocol: 'pi', command: puppets.command } } };
      try {
        return await withRig({ config }, async (rig) => {
          rig.prompt('one');
          const puppet = await puppets.next();
          await puppet.told('prompt');
          puppet.say(...lines.wholeRun);
          rig.cause();
          const toldMs = await rig.told();
          puppet.say(...lines.otherHalf.slice(0, 1), lines.notice('behind it'));
          // The prompt would make it a run that lacks its start.
          await rig.observers
            .find(({ frontend }) => frontend === 'pi')
            ?.waitFor('the notice', (one) => one.includes('behind it'));
          rig.prompt('two');
          await puppet.told('prompt', 2);
          puppet.say(...lines.wholeRun);
          await rig.told();
          return outcomeOf(rig, toldMs, 'as documented: a second owner is not built; a late event opens no run');
        });
      } finally {
        await puppets.allGone();
        puppets.close();
      }
    },
  },
];

export const gatewayFaults: readonly FaultRow[] = [
  ...signalled,
  ...files,
  ...time,
  ...upstream,
  ...streams,
  ...scarce,
  ...late,
];
