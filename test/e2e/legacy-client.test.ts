// A client written against pi 0.13.2 in front of the real modern pi, of the real 0.13.2 and of the demo agent: it sees the
// example of its document, its own protocol and nothing else, whatever happens.
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import { longText, unicodeText } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { clientTransports } from '../support/client-transports.ts';
import { type Client, connectSse, connectStdio, connectWebSocket } from '../support/clients.ts';
import { shareOf } from '../support/full.ts';
import { type GatewayServer, startServer } from '../support/gateway.ts';
import { createInbox, type Frame } from '../support/inbox.ts';
import { faultsIn } from '../support/judged.ts';
import { isRunEnd, isUpdate, legacyTurn } from '../support/legacy-turn.ts';
import { linesAround, makePiHome, type PiHome, type PiPart, recordOf, recordsWith } from '../support/pi-rig.ts';

const parts = ['pi-modern', 'pi-legacy'] as const;
let fake: FakeAnthropic;
const homes = new Map<PiPart, { home: PiHome; server: GatewayServer }>();
beforeAll(async () => {
  fake = await startFakeAnthropic();
  for (const part of parts) {
    const home = makePiHome({ baseUrl: fake.url, part });
    homes.set(part, { home, server: await startServer(home) });
  }
});
afterAll(async () => {
  for (const { home, server } of homes.values()) {
    await server.close();
    home.remove();
  }
  await fake.close();
});

function rig(part: PiPart): { home: PiHome; server: GatewayServer } {
  const found = homes.get(part);
  if (found === undefined) throw new Error(`no home of ${part}`);
  return found;
}

const transports: Record<string, (part: PiPart) => Promise<Client>> = {
  stdio: async (part) => connectStdio(rig(part).home, 'pi-legacy'),
  websocket: async (part) => {
    const { server } = rig(part);
    return connectWebSocket(server, await server.createSession(), 'pi-legacy');
  },
  sse: async (part) => {
    const { server } = rig(part);
    return connectSse(server, await server.createSession(), 'pi-legacy');
  },
};

const Ended = z.object({
  type: z.literal('message_end'),
  message: z.looseObject({
    stopReason: z.string().optional(),
    content: z.union([z.string(), z.array(z.looseObject({}))]),
  }),
});
const endedIn = (lines: readonly Frame[]) => lines.flatMap((line) => Ended.safeParse(line).data?.message ?? []);
const lastStop = (lines: readonly Frame[]) =>
  endedIn(lines).findLast(({ stopReason }) => stopReason !== undefined)?.stopReason;
const saidIn = (lines: readonly Frame[]) =>
  endedIn(lines)
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.flatMap((block) => Object.values(block)),
    )
    .join('\n');

const isToolStart = (line: Frame) => line.type === 'tool_execution_start';
const isDelta = (line: Frame) =>
  ['text_delta', 'thinking_delta', 'toolcall_delta'].some((type) => isUpdate(type)(line));

