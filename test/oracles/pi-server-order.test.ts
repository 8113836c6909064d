// The judge of what a connection to a pi-server receives on trial: correct frames pass; broken in one way, it names exactly
// the rule that broke. And what real servers said passes but for their known faults.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  checkPiServerOrder,
  type PiServerOrderOptions,
  type PiServerRule,
  piServerRules,
} from './order/pi-server/order.ts';

type Frame = Record<string, unknown>;

const ready: Frame = {
  type: 'server_ready',
  data: { serverVersion: '1', protocolVersion: '1.0.0', transports: ['websocket'] },
};
const identity = (commandId: string, commandType: string, more: Frame = {}) => ({
  commandId,
  commandType,
  dependsOn: [],
  ...more,
});
type Phase = 'accepted' | 'started' | 'finished';
const course = (phase: Phase, id: string, command: string, more: Frame = {}): Frame => ({
  type: `command_${phase}`,
  data: identity(id, command, more),
});
const answer = (id: string | null, command: string, more: Frame = {}): Frame => ({
  type: 'response',
  command,
  success: true,
  ...(id === null ? {} : { id }),
  ...more,
});
/** A command from its acceptance to its response. */
function whole(id: string, command: string, on: Frame, told: Frame, data: Frame = {}): Frame[] {
  return [
    course('accepted', id, command, on),
    course('started', id, command, on),
    course('finished', id, command, { ...on, success: true, ...told }),
    answer(id, command, { ...told, ...data }),
  ];
}
const s1 = { sessionId: 's1' };
const event = (type: string, more: Frame = {}, session = 's1'): Frame => ({
  type: 'event',
  sessionId: session,
  event: { type, ...more },
});
const asked = { role: 'user', content: [], timestamp: 1_795_254_914_785 };

/** One connection: it opens a session, prompts, names it meanwhile, repeats itself, goes wrong, and deletes. */
function correct(): Frame[] {
  return [
    ready,
    ...whole('1', 'create_session', s1, { sessionVersion: 0 }, { data: { sessionId: 's1', sessionInfo: s1 } }),
    { type: 'session_created', data: { sessionId: 's1', sessionInfo: s1 } },
    ...whole('2', 'switch_session', s1, { sessionVersion: 0 }, { data: { sessionInfo: s1 } }),
    course('accepted', 'p', 'prompt', s1),
    course('started', 'p', 'prompt', s1),
    course('accepted', 'n', 'set_session_name', s1),
    event('agent_start'),
    course('accepted', 'a', 'steer', s1),
    course('started', 'a', 'steer', s1),
    course('finished', 'a', 'steer', { ...s1, success: true, sessionVersion: 1 }),
    answer('a', 'steer', { sessionVersion: 1 }),
    event('message_start', { message: asked }),
    event('message_end', { message: asked }),
    event('agent_end', { messages: [asked] }),
    course('finished', 'p', 'prompt', { ...s1, success: true, sessionVersion: 2 }),
    answer('p', 'prompt', { sessionVersion: 2 }),
    course('started', 'n', 'set_session_name', s1),
    course('finished', 'n', 'set_session_name', { ...s1, success: true, sessionVersion: 3 }),
    answer('n', 'set_session_name', { sessionVersion: 3 }),
    course('accepted', 'n', 'set_session_name', s1),
    course('finished', 'n', 'set_session_name', { ...s1, success: true, sessionVersion: 3, replayed: true }),
    answer('n', 'set_session_name', { sessionVersion: 3, replayed: true }),
    course('accepted', 'n', 'abort', s1),
    course('finished', 'n', 'abort', { ...s1, success: false, error: "Conflicting id 'n': no" }),
    answer('n', 'abort', { success: false, error: "Conflicting id 'n': no" }),
    answer(null, 'unknown', { success: false, error: 'no JSON' }),
    course('accepted', 'anon:1', 'list_sessions'),
    course('started', 'anon:1', 'list_sessions'),
    course('finished', 'anon:1', 'list_sessions', { success: true }),
    answer(null, 'list_sessions', { data: { sessions: [] } }),
    ...whole('d', 'delete_session', s1, {}, { data: { deleted: true } }),
    { type: 'session_deleted', data: s1 },
    ...whole('1b', 'create_session', s1, { sessionVersion: 0 }),
    course('accepted', 'of another', 'get_state', s1),
    course('started', 'of another', 'get_state', s1),
    { type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 1 } },
    course('finished', 'of another', 'get_state', { ...s1, success: false, error: 'no' }),
  ];
}

