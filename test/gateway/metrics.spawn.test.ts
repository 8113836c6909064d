// What a scrape of a whole gateway counts: one act, and the samples that it moves.
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Reader } from '../../src/core/contract/reader.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { samplesOf } from '../support/samples.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

const scripted = fileURLToPath(new URL('../support/scripted-pi.mjs', import.meta.url));

const scripts = { scripted: { protocol: 'pi', command: [process.execPath, scripted] } };

function opened(agents: object = scripts) {
  const loopDelay = () => new Map([['1', 0.25]]);
  const config = parseConfig({ agents, defaultAgent: 'demo' });
  const gateway = createGateway(config, { log: () => {}, loopDelay });
  disposals.push(() => gateway.close('the test is over'));
  const { board } = gateway;
  const sample = (metric: string, labels = '') => samplesOf(board.metrics(), metric).get(labels);
  const open = (agent: string) => board.createSession({ id: 's', agent }, owner);
  return { gateway, board, sample, open };
}

type Opened = ReturnType<typeof opened>;

const request = { frontend: 'pi', session: 's', options: { dialect: 'delta-only' }, principal: owner };

/** Reads frames until one of that type came. Returns the last cursor, and how many frames and characters were read. */
function readUntil(reader: Reader, type: string) {
  const watchers = new Set<() => void>();
  const read = { frames: 0, characters: 0, cursor: '', reset: '' };
  let isFound = false;
  reader.onReadable = () => {
    for (let entries = reader.read(1 << 20); entries.length > 0; entries = reader.read(1 << 20)) {
      for (const entry of entries) {
        if (entry.kind === 'reset') read.reset = entry.reason;
        if (entry.kind !== 'frame') continue;
        const text = bytesOf(entry.out).toString();
        read.frames += 1;
        read.characters += text.length;
        read.cursor = entry.cursor ?? read.cursor;
        isFound ||= JSON.parse(text).type === type;
      }
    }
    for (const watcher of [...watchers]) watcher();
  };
  reader.onReadable();
  return within(`a frame ${type}`, watchers, () => (isFound ? read : undefined));
}

const promptOf = (message: string) => JSON.stringify({ type: 'prompt', message });

/** Prompts by a post, and reads to the end of the run. */
async function run({ board }: Opened, message = 'one two') {
  const reader = board.stream(request, null);
  const told = readUntil(reader, 'agent_end');
  await board.post(request, [{ bytes: Buffer.from(promptOf(message)) }]);
  return told;
}

test('a client of server-sent events: what it posts and reads, and what its agent says', async () => {
  const rig = opened();
  rig.open('demo');
  const { frames, characters } = await run(rig);
  const dialect = 'dialect="pi delta-only"';
  expect(rig.sample('patchbay_events_total', `peer="client",direction="in",${dialect}`)).toBe(1);
  expect(rig.sample('patchbay_bytes_total', `peer="client",direction="in",${dialect}`)).toBe(
    promptOf('one two').length,
  );
  expect(rig.sample('patchbay_events_total', `peer="client",direction="out",${dialect}`)).toBe(frames);
  expect(rig.sample('patchbay_bytes_total', `peer="client",direction="out",${dialect}`)).toBe(characters);
  const events = () => rig.sample('patchbay_events_total', 'peer="agent",direction="in",dialect="demo"');
  const before = events();
  expect(before).toBeGreaterThan(10);
  void rig.board.closeSession('s', owner);
  expect(events(), 'a closed session stays counted').toBeGreaterThanOrEqual(before ?? 0);
});

test('a client on a channel', async () => {
  const { board, sample, open } = opened();
  open('demo');
  const [near, far] = memoryPair();
  board.connect(near, request);
  const watchers = new Set<() => void>();
  let [frames, characters, isOver] = [0, 0, false];
  far.open({
    frame({ text }) {
      frames += 1;
      characters += text.length;
      isOver ||= text.includes('"agent_end"');
      for (const watcher of [...watchers]) watcher();
    },
    fault: () => {},
    end: () => {},
  });
  far.send(promptOf('hello'));
  await within('the end of the run', watchers, () => isOver || undefined);
  const dialect = 'dialect="pi delta-only"';
  expect(sample('patchbay_events_total', `peer="client",direction="in",${dialect}`)).toBe(1);
  expect(sample('patchbay_bytes_total', `peer="client",direction="in",${dialect}`)).toBe(promptOf('hello').length);
  expect(sample('patchbay_events_total', `peer="client",direction="out",${dialect}`)).toBe(frames);
  expect(sample('patchbay_bytes_total', `peer="client",direction="out",${dialect}`)).toBe(characters);
  expect(sample('patchbay_clients')).toBe(1);
});

/** The agent behind another gateway, on a WebSocket or an event stream. */
async function remote(kind: 'websocket' | 'sse') {
  const far = opened();
  const server = await listen({ board: far.board });
  disposals.push(() => server.close());
  vi.stubEnv('TEST_REMOTE_TOKEN', server.token);
  far.open('demo');
  const base = `${server.url}/v1/pi/sessions/s`;
  const address =
    kind === 'sse'
      ? { url: `${base}/events`, sendUrl: `${base}/frames` }
      : { url: `${server.url.replace('http', 'ws')}/v1/pi/ws?session=s` };
  return { protocol: 'pi', tokenVariable: 'TEST_REMOTE_TOKEN', ...address };
}