/** The example session of the legacy document (docs/protocols/pi-legacy.md), line for line; what it leaves open is open here. */
function example(command: object, tool: string, words: { before: string; after: string }): object[] {
  const user = { role: 'user', content: expect.anything(), timestamp: expect.any(Number) };
  const figures = { input: expect.any(Number), output: expect.any(Number), cacheRead: expect.any(Number) };
  const usage = expect.objectContaining({ ...figures, cacheWrite: expect.any(Number), cost: expect.anything() });
  const names = { api: expect.any(String), provider: expect.any(String), model: expect.any(String) };
  const assistant = (content: unknown, stopReason: string) =>
    expect.objectContaining({ role: 'assistant', content, ...names, usage, stopReason, timestamp: expect.any(Number) });
  const text = (said: string) => ({ type: 'text', text: said });
  const id = expect.any(String);
  const call = { type: 'toolCall', id, name: tool, arguments: command };
  const update = (event: object) => ({
    type: 'message_update',
    message: expect.objectContaining({ role: 'assistant' }),
    assistantMessageEvent: { ...event, partial: expect.objectContaining({ role: 'assistant' }) },
  });
  const result = expect.objectContaining({
    role: 'toolResult',
    toolCallId: id,
    toolName: tool,
    content: [text(expect.any(String))],
    isError: false,
    timestamp: expect.any(Number),
  });
  const asking = assistant([text(words.before), call], 'toolUse');
  const closing = assistant([text(words.after)], 'stop');
  return [
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: user },
    { type: 'message_end', message: user },
    { type: 'message_start', message: assistant([], 'stop') },
    update({ type: 'text_delta', contentIndex: 0, delta: expect.any(String) }),
    update({ type: 'text_delta', contentIndex: 0, delta: expect.any(String) }),
    update({ type: 'toolcall_start', contentIndex: 1 }),
    update({ type: 'toolcall_end', contentIndex: 1, toolCall: call }),
    { type: 'message_end', message: asking },
    { type: 'tool_execution_start', toolCallId: id, toolName: tool, args: command },
    {
      type: 'tool_execution_end',
      toolCallId: id,
      toolName: tool,
      result: expect.objectContaining({ content: [text(expect.any(String))] }),
      isError: false,
    },
    { type: 'message_start', message: result },
    { type: 'message_end', message: result },
    { type: 'turn_end', message: asking, toolResults: [result] },
    { type: 'turn_start' },
    { type: 'message_start', message: assistant([], 'stop') },
    update({ type: 'text_delta', contentIndex: 0, delta: expect.any(String) }),
    { type: 'message_end', message: closing },
    { type: 'turn_end', message: closing, toolResults: [] },
    { type: 'agent_end', messages: [user, asking, result, closing].map(() => expect.objectContaining({})) },
  ];
}

/** The example shows some of the updates only: between those that it shows, more of them may come, and nothing else. */
function follow(lines: readonly Frame[], shown: readonly object[]): void {
  let at = 0;
  for (const [step, line] of shown.entries()) {
    const isShown = (heard: Frame | undefined) => {
      try {
        expect(heard).toEqual(line);
        return true;
      } catch {
        return false;
      }
    };
    while (lines[at]?.type === 'message_update' && !isShown(lines[at])) at += 1;
    expect(lines[at], `line ${step} of the example`).toEqual(line);
    at += 1;
  }
  expect(lines.slice(at)).toEqual([]);
}

