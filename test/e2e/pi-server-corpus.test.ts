// Recorded traces of real pi-servers, both lifecycle dialects, through the backend: each prompt is one run in legal order that
// says what pi said, each command is answered once, and a client of pi-server hears the same JSON. What is not the same is
// data here, and each of those differences is one that the recordings need.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { verify } from '../../src/core/log/grammar.ts';
import { wholeContent } from '../../src/core/log/messages.ts';
import { isResult } from '../support/claude-turn.ts';
import { faultsIn } from '../support/judged.ts';
import {
  type Json,
  type PiServerRow,
  parsed,
  readPiServerTrace,
  replayPiServer,
  talksIn,
} from '../support/pi-server-replay.ts';
import { translateHere } from '../support/translate.ts';

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');
const files = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];
const readmeFile = path.resolve(import.meta.dirname, '../../src/adapters/pi-server/README.md');

const traces = files.map((file) => {
  const rows = readPiServerTrace(readFileSync(path.join(corpus, file), 'utf8'));
  return { file, rows };
});

/** What no recording here has: an aborted message that still has the scratch fields of its parser (docs/protocols/pi.md 7.8). */
function cutInArguments(): PiServerRow[] {
  const call = {
    type: 'toolCall',
    id: 'call',
    name: 'look',
    arguments: { where: 'dr' },
    partialJson: '{"where":"dr',
    index: 0,
  };
  const message = { role: 'assistant', content: [call], stopReason: 'aborted', errorMessage: 'Request was aborted.' };
  const command = { commandId: 'p', commandType: 'prompt', sessionId: 's1', dependsOn: [] };
  const started = { ...message, content: [], stopReason: 'stop', errorMessage: undefined, ...model };
  const update = (event: Json) => ({
    type: 'message_update',
    assistantMessageEvent: { ...event, contentIndex: 0, partial: whole },
    message: whole,
  });
  const whole = { ...message, ...model };
  const events = [
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: started },
    update({ type: 'toolcall_start' }),
    update({ type: 'toolcall_delta', delta: '{"where":"dr' }),
    { type: 'message_end', message: whole },
    { type: 'turn_end', message: whole, toolResults: [] },
    { type: 'agent_end', messages: [whole] },
  ];
  const frames = [
    { type: 'command_started', data: command },
    ...events.map((event) => ({ type: 'event', sessionId: 's1', event })),
    { type: 'command_finished', data: { ...command, success: true } },
  ];
  return frames.map((frame) => ({ dir: 'out', line: JSON.stringify(frame), conn: '' }));
}
const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const model = {
  api: 'a',
  provider: 'p',
  model: 'm',
  usage: { ...noTokens, totalTokens: 0, cost: { ...noTokens, total: 0 } },
  timestamp: 1,
};
if (files.length > 0) traces.push({ file: 'by hand: cut in its arguments', rows: cutInArguments() });

const talks = traces.flatMap(({ file, rows }) =>
  talksIn(rows).map(({ conn, session }) => ({ name: `${file} ${conn} ${session}`, rows, conn, session })),
);

const dataOf = (frame: Json | null): Json => ({ ...Object(frame?.data) });
const framesOf = (rows: readonly PiServerRow[], conn: string) =>
  rows.flatMap((row) => (row.dir === 'out' && (row.conn === conn || row.conn === '') ? [parsed(row.line)] : []));

/** How many runs the recording has: one for each prompt that was begun with and did not fail before its agent started. */
function runsIn(rows: readonly PiServerRow[], conn: string, session: string): number {
  let runs = 0;
  /** Prompts that have begun, in their order, and whether an agent has started in them. */
  let open: { readonly id: unknown; ran: boolean }[] = [];
  /** The agent has ended: the next one may be of the next prompt, for a 2.0.1 begins early. */
  let isQuiet = false;
  for (const frame of framesOf(rows, conn)) {
    const data = dataOf(frame);
    const { type } = frame ?? {};
    const event = type === 'event' && frame?.sessionId === session ? Object(frame.event).type : undefined;
    if (event === 'agent_start') {
      const current = isQuiet && open.length > 1 ? open[1] : open[0];
      if (current?.ran !== true) runs += 1;
      if (current !== undefined) current.ran = true;
    }
    if (event === 'agent_end') isQuiet = true;
    if (event === 'agent_start' || event === 'auto_retry_start') isQuiet = false;
    if (data.sessionId !== session || data.commandType !== 'prompt') continue;
    if (type === 'command_started') open.push({ id: data.commandId, ran: false });
    if (type !== 'command_finished' || data.replayed === true) continue;
    const own = open.find(({ id }) => id === data.commandId);
    if (own !== undefined && !own.ran && data.success === true) runs += 1;
    open = open.filter((one) => one !== own);
  }
  return runs;
}

/** A difference that is allowed between what a server said and what our clients hear. */
interface Normalisation {
  readonly name: string;
  /** Words of its row in the README. */
  readonly row: string;
  /** Changes an event, on both sides. */
  change(event: Json): Json;
}

