// Clients of pi-server in front of the real pi 0.54.2 and a fake model, with an extension that asks: everything that a run can
// do, stored sessions, and whether frames have the keys that the real server's have, around the very same pi.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { makePiHome, modelId, type PiHome, piCommand } from '../support/pi-rig.ts';
import { connectPiServer, type PiServerClient, type SessionEvent } from '../support/pi-server-client.ts';
import { differences, framesOf, hasRecordings, recordedFrames, shapesOf } from '../support/pi-server-shapes.ts';

/** A start of pi on a busy machine. */
const timeout = 60_000;

/** `/ui` asks inside a prompt, and says what it heard; a tool whose command holds `leave` asks before it runs. */
const extension = `
export default function (pi) {
  const heard = (ctx, value) => ctx.ui.notify('heard ' + JSON.stringify(value === undefined ? null : value), 'info');
  pi.registerCommand('ui', {
    description: 'asks',
    handler: async (kind, ctx) => {
      switch (kind.trim()) {
        case 'select': return heard(ctx, await ctx.ui.select('Choose', ['Option A', 'Option B']));
        case 'confirm': return heard(ctx, await ctx.ui.confirm('Sure?', 'Really'));
        case 'input': return heard(ctx, await ctx.ui.input('Name?', 'a name'));
        case 'editor': return heard(ctx, await ctx.ui.editor('Edit', 'before'));
        case 'twice': {
          await ctx.ui.select('Choose', ['Option A', 'Option B']);
          return heard(ctx, await ctx.ui.confirm('Sure?', 'Really'));
        }
        case 'briefly': return heard(ctx, await ctx.ui.select('Choose', ['Option A'], { timeout: 100 }));
        default:
          ctx.ui.setStatus('key', 'a status');
          ctx.ui.setWidget('key', ['a widget']);
          ctx.ui.setTitle('a title');
          return heard(ctx, kind);
      }
    },
  });
  pi.on('tool_call', async (event, ctx) => {
    if (!String(event.input.command).includes('leave')) return undefined;
    return (await ctx.ui.confirm('Tool', 'May it?')) ? undefined : { block: true, reason: 'no leave' };
  });
}
`;

const overloaded = (times: number) => Array.from({ length: times }, () => ({ status: 503, error: 'api_error' }));
const scenarios = new Map<string, Scenario>([
  // The SDK inside pi tries three times before pi hears of it.
  ['unavailable', () => [{ blocks: [{ type: 'text', deltas: ['At ', 'last.'] }], faults: overloaded(3) }]],
  ['gone', () => [{ blocks: [{ type: 'text', deltas: ['Never.'] }], faults: overloaded(40) }]],
  [
    'leave',
    () => [
      {
        blocks: [
          { type: 'text', deltas: ['May I?'] },
          { type: 'tool_use', name: 'bash', deltas: ['{"command":"echo leave"}'] },
        ],
      },
      { blocks: [{ type: 'text', deltas: ['So ', 'much.'] }] },
    ],
  ],
]);

let fake: FakeAnthropic;
let home: PiHome;
let server: GatewayServer;
let client: PiServerClient;
/** One session for all tests that leave it idle. */
let session: string;

beforeAll(async () => {
  fake = await startFakeAnthropic({ scenarios });
  const made = makePiHome({ baseUrl: fake.url });
  // Where pi keeps its sessions when nobody says otherwise: the gateway looks there too.
  home = { ...made, agentDir: join(made.dir, '.pi', 'agent') };
  mkdirSync(join(made.dir, '.pi'));
  renameSync(made.agentDir, home.agentDir);
  mkdirSync(join(home.agentDir, 'extensions'));
  writeFileSync(join(home.agentDir, 'extensions', 'ui.ts'), extension);
  const { argv, env } = piCommand(home);
  const command = argv.filter((word) => word !== '--no-session');
  const { PI_CODING_AGENT_DIR: _, ...rest } = env;
  const agents = { pi: { protocol: 'pi', command, cwd: home.project, env: { ...rest, HOME: home.dir } } };
  const config = join(home.dir, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents, exportDirectory: home.project }));
  const settings = JSON.stringify({ commandsPerMinute: 10_000 });
  server = await startServerWith(config, { PATCHBAY_PI_SERVER: settings, XDG_STATE_HOME: join(home.dir, 'state') });
  client = await connectPiServer(server);
  session = await client.open('tour');
}, timeout);
afterAll(async () => {
  await client?.close();
  await server?.close();
  await fake.close();
  home.remove();
});