/** What was sent on it. */
const sent = ['1', '2', 'p', 'n', 'a', 'n', 'n', null, null, 'd', '1b'].map((id) =>
  id === null ? '{bad' : { id, type: 'any' },
);

type Breakage = (frames: Frame[]) => void;
const placeOf = (frames: readonly Frame[], type: string, id: string, nth = 0) => {
  const fits = (frame: Frame) => {
    const { commandId } = Object(frame.data);
    const name = frame.type === 'event' ? Object(frame.event).type : (frame.id ?? commandId ?? '');
    return frame.type === type && name === id;
  };
  const place = frames.flatMap((frame, at) => (fits(frame) ? [at] : []))[nth];
  if (place === undefined) throw new Error(`there is no ${type} ${id}`);
  return place;
};
const remove =
  (type: string, id: string, nth = 0): Breakage =>
  (frames) =>
    void frames.splice(placeOf(frames, type, id, nth), 1);
const repeat =
  (type: string, id: string, nth = 0): Breakage =>
  (frames) => {
    const at = placeOf(frames, type, id, nth);
    frames.splice(at, 0, frames[at] ?? {});
  };
/** Moves a frame before another one. */
const move =
  (type: string, id: string, before: string, its: string, nth = 0): Breakage =>
  (frames) => {
    const [frame] = frames.splice(placeOf(frames, type, id, nth), 1);
    frames.splice(placeOf(frames, before, its), 0, frame ?? {});
  };
const edit =
  (type: string, id: string, change: Frame, nth = 0): Breakage =>
  (frames) => {
    const at = placeOf(frames, type, id, nth);
    const frame = frames[at] ?? {};
    const isAnswer = type === 'response';
    frames[at] = isAnswer ? { ...frame, ...change } : { ...frame, data: { ...Object(frame.data), ...change } };
  };
const add =
  (frame: Frame, before: string, its: string): Breakage =>
  (frames) =>
    void frames.splice(placeOf(frames, before, its), 0, frame);
const all =
  (...breakages: Breakage[]): Breakage =>
  (frames) => {
    for (const breakage of breakages) breakage(frames);
  };

const check = (frames: readonly Frame[], options: PiServerOrderOptions = {}) => [
  ...new Set(checkPiServerOrder(frames, { sent, ...options }).map(({ rule }) => rule)),
];

