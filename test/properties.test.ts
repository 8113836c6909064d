// Whatever an agent sends: what core logs is told to Claude clients in the strict grammar, whole, and to a late client as
// well; and a run that is cut anywhere ends properly. Judged by judged.ts, rpc-message.ts and MessageStream.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { adapters } from '../src/adapters/index.ts';
import type { FrontendSide } from '../src/core/contract/adapter/frontend.ts';
import { verify } from '../src/core/log/grammar.ts';
import { wholeContent } from '../src/core/log/messages.ts';
import type { Content } from '../src/core/model/content.ts';
import { Event, type Logged } from '../src/core/model/event.ts';
import type { AssistantMessage, Item } from '../src/core/model/transcript.ts';
import { isFull } from './support/full.ts';
import { admitAll, garbage } from './support/garbage.ts';
import { faultsIn } from './support/judged.ts';
import { assistantBlocks, finalMessage, splitMessages } from './support/judges/message-stream.ts';
import { createLog, type Log, tell, tellLate } from './support/telling.ts';

const env = { now: () => 0, id: (kind: string) => kind };

function sideOf(id: string, options: Record<string, unknown> = {}): FrontendSide {
  const side = adapters.get(id)?.client?.frontend(env, options);
  if (side === undefined) throw new Error(`${id} has no client side`);
  return side;
}

const native = sideOf('claude');
const wholeOnly = sideOf('claude', { partialMessages: false });
const rpc = sideOf('rpc-message');

/** The garbage as core logs it, everything that is open closed at the end. */
function logOf(events: readonly Event[]): Log {
  const log = createLog();
  admitAll(log, events);
  log.close();
  return log;
}

const parsed = (texts: readonly string[]): unknown[] => texts.map((text) => JSON.parse(text));
const framesOf = (side: FrontendSide, logged: readonly Logged[]): unknown[] => parsed(tell(side, logged).texts);

type Frame = { readonly type: string; readonly [key: string]: unknown };
const typeOf = (frame: unknown): unknown => (frame as Frame).type;
const laneOf = (frame: unknown): unknown => (frame as Frame).parent_tool_use_id ?? null;

/** Rules that an agent breaks which uses ids twice, asks about a call of another tool, or goes away. */
const ofTheAgent =
  /^(?:claude|rpc-message)\/(?:tool-input-json|result-denials|can-use-tool-shape|tool-result-once|tool-result-lane|ask-id-own|can-use-tool-known|result-stop-reason|result-index) /u;
const violationsOf =
  (protocol: string) =>
  (frames: readonly unknown[]): string[] =>
    faultsIn(protocol, frames).filter((fault) => !ofTheAgent.test(fault));
const violations = violationsOf('claude');
const rpcViolations = violationsOf('rpc-message');

/** A message as a client should know it. */
function told(message: AssistantMessage): unknown[] {
  return wholeContent(message).map(wireContent);
}

function wireContent(content: Content): unknown {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'thinking':
      return { type: 'thinking', thinking: content.text, signature: content.signature ?? '' };
    case 'tool-call':
      return { type: 'tool_use', id: content.id, name: content.name, input: content.input };
    default:
      return { type: content.type };
  }
}

/**
 * The part of the blocks that can be compared: of what came whole, how many there are; of a call that was cut, all but
 * its arguments, of which each reader makes what it can.
 */
function comparable(blocks: readonly unknown[], { blocks: source }: AssistantMessage): unknown[] {
  return blocks.map((block, at) => {
    const { head, end } = source[at] ?? {};
    if (head?.kind === 'whole') return 'whole';
    return end?.incomplete === true ? { ...(block as object), input: 'cut' } : block;
  });
}

const Id = z.looseObject({ message: z.looseObject({ id: z.string() }) });
const idOf = (frame: unknown): string | undefined => Id.safeParse(frame).data?.message.id;

const messagesIn = (items: readonly Item[]): AssistantMessage[] =>
  items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));

const Said = z.looseObject({
  type: z.enum(['assistant', 'user']),
  isReplay: z.literal(true).optional(),
  /** Of a prompt as it comes, which is told again as a replay. */
  origin: z.looseObject({ kind: z.literal('human') }).optional(),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }),
});