let prompts = 0;
const words = (scenario: string, rest = ''): string => `[[${scenario}]] ${rest} ${++prompts}`;

const Update = z.looseObject({
  assistantMessageEvent: z.looseObject({ type: z.string(), delta: z.string().optional() }),
});
/** Types in order; what streams is told by what it is, once. */
function outline(events: readonly SessionEvent[]): string[] {
  const types = events.map((event) =>
    event.type === 'message_update' ? Update.parse(event).assistantMessageEvent.type : event.type,
  );
  return types.filter((type, at) => type !== types[at - 1] || !/_delta$|_update$/u.test(type));
}
const textOf = (events: readonly SessionEvent[]): string =>
  events
    .filter(({ type }) => type === 'message_update')
    .map((event) => Update.parse(event).assistantMessageEvent)
    .map(({ type, delta }) => (type === 'text_delta' ? delta : ''))
    .join('');

/** A prompt and all that its session said until its answer. */
async function run(prompt: string, act: (from: number) => Promise<unknown> = async () => {}, sessionId = session) {
  const from = client.frames.length;
  const before = client.heard(sessionId).length;
  const answered = client.ask('prompt', { sessionId, message: prompt });
  await act(from);
  const answer = await answered;
  return { answer, events: client.heard(sessionId).slice(before) };
}
const isText = (event: SessionEvent) =>
  event.type === 'message_update' && Update.parse(event).assistantMessageEvent.type === 'text_delta';
const done = { success: true };

const added = ['message_start', 'message_end'];
const block = (kind: string) => [`${kind}_start`, `${kind}_delta`, `${kind}_end`];
const message = (...blocks: string[]) => ['message_start', ...blocks.flatMap(block), 'message_end'];
const spoken = ['agent_start', 'turn_start', ...added, ...message('text'), 'turn_end', 'agent_end'];