const broken: readonly [what: string, rule: PiServerRule, breakage: Breakage, options?: PiServerOrderOptions][] = [
  ['a message that there is not', 'frame', add({ type: 'pong' }, 'response', '1')],
  ['no object', 'frame', (frames) => void frames.splice(3, 0, JSON.parse('["server_ready"]'))],
  ['a failure with data', 'frame', edit('response', '', { data: {} })],
  ['a success with an error', 'frame', edit('response', '2', { error: 'no' })],
  ['a null for what is absent', 'frame', edit('command_accepted', 'p', { ifSessionVersion: null })],
  ['a timeout in lifecycle', 'frame', edit('command_finished', 'of another', { timedOut: true })],
  ['a switch without a session', 'frame', edit('response', '2', { data: {} })],
  ['no greeting', 'ready', (frames) => void frames.splice(0, 1)],
  ['a greeting that comes second', 'ready', move('server_ready', '', 'command_started', '1')],
  ['a second greeting', 'ready', repeat('server_ready', '')],
  ['never accepted', 'phase', remove('command_accepted', 'p')],
  ['never started', 'phase', remove('command_started', 'p')],
  ['finished twice', 'phase', repeat('command_finished', 'p')],
  ['started before it is accepted', 'phase', move('command_started', '2', 'command_accepted', '2')],
  ['another session on the way', 'identity', edit('command_started', 'p', { sessionId: 's2' })],
  ['another key at the end', 'identity', edit('command_finished', 'a', { idempotencyKey: 'k' })],
  [
    'carried out twice at once',
    'twice',
    all(
      add(course('accepted', 'a', 'steer', s1), 'command_finished', 'a'),
      add(course('started', 'a', 'steer', s1), 'command_finished', 'a'),
    ),
  ],
  [
    'a repetition that is started',
    'replay',
    (frames) =>
      void frames.splice(
        placeOf(frames, 'command_finished', 'n', 1),
        0,
        course('started', 'n', 'set_session_name', s1),
      ),
  ],
  ['a repetition that was not accepted', 'replay', remove('command_accepted', 'n', 1)],
  ['a repetition that was accepted, in the newer dialect', 'replay', () => {}, { dialect: 'newer' }],
  ['a refusal that was not accepted', 'refusal', remove('command_accepted', 'n', 2)],
  ['a refusal that was accepted, in the newer dialect', 'refusal', () => {}, { dialect: 'newer' }],
  ['an end that never comes', 'unfinished', remove('command_finished', 'of another')],
  ['two at once in a lane', 'lane', move('command_started', 'n', 'command_finished', 'p')],
  [
    'two at once in the lane of the server',
    'lane',
    all(
      add(course('accepted', 'h', 'health_check'), 'command_finished', 'anon:1'),
      add(course('started', 'h', 'health_check'), 'command_finished', 'anon:1'),
    ),
  ],
  [
    'one that overtakes another',
    'queue',
    (frames) => frames.splice(placeOf(frames, 'command_started', 'n'), 0, ...whole('q', 'bash', s1, {}).slice(0, 3)),
  ],
  ['a response before the end', 'response', move('response', '2', 'command_finished', '2')],
  ['a failure before its end', 'response', move('response', 'n', 'command_finished', 'n', 1)],
  ['a response that says another thing', 'response', edit('response', 'p', { sessionVersion: 9 })],
  ['a response to another type', 'response', edit('response', 'p', { command: 'bash' })],
  ['a repetition under an old name', 'response', edit('response', 'n', { id: 'old' }, 1)],
  ['a second response', 'response', repeat('response', 'p')],
  ['no response', 'unanswered', remove('response', 'p')],
  ['no response to what is no command', 'unanswered', remove('response', '')],
  ['a session that begins with 1', 'version', edit('command_finished', '1', { sessionVersion: 1 })],
  ['a version that falls', 'version', edit('command_finished', 'n', { sessionVersion: 0 })],
  ['a version that jumps', 'version', edit('command_finished', 'n', { sessionVersion: 4 })],
  ['a version that outlives its session', 'version', edit('command_finished', '1b', { sessionVersion: 3 })],
  ['a command behind the end', 'shutdown', add(course('accepted', 'z', 'abort', s1), 'command_finished', 'of another')],
  ['two ends', 'shutdown', repeat('server_shutdown', '')],
  ['an event of a stranger', 'subscribed', add(event('agent_start', {}, 's2'), 'response', 'p')],
  ['an event before the subscription', 'subscribed', add(event('queue_update'), 'response', '2')],
  ['an event of a session that is gone', 'subscribed', add(event('queue_update'), 'command_accepted', 'of another')],
  ['a prompt that is finished in its run', 'run', move('event', 'agent_end', 'command_started', 'n')],
  ['events in another order', 'events', move('event', 'message_end', 'event', 'message_start')],
  ['a run that never ends', 'events', all(remove('event', 'agent_end'))],
];

test('correct frames pass', () => {
  expect(checkPiServerOrder(correct(), { sent })).toEqual([]);
});

test('so do those of a connection that is bound to its session, or was made late, or was cut', () => {
  const isOfTwo = (frame: Frame) => frame.id === '2' || Object(frame.data).commandId === '2';
  const asksNothing = sent.filter((command) => typeof command === 'string' || command.id !== '2');
  const bound = correct().filter((frame) => !isOfTwo(frame));
  expect(checkPiServerOrder(bound, { sent: asksNothing, bound: 's1' })).toEqual([]);
  const from = placeOf(correct(), 'command_finished', 'n');
  const others = correct().filter(({ type }) => type !== 'response' && type !== 'event');
  expect(checkPiServerOrder([ready, ...others.slice(from - 10)], { late: true })).toEqual([]);
  const cut = placeOf(correct(), 'event', 'message_start');
  expect(checkPiServerOrder(correct().slice(0, cut + 1), { sent, complete: false })).toEqual([]);
});