const without = (object: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

function deep(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((member) => deep(member, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(change({ ...value })).map(([key, member]) => [key, deep(member, change)]));
}

const blockTypes: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall']);

const normalisations: readonly Normalisation[] = [
  {
    name: 'snapshots',
    row: 'snapshots run ahead of their deltas',
    change(event) {
      if (event.type !== 'message_update') return event;
      const update = { ...Object(event.assistantMessageEvent) };
      return { ...without(event, 'message'), assistantMessageEvent: without(update, 'partial') };
    },
  },
  {
    name: 'scratch fields',
    row: '`index` in blocks, `partialJson` in streaming blocks',
    change: (event) => ({
      ...Object(
        deep(event, (object) => (blockTypes.has(object.type) ? without(object, 'index', 'partialJson') : object)),
      ),
    }),
  },
];

/** The first place where two streams differ; null when there is none. */
function differenceOf(theirs: readonly Json[], ours: readonly Json[], allowed: readonly Normalisation[]) {
  const normal = (event: Json) => allowed.reduce((now, { change }) => change(now), event);
  const length = Math.max(theirs.length, ours.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [theirs[at], ours[at]].map((event) => (event === undefined ? undefined : normal(event)));
    if (!isDeepStrictEqual(one, other)) return { at, theirs: one, ours: other };
  }
  return null;
}

test(
  files.length === 0
    ? `no traces at ${corpus}: nothing was checked`
    : `${talks.length} talks in ${files.length} traces`,
  () => {
    expect(files.length === 0 || talks.length > 20).toBe(true);
  },
);

describe.each(talks)('$name', ({ rows, conn, session }) => {
  const { events, transcript, notes, outcomes, theirs, ours } = replayPiServer(rows, conn, session);

  test('each prompt is one run, in legal order', () => {
    expect(verify(events).faults).toEqual([]);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect(count('run-start')).toBe(runsIn(rows, conn, session));
    expect(count('run-end')).toBe(count('run-start'));
  });

  test('nothing had to be mended, and nothing is complained of but what is no JSON', () => {
    const strays = framesOf(rows, conn).filter((frame) => frame === null).length;
    expect(notes.filter((note) => note.startsWith('violation: skipped'))).toHaveLength(strays);
    // … or a call that was cut before it ran; or what others than this client were answered; or what a newer server adds.
    const harmless =
      /^(?:violation: skipped|repair: (?:turn-end: tool-open$|response: ignored|ignored a frame of an unknown type))/u;
    expect(notes.filter((note) => !harmless.test(note))).toEqual([]);
  });

  test('no command is answered twice', () => {
    for (const [id, told] of outcomes) expect({ id, answers: told.length }).toEqual({ id, answers: 1 });
  });

  test('each message says what pi says it said', () => {
    const said = theirs.flatMap((event) => {
      const message = Object(event.message);
      return event.type === 'message_end' && message.role === 'assistant' ? [message] : [];
    });
    const told = transcript.items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
    const texts = told.map((message) =>
      wholeContent(message).map((part) => ('text' in part ? part.text : 'input' in part ? part.input : part)),
    );
    // Half an argument is none.
    const cut = new Set(
      told.flatMap(wholeContent).flatMap((part) => ('incomplete' in part && part.incomplete ? [part.id] : [])),
    );
    expect(texts).toEqual(
      said.map(({ content }) =>
        content.map((part: Json) => part.text ?? part.thinking ?? (cut.has(String(part.id)) ? {} : part.arguments)),
      ),
    );
    expect(told.map(({ stop }) => stop?.raw)).toEqual(said.map(({ stopReason }) => stopReason));
  });

  test('a client of pi-server hears the same JSON', () => {
    expect(differenceOf(theirs, ours, normalisations)).toBeNull();
  });
});

describe('a difference that is allowed', () => {
  test.each(normalisations)('$name: has its row in the README', ({ row }) => {
    expect(readFileSync(readmeFile, 'utf8')).toContain(row);
  });

  test.skipIf(files.length === 0).each(normalisations)('$name: is there (skipped without traces)', ({ name }) => {
    const others = normalisations.filter((one) => one.name !== name);
    const isNeeded = talks.some(({ rows, conn, session }) => {
      const { theirs, ours } = replayPiServer(rows, conn, session);
      return differenceOf(theirs, ours, others) !== null;
    });
    expect(isNeeded).toBe(true);
  });
});

/** Of one session and one connection: what the filter is for. */
const single = traces.filter(({ rows }) => talksIn(rows).length === 1);

describe.each(single)('patchbay translate, $file', ({ rows }) => {
  const [{ conn, session } = { conn: '', session: '' }] = talksIn(rows);
  const lines = rows.flatMap(({ dir, line }) => (dir === 'out' ? [{ dir: 'out' as const, line }] : []));

  test('to the frames of another protocol', () => {
    const frames = translateHere('pi-server', 'claude', lines);
    expect(faultsIn('claude', frames)).toEqual([]);
    expect(frames.filter(isResult)).toHaveLength(runsIn(rows, conn, session));
  });

  test('and, cut anywhere, still in order', () => {
    const step = Math.max(1, Math.floor(lines.length / 20));
    for (let at = 0; at < lines.length; at += step) {
      const frames = translateHere('pi-server', 'claude', lines.slice(0, at));
      expect(faultsIn('claude', frames), `after ${at} lines`).toEqual([]);
    }
  });
});