describe('runs', { timeout }, () => {
  test('text and thoughts', async () => {
    const text = await run(words('text'));
    expect(text.answer).toMatchObject(done);
    expect(outline(text.events)).toEqual(spoken);
    expect(textOf(text.events)).toBe('Hello, world. This is plain text.');
    const thought = await run(words('think'));
    expect(outline(thought.events)).toEqual([
      'agent_start',
      'turn_start',
      ...added,
      ...message('thinking', 'text'),
      'turn_end',
      'agent_end',
    ]);
  });

  test('tools', async () => {
    const { answer, events } = await run(words('tools'));
    expect(answer).toMatchObject(done);
    expect(outline(events).filter((type) => type === 'tool_execution_end')).toHaveLength(2);
    expect(JSON.stringify(events)).toMatch(/hello\\nworld.*alpha\\nbeta/su);
  });

  test('a retry: several ends of the agent, and one answer', async () => {
    const { answer, events } = await run(words('unavailable'));
    expect(answer).toMatchObject(done);
    const types = outline(events);
    expect(types.filter((type) => type === 'agent_end')).toHaveLength(2);
    expect(types).toContain('auto_retry_start');
    expect(types).toContain('auto_retry_end');
    expect(textOf(events)).toBe('At last.');
  });

  test('retries that help nothing', async () => {
    const { answer, events } = await run(words('gone'));
    expect(answer).toMatchObject(done);
    expect(outline(events).filter((type) => type === 'agent_end')).toHaveLength(4);
    expect(events.find(({ type }) => type === 'auto_retry_end')).toMatchObject({ success: false, attempt: 3 });
  });

  test('a model that refuses is no failure of the prompt', async () => {
    const { answer, events } = await run(words('bad-request'));
    expect(answer).toMatchObject(done);
    expect(JSON.stringify(events.at(-1))).toContain('"stopReason":"error"');
  });

  test('an abort in mid stream', async () => {
    const { answer, events } = await run(words('abort-text'), async (from) => {
      await client.hear(session, 'its words', isText, from);
      expect(await client.ask('abort', { sessionId: session })).toMatchObject(done);
    });
    expect(answer).toMatchObject(done);
    expect(JSON.stringify(events.at(-1))).toContain('"stopReason":"aborted"');
    expect((await run(words('text'))).answer).toMatchObject(done);
  });

  test('a message steers a run, and another follows it', async () => {
    const { events } = await run(words('waiting'), async (from) => {
      await client.hear(session, 'its tool', 'tool_execution_start', from);
      expect(await client.ask('steer', { sessionId: session, message: words('text', 'LEFT') })).toMatchObject(done);
      expect(await client.ask('follow_up', { sessionId: session, message: words('think', 'THEN') })).toMatchObject(
        done,
      );
      writeFileSync(join(home.project, 'go'), '');
    });
    const text = JSON.stringify(events.filter(({ type }) => type === 'message_start'));
    expect(text).toMatch(/LEFT.*THEN/su);
    expect(textOf(events)).toContain('The answer is 42.');
  });

  test.each([
    ['steer', 'a run', 'waiting'],
    ['followUp', 'a run', 'waiting'],
    ['steer', 'a slash command', '/ui nothing'],
    ['followUp', 'a slash command', '/ui nothing'],
  ])('prompts that are to join (%s) are sent in one go with %s', async (streamingBehavior, _, first) => {
    // The run waits until the last prompt has joined: pi loses a prompt that comes in the moment in which a run ends.
    const go = join(home.project, 'go');
    rmSync(go, { force: true });
    const isRun = first === 'waiting';
    const [left, right] = [words(isRun ? 'text' : 'waiting', 'LEFT'), words('text', 'RIGHT')];
    const { answer } = await run(isRun ? words(first, 'FIRST') : first, async () => {
      const [leftJoins, rightJoins] = [left, right].map((message) =>
        client.ask('prompt', { sessionId: session, message, streamingBehavior }),
      );
      expect(await rightJoins).toMatchObject(done);
      writeFileSync(go, '');
      expect(await leftJoins).toMatchObject(done);
    });
    expect(answer).toMatchObject(done);
    for (const text of [left, right]) {
      await fake.until(({ body }) => JSON.stringify(body).includes(text), `the model hears ${text}`);
    }
  });

  test('a compaction by itself', async () => {
    const before = client.frames.length;
    const { answer } = await run(words('compact'));
    expect(answer).toMatchObject(done);
    await client.hear(session, 'its beginning', 'auto_compaction_start', before);
    const end = await client.hear(session, 'its end', 'auto_compaction_end', before);
    expect(end).toMatchObject({
      aborted: false,
      willRetry: false,
      result: { summary: expect.stringContaining('A summary') },
    });
  });

  test('two sessions at once', async () => {
    const other = await client.open('other');
    const held = client.ask('prompt', { sessionId: session, message: words('hold', 'ONE') });
    await client.hear(session, 'its words', isText, client.frames.length);
    const { answer, events } = await run(words('think', 'OTHER'), async () => {}, other);
    expect(answer).toMatchObject(done);
    expect(textOf(events)).toBe('The answer is 42.');
    expect(JSON.stringify(events)).not.toContain('ONE');
    await client.get('abort', { sessionId: session });
    expect(await held).toMatchObject(done);
    expect(JSON.stringify(client.heard(session))).not.toContain('OTHER');
    await client.get('delete_session', { sessionId: other });
  });
});

