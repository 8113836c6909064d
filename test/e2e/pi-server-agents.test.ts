// Our own gateway as the pi-server behind another one, over WebSocket and as a program: clients of every protocol have their
// turns, are asked for leave and stop runs; and all sessions of one gateway share one connection.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { adapters } from '../../src/adapters/index.ts';
import type { AgentConfig } from '../../src/config/agent-config.ts';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { describePairs } from '../contract/pair.ts';
import { type AgentRole, agentRoles } from '../support/agent-roles.ts';
import { clientRoles } from '../support/client-roles.ts';
import { connectPiServer } from '../support/pi-server-client.ts';
import { tells } from '../support/telltale.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const demo = agentRoles.get('demo');
if (demo === undefined) throw new Error('nobody plays the demo agent');

let far: Gateway;
let server: Listening;
beforeAll(async () => {
  far = createGateway(parseConfig({ agents: { quick: demo.config }, defaultAgent: 'quick' }), { log: () => {} });
  server = await listen({ board: far.board });
  vi.stubEnv('FAR_TOKEN', server.token);
});
afterAll(async () => {
  far.close('the tests are over');
  await server.close();
  vi.unstubAllEnvs();
});

/** By how the server is reached. Asked for with each test, for only then is it known where it listens. */
const ways: Record<string, () => AgentConfig> = {
  websocket: () => ({
    protocol: 'pi-server',
    url: `${server.url.replace('http', 'ws')}/v1/pi-server/ws?agent=quick`,
    tokenVariable: 'FAR_TOKEN',
    // The far one lets no client on the network choose where it works.
    options: { cwd: '' },
  }),
  stdio: () => ({
    protocol: 'pi-server',
    command: [process.execPath, cli, 'stdio', '--frontend', 'pi-server', '--agent', 'demo'],
  }),
};

const all = [...adapters.values()];

describe.each(Object.keys(ways))('a server over %s', (way) => {
  const role: AgentRole = {
    get config() {
      return ways[way]?.() ?? demo.config;
    },
    turn: demo.turn,
    endless: demo.endless,
  };
  // How the clients reach the near one makes no difference to the far one: pairs.test.ts has them all.
  describePairs(
    all,
    { clients: clientRoles, agents: new Map([['pi-server', role]]) },
    ({ backend, name }) => backend === 'pi-server' && name.endsWith('memory'),
  );
});

/** A client of that protocol, in front of a gateway whose agent is the far one. */
function open(near: Gateway, frontend: string) {
  const role = clientRoles.get(frontend);
  if (role === undefined) throw new Error(`nobody plays a client of ${frontend}`);
  const [ours, channel] = memoryPair();
  void near.serveClient(ours, { frontend, agent: 'far', options: {} });
  const frames: string[] = [];
  const watchers = new Set<() => void>();
  channel.open({
    frame(frame) {
      frames.push(frame.text);
      for (const watcher of watchers) watcher();
    },
    fault: () => {},
    end: () => {},
  });
  const hear = (label: string, isEnough: (heard: readonly string[]) => boolean) =>
    within(
      label,
      watchers,
      () => (isEnough(frames) ? frames : undefined),
      () => `: ${frames.join('\n')}`,
    );
  return { role, frames, hear, say: (frame: string) => channel.send(frame) };
}

function gateway(): Gateway {
  const near = createGateway(parseConfig({ agents: { far: ways.websocket?.() } }), { log: () => {} });
  onTestFinished(() => near.close('the test is over'));
  return near;
}

const Question = z.looseObject({
  id: z.string().optional(),
  requestId: z.string().optional(),
  chatId: z.string().optional(),
});
const CanUseTool = z.looseObject({
  request_id: z.string(),
  request: z.looseObject({
    input: z.looseObject({
      questions: z.array(
        z.looseObject({ question: z.string(), options: z.array(z.looseObject({ label: z.string() })) }),
      ),
    }),
  }),
});
/** How clients are asked, and give leave; those of pi-legacy cannot. */
const leave: Record<
  string,
  { readonly asks: (frame: string) => boolean; give(frame: Record<string, unknown>): object }
