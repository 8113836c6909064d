// The browser entry of the real Agent SDK before the demo agent and a scripted agent behind another protocol, over
// WebSocket and over server-sent events, also where connections are cut (docs/protocols/claude.md 9).

import {
  type CanUseTool,
  getCcrEvent,
  getSseDropCounts,
  getSseLastSequenceNum,
  type SSEOptions,
} from '@anthropic-ai/claude-agent-sdk/browser';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { agentRoles } from '../support/agent-roles.ts';
import { isEvent, isResult } from '../support/claude-turn.ts';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn } from '../support/judged.ts';
import { type Conversation, converse, stubWebSocket, type Way } from '../support/sdk-browser.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
  vi.unstubAllGlobals();
});

interface Rig {
  readonly proxy: CuttableProxy;
  /** The id of a new session of that agent. */
  session(agent: string): string;
  /** A query on that session. */
  open(name: string, session: string, canUseTool?: CanUseTool): Conversation;
  openSse(session: string, options?: Partial<SSEOptions>, canUseTool?: CanUseTool): Conversation;
}

async function start(): Promise<Rig> {
  const agents = { scripted: agentRoles.get('pi')?.config, brisk: agentRoles.get('demo')?.config };
  const gateway = createGateway(parseConfig({ agents }), { log: () => {} });
  const proxy = await createCuttableProxy(() => server.port);
  const server = await listen({ board: gateway.board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
  stubWebSocket(server.token ?? '');
  disposals.push(
    () => gateway.close('the test is over'),
    () => server.close(),
    () => proxy.close(),
  );
  const host = `127.0.0.1:${proxy.port}/v1/claude`;
  const headers = { Authorization: `Bearer ${server.token}` };

  function converseOver(way: Way, canUseTool?: CanUseTool): Conversation {
    const conversation = converse(way, canUseTool);
    disposals.push(() => conversation.close());
    return conversation;
  }

  function openSse(sessionId: string, options: Partial<SSEOptions> = {}, canUseTool?: CanUseTool): Conversation {
    const at = `http://${host}/sessions/${sessionId}`;
    const addresses = { streamUrl: `${at}/events?envelope=sdk`, sendUrl: `${at}/frames?envelope=sdk` };
    return converseOver({ sse: { ...addresses, sessionId, headers, ...options } }, canUseTool);
  }

  return {
    proxy,
    session: (agent) => gateway.board.createSession({ agent }, owner).id,
    open: (name, session, canUseTool) =>
      name === 'sse'
        ? openSse(session, {}, canUseTool)
        : converseOver({ websocket: { url: `ws://${host}/ws?session=${session}` } }, canUseTool),
    openSse,
  };
}

function expectInOrder(frames: readonly Frame[]): void {
  expect(faultsIn('claude', frames)).toEqual([]);
}

/** All that was said in deltas, in JSON. */
const spoken = (frames: readonly Frame[]) =>
  frames
    .filter(isEvent('content_block_delta'))
    .map(({ event }) => JSON.stringify(event))
    .join('\n');

const isDelta = isEvent('content_block_delta');
const durable = (frames: readonly Frame[]) => frames.filter((frame) => !isDelta(frame));
const results = (frames: readonly Frame[]) => frames.filter(isResult).length;

describe.each(['websocket', 'sse'])('the SDK’s browser entry over %s', (name) => {
  test.each([
    ['brisk', agentRoles.get('demo')?.turn],
    ['scripted', agentRoles.get('pi')?.turn],
  ])('hears three turns of %s in parts and whole', async (agent, turn) => {
    const { open, session } = await start();
    const conversation = open(name, session(agent));
    await conversation.query.initializationResult();
    for (const _ of [1, 2, 3]) {
      const frames = await conversation.turn(turn?.prompt ?? '');
      expect(frames.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
      for (const words of turn?.says ?? []) expect(JSON.stringify(durable(frames))).toContain(words);
      expect(spoken(frames)).toContain(turn?.says[0]?.split(' ')[0]);
    }
    expect(results(conversation.frames)).toBe(3);
    expectInOrder(conversation.frames);
  });

  test.each([
    ['allowed', { behavior: 'allow' as const }, 'I wrote the note.'],
    [
      'allowed with another input',
      { behavior: 'allow' as const, updatedInput: { path: 'other.txt', text: 'changed' } },
      'other.txt',
    ],
    ['denied', { behavior: 'deny' as const, message: 'not on a Sunday' }, 'You denied it (not on a Sunday)'],
  ])('is asked for leave: %s', async (_, answer, expected) => {
    const { open, session } = await start();
    const asked: unknown[] = [];
    const conversation = open(name, session('brisk'), async (tool, input) => {
      asked.push([tool, input]);
      return answer;
    });
    const frames = await conversation.turn('ask');
    expect(asked).toEqual([['write_note', { path: 'note.txt', text: 'Patchbay was here.' }]]);
    expect(JSON.stringify(frames)).toContain(expected);
    expectInOrder(conversation.frames);
  });

  test('interrupts, and goes on with another turn', async () => {
    const { open, session } = await start();
    const conversation = open(name, session('brisk'));
    conversation.say('hang');
    await conversation.waitFor(isDelta, 'the beginning of an answer');
    await conversation.query.interrupt();
    const result = await conversation.waitFor(isResult, 'the result of what was interrupted');
    expect(result).toMatchObject({ is_error: true });
    expect((await conversation.turn('tool')).at(-1)).toMatchObject({ subtype: 'success', is_error: false });
    expect(results(conversation.frames)).toBe(2);
    expectInOrder(conversation.frames);
  });

  test('chooses a model', async () => {
    const { open, session } = await start();
    const conversation = open(name, session('brisk'));
    const models = await conversation.query.supportedModels();
    const last = models.at(-1)?.value ?? '';
    await conversation.query.setModel(last);
    expect(JSON.stringify(await conversation.turn('tool'))).toContain(`"model":"${last}"`);
  });
});

describe('a stream of server-sent events that is cut', () => {
  test('in the middle of an answer: nothing durable is lost, nothing is said twice', async () => {
    const { open, session, proxy } = await start();
    const id = session('demo');
    const witness = open('websocket', id);
    const conversation = open('sse', id);
    await Promise.all([witness.query.initializationResult(), conversation.query.initializationResult()]);
    // The answer goes on for longer than the SDK takes to come back, which is a second or two.
    conversation.say('think slow 20 tool long 200');
    const isText = isEvent('content_block_delta', 'text_delta');
    await conversation.waitFor(isText, 'the beginning of an answer');
    const before = conversation.frames.length;
    const streams = proxy.count('GET /v1/claude/sessions');
    expect(proxy.cut('GET /v1/claude/sessions')).toBe(1);
    await proxy.asked('GET /v1/claude/sessions', streams + 1);
    await conversation.waitFor(isText, 'a delta after the cut', before);
    await conversation.waitFor(isResult, 'the result');
    await conversation.turn('tool');
    await witness.waitFor(isResult, 'the second result', witness.frames.findIndex(isResult) + 1);

    expect(results(conversation.frames)).toBe(2);
    expectInOrder(witness.frames);
    expect(durable(conversation.frames)).toEqual(durable(witness.frames));
    const heard = conversation.frames.filter(isDelta);
    const missed = witness.frames.filter(isDelta).filter(({ uuid }) => !heard.some((delta) => delta.uuid === uuid));
    expect(missed.length).toBeGreaterThan(0);
    // Each once and in its place: with what was missed, it is what the other one heard.
    const all = new Set([...heard, ...missed].map(({ uuid }) => uuid));
    expect(heard.length + missed.length).toBe(all.size);
    const blocks = new Set(missed.map(({ uuid }) => uuid));
    expect(conversation.frames).toEqual(witness.frames.filter(({ uuid }) => !blocks.has(uuid)));
    expect(getSseDropCounts(conversation.query)).toEqual({});
  });

  test('while the agent waits for leave: the question is asked once and its answer counts', async () => {
    const { openSse, session, proxy } = await start();
    let asked = 0;
    const conversation = openSse(session('brisk'), {}, async () => {
      asked += 1;
      const streams = proxy.count('GET');
      expect(proxy.cut('GET')).toBe(1);
      await proxy.asked('GET', streams + 1);
      return { behavior: 'allow' };
    });
    const frames = await conversation.turn('ask');
    expect(asked).toBe(1);
    expect(JSON.stringify(frames)).toContain('I wrote the note.');
    expectInOrder(conversation.frames);
  });

  test('a prompt whose answer is lost on the way is not answered twice', async () => {
    const { openSse, session, proxy } = await start();
    const conversation = openSse(session('brisk'));
    await conversation.query.initializationResult();
    const posts = proxy.count('POST');
    proxy.loseAnswer('POST');
    await conversation.turn('tool');
    // The SDK posts it again.
    await proxy.asked('POST', posts + 2);
    expect(spoken(await conversation.turn('think'))).toContain('thinking_delta');
    expect(results(conversation.frames)).toBe(2);
  });

  test('another query goes on where the first one stopped', async () => {
    const { openSse, session } = await start();
    const id = session('brisk');
    const first = openSse(id);
    await first.turn('tool');
    const fromSequenceNum = getSseLastSequenceNum(first.query);
    await first.turn('think');
    await first.close();
    const second = openSse(id, { fromSequenceNum });
    await second.waitFor(isResult, 'the result of what was said before');
    const said = first.frames.slice(first.frames.findIndex(isResult) + 1);
    expect(durable(second.frames)).toEqual(durable(said));
    expect(second.frames.filter(isDelta)).toEqual([]);
  });

  test('a place of another life is told as such, and then all that there is', async () => {
    const { openSse, session } = await start();
    const id = session('brisk');
    await openSse(id).turn('tool');
    const onCatchUpTruncated = vi.fn();
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const late = openSse(id, { fromSequenceNum: 7, onCatchUpTruncated });
    await late.waitFor(isResult, 'the result of what was said before');
    expect(onCatchUpTruncated).toHaveBeenCalledTimes(1);
    expectInOrder(late.frames);
  });

  test('tells of each durable message where it stands and when it was said', async () => {
    const { openSse, session } = await start();
    const before = Date.now();
    const { turn, query, messages } = openSse(session('brisk'));
    await turn('think tool');
    const numbers: number[] = [];
    for (const message of messages) {
      const told = getCcrEvent(query, message);
      expect(told === undefined, JSON.stringify(message)).toBe(isDelta({ ...message }));
      if (told === undefined) continue;
      expect(told.source).toBe('worker');
      const at = Date.parse(told.created_at ?? '');
      expect(at).toBeGreaterThanOrEqual(before - 1);
      expect(at).toBeLessThanOrEqual(Date.now() + 1);
      numbers.push(told.sequence_num);
    }
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
  });
});
