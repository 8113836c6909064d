// The real pi 0.13.2 behind the real gateway: what it cannot do and does wrong stays behind it. Seen by Claude clients
// over each transport, judged as the modern pi is (real-pi.test.ts).
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { z } from 'zod';
import { longText, unicodeText } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { judgeTurn, saidIn } from '../support/claude-judge.ts';
import { interruptFrame, isEvent, isResult, promptFrame, turn } from '../support/claude-turn.ts';
import { type Client, connectSse, connectStdio, connectWebSocket } from '../support/clients.ts';
import { oneOf, shareOf } from '../support/full.ts';
import { type GatewayServer, startServer } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn, judged } from '../support/judged.ts';
import { linesAround, makePiHome, type PiHome, type Row, recordOf, recordsWith } from '../support/pi-rig.ts';

let fake: FakeAnthropic;
let home: PiHome;
let server: GatewayServer;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url, part: 'pi-legacy' });
  server = await startServer(home);
});
afterAll(async () => {
  await server?.close();
  await fake.close();
  home.remove();
});

type Frontend = 'claude' | 'rpc-message';
const transports: Record<string, (frontend: Frontend) => Promise<Client>> = {
  stdio: async (frontend) => connectStdio(home, frontend),
  websocket: async (frontend) => connectWebSocket(server, await server.createSession(), frontend),
  sse: async (frontend) => connectSse(server, await server.createSession(), frontend),
};

/** What a test does while the turn runs, from frame `from` on. */
type During = (client: Client, from: number, prompt: string) => Promise<void>;

const interruptAt =
  (delta: string): During =>
  async (client, from) => {
    await client.waitFor(isEvent('content_block_delta', delta), `a ${delta}`, from);
    await client.send(interruptFrame(`interrupt-${from}`));
  };

const printed = (rows: readonly Row[], prompt: string, words: string) =>
  linesAround(rows, prompt).lines.some((line) => line.includes(words));

/** Clients do not see a tool run, so pi's own record tells when it does. */
const interruptTool: During = async (client, from, prompt) => {
  await recordOf(home, prompt, (rows) => printed(rows, prompt, 'tool_execution_start'));
  await client.send(interruptFrame(`interrupt-${from}`));
};

interface Case {
  readonly during?: During;
  /** Texts that must be in the final messages. */
  readonly says: readonly string[];
  /** The turn ends with an error. */
  readonly fails?: boolean;
}

/** 0.13.2 repeats nothing that failed, and a call with wrong arguments ends its turn (docs/protocols/pi-legacy.md 3.4, 3.8). */
const cases: Record<string, Case> = {
  text: { says: ['Hello, world. This is plain text.'] },
  think: { says: ['Let me think about it.', 'The answer is 42.'] },
  tools: { says: ['I run two tools.', 'Both tools are done.'] },
  toolerr: { says: ['Trying.'], fails: true },
  'abort-text': { during: interruptAt('text_delta'), says: ['This never ends, '], fails: true },
  'abort-think': { during: interruptAt('thinking_delta'), says: ['I think '], fails: true },
  'abort-args': { during: interruptAt('input_json_delta'), says: ['Now a tool.'], fails: true },
  'abort-tool': { during: interruptTool, says: ['Running.'], fails: true },
  overloaded: { says: [], fails: true },
  'mid-error': { says: ['Half a sentence'], fails: true },
  'bad-request': { says: [], fails: true },
  'max-tokens': { says: ['Cut off in the mid'] },
  refusal: { says: ['I must not.'], fails: true },
  empty: { says: [] },
  unicode: { says: [unicodeText] },
  long: { says: [longText] },
};

const names = Object.keys(transports);
describe.each(names)('%s', (transport) => {
  // One session for all cases, as a user would have it; after a failure the next case starts with a fresh one.
  let client: Client | null = null;
  let prompts = 0;
  afterAll(() => client?.close());

  test.each(shareOf(Object.entries(cases), names.indexOf(transport), names.length))(
    '%s',
    async (name, { during, says, fails = false }) => {
      onTestFailed(async () => {
        const broken = client;
        client = null;
        await broken?.close();
      });
      client ??= (await transports[transport]?.('claude')) ?? null;
      if (client === null) throw new Error(`no transport ${transport}`);
      const own = client;

      const prompt = `[[${name}]] ${transport} ${++prompts}`;
      const frames = await turn(own, prompt, (from) => during?.(own, from, prompt) ?? Promise.resolve());
      await judgeTurn(home, own, prompt, frames);
      const text = await saidIn(frames);
      for (const phrase of says) expect(text).toContain(phrase);
      expect(frames.filter(isResult)).toEqual([expect.objectContaining({ is_error: fails })]);

      const again = `[[text]] ${transport} again ${prompts}`;
      const second = await turn(own, again);
      await judgeTurn(home, own, again, second);
      expect(second.filter(isResult)).toEqual([
        expect.objectContaining({ is_error: false, result: 'Hello, world. This is plain text.' }),
      ]);
    },
  );
});