describe('an extension asks inside a prompt', { timeout }, () => {
  const Asked = z.looseObject({ requestId: z.string(), method: z.string() });
  const isQuestion = (event: SessionEvent) =>
    event.type === 'extension_ui_request' && /^(?:select|confirm|input|editor)$/u.test(Asked.parse(event).method);
  const reply = (requestId: string, response: object) =>
    client.ask('extension_ui_response', { sessionId: session, requestId, response });

  test.each<[kind: string, answer: object, heard: string]>([
    ['select', { method: 'select', value: 'Option B' }, '"Option B"'],
    ['confirm', { method: 'confirm', confirmed: true }, 'true'],
    ['input', { method: 'input', value: 'a word' }, '"a word"'],
    ['editor', { method: 'editor', value: 'two\nlines' }, '"two\\nlines"'],
    ['select', { method: 'cancelled' }, 'null'],
    ['confirm', { method: 'cancelled' }, 'false'],
  ])('%s: %o', async (kind, answer, heard) => {
    const { answer: ended, events } = await run(`/ui ${kind}`, async (from) => {
      const asked = Asked.parse(await client.hear(session, 'the question', isQuestion, from));
      expect(asked.method).toBe(kind);
      expect(await reply(asked.requestId, answer)).toMatchObject(done);
    });
    expect(ended).toMatchObject(done);
    expect(events.filter(({ method }) => method === 'notify')).toMatchObject([
      { message: `heard ${heard}`, notifyType: 'info' },
    ]);
  });

  test('nobody answers in time', async () => {
    const { answer, events } = await run('/ui briefly');
    expect(answer).toMatchObject(done);
    const asked = Asked.parse(events.find(isQuestion));
    expect(events.filter(({ method }) => method === 'notify')).toMatchObject([{ message: 'heard null' }]);
    expect(await reply(asked.requestId, { method: 'select', value: 'Option A' })).toMatchObject({
      success: false,
      error: `No pending UI request with id ${asked.requestId}`,
    });
  });

  test.each([
    [true, 'leave\\\\n'],
    [false, 'no leave'],
  ])('before a tool: %s', async (confirmed, said) => {
    const { answer, events } = await run(words('leave'), async (from) => {
      const { requestId } = Asked.parse(await client.hear(session, 'the question', isQuestion, from));
      expect(await reply(requestId, { method: 'confirm', confirmed })).toMatchObject(done);
    });
    expect(answer).toMatchObject(done);
    expect(JSON.stringify(events.find(({ type }) => type === 'tool_execution_end'))).toMatch(new RegExp(said, 'u'));
    expect(textOf(events)).toBe('May I?So much.');
  });

  test('twice, and is aborted at the first question', async () => {
    const { answer, events } = await run('/ui twice', async (from) => {
      await client.hear(session, 'the question', isQuestion, from);
      expect(await client.ask('abort', { sessionId: session })).toMatchObject(done);
    });
    expect(answer).toMatchObject(done);
    expect(events.filter(({ method }) => method === 'notify')).toMatchObject([{ message: 'heard false' }]);
    expect((await run(words('text'))).answer).toMatchObject(done);
  });

  test('and tells', async () => {
    const { events } = await run('/ui nothing');
    expect(events.flatMap(({ method }) => method ?? [])).toEqual(['setStatus', 'setWidget', 'setTitle', 'notify']);
  });
});