describe.each(parts)('in front of the real %s', (part) => {
  const names = Object.keys(transports);
  test.each(shareOf(names, parts.indexOf(part), names.length))(
    'the example of the document, over %s',
    async (transport) => {
      const client = await transports[transport]?.(part);
      if (client === undefined) throw new Error(`no transport ${transport}`);
      const lines = await legacyTurn(client, `[[legacy-example]] List files in the current directory, ${transport}`);
      const words = {
        before: "I'll list the files for you.",
        after: 'Here are the files in the current directory:\n...',
      };
      follow(lines, example({ command: 'ls -la' }, 'bash', words));
      expect(faultsIn('pi-legacy', client.frames)).toEqual([]);
      await client.close();
    },
  );

  interface Case {
    readonly abortAt?: string;
    readonly says: readonly string[];
    readonly stop: string;
  }
  const retries = part === 'pi-modern';
  const cases: Record<string, Case> = {
    text: { says: ['Hello, world. This is plain text.'], stop: 'stop' },
    think: { says: ['Let me think about it.', 'The answer is 42.'], stop: 'stop' },
    tools: { says: ['I run two tools.', 'Both tools are done.'], stop: 'stop' },
    toolerr: { says: ['Trying.'], stop: retries ? 'stop' : 'error' },
    'abort-text': { abortAt: 'text_delta', says: ['This never ends, '], stop: 'aborted' },
    'abort-think': { abortAt: 'thinking_delta', says: ['I think '], stop: 'aborted' },
    'abort-args': { abortAt: 'toolcall_delta', says: ['Now a tool.'], stop: 'aborted' },
    'abort-tool': { abortAt: 'tool_execution_start', says: ['Running.'], stop: 'aborted' },
    overloaded: { says: retries ? ['Better late.'] : [], stop: retries ? 'stop' : 'error' },
    'mid-error': { says: ['Half a sentence'], stop: retries ? 'stop' : 'error' },
    'bad-request': { says: [], stop: 'error' },
    'max-tokens': { says: ['Cut off in the mid'], stop: 'length' },
    refusal: { says: ['I must not.'], stop: 'error' },
    empty: { says: [], stop: 'stop' },
    unicode: { says: [unicodeText], stop: 'stop' },
    long: { says: [longText], stop: 'stop' },
  };

  describe.each(names)('over %s', (transport) => {
    const place = names.indexOf(transport) + names.length * parts.indexOf(part);
    let client: Client | null = null;
    let prompts = 0;
    afterAll(() => client?.close());

    test.each(shareOf(Object.entries(cases), place, names.length * parts.length))(
      '%s',
      async (name, { abortAt, says, stop }) => {
        onTestFailed(async () => {
          const broken = client;
          client = null;
          await broken?.close();
        });
        client ??= (await transports[transport]?.(part)) ?? null;
        if (client === null) throw new Error(`no transport ${transport}`);
        const own = client;
        const lines = await legacyTurn(own, `[[${name}]] ${part} ${transport} ${++prompts}`, async (from) => {
          if (abortAt === undefined) return;
          const isThere = abortAt.startsWith('tool_') ? (line: Frame) => line.type === abortAt : isUpdate(abortAt);
          await own.waitFor(isThere, `a ${abortAt}`, from);
          await own.send({ type: 'abort' });
        });
        expect(lastStop(lines)).toBe(stop);
        for (const phrase of says) expect(saidIn(lines)).toContain(phrase);

        const again = await legacyTurn(own, `[[text]] ${transport} again ${prompts}`);
        expect(lastStop(again)).toBe('stop');
        expect(saidIn(again)).toContain('Hello, world. This is plain text.');
        expect(faultsIn('pi-legacy', own.frames)).toEqual([]);
      },
    );
  });

  test('two prompts at once run one after the other, and what was refused is an error line', async () => {
    const client = await transports.stdio?.(part);
    if (client === undefined) throw new Error('no transport');
    await client.send({ type: 'prompt', message: '[[tools]] first' });
    await client.send({ type: 'prompt', message: '[[think]] second' });
    await client.sendRaw('not json');
    await client.send({ type: 'get_state', id: '1' });
    await client.send({ type: 'prompt', message: { a: 1 } });
    const first = await client.waitFor(isRunEnd, 'the first end');
    await client.waitFor(isRunEnd, 'the second end', client.frames.indexOf(first) + 1);
    const after = await legacyTurn(client, '[[text]] unspoilt');
    expect(saidIn(after)).toContain('Hello, world. This is plain text.');
    expect(client.frames.filter(({ type }) => type === 'error').map(({ error }) => error)).toEqual([
      expect.stringContaining('is not valid JSON'),
      'Unknown command: get_state',
      expect.stringContaining('bad prompt: message'),
    ]);
    expect(faultsIn('pi-legacy', client.frames)).toEqual([]);
    await client.close();
  });

  test('a compaction is its line, and one too many an error line', async () => {
    const client = await transports.websocket?.(part);
    if (client === undefined) throw new Error('no transport');
    await legacyTurn(client, '[[text]] so that there is something to compact');
    await legacyTurn(client, '[[think]] and a little more of it');
    const from = fake.requests.length;
    await client.send({ type: 'compact', customInstructions: 'Focus on code changes' });
    const line = await client.waitFor(({ type }) => type === 'compaction' || type === 'error', 'the compaction');
    expect(line).toEqual({
      type: 'compaction',
      summary: expect.stringContaining('A summary of the talk.'),
      tokensBefore: expect.any(Number),
      ...(part === 'pi-legacy' ? { timestamp: expect.any(String), firstKeptEntryIndex: expect.any(Number) } : {}),
    });
    const asked = fake.requests.slice(from).filter(({ scenario }) => scenario === 'summary');
    expect(JSON.stringify(asked)).toContain('Focus on code changes');
    const after = await legacyTurn(client, '[[text]] after it');
    expect(lastStop(after)).toBe('stop');
    expect(client.frames.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    await client.close();
  });

  test('an attachment reaches the model', async () => {
    const client = await transports.websocket?.(part);
    if (client === undefined) throw new Error('no transport');
    const shared = { id: 'a', size: 5, fileName: 'greek.txt' };
    const image = { ...shared, type: 'image', mimeType: 'image/png', content: 'iVBORw0KGgo=' };
    const document = { ...shared, type: 'document', mimeType: 'text/plain', content: 'YQ==', extractedText: 'alpha' };
    const message = `[[image]] what is it, ${part}`;
    await client.send({ type: 'prompt', message, attachments: [image, document] });
    const end = await client.waitFor(isRunEnd, 'the end');
    expect(JSON.stringify(end)).toContain('I see image/png.');
    const request = fake.requests.find(({ prompt }) => prompt.text.includes(message));
    expect(request?.prompt.text).toContain('[Document: greek.txt]\nalpha');
    await client.close();
  });
});

describe('in front of the demo agent', () => {
  async function withDemo(use: (client: Pick<Client, 'frames' | 'waitFor' | 'send'>) => Promise<void>): Promise<void> {
    const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
    const gateway = createGateway(parseConfig({ agents }), { log: () => {} });
    const { channel, dispose } = (await clientTransports.get('memory')?.(gateway, 'pi-legacy', 'demo')) ?? {};
    if (channel === undefined) throw new Error('no transport');
    const inbox = createInbox();
    channel.open({
      frame: (frame) => inbox.line(frame.text),
      fault: ({ message }) => inbox.cut(message),
      end: ({ reason }) => inbox.cut(reason),
    });
    await use({ ...inbox, send: async (frame) => channel.send(JSON.stringify(frame)) });
    expect(faultsIn('pi-legacy', inbox.frames)).toEqual([]);
    channel.close('normal', 'the test is over');
    gateway.close('the test is over');
    await dispose?.();
  }

  test('the example of the document', () =>
    withDemo(async (client) => {
      const lines = await legacyTurn(client, 'tool');
      const words = { before: 'Let me look that up.', after: expect.any(String) };
      follow(lines, example(expect.anything(), 'lookup', words));
    }));

  test.each([
    ['ask', 'no way to ask'],
    ['confirm', 'agent_end'],
  ])('a question (%s) does not stand in the way: the answer is no', (verb, words) =>
    withDemo(async (client) => {
      expect(JSON.stringify(await legacyTurn(client, verb))).toContain(words);
    }),
  );
});

test('in front of the real 0.13.2 every line is the one that it printed', async () => {
  const { home } = rig('pi-legacy');
  const client = await transports.stdio?.('pi-legacy');
  if (client === undefined) throw new Error('no transport');
  const names = [
    'text',
    'think',
    'tools',
    'toolerr',
    'overloaded',
    'mid-error',
    'bad-request',
    'refusal',
    'max-tokens',
  ];
  const aborts = ['abort-text', 'abort-think', 'abort-args', 'abort-tool'];
  for (const name of [...names, 'empty', 'unicode', 'long', ...aborts]) {
    const prompt = `[[${name}]] to be compared`;
    const lines = await legacyTurn(client, prompt, async (from) => {
      if (!aborts.includes(name)) return;
      const isThere = name === 'abort-tool' ? isToolStart : isDelta;
      await client.waitFor(isThere, 'something to abort', from);
      await client.send({ type: 'abort' });
    });
    const record = await recordOf(home, prompt, (rows) =>
      linesAround(rows, prompt).lines.some((line) => line.startsWith('{"type":"agent_end"')),
    );
    const printed = linesAround(record, prompt).lines.map((line): unknown => JSON.parse(line));
    // The record has no updates.
    expect({ name, lines: lines.filter(({ type }) => type !== 'message_update') }).toEqual({ name, lines: printed });
  }
  expect(recordsWith(home, 'to be compared')).toHaveLength(1);
  await client.close();
});
