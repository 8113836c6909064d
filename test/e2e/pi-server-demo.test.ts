// Clients of pi-server in front of the demo agent, over each transport: prompts, tools, questions that are answered inside a
// prompt, what goes beside one, subscriptions, sessions that others open, limits, readers that do not read, and the end.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { promptFrame } from '../support/claude-turn.ts';
import { connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import {
  connectPiServer,
  connectPiServerEvents,
  type PiServerClient,
  type SessionEvent,
  startPiServer,
  type WebSocketWish,
} from '../support/pi-server-client.ts';
import { samplesOf } from '../support/samples.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const manyCommands = { commandsPerMinute: 100_000 };

let dir: string;
let server: GatewayServer;
/** An agent without waits, and one that takes its time. */
const agents = {
  quick: { protocol: 'demo', options: { paceMs: 0 } },
  paced: { protocol: 'demo', options: { paceMs: 10 } },
};

function configure(name: string, more: object = {}): string {
  const path = join(dir, `${name}.json`);
  writeFileSync(path, JSON.stringify({ agents, defaultAgent: 'quick', ...more }));
  return path;
}
const environment = (settings: object = manyCommands) => ({
  PATCHBAY_PI_SERVER: JSON.stringify(settings),
  XDG_STATE_HOME: join(dir, 'state'),
});
const start = (config: string, settings?: object) => startServerWith(config, environment(settings));

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'patchbay-pi-server-'));
  server = await start(configure('patchbay'));
});
afterAll(async () => {
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
async function connect(wish: WebSocketWish = {}, where: GatewayServer = server) {
  const client = await connectPiServer(where, wish);
  open.push(() => client.close());
  return client;
}
async function stdio(settings?: object): Promise<Awaited<ReturnType<typeof startPiServer>>> {
  const words = ['stdio', '--frontend', 'pi-server', '--config', configure('stdio'), '--agent', 'quick'];
  const client = await startPiServer([process.execPath, cli, ...words], { env: environment(settings) });
  open.push(() => client.close());
  return client;
}

let sessions = 0;
const newSession = () => `s${++sessions}`;

/** A client, and a session that it hears. */
interface Place {
  readonly client: PiServerClient;
  readonly session: string;
  /** The connection hears that one and no other. */
  readonly isBound: boolean;
}
const ways: Record<string, () => Promise<Place>> = {
  websocket: async () => {
    const client = await connect();
    return { client, session: await client.open(newSession()), isBound: false };
  },
  'websocket of one session': async () => {
    const session = await server.createSession();
    return { client: await connect({ session }), session, isBound: true };
  },
  stdio: async () => {
    const client = await stdio();
    return { client, session: await client.open(newSession()), isBound: false };
  },
  sse: async () => {
    const session = await server.createSession();
    const client = await connectPiServerEvents(server, session);
    open.push(() => client.close());
    return { client, session, isBound: true };
  },
};

const judged = ({ client, session, isBound }: Place) => client.judge(isBound ? { bound: session } : {});

const Update = z.looseObject({
  assistantMessageEvent: z.looseObject({ type: z.string(), delta: z.string().optional() }),
});
/** The words that streamed. */
const streamed = (events: readonly SessionEvent[]): string =>
  events
    .filter(({ type }) => type === 'message_update')
    .map((event) => Update.parse(event).assistantMessageEvent)
    .map(({ type, delta }) => (type === 'text_delta' ? delta : ''))
    .join('');
const says = (words: string) => (event: SessionEvent) => JSON.stringify(event).includes(words);
const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type);

/** That command has finished, whoever sent it. */
const finished = (client: PiServerClient, id: string) =>
  client.waitFor(({ type, data }) => type === 'command_finished' && Object(data).commandId === id, `the end of ${id}`);

/** The question that a prompt asks, and how it is answered. */
async function question({ client, session }: Place): Promise<Record<string, unknown> & { requestId: string }> {
  const event = await client.hear(session, 'a question', 'extension_ui_request');
  return z.looseObject({ requestId: z.string() }).parse(event);
}
const respond = ({ client, session }: Place, requestId: string, response: object) =>
  client.ask('extension_ui_response', { sessionId: session, requestId, response });

describe.each(Object.keys(ways))('over %s', (way) => {
  async function arrive(): Promise<Place> {
    const place = await ways[way]?.();
    if (place === undefined) throw new Error(`no way ${way}`);
    return place;
  }

  test('a prompt with thoughts, a tool and text', async () => {
    const place = await arrive();
    const { client, session } = place;
    expect(client.frames[0]).toMatchObject({ type: 'server_ready', data: { protocolVersion: '1.0.0' } });
    const response = await client.ask('prompt', { sessionId: session, message: 'think tool' });
    expect(response).toMatchObject({ success: true, sessionVersion: 1 });
    const heard = client.heard(session);
    const types = typesOf(heard);
    expect(types[0]).toBe('agent_start');
    expect(types.at(-1)).toBe('agent_end');
    for (const type of ['turn_start', 'message_start', 'message_end', 'tool_execution_start', 'tool_execution_end'])
      expect(types).toContain(type);
    const { text } = await client.get('get_last_assistant_text', { sessionId: session });
    expect(streamed(heard)).toContain(text);
    const { messages } = await client.get('get_messages', { sessionId: session });
    expect(
      z
        .array(z.looseObject({ role: z.string() }))
        .parse(messages)
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect(judged(place)).toEqual([]);
  });

  // Rows 93 to 97 of docs/protocols/pi-server.md 23.10 and 23.11, where the real server cannot do what its specification says.
  test('leave for a tool is given inside the prompt', async () => {
    const place = await arrive();
    const { client, session } = place;
    const prompt = client.ask('prompt', { sessionId: session, message: 'ask' });
    const { requestId, method } = await question(place);
    expect(method).toBe('confirm');
    expect(await respond(place, requestId, { method: 'confirm', confirmed: true })).toMatchObject({ success: true });
    expect(await prompt).toMatchObject({ success: true });
    expect(typesOf(client.heard(session))).toContain('tool_execution_end');
    expect(await respond(place, requestId, { method: 'confirm', confirmed: true })).toMatchObject({
      success: false,
      error: `No pending UI request with id ${requestId}`,
    });
    expect(judged(place)).toEqual([]);
  });

  test('the abort of a prompt ends it', async () => {
    const place = await arrive();
    const { client, session } = place;
    const prompt = client.ask('prompt', { sessionId: session, message: 'hang' });
    await client.hear(session, 'its beginning', says('I was about to'));
    expect(await client.ask('abort', { sessionId: session })).toMatchObject({ success: true });
    expect(await prompt).toMatchObject({ success: true });
    expect(JSON.stringify(client.heard(session).at(-1))).toContain('"stopReason":"aborted"');
    expect(judged(place)).toEqual([]);
  });

  test('a shell command is cancelled', async () => {
    const place = await arrive();
    const { client, session } = place;
    const bash = client.ask('bash', { sessionId: session, command: 'hang on' });
    await client.waitFor(
      ({ type, data }) => type === 'command_started' && Object(data).commandType === 'bash',
      'the shell command',
    );
    expect(await client.ask('abort_bash', { sessionId: session })).toMatchObject({ success: true });
    expect(await bash).toMatchObject({ success: true, data: { cancelled: true } });
    expect(judged(place)).toEqual([]);
  });
});

describe('inside a prompt', () => {
  async function arrive(agent = 'quick'): Promise<Place> {
    const client = await connect({ agent });
    return { client, session: await client.open(newSession()), isBound: false };
  }

  test.each([
    ['select', { value: 'second' }],
    ['confirm', { confirmed: true }],
    ['input', { value: 'a line' }],
    ['editor', { value: 'two\nlines' }],
  ] as const)('a question of the kind %s is answered', async (method, answer) => {
    const place = await arrive();
    const { client, session } = place;
    const prompt = client.ask('prompt', { sessionId: session, message: method });
    const asked = await question(place);
    expect(asked.method).toBe(method);
    const [option] = z.array(z.string()).catch([]).parse(asked.options);
    const words = method === 'select' ? { value: option } : answer;
    expect(await respond(place, asked.requestId, { method, ...words })).toMatchObject({ success: true });
    expect(await prompt).toMatchObject({ success: true });
    // The agent repeats what it was answered.
    const said = streamed(client.heard(session));
    const [value] = Object.values(words);
    if (typeof value === 'string') expect(said).toContain(value);
    else expect(said.length).toBeGreaterThan(0);
    expect(client.judge()).toEqual([]);
  });

  test('a question is dismissed', async () => {
    const place = await arrive();
    const prompt = place.client.ask('prompt', { sessionId: place.session, message: 'input' });
    const { requestId } = await question(place);
    expect(await respond(place, requestId, { method: 'cancelled' })).toMatchObject({ success: true });
    expect(await prompt).toMatchObject({ success: true });
    expect(place.client.judge()).toEqual([]);
  });

  test('an answer of another client counts once, whoever was first', async () => {
    const place = await arrive();
    const { client, session } = place;
    const other = await connect();
    await other.get('switch_session', { sessionId: session });
    const prompt = client.ask('prompt', { id: `p-${session}`, sessionId: session, message: 'confirm' });
    const { requestId } = await question(place);
    await other.hear(session, 'the question', 'extension_ui_request');
    const answers = await Promise.all([
      respond(place, requestId, { method: 'confirm', confirmed: true }),
      respond({ ...place, client: other }, requestId, { method: 'confirm', confirmed: false }),
    ]);
    expect(answers.map(({ success }) => success).sort()).toEqual([false, true]);
    expect(await prompt).toMatchObject({ success: true });
    await finished(other, `p-${session}`);
    expect([client.judge(), other.judge({ late: true })]).toEqual([[], []]);
  });

  test.each(['steer', 'follow_up'])('%s enters the run', async (type) => {
    const place = await arrive('paced');
    const { client, session } = place;
    const prompt = client.ask('prompt', { sessionId: session, message: 'slow 10 long 100' });
    await client.hear(session, 'its words', 'message_update');
    expect(await client.ask(type, { sessionId: session, message: 'to the left' })).toMatchObject({ success: true });
    expect(await prompt).toMatchObject({ success: true });
    const heard = client.heard(session);
    expect(typesOf(heard).filter((one) => one === 'agent_start')).toHaveLength(1);
    expect(heard.some((event) => event.type === 'message_start' && says('to the left')(event))).toBe(true);
    expect(client.judge()).toEqual([]);
  });

  test('a prompt that says how joins it, and one that does not waits', async () => {
    const place = await arrive('paced');
    const { client, session } = place;
    const first = client.ask('prompt', { sessionId: session, message: 'slow 10 long 60' });
    await client.hear(session, 'its words', 'message_update');
    const joins = { sessionId: session, message: 'hurry', streamingBehavior: 'steer' };
    expect(await client.ask('prompt', { id: 'joins', ...joins })).toMatchObject({ success: true });
    const second = client.ask('prompt', { id: 'waits', sessionId: session, message: 'later' });
    expect(await first).toMatchObject({ success: true });
    expect(await second).toMatchObject({ success: true });
    const types = typesOf(client.heard(session));
    expect(types.filter((type) => type === 'agent_start')).toHaveLength(2);
    expect(client.judge()).toEqual([]);
  });

  test('what looks waits behind the prompt, and the server’s lane does not', async () => {
    const { client, session } = await arrive();
    const prompt = client.ask('prompt', { sessionId: session, message: 'hang' });
    await client.hear(session, 'its beginning', says('I was about to'));
    const state = client.ask('get_state', { id: 'state', sessionId: session });
    expect(await client.ask('list_sessions')).toMatchObject({ success: true });
    expect(await client.ask('switch_session', { sessionId: session })).toMatchObject({ success: true });
    expect(client.answers('state')).toEqual([]);
    await client.ask('abort', { sessionId: session });
    expect([(await prompt).success, (await state).success]).toEqual([true, true]);
    expect(client.judge()).toEqual([]);
  });
});

describe('several clients', () => {
  test('only who subscribes hears a session; all hear the course of commands', async () => {
    const [one, other] = [await connect(), await connect()];
    const session = await one.open(newSession());
    await one.get('prompt', { id: `p-${session}`, sessionId: session, message: 'hello' });
    await finished(other, `p-${session}`);
    expect(other.heard(session)).toEqual([]);
    expect(other.course(`p-${session}`).map(({ type }) => type)).toEqual([
      'command_accepted',
      'command_started',
      'command_finished',
    ]);
    // Whoever subscribes late hears nothing of what was.
    await other.get('switch_session', { sessionId: session });
    const from = other.heard(session).length;
    const before = one.heard(session).length;
    // A third that is not subscribed speaks.
    const third = await connect();
    const id = `third-${session}`;
    expect(await third.ask('prompt', { id, sessionId: session, message: 'tool' })).toMatchObject({ success: true });
    // Each connection is told in its own turn.
    await Promise.all([one, other].map((client) => finished(client, id)));
    await Promise.all(
      [one, other].map((client) =>
        client.until(
          () => client.heard(session).filter(({ type }) => type === 'agent_end').length > (client === one ? 1 : 0),
          'the end',
        ),
      ),
    );
    expect(third.heard(session)).toEqual([]);
    expect(one.heard(session).slice(before)).toEqual(other.heard(session).slice(from));
    expect([one.judge({ late: true }), other.judge({ late: true }), third.judge({ late: true })]).toEqual([[], [], []]);
  });

  test('subscriptions add up, and end with the connection', async () => {
    const client = await connect();
    const [first, second] = [await client.open(newSession()), await client.open(newSession())];
    await Promise.all([first, second].map((sessionId) => client.get('prompt', { sessionId, message: 'hello' })));
    for (const session of [first, second]) expect(typesOf(client.heard(session)).at(-1)).toBe('agent_end');
    expect(client.judge()).toEqual([]);
    client.cut();
    await client.ended;
    const again = await connect();
    await again.get('prompt', { sessionId: first, message: 'hello again' });
    expect(again.heard(first)).toEqual([]);
    await again.get('switch_session', { sessionId: first });
    await again.get('prompt', { sessionId: first, message: 'and again' });
    expect(typesOf(again.heard(first)).at(-1)).toBe('agent_end');
  });

  test('a prompt goes on without the client that was cut, and its answer is fetched by its id', async () => {
    const client = await connect();
    const session = await client.open(newSession());
    const command = { id: `cut-${session}`, type: 'prompt', sessionId: session, message: 'slow 20 long 20' };
    await client.send(command);
    await client.hear(session, 'its words', 'message_update');
    client.cut();
    await client.ended;
    const again = await connect();
    const { type, ...rest } = command;
    expect(await again.ask(type, rest)).toMatchObject({ success: true, replayed: true });
    const { messages } = await again.get('get_messages', { sessionId: session });
    expect(
      z
        .array(z.looseObject({ role: z.string() }))
        .parse(messages)
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant']);
  });

  test('all hear of sessions that come and go, whoever opens and closes them', async () => {
    const [one, other] = [await connect(), await connect()];
    const told = (client: PiServerClient, type: string, session: string) =>
      client.waitFor((frame) => frame.type === type && Object(frame.data).sessionId === session, `${type} ${session}`);
    const own = newSession();
    await one.get('create_session', { sessionId: own });
    for (const client of [one, other]) {
      expect(await told(client, 'session_created', own)).toMatchObject({ data: { sessionInfo: { sessionId: own } } });
    }
    await other.get('delete_session', { sessionId: own });
    for (const client of [one, other]) await told(client, 'session_deleted', own);

    const rest = await server.createSession();
    await told(one, 'session_created', rest);
    const { sessions: listed } = await one.get('list_sessions');
    expect(JSON.stringify(listed)).toContain(rest);
    await fetch(`${server.url}/v1/sessions/${rest}`, { method: 'DELETE', headers: server.headers });
    await told(one, 'session_deleted', rest);

    // A client of another protocol, which is given a session of its own.
    const from = one.frames.length;
    const claude = new WebSocket(`${server.url.replace('http', 'ws')}/v1/claude/ws`, { headers: server.headers });
    open.push(async () => claude.terminate());
    const { data } = await one.waitFor(({ type }) => type === 'session_created', 'its session', from);
    const { sessionId } = z.looseObject({ sessionId: z.string() }).parse(data);
    const id = `state-${sessionId}`;
    expect(await one.get('get_state', { id, sessionId })).toMatchObject({ sessionId, isStreaming: false });
    // Each connection is told in its own turn.
    await finished(other, id);
    expect([one.judge({ late: true }), other.judge({ late: true })]).toEqual([[], []]);
  });

  test('a client of Claude and one of pi-server in the same session', async () => {
    const session = await server.createSession();
    const claude = await connectWebSocket(server, session, 'claude');
    open.push(() => claude.close());
    const client = await connect();
    await client.get('switch_session', { sessionId: session });
    await claude.send(promptFrame('tool'));
    await claude.waitFor(({ type }) => type === 'result', 'its result');
    await client.hear(session, 'the end of a prompt of the other', 'agent_end');
    expect(typesOf(client.heard(session))).toContain('tool_execution_end');
    const from = claude.frames.length;
    // What clients of other protocols change counts as well, though nobody hears of the course of it.
    expect(await client.ask('prompt', { sessionId: session, message: 'hello from here' })).toMatchObject({
      success: true,
      sessionVersion: 2,
    });
    const result = await claude.waitFor(({ type }) => type === 'result', 'the result of a prompt of the other', from);
    expect(result).toMatchObject({ is_error: false, result: expect.stringContaining('hello from here') });
    // Its deletion ends the other as well.
    await client.get('delete_session', { sessionId: session });
    await expect(claude.waitFor(() => false, 'the end')).rejects.toThrow(/closed/u);
    expect(client.judge({ late: true }).filter((complaint) => !complaint.startsWith('pi-server/version-'))).toEqual([]);
  });
});

describe('what is no command', () => {
  test('gets one failure without an id, nobody else hears of it, and the connection goes on', async () => {
    const [client, other] = [await connect(), await connect()];
    const nonsense = [
      '{bad json',
      '{"type":"list_sessions"}{"type":"list_sessions"}',
      '[{"type":"list_sessions"}]',
      'null',
      '42',
      '"x"',
      '{}',
      '{"type":5}',
    ];
    for (const text of nonsense) {
      const from = client.frames.length;
      await client.sendRaw(text);
      const answer = await client.waitFor(({ type }) => type === 'response', `the answer to ${text}`, from);
      expect({ text, answer }).toMatchObject({ text, answer: { success: false, error: expect.any(String) } });
      expect(Object.keys(answer)).not.toContain('id');
    }
    expect(await client.ask('nope')).toMatchObject({
      success: false,
      error: expect.stringContaining("Unknown command type 'nope'"),
    });
    expect(await client.ask('list_sessions', { id: 'good' })).toMatchObject({ success: true });
    await other.waitFor(({ type }) => type === 'command_finished', 'the good one');
    expect(new Set(other.frames.flatMap(({ data }) => Object(data).commandId ?? []))).toEqual(new Set(['good']));
    expect(client.judge({ late: true })).toEqual([]);
  });
});

describe('limits', () => {
  test('of the configuration', async () => {
    const frontends = { 'pi-server': { maxMessageBytes: 1_000, commandsPerMinute: 4 } };
    const limited = await startServerWith(configure('limited', { frontends }), {
      ...environment(),
      PATCHBAY_PI_SERVER: '',
    });
    open.push(() => limited.close());
    const client = await connect({}, limited);
    const session = await client.open('s');
    await client.sendRaw(JSON.stringify({ type: 'prompt', sessionId: session, message: 'ü'.repeat(600) }));
    const refusal = await client.waitFor(
      ({ type, success }) => type === 'response' && success === false,
      'the refusal',
    );
    expect(refusal.error).toMatch(/^Message size 12\d\d exceeds limit 1000$/u);
    for (const name of ['1', '2', '3', '4']) await client.get('set_session_name', { sessionId: session, name });
    expect(await client.ask('get_state', { sessionId: session })).toMatchObject({
      success: false,
      error: 'Rate limit exceeded (4 commands/minute)',
    });
    // Another lane has an allowance of its own.
    const metrics = await client.get('get_metrics');
    expect(metrics).toMatchObject({ commandsRejected: { messageSize: 1, rateLimit: 1 } });
  });

  test('of the environment, which goes before', async () => {
    const frontends = { 'pi-server': { commandsPerMinute: 4, commandTimeoutMs: 60_000 } };
    const limited = await start(configure('before', { frontends }), {
      commandsPerMinute: 100,
      commandTimeoutMs: 1500,
      maxOutcomes: 3,
    });
    open.push(() => limited.close());
    const client = await connect({}, limited);
    const session = await client.open('s');
    const late = { success: false, timedOut: true, error: "Command 'prompt' timed out after 1500ms" };
    const words = { id: 'late', sessionId: session, message: 'hang' };
    expect(await client.ask('prompt', words)).toMatchObject(late);
    // Terminal: the same again, and what was late changes nothing (docs/protocols/pi-server.md 11.1).
    expect(await client.ask('prompt', words)).toMatchObject({ ...late, replayed: true });
    await client.hear(
      session,
      'the abort of what was late',
      (event) => event.type === 'agent_end' && says('aborted')(event),
    );
    expect(await client.ask('prompt', { sessionId: session, message: 'hello' })).toMatchObject({
      success: true,
      sessionVersion: 1,
    });
    for (const id of ['a', 'b', 'c']) await client.get('get_state', { id, sessionId: session });
    expect(await client.ask('get_state', { sessionId: session, dependsOn: ['late'] })).toMatchObject({
      success: false,
      error: "Dependency 'late' is unknown",
    });
    expect(client.judge()).toEqual([]);
  });

  test('settings that there are not are refused', async () => {
    await expect(start(configure('wrong'), { nonsense: 1 })).rejects.toThrow(/nonsense/u);
    await expect(start(configure('wrong'), { commandsPerMinute: 'many' })).rejects.toThrow(/commandsPerMinute/u);
  });

  test('a reader that does not read is let go, and the others hear everything', async () => {
    const [reader, busy] = [await connect(), await connect()];
    const letGo = async () => {
      const response = await fetch(`${server.url}/metrics`, { headers: server.headers });
      return samplesOf(await response.text(), 'patchbay_limits_total').get('rule="waitingBroadcasts"') ?? 0;
    };
    const before = await letGo();
    reader.socket.pause();
    // Each makes three frames of some 8 kB for everybody. The system keeps up to 10 MB for a reader, before the gateway does.
    const dependsOn = Array.from({ length: 32 }, (_, at) => `never-${at}-`.padEnd(250, 'x'));
    async function flood(round: number): Promise<void> {
      const ids = Array.from({ length: 25 }, (_, at) => `flood-${round}-${at}`);
      const answers = await Promise.all(
        ids.map((id) => busy.ask('get_state', { id, sessionId: 'nowhere', dependsOn })),
      );
      expect(answers.every(({ success }) => !success)).toBe(true);
    }
    let round = 0;
    for (; (await letGo()) === before; round += 1) {
      expect(round).toBeLessThan(40);
      await flood(round);
    }
    // Behind all that waits for it comes the code. Who reads nothing for 5 s from then on is cut off without one (1006).
    reader.socket.resume();
    expect(await reader.ended).toMatchObject({ code: 4008 });
    await flood(round);
    expect(reader.count('command_finished')).toBeLessThan(busy.count('command_finished'));
    expect([reader.judge({ late: true, complete: false }), busy.judge({ late: true })]).toEqual([[], []]);
  });
});

describe('the end', () => {
  test('of a server that is idle', async () => {
    const own = await start(configure('idle'));
    const client = await connect({}, own);
    await client.open('s');
    const closing = own.close();
    await client.waitFor(({ type }) => type === 'server_shutdown', 'the news');
    expect(await client.ended).toMatchObject({ code: 1001 });
    await closing;
    expect(client.frames.at(-1)).toMatchObject({
      type: 'server_shutdown',
      data: { reason: 'graceful_shutdown', timeoutMs: 30_000 },
    });
    expect(client.judge()).toEqual([]);
  });

  test('during a prompt, which is answered before', async () => {
    const own = await start(configure('draining'));
    const client = await connect({ agent: 'paced' }, own);
    const session = await client.open('s');
    await client.send({ id: 'p', type: 'prompt', sessionId: session, message: 'slow 20 long 40' });
    await client.hear(session, 'its words', 'message_update');
    const closing = own.close();
    await client.waitFor(({ type }) => type === 'server_shutdown', 'the news');
    expect(await client.ask('get_state', { id: 'q', sessionId: session })).toMatchObject({
      success: false,
      error: 'Server is shutting down',
    });
    expect(client.course('q')).toEqual([]);
    expect(client.answers('p')).toEqual([]);
    expect(await client.ended).toMatchObject({ code: 1001 });
    await closing;
    expect(client.answers('p')).toMatchObject([{ success: true }]);
    expect(typesOf(client.heard(session)).at(-1)).toBe('agent_end');
    expect(client.judge()).toEqual([]);
  });

  test('during a prompt that goes on for longer than it may', async () => {
    const client = await stdio({ ...manyCommands, drainMs: 150 });
    const session = await client.open('s');
    await client.send({ id: 'p', type: 'prompt', sessionId: session, message: 'hang' });
    await client.hear(session, 'its beginning', says('I was about to'));
    client.child.kill('SIGTERM');
    expect(await client.ended).toMatchObject({ code: 0 });
    const news = client.frames.filter(({ type }) => type === 'server_shutdown');
    expect(news).toMatchObject([{ data: { timeoutMs: 150 } }]);
    // The run is over all the same, in order.
    expect(typesOf(client.heard(session)).at(-1)).toBe('agent_end');
  });

  test.each([['idle'], ['busy']])('of a program on stdio that is %s', async (how) => {
    const client = await stdio();
    const session = await client.open('s');
    if (how === 'busy') {
      await client.send({ id: 'p', type: 'prompt', sessionId: session, message: 'slow 20 long 40' });
      await client.hear(session, 'its words', 'message_update');
    }
    client.child.kill('SIGTERM');
    expect(await client.ended).toMatchObject({ code: 0 });
    expect(client.count('server_shutdown')).toBe(1);
    if (how === 'busy') expect(client.answers('p')).toMatchObject([{ success: true }]);
    expect(client.judge()).toEqual([]);
  });

  test('of a program on stdio whose client says no more: what it asked for is done and answered', async () => {
    const client = await stdio();
    await client.send({ id: 'c', type: 'create_session', sessionId: 's' });
    await client.send({ id: 'p', type: 'prompt', sessionId: 's', message: 'tool', dependsOn: ['c'] });
    client.child.stdin?.end();
    expect(await client.ended).toMatchObject({ code: 0 });
    expect(client.answers('p')).toMatchObject([{ success: true }]);
  });
});