test('a connection that was made late may hear of a conflicting repetition before the command that it repeats', () => {
  const [first, repetition] = [{ idempotencyKey: 'one' }, { idempotencyKey: 'two' }].map((key) => ({ ...s1, ...key }));
  const heard = [
    course('accepted', 'n', 'set_model', repetition),
    course('started', 'n', 'set_model', first),
    course('finished', 'n', 'set_model', { ...first, success: true, sessionVersion: 4 }),
    course('finished', 'n', 'set_model', { ...repetition, success: false, error: 'Conflicting id: n' }),
  ];
  const rules = (frames: readonly Frame[], options: PiServerOrderOptions) =>
    checkPiServerOrder([ready, ...frames], options).map(({ rule }) => rule);
  expect(rules(heard, { late: true })).toEqual([]);
  expect(rules(heard, {})).toContain('identity');
});

test('so does the newer dialect, which leaves out that repetitions and refusals were accepted', () => {
  const frames = correct();
  remove('command_accepted', 'n', 1)(frames);
  remove('command_accepted', 'n', 1)(frames);
  expect(checkPiServerOrder(frames, { sent, dialect: 'newer' })).toEqual([]);
});

test('a prompt that joins a run needs no turn of its own, where its client says so', () => {
  const frames = correct();
  const at = placeOf(frames, 'command_finished', 'a');
  frames.splice(at, 0, ...whole('j', 'prompt', s1, { sessionVersion: 1 }));
  const joins = { id: 'j', type: 'prompt', streamingBehavior: 'steer' };
  edit('command_finished', 'a', { sessionVersion: 2 })(frames);
  edit('response', 'a', { sessionVersion: 2 })(frames);
  for (const [id, sessionVersion] of [
    ['p', 3],
    ['n', 4],
  ] as const) {
    edit('command_finished', id, { sessionVersion })(frames);
    edit('response', id, { sessionVersion })(frames);
  }
  edit('command_finished', 'n', { sessionVersion: 4 }, 1)(frames);
  edit('response', 'n', { sessionVersion: 4 }, 1)(frames);
  expect(checkPiServerOrder(frames, { sent: [...sent, joins] })).toEqual([]);
  expect(check(frames, { sent: [...sent, { id: 'j' }] })).toEqual(['lane', 'queue', 'run']);
});

describe('one breach', () => {
  test.each(broken)('%s', (_, rule, breakage, options) => {
    const frames = correct();
    breakage(frames);
    expect(check(frames, options)).toContain(rule);
  });

  test('each rule has one', () => {
    const tried = new Set<string>(broken.map(([, rule]) => rule));
    expect(Object.keys(piServerRules).filter((rule) => !tried.has(rule))).toEqual([]);
  });
});

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');
const Row = z.object({ dir: z.enum(['in', 'out', 'note']), line: z.string(), conn: z.string().optional() });

/** What each connection of a recording received; lines of stdout that are none of the protocol left out (docs/protocols/pi-server.md 3.1). */
function connectionsIn(file: string): unknown[][] {
  const connections = new Map<string, unknown[]>();
  for (const text of readFileSync(path.join(corpus, file), 'utf8').split('\n').filter(Boolean)) {
    const row = Row.parse(JSON.parse(text));
    if (row.dir !== 'out' || !row.line.startsWith('{')) continue;
    const conn = row.conn ?? '';
    connections.set(conn, [...(connections.get(conn) ?? []), JSON.parse(row.line)]);
  }
  return [...connections.values()];
}

/** What is known of the real server (docs/protocols/pi-server.md 19.2, 4.4): snapshots run ahead, `command` may be no text. */
const isKnownFault = ({ rule, says }: { rule: PiServerRule; says: string }) =>
  (rule === 'events' && says.startsWith('pi/partial')) || (rule === 'frame' && says.startsWith('command: '));

const recordings = existsSync(corpus) ? readdirSync(corpus) : [];
describe.skipIf(recordings.length === 0)(
  `real servers (skipped where PATCHBAY_CORPUS and ../shared/corpus are absent: ${corpus})`,
  () => {
    test.each(recordings)('%s', (file) => {
      const dialect = file.includes('--v2.2') ? 'newer' : 'document';
      for (const frames of connectionsIn(file)) {
        const found = checkPiServerOrder(frames, { dialect }).filter((violation) => !isKnownFault(violation));
        expect(found).toEqual([]);
      }
    });
  },
);