test.each(['program', 'websocket', 'sse'] as const)('an agent that is a %s', async (kind) => {
  const rig = opened({ a: kind === 'program' ? scripts.scripted : await remote(kind) });
  rig.open('a');
  await run(rig);
  const agent = (metric: string, direction: string) =>
    rig.sample(metric, `peer="agent",direction="${direction}",dialect="pi"`);
  expect(agent('patchbay_bytes_total', 'in')).toBeGreaterThan(500);
  expect(agent('patchbay_bytes_total', 'out')).toBeGreaterThan(20);
  expect(agent('patchbay_events_total', 'in')).toBeGreaterThan(5);
  expect(agent('patchbay_events_total', 'out')).toBeGreaterThan(0);
});

test('resumes, and resets by reason', async () => {
  const rig = opened();
  const { board, sample, open } = rig;
  open('demo');
  const early = board.stream(request, null);
  early.read(1);
  const { cursor } = await run(rig, 'long 9000');
  const dialect = 'dialect="pi delta-only"';
  const counted = () => [
    sample('patchbay_resumes_total', dialect),
    ...['window', 'epoch', 'unknown'].map((reason) => sample('patchbay_resets_total', `${dialect},reason="${reason}"`)),
  ];
  expect(counted()).toEqual([0, 0, 0, 0]);
  expect(sample('patchbay_deepest_reader_frames')).toBe(8192);
  expect(sample('patchbay_deepest_reader_bytes')).toBeGreaterThan(8192);
  board.stream(request, cursor).read(1000);
  expect(counted()).toEqual([1, 0, 0, 0]);
  early.read(1000);
  expect(counted()).toEqual([1, 1, 0, 0]);
  board.stream(request, '000000000000.1.1').read(1000);
  expect(counted()).toEqual([1, 1, 1, 0]);
  board.stream(request, 'nonsense').read(1000);
  expect(counted()).toEqual([1, 1, 1, 1]);
  expect(sample('patchbay_limits_total', 'rule="window"')).toBe(1);
});

test('sessions, their memory and their runs', async () => {
  const rig = opened();
  const { sample } = rig;
  const gauges = () =>
    ['sessions', 'runs', 'window_bytes', 'transcript_bytes'].map((name) => sample(`patchbay_${name}`) ?? -1);
  expect(gauges()).toEqual([0, 0, 0, 0]);
  rig.open('demo');
  await run(rig, 'text 5000');
  const [, , windowBytes = 0, transcriptBytes = 0] = gauges();
  expect(gauges().slice(0, 2)).toEqual([1, 0]);
  expect(windowBytes).toBeGreaterThan(5000);
  const other = opened();
  other.open('demo');
  await run(other, 'text 1000');
  // Two bytes for each character; all else is alike.
  expect(transcriptBytes - (other.sample('patchbay_transcript_bytes') ?? 0)).toBe(8000);
  await rig.board.post(request, [{ bytes: Buffer.from(promptOf('hang')) }]);
  expect(gauges()[1]).toBe(1);
  void rig.board.closeSession('s', owner);
  expect(gauges()).toEqual([0, 0, 0, 0]);
});

test('agents that start, and agents that replace one', async () => {
  const rig = opened();
  const counted = () =>
    ['starts', 'restarts'].map((what) => rig.sample(`patchbay_agent_${what}_total`, 'dialect="demo"'));
  rig.open('demo');
  await run(rig, 'die');
  expect(counted()).toEqual([1, undefined]);
  await run(rig);
  expect(counted()).toEqual([2, 1]);
});

test('refused commands, notes, and requests that never reach a route', async () => {
  const { board, sample, open } = opened();
  open('demo');
  await board.post(request, [
    { bytes: Buffer.from(JSON.stringify({ type: 'switch_session', sessionPath: '/etc/passwd' })) },
  ]);
  expect(sample('patchbay_refusals_total', 'at="command",reason="invalid"')).toBe(1);
  await board.post(request, [{ bytes: Buffer.from('{"type":1}') }]);
  expect(sample('patchbay_notes_total', 'level="violation"')).toBe(1);
  const server = await listen({ board });
  disposals.push(() => server.close());
  const http = (reason: string) => sample('patchbay_refusals_total', `at="http",reason="${reason}"`);
  await fetch(`${server.url}/v1/agents`);
  expect(http('unauthorized')).toBe(1);
  const headers = { authorization: `Bearer ${server.token}` };
  await fetch(`${server.url}/v1/sessions/nobody`, { headers });
  expect(http('not-found')).toBe(1);
  for (const [path, token] of [
    ['/v1/pi/ws', 'wrong'],
    ['/v1/none/ws', server.token],
  ]) {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  }
  expect([http('unauthorized'), http('not-found')]).toEqual([2, 2]);
});

test('the delay of the event loop', () => {
  expect(opened().sample('patchbay_event_loop_delay_seconds', 'quantile="1"')).toBe(0.25);
});
