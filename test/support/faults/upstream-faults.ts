import { once } from 'node:events';
import { vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { parseConfig } from '../../../src/config/config.ts';
import { within } from '../../../src/conformance/bounded-wait.ts';
import { owner } from '../../../src/core/contract/principal.ts';
import { createGateway } from '../../../src/gateway/full-gateway.ts';
import { listen } from '../../../src/transports/http/server.ts';
import { createCuttableProxy } from '../cuttable-proxy.ts';
import { scenarioLines } from '../fixtures.ts';
import { type Asked, refuse, sse, startScriptedApi, stream } from '../scripted-api.ts';
import { type FaultRow, must, type Outcome, outcomeOf, withRig } from './row.ts';

const demo = { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } };

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
      const outcome = await outcomeOf(rig, toldMs, verdict);
      // Idle connections to it would be held for seconds, and the rig waits for them.
      await api.close();
      return outcome;
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
  const far = createGateway(parseConfig(demo), { log: () => {} });
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
    return await withRig({ config: { agents: { far: agent } } }, async (rig) => {
      const outcome = await act({ rig, proxy, closeFar: () => far.board.closeSession(id, owner) });
      proxy.close();
      return outcome;
    });
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
    what: 'the SSE of a remote agent ends for good: its session is deleted',
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

export const upstreamFaults: readonly FaultRow[] = [...upstream, ...streams];