const text = (value: unknown): string => JSON.stringify(value);

interface Known {
  readonly said: unknown[];
  readonly results: unknown[];
}

/** What a client knows in the end, lane by lane: the blocks of the model, and the results. Prompts are told late only. */
function knowledge(frames: readonly unknown[]): Map<unknown, Known> {
  const lanes = new Map<unknown, Known>();
  for (const frame of frames) {
    const { data } = Said.safeParse(frame);
    if (data === undefined || data.isReplay === true || data.origin !== undefined) continue;
    const lane = lanes.get(laneOf(frame)) ?? { said: [], results: [] };
    lanes.set(laneOf(frame), lane);
    (data.type === 'assistant' ? lane.said : lane.results).push([idOf(frame), data.message.content]);
  }
  // A call that no message of a sub-agent told stands beside its open message, live, and behind it, told again.
  for (const [lane, { said }] of lanes) if (lane !== null) said.sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return lanes;
}

/** The last entries of `all`, as many as `own` has. */
function lastOf(all: Known, own: Known): Known {
  return {
    said: all.said.slice(all.said.length - own.said.length),
    results: all.results.slice(all.results.length - own.results.length),
  };
}

/** An assistant frame of a past message comes without a stream; a lane of a sub-agent always does. */

/** `PROPERTY_FACTOR=20` looks twenty times as long. */
const factor = Number(process.env.PROPERTY_FACTOR ?? (isFull ? 1 : 1 / 3));

function forGarbage(numRuns: number, check: (log: Log) => void | Promise<void>): Promise<void> {
  return fc.assert(
    fc.asyncProperty(garbage, async (events) => check(logOf(events))),
    { numRuns: Math.ceil(numRuns * factor) },
  );
}

test('what core logs is in legal order and leaves nothing open', () =>
  forGarbage(150, ({ logged }) => {
    const { faults, end } = verify(logged.map(({ event }) => event));
    expect(faults).toEqual([]);
    expect([end.run, end.turn, end.open.size, end.approvals.size, end.retry]).toEqual([null, false, 0, 0, null]);
  }));

describe('a client from the beginning', () => {
  test('claude: no violation of the strict grammar', () =>
    forGarbage(150, ({ logged }) => {
      expect(violations(framesOf(native, logged))).toEqual([]);
    }));

  test('claude without partial messages: no violation either', () =>
    forGarbage(150, ({ logged }) => {
      const frames = framesOf(wholeOnly, logged);
      expect(violations(frames)).toEqual([]);
      expect(frames.filter((frame) => typeOf(frame) === 'stream_event')).toEqual([]);
    }));

  test('rpc-message: its parser takes every message', () =>
    forGarbage(150, ({ logged }) => {
      expect(rpcViolations(framesOf(rpc, logged))).toEqual([]);
    }));

  /** Runs, and compactions between runs that a client asked for as for one. */
  function turnsIn(logged: readonly Logged[]): number {
    let isRunning = false;
    let turns = 0;
    for (const { event } of logged) {
      if (event.type === 'compaction-start' && event.asPrompt === true && !isRunning) turns += 1;
      if (event.type === 'run-start') turns += 1;
      if (event.type === 'run-start' || event.type === 'run-end') isRunning = event.type === 'run-start';
    }
    return turns;
  }

  test('one result for each turn, the last of its frames', () =>
    forGarbage(150, ({ logged }) => {
      const frames = framesOf(native, logged).filter((frame) => !['error'].includes(String(typeOf(frame))));
      const turns = frames.filter((frame) => !String(typeOf(frame)).startsWith('control_'));
      expect(turns.filter((frame) => typeOf(frame) === 'result')).toHaveLength(turnsIn(logged));
      expect(turns.length === 0 || typeOf(turns.at(-1)) === 'result').toBe(true);
    }));
});