describe.each(oneOf(names))('%s, apart', (transport) => {
  test('two prompts at once run one after the other, whole', async () => {
    const own = await transports[transport]?.('claude');
    if (own === undefined) throw new Error(`no transport ${transport}`);
    const [first, second] = [`[[tools]] ${transport} at once`, `[[think]] ${transport} at once`];
    await own.send(promptFrame(first));
    await own.send(promptFrame(second));
    const one = await own.waitFor(isResult, 'the first result');
    const end = own.frames.indexOf(one) + 1;
    const two = await own.waitFor(isResult, 'the second result', end);
    await judgeTurn(home, own, first, own.frames.slice(0, end));
    await judgeTurn(home, own, second, own.frames.slice(end, own.frames.indexOf(two, end) + 1));
    expect([one.result, two.result]).toEqual(['Both tools are done.', 'The answer is 42.']);
    await own.close();
  });

  test('in the growing dialect', async () => {
    const own = await transports[transport]?.('rpc-message');
    if (own === undefined) throw new Error(`no transport ${transport}`);
    for (const name of ['text', 'tools', 'toolerr', 'abort-text', 'unicode', 'bad-request']) {
      const frames = await turn(own, `[[${name}]] ${transport} seed`, (from) =>
        name === 'abort-text' ? interruptAt('text_delta')(own, from, '') : Promise.resolve(),
      );
      expect([name, frames.filter(isResult).length]).toEqual([name, 1]);
    }
    expect(faultsIn('rpc-message', own.frames)).toEqual([]);
    await own.close();
  });
});

test('a context that grew too large is compacted behind the end of the turn, and the next prompt works', async () => {
  const client = await connectWebSocket(server, await server.createSession());
  await turn(client, '[[text]] so that there is something to compact');
  const prompt = '[[compact]] too much';
  await turn(client, prompt);
  await recordOf(home, prompt, (rows) => printed(rows, prompt, '"auto":true'));
  const after = await turn(client, '[[text]] after the compaction');
  expect(after).toContainEqual(expect.objectContaining({ type: 'system', subtype: 'compact_boundary' }));
  expect(after.at(-1)).toMatchObject({ is_error: false });
  expect(faultsIn('claude', client.frames, false)).toEqual([]);
  await client.close();
});

test('an interrupt reaches the model: it is not left talking to itself', () => {
  const endless = fake.requests.filter(({ scenario }) =>
    ['abort-text', 'abort-think', 'abort-args'].includes(scenario),
  );
  expect(endless.length).toBeGreaterThan(0);
  expect(new Set(endless.map(({ outcome }) => outcome))).toEqual(new Set(['gone']));
});

test('an image reaches the model, with words and without', async () => {
  const client = await connectWebSocket(server, await server.createSession());
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const sees = (frame: Frame) => frame.type === 'result' && frame.result === 'I see image/png.';
  await client.send(promptFrame('[[image]] what is it', [{ type: 'image', source }]));
  await client.waitFor(sees, 'what the model saw');
  const from = client.frames.length;
  await client.send({ type: 'user', message: { role: 'user', content: [{ type: 'image', source }] } });
  expect(await client.waitFor(isResult, 'the end of a prompt without words', from)).toMatchObject({ is_error: false });
  await client.close();
});

test('a document reaches the model as its text', async () => {
  const client = await connectWebSocket(server, await server.createSession());
  const source = { type: 'base64', media_type: 'text/plain', data: Buffer.from('alpha and beta').toString('base64') };
  await client.send(promptFrame('[[text]] read this', [{ type: 'document', source, title: 'greek.txt' }]));
  await client.waitFor(isResult, 'the result');
  const request = fake.requests.find(({ prompt }) => prompt.text.includes('read this'));
  expect(request?.prompt.text).toContain('[Document: greek.txt]\nalpha and beta');
  await client.close();
});