describe('commands', { timeout }, () => {
  test('a shell command, and one that is cancelled', async () => {
    const sessionId = session;
    expect(await client.get('bash', { sessionId, command: 'echo out; echo err >&2; exit 3' })).toMatchObject({
      exitCode: 3,
      output: 'out\nerr\n',
      cancelled: false,
    });
    const bash = client.ask('bash', { id: 'sleeps', sessionId, command: 'sleep 60' });
    await client.waitFor(({ type, data }) => type === 'command_started' && Object(data).commandId === 'sleeps', 'it');
    expect(await client.ask('abort_bash', { sessionId })).toMatchObject(done);
    expect(await bash).toMatchObject({ success: true, data: { cancelled: true } });
  });

  test('settings, names and what is known of a session', async () => {
    const sessionId = session;
    expect(await client.get('set_model', { sessionId, provider: 'fake', modelId })).toMatchObject({
      model: { id: modelId },
    });
    expect(await client.ask('set_model', { sessionId, provider: 'nobody', modelId: 'none' })).toMatchObject({
      success: false,
      error: expect.stringContaining('nobody/none'),
    });
    await client.get('set_session_name', { sessionId, name: 'A talk' });
    await client.get('set_thinking_level', { sessionId, level: 'high' });
    expect(await client.get('get_state', { sessionId })).toMatchObject({
      sessionId,
      sessionName: 'A talk',
      thinkingLevel: 'high',
      isStreaming: false,
      model: { id: modelId, provider: 'fake' },
    });
    const stats = z
      .looseObject({ userMessages: z.number(), totalMessages: z.number(), cost: z.number() })
      .parse(await client.get('get_session_stats', { sessionId }));
    expect(stats.totalMessages).toBeGreaterThan(stats.userMessages);
    for (const [type, key] of [
      ['get_available_models', 'models'],
      ['get_commands', 'commands'],
      ['get_skills', 'skills'],
      ['get_tools', 'tools'],
      ['list_session_files', 'files'],
    ] as const) {
      expect(await client.get(type, { sessionId })).toEqual({ [key]: expect.any(Array) });
    }
    expect(JSON.stringify(await client.get('get_commands', { sessionId }))).toContain('"ui"');
    expect(await client.get('get_context_usage', { sessionId })).toMatchObject({ contextWindow: 200_000 });
    expect(await client.get('compact', { sessionId })).toMatchObject({ summary: expect.stringContaining('A summary') });
  });

  test('an export, a fork and a new talk', async () => {
    const sessionId = await client.open('forked');
    await run(words('text', 'FIRST'), async () => {}, sessionId);
    await run(words('think', 'SECOND'), async () => {}, sessionId);
    const { path } = await client.get('export_html', { sessionId });
    // Pi names it as it lies to its working directory.
    expect(existsSync(resolve(home.project, z.string().parse(path)))).toBe(true);
    const { messages: points } = await client.get('get_fork_messages', { sessionId });
    const [, second] = z.array(z.object({ entryId: z.string(), text: z.string() })).parse(points);
    expect(await client.get('fork', { sessionId, entryId: second?.entryId })).toMatchObject({
      text: second?.text,
      cancelled: false,
    });
    const { messages } = await client.get('get_messages', { sessionId });
    expect(JSON.stringify(messages)).toMatch(/FIRST/u);
    expect(JSON.stringify(messages)).not.toMatch(/SECOND/u);
    expect(await client.ask('fork', { sessionId, entryId: 'zzz' })).toMatchObject({
      success: false,
      error: 'Invalid entry ID for forking',
    });
    expect(await client.get('new_session', { sessionId })).toEqual({ cancelled: false });
    expect(await client.get('get_messages', { sessionId })).toEqual({ messages: [] });
    expect(await client.get('get_last_assistant_text', { sessionId })).toEqual({ text: null });
    expect((await run(words('text'), async () => {}, sessionId)).answer).toMatchObject(done);
    await client.get('delete_session', { sessionId });
  });

  test('a session is stored, forgotten, listed and loaded', async () => {
    const sessionId = await client.open('kept');
    await run(words('text', 'REMEMBER'), async () => {}, sessionId);
    const { sessionFile } = await client.get('get_state', { sessionId });
    await client.get('delete_session', { sessionId });
    expect(await client.ask('get_state', { sessionId })).toMatchObject({
      success: false,
      error: 'Session kept not found',
    });
    const { sessions } = await client.get('list_stored_sessions');
    const stored = z
      .array(z.looseObject({ sessionFile: z.string(), sessionPath: z.string(), fileExists: z.boolean() }))
      .parse(sessions);
    const found = stored.find((one) => one.sessionFile === sessionFile);
    expect(found).toMatchObject({ sessionPath: sessionFile, fileExists: true, cwd: home.project });
    const loaded = await client.ask('load_session', { sessionPath: sessionFile, sessionId: 'again' });
    expect(loaded).toMatchObject({
      success: true,
      sessionVersion: 0,
      data: { sessionId: 'again', sessionInfo: { messageCount: 2 } },
    });
    expect(JSON.stringify(await client.get('get_messages', { sessionId: 'again' }))).toContain('REMEMBER');
    await client.get('switch_session', { sessionId: 'again' });
    await run(words('think', 'GO ON'), async () => {}, 'again');
    const asked = fake.requests.find(({ prompt }) => prompt.text.includes('GO ON'));
    expect(JSON.stringify(asked?.body.messages)).toContain('REMEMBER');
    await client.get('delete_session', { sessionId: 'again' });
  });
});

/** What we say and the real server does not, or the other way round; see the README of the adapter. */
const declared: ReadonlyMap<RegExp, string> = new Map([
  [
    /\.content\[\]\(\w+\) -(?:index|partialJson)$/u,
    'notes of the reader of the model’s stream, which it strips off later',
  ],
  [/extension_ui_request confirm\) -timeout$/u, 'the extension that was recorded gave one'],
  [/data\.sessions\[\] \+sessionName$/u, 'the session that was recorded had none'],
]);

describe.skipIf(!hasRecordings)('beside the real server (skipped where there is no corpus)', () => {
  test('frames have the same keys', () => {
    const found = differences(shapesOf(client.frames), shapesOf(recordedFrames()));
    const rules = [...declared.keys()];
    expect(found.filter((one) => !rules.some((rule) => rule.test(one)))).toEqual([]);
    expect(rules.filter((rule) => !found.some((one) => rule.test(one)))).toEqual([]);
  });

  test.each([
    ['prompt-text', 'text', 'text'],
    ['prompt-thinking', 'think', 'thinking'],
  ])('%s: the same events in the same order', (name) => {
    const Said = z.looseObject({ type: z.literal('event'), event: z.looseObject({ type: z.string() }) });
    const theirs = framesOf(name).flatMap((frame) => Said.safeParse(frame).data?.event ?? []);
    const ours =
      name === 'prompt-text'
        ? spoken
        : ['agent_start', 'turn_start', ...added, ...message('thinking', 'text'), 'turn_end', 'agent_end'];
    expect(outline(theirs)).toEqual(ours);
  });
});

test('the judge has no complaint', () => expect(client.judge()).toEqual([]));