describe('the content of every finished message', () => {
  test('on the main thread: MessageStream rebuilds what the transcript holds', () =>
    forGarbage(150, async ({ logged, transcript }) => {
      const frames = framesOf(native, logged);
      for (const { lane, events } of splitMessages(frames)) {
        const source = messagesIn(transcript.items).find(({ start }) => start.id === idOf(events[0]));
        // Announcements of tools are no messages of the model, and what a reset forgot cannot be compared.
        if (source === undefined) continue;
        expect(lane).toBeNull();
        const { content } = await finalMessage(events);
        expect(comparable(content, source)).toEqual(comparable(told(source), source));
      }
    }));

  test('on every lane: the assistant frames say the same', () =>
    forGarbage(150, ({ logged, transcript }) => {
      const frames = framesOf(native, logged);
      for (const source of messagesIn(transcript.items)) {
        const own = frames.filter((frame) => typeOf(frame) === 'assistant' && idOf(frame) === source.start.id);
        // A sub-agent that hangs on no call has no place on this wire, and the projection says so.
        if (own.length === 0 && source.start.parent !== undefined) continue;
        const blocks = assistantBlocks(own, source.start.parent ?? null).flat();
        expect(comparable(blocks, source)).toEqual(comparable(told(source), source));
      }
    }));
});

describe('a client that comes late', () => {
  test.each([
    ['claude', native, (frames: unknown[]) => violations(frames)],
    ['claude without partial messages', wholeOnly, (frames: unknown[]) => violations(frames)],
    ['rpc-message', rpc, rpcViolations],
  ] as const)('%s: no violation, whenever it comes', (_, side, judge) =>
    forGarbage(30, ({ logged }) => {
      for (const { joined, texts } of tellLate(side, logged)) {
        expect({ joined, violations: judge(parsed(texts)) }).toEqual({ joined, violations: [] });
      }
    }),
  );

  test('it knows in the end what a client from the beginning knows, back to the last reset of the history', () =>
    forGarbage(40, ({ logged }) => {
      // A sub-agent that spoke before its call was told finds its place only when all is told again.
      fc.pre(!tell(native, logged).losses.some((loss) => loss.includes('was not told')));
      const [first, ...others] = tellLate(native, logged).map(({ texts }) => knowledge(parsed(texts)));
      for (const [at, other] of others.entries()) {
        const isReset = logged.slice(0, at + 1).some(({ event }) => event.type === 'history-reset');
        for (const [lane, all] of first ?? []) {
          // Behind a reset only the main thread keeps an order from which its last part can be told.
          if (isReset && lane !== null) continue;
          const own = other.get(lane) ?? { said: [], results: [] };
          expect({ at, lane, ...own }).toEqual({ at, lane, ...(isReset ? lastOf(all, own) : all) });
        }
      }
    }));
});

test('told twice, it is the same to the byte', () =>
  forGarbage(150, ({ logged }) => {
    for (const side of [native, wholeOnly, rpc]) expect(tell(side, logged)).toEqual(tell(side, logged));
  }));

test('a run that is cut anywhere ends properly, with one result', () =>
  fc.assert(
    fc.property(garbage, fc.constantFrom('failed', 'aborted'), (events, outcome) => {
      const entries = events.length;
      for (let cut = 0; cut <= entries; cut += 1) {
        const log = createLog();
        admitAll(log, events.slice(0, cut));
        const wasOpen = log.transcript.run !== null;
        log.close({ outcome, failure: { kind: 'agent', message: 'the line was cut' } });
        const frames = framesOf(native, log.logged);
        expect(violations(frames)).toEqual([]);
        if (!wasOpen) continue;
        expect(frames.at(-1)).toMatchObject({ type: 'result', is_error: true, errors: ['the line was cut'] });
      }
    }),
    { numRuns: Math.ceil(40 * factor) },
  ));

test('the garbage reaches every event, and messages with several blocks', () => {
  const types = new Set<string>();
  let most = 0;
  for (const events of fc.sample(garbage, { numRuns: 300, seed: 1 })) {
    for (const { event } of logOf(events).logged) types.add(event.type);
    for (const item of logOf(events).transcript.items) {
      if (item.kind === 'message') most = Math.max(most, item.message.blocks.length);
    }
  }
  expect([...types].sort()).toEqual(Event.options.map((option) => option.shape.type.value).sort());
  expect(most).toBeGreaterThan(2);
});