test('pi is told nothing that it would ignore, and nothing that spoils it', async () => {
  const client = await connectWebSocket(server, await server.createSession());
  await client.send({ type: 'control_request', request_id: 'm', request: { subtype: 'set_model', model: 'other' } });
  await client.send({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } });
  await client.send({ type: 'user', message: { role: 'user', content: [] } });
  await client.waitFor(isResult, 'the refusal of an empty prompt');
  const last = await turn(client, '[[text]] unspoilt');
  expect(last.at(-1)).toMatchObject({ is_error: false, result: 'Hello, world. This is plain text.' });
  const [rows = []] = recordsWith(home, 'unspoilt');
  const told = rows.filter(({ dir }) => dir === 'in').map(({ line }): unknown => JSON.parse(line));
  expect(told).toEqual([{ type: 'prompt', message: '[[text]] unspoilt' }]);
  await client.close();
});

describe('seen by a client of the modern pi', () => {
  const isEnd = (frame: Frame) => frame.type === 'agent_end';
  let client: Client;
  let asked = 0;
  beforeAll(async () => {
    client = await connectWebSocket(server, await server.createSession(), 'pi');
  });
  afterAll(() => client.close());

  /** Sends a command and waits for its response. */
  async function ask(command: object): Promise<Frame> {
    const id = `ask-${++asked}`;
    await client.send({ ...command, id });
    return client.waitFor((frame) => frame.type === 'response' && frame.id === id, `the answer to ${id}`);
  }

  async function run(message: string, during?: (from: number) => Promise<void>): Promise<Frame[]> {
    const from = client.frames.length;
    expect(await ask({ type: 'prompt', message })).toMatchObject({ success: true });
    await during?.(from);
    const end = await client.waitFor(isEnd, `the end of ${message}`, from);
    return client.frames.slice(from, client.frames.indexOf(end, from) + 1);
  }

  /** The inbox puts the type of each frame first, so the order of keys cannot be judged here. */
  const faults = () => judged('pi', client.frames).filter(({ rule }) => rule !== 'pi/own/response-keys');
  const isDelta = (frame: Frame) => frame.type === 'message_update' && JSON.stringify(frame).includes('_delta"');

  test.each(Object.keys(cases))('%s', async (name) => {
    const aborts = name.startsWith('abort-');
    const lines = await run(`[[${name}]] modern`, async (from) => {
      if (!aborts) return;
      const isTool = (frame: Frame) => frame.type === 'tool_execution_start';
      await client.waitFor(name === 'abort-tool' ? isTool : isDelta, 'something to abort', from);
      expect(await ask({ type: 'abort' })).toMatchObject({ success: true });
    });
    if (aborts) expect(JSON.stringify(lines.at(-1))).toContain('"stopReason":"aborted"');
    await run(`[[text]] modern after ${name}`);
    expect(faults()).toEqual([]);
  });

  test('what pi cannot do is answered by the session, or refused', async () => {
    await run('[[text]] a last word');
    expect(await ask({ type: 'get_state' })).toMatchObject({ success: true, data: { isStreaming: false } });
    expect(await ask({ type: 'get_last_assistant_text' })).toMatchObject({
      success: true,
      data: { text: 'Hello, world. This is plain text.' },
    });
    expect(await ask({ type: 'get_messages' })).toMatchObject({ success: true });
    expect(await ask({ type: 'get_session_stats' })).toMatchObject({ success: true });
    for (const type of ['cycle_thinking_level', 'new_session', 'abort_retry', 'no_such_command']) {
      expect(await ask({ type })).toMatchObject({ success: false, error: expect.any(String) });
    }
    const steering = await run('[[waiting]] steer me', async (from) => {
      await client.waitFor((frame) => frame.type === 'tool_execution_start', 'the tool', from);
      expect(await ask({ type: 'steer', message: 'left' })).toMatchObject({ success: false });
      expect(await ask({ type: 'abort' })).toMatchObject({ success: true });
    });
    expect(steering.at(-1)).toMatchObject({ type: 'agent_end' });
    const told = recordsWith(home, 'a last word')
      .flat()
      .filter(({ dir }) => dir === 'in');
    const types = told.map(({ line }) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)).type);
    expect(new Set(types)).toEqual(new Set(['prompt', 'abort']));
  });

  test('a compaction is answered', async () => {
    await run('[[text]] to be compacted');
    expect(await ask({ type: 'compact' })).toMatchObject({
      success: true,
      data: { summary: expect.stringContaining('A summary of the talk.') },
    });
    expect(await ask({ type: 'compact' })).toMatchObject({ success: true });
    expect(faults()).toEqual([]);
  });
});