> = {
  // A confirm of pi-server is a question there, and its answer an answer: Claude's tools are asked for by the tool's name.
  claude: {
    asks: (frame) => frame.includes('can_use_tool'),
    give(frame) {
      const { request_id, request } = CanUseTool.parse(frame);
      const answers = Object.fromEntries(
        request.input.questions.map(({ question, options }) => [question, options[0]?.label]),
      );
      const response = { behavior: 'allow', updatedInput: { ...request.input, answers } };
      return { type: 'control_response', response: { subtype: 'success', request_id, response } };
    },
  },
  pi: {
    asks: (frame) => frame.includes('"extension_ui_request"'),
    give: (frame) => ({ type: 'extension_ui_response', id: Question.parse(frame).id, confirmed: true }),
  },
  eca: {
    asks: (frame) => frame.includes('"manualApproval":true') && frame.includes('"toolCallRun"'),
    give({ params }) {
      const { chatId, content } = z.looseObject({ chatId: z.string(), content: Question }).parse(params);
      return { jsonrpc: '2.0', method: 'chat/toolCallApprove', params: { chatId, toolCallId: content.id } };
    },
  },
  'pi-server': {
    asks: (frame) => frame.includes('"extension_ui_request"'),
    give: ({ sessionId, event }) => ({
      id: 'leave',
      type: 'extension_ui_response',
      sessionId,
      requestId: Question.parse(event).requestId,
      response: { method: 'confirm', confirmed: true },
    }),
  },
};

test.each(Object.keys(leave))('a client of %s gives leave for a tool of the server’s agent', async (frontend) => {
  const { role, frames, hear, say } = open(gateway(), frontend);
  await role.greet?.(say, hear);
  say(role.prompt('ask', frames));
  const way = leave[frontend];
  if (way === undefined) throw new Error(`nobody knows how to give leave in ${frontend}`);
  const asked = (await hear('a question', (heard) => heard.some(way.asks))).find(way.asks) ?? '{}';
  say(JSON.stringify(way.give(z.record(z.string(), z.unknown()).parse(JSON.parse(asked)))));
  const heard = await hear('the end', (frames) => frames.some(role.isOver));
  expect(heard.filter(role.isOver).map((frame) => role.isCutShort(frame, heard))).toEqual([false]);
  expect(tells(heard, 'I wrote the note.')).toBe(true);
  expect(role.judge(heard)).toEqual([]);
});

test('clients of two protocols at once: two sessions, and one connection to the server', async () => {
  const watcher = await connectPiServer({ url: server.url, headers: { authorization: `Bearer ${server.token}` } });
  const Figures = z.looseObject({ sessionCount: z.number(), connectionCount: z.number() });
  const before = Figures.parse(await watcher.get('get_metrics'));
  const near = gateway();
  const [one, other] = [open(near, 'pi'), open(near, 'claude')];
  one.say(one.role.prompt('hang'));
  await one.hear('the beginning of the first', (frames) => tells(frames, 'I was about to'));
  other.say(other.role.prompt('think tool'));
  const heard = await other.hear('the end of the second', (frames) => frames.some(other.role.isOver));
  for (const words of demo.turn.says) expect(tells(heard, words)).toBe(true);
  expect(tells(one.frames, 'The lookup found')).toBe(false);
  const during = Figures.parse(await watcher.get('get_metrics'));
  expect(during.sessionCount - before.sessionCount).toBe(2);
  expect(during.connectionCount - before.connectionCount).toBe(1);
  one.say(one.role.interrupt(one.frames));
  await one.hear('the end of the first', (frames) => frames.some(one.role.isOver));
  expect([one.role.judge(one.frames), other.role.judge(other.frames)]).toEqual([[], []]);
  await watcher.close();
});
