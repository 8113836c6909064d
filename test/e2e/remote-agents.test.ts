// One gateway as the agent of another: over WebSocket and over server-sent events, bare and in the SDK's envelope, also
// where the stream between the two is cut.

import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { AgentConfig } from '../../src/config/agent-config.ts';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { agentRoles } from '../support/agent-roles.ts';
import { clientRoles } from '../support/client-roles.ts';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import { scenarioLines } from '../support/fixtures.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
  vi.unstubAllEnvs();
});

const turn = agentRoles.get('demo')?.turn ?? { prompt: '', says: [] };
const endless = agentRoles.get('demo')?.endless ?? { prompt: '', says: '' };

type Way = 'websocket' | 'sse' | 'sse in the SDK’s envelope';

/** Two gateways, the near one with the far one as its agent, and a client of the near one. */
async function start(protocol: string, way: Way, frontend: string) {
  const far = createGateway(parseConfig({ agents: { brisk: agentRoles.get('demo')?.config } }), { log: () => {} });
  const proxy: CuttableProxy = await createCuttableProxy(() => server.port);
  const host = `127.0.0.1:${proxy.port}`;
  const server = await listen({ board: far.board, allowedHosts: [host] });
  vi.stubEnv('FAR_TOKEN', server.token);
  const agent = { ...remote(protocol, way, host, far.board.createSession({ agent: 'brisk' }, owner).id) };
  const near = createGateway(parseConfig({ agents: { remote: agent } }), { log: () => {} });
  disposals.push(
    () => far.close('the test is over'),
    () => server.close(),
    () => proxy.close(),
    () => near.close('the test is over'),
  );
  return { proxy, ...hearing(near, frontend, 'remote') };
}

/** A client of that agent of the gateway. */
function hearing(gateway: Gateway, frontend: string, agent: string) {
  const [ours, channel] = memoryPair();
  void gateway.serveClient(ours, { frontend, agent, options: {} });
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
  return {
    frames,
    say: (frame: string) => channel.send(frame),
    until: (label: string, from: number, isEnough: (heard: string) => boolean) =>
      within(
        label,
        watchers,
        () => (frames.slice(from).some(isEnough) ? frames.slice(from) : undefined),
        () => frames.slice(from).join('\n'),
      ),
  };
}

function remote(protocol: string, way: Way, host: string, session: string): AgentConfig {
  const shared = { protocol, tokenVariable: 'FAR_TOKEN' };
  if (way === 'websocket') return { ...shared, url: `ws://${host}/v1/${protocol}/ws?agent=brisk` };
  const at = `http://${host}/v1/${protocol}/sessions/${session}`;
  if (way === 'sse') return { ...shared, url: `${at}/events`, sendUrl: `${at}/frames` };
  const addresses = { url: `${at}/events?envelope=sdk`, sendUrl: `${at}/frames?envelope=sdk` };
  return { ...shared, ...addresses, options: { envelope: 'sdk' } };
}

const ways: readonly (readonly [string, Way])[] = [
  ['pi', 'websocket'],
  ['pi', 'sse'],
  ['claude', 'websocket'],
  ['claude', 'sse'],
  ['claude', 'sse in the SDK’s envelope'],
];

describe.each(ways)('%s over %s', (...[protocol, way]) => {
  test.each(['pi', 'claude'])('a whole turn and one that is interrupted, for a client of %s', async (frontend) => {
    const { say, until, frames } = await start(protocol, way, frontend);
    const role = clientRoles.get(frontend);
    if (role === undefined) throw new Error(`nobody plays a client of ${frontend}`);
    say(role.prompt(turn.prompt));
    const first = await until('the end of the first turn', 0, role.isOver);
    for (const words of turn.says) expect(first.join('\n')).toContain(words);
    expect(first.filter(role.isOver).map((frame) => role.isCutShort(frame, first))).toEqual([false]);

    const from = frames.length;
    say(role.prompt(endless.prompt, frames));
    await until('the beginning of the second turn', from, (heard) => heard.includes(endless.says));
    say(role.interrupt(frames));
    const second = await until('the end of the second turn', from, role.isOver);
    expect(second.filter(role.isOver).map((frame) => role.isCutShort(frame, second))).toEqual([true]);
    expect(role.judge(frames)).toEqual([]);
  });
});

describe.each(ways.filter(([, way]) => way !== 'websocket'))('%s over %s', (...[protocol, way]) => {
  test('a stream that is cut in the middle of an answer goes on', async () => {
    const { say, until, frames, proxy } = await start(protocol, way, 'claude');
    const role = clientRoles.get('claude');
    if (role === undefined) throw new Error('nobody plays a client');
    say(role.prompt('slow 10 long 150'));
    await until('the beginning of the answer', 0, (heard) => heard.includes('text_delta'));
    const streams = proxy.count('GET');
    expect(proxy.cut('GET')).toBe(1);
    await proxy.asked('GET', streams + 1);
    const heard = await until('the end of the answer', 0, role.isOver);
    expect(heard.filter(role.isOver).map((frame) => role.isCutShort(frame, heard))).toEqual([false]);
    expect(role.judge(frames)).toEqual([]);
    const whole = heard.map((frame) => JSON.parse(frame)).filter(({ type }) => type === 'assistant');
    const counted = Array.from({ length: 150 }, (_, at) => `${at + 1} `).join('');
    expect(whole.at(-1)).toMatchObject({ message: { content: [{ type: 'text', text: counted }] } });
  });
});

test('an agent over WebSocket may say many lines in one message, and hears one in each', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const asked: string[] = [];
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      asked.push(String(data));
      const { type, request_id } = JSON.parse(String(data));
      const response = { subtype: 'success', request_id, response: {} };
      if (type === 'control_request') socket.send(`${JSON.stringify({ type: 'control_response', response })}\n`);
      if (type === 'user') socket.send(`\n${scenarioLines('text', 'claude').join('\n')}\n\n`);
    }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const agents = { far: { protocol: 'claude', url: `ws://127.0.0.1:${port}` } };
  const near = createGateway(parseConfig({ agents }), { log: () => {} });
  disposals.push(
    () => server.close(),
    () => near.close('the test is over'),
  );
  const { say, until } = hearing(near, 'claude', 'far');
  const role = clientRoles.get('claude');
  say(role?.prompt('hello') ?? '');
  const heard = await until('the end of the turn', 0, (frame) => role?.isOver(frame) === true);
  expect(role?.judge(heard)).toEqual([]);
  expect(heard.filter((frame) => role?.isCutShort(frame, heard))).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
  for (const message of asked) expect(message.indexOf('\n')).toBe(message.length - 1);
});

describe('the configuration', () => {
  const agent = (more: object) => parseConfig({ agents: { far: { protocol: 'pi', ...more } } }).agents.far;

  test.each([
    { url: 'ws://h/' },
    { url: 'wss://h/' },
    { url: 'http://h/e', sendUrl: 'http://h/f' },
    { url: 'https://h/e', sendUrl: 'https://h/f' },
  ])('takes %o', (more) => expect(agent(more)).toMatchObject(more));

  test.each([
    { url: 'ftp://h/' },
    { url: 'http://h/' },
    { sendUrl: 'http://h/' },
    { url: 'ws://h/', sendUrl: 'http://h/' },
    { url: 'http://h/', sendUrl: 'ws://h/' },
    { command: ['pi'], url: 'http://h/e', sendUrl: 'http://h/f' },
  ])('refuses %o', (more) => expect(() => agent(more)).toThrow(/url|must start/u));
});
