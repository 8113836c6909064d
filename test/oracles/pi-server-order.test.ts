// The judge of what a connection to a pi-server of ours receives on trial: correct frames pass; broken in one way, the judge
// names the rule, or the promise of ours, that broke.
import { describe, expect, test } from 'vitest';
import { judgedPiServer, type PiServerConnection, type PiServerSaid } from '../support/judged.ts';
import { piServerOwn } from './own/pi-server.ts';

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
/** A frame of the client. */
const asks = (command: unknown): Frame => ({ asks: command });
/** A command from its client to its response. */
function whole(id: string, command: string, on: Frame, told: Frame, data: Frame = {}): Frame[] {
  return [
    asks({ id, type: command, ...on }),
    course('accepted', id, command, on),
    course('started', id, command, on),
    course('finished', id, command, { ...on, success: true, ...told }),
    answer(id, command, { ...told, ...data }),
  ];
}
const s1 = { sessionId: 's1' };
const sessionInfo = { ...s1, thinkingLevel: 'off', isStreaming: false, messageCount: 0 };
const created = { data: { ...s1, sessionInfo } };
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
    ...whole('1', 'create_session', s1, { sessionVersion: 0 }, created),
    { type: 'session_created', ...created },
    ...whole('2', 'switch_session', s1, { sessionVersion: 0 }, { data: { sessionInfo } }),
    asks({ id: 'p', type: 'prompt', ...s1, message: 'go' }),
    asks({ id: 'n', type: 'set_session_name', ...s1, name: 'n' }),
    asks({ id: 'a', type: 'steer', ...s1, message: 'on' }),
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
    asks({ id: 'n', type: 'set_session_name', ...s1, name: 'n' }),
    course('accepted', 'n', 'set_session_name', s1),
    course('finished', 'n', 'set_session_name', { ...s1, success: true, sessionVersion: 3, replayed: true }),
    answer('n', 'set_session_name', { sessionVersion: 3, replayed: true }),
    asks({ id: 'n', type: 'abort', ...s1 }),
    course('accepted', 'n', 'abort', s1),
    course('finished', 'n', 'abort', { ...s1, success: false, error: "Conflicting id 'n': no" }),
    answer('n', 'abort', { success: false, error: "Conflicting id 'n': no" }),
    asks(undefined),
    answer(null, 'unknown', { success: false, error: 'no JSON' }),
    asks({ type: 'list_sessions' }),
    course('accepted', 'anon:1', 'list_sessions'),
    course('started', 'anon:1', 'list_sessions'),
    course('finished', 'anon:1', 'list_sessions', { success: true }),
    answer(null, 'list_sessions', { data: { sessions: [] } }),
    ...whole('d', 'delete_session', s1, {}, { data: { deleted: true } }),
    { type: 'session_deleted', data: s1 },
    ...whole('1b', 'create_session', s1, { sessionVersion: 0 }, created),
    { type: 'session_created', ...created },
    course('accepted', 'of another', 'get_state', s1),
    course('started', 'of another', 'get_state', s1),
    { type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 1 } },
    course('finished', 'of another', 'get_state', { ...s1, success: false, error: 'no' }),
  ];
}

/** Tells another version, where the frame tells one. */
function grow(frame: Frame, sessionVersion: number): void {
  if (frame.sessionVersion !== undefined) frame.sessionVersion = sessionVersion;
  const { data } = frame;
  if (Object(data).sessionVersion !== undefined) frame.data = { ...Object(data), sessionVersion };
}

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

const said = (frames: readonly Frame[]): PiServerSaid[] =>
  frames.map((frame) =>
    Object.hasOwn(frame, 'asks') ? { by: 'client', json: frame.asks } : { by: 'agent', json: frame },
  );
const found = (frames: readonly Frame[], options: PiServerConnection = {}) => judgedPiServer(said(frames), options);

const broken: readonly [what: string, rule: string, breakage: Breakage][] = [
  ['a message that there is not', 'own/no-other-fields', add({ type: 'pong' }, 'response', '1')],
  ['no object', 'frame-object', (frames) => void frames.splice(3, 0, JSON.parse('["server_ready"]'))],
  ['a failure with data', 'failure-bare', edit('response', '', { data: {} })],
  ['a success with an error', 'response-error', edit('response', '2', { error: 'no' })],
  ['a null for what is absent', 'own/no-other-fields', edit('command_accepted', 'p', { ifSessionVersion: null })],
  ['a timeout in lifecycle', 'own/no-other-fields', edit('command_finished', 'of another', { timedOut: true })],
  ['a switch without a session', 'server-data', edit('response', '2', { data: {} })],
  ['no greeting', 'ready-first', (frames) => void frames.splice(0, 1)],
  ['a greeting that comes second', 'ready-first', move('server_ready', '', 'command_started', '1')],
  ['a second greeting', 'own/said-once', repeat('server_ready', '')],
  ['never accepted', 'accepted-first', remove('command_accepted', 'p')],
  ['never started', 'started-first', remove('command_started', 'p')],
  ['finished twice', 'started-first', repeat('command_finished', 'p')],
  ['started before it is accepted', 'accepted-first', move('command_started', '2', 'command_accepted', '2')],
  ['another session on the way', 'lifecycle-identity', edit('command_started', 'p', { sessionId: 's2' })],
  [
    "another session on the way, of another client's command",
    'lifecycle-identity',
    edit('command_started', 'of another', { sessionId: 's2' }),
  ],
  ['a failure in other words', 'own/whole-courses', edit('command_finished', 'of another', { sessionId: 's2' })],
  [
    'a refusal that was started',
    'own/whole-courses',
    (frames) => void frames.splice(placeOf(frames, 'command_finished', 'n', 2), 0, course('started', 'n', 'abort', s1)),
  ],
  ['another key at the end', 'lifecycle-identity', edit('command_finished', 'a', { idempotencyKey: 'k' })],
  [
    'carried out twice at once',
    'own/whole-courses',
    all(
      add(course('accepted', 'a', 'steer', s1), 'command_finished', 'a'),
      add(course('started', 'a', 'steer', s1), 'command_finished', 'a'),
    ),
  ],
  [
    'a repetition that is started',
    'replay-not-started',
    (frames) =>
      void frames.splice(
        placeOf(frames, 'command_finished', 'n', 1),
        0,
        course('started', 'n', 'set_session_name', s1),
      ),
  ],
  ['a repetition that was not accepted', 'own/whole-courses', remove('command_accepted', 'n', 1)],
  ['a refusal that was not accepted', 'own/whole-courses', remove('command_accepted', 'n', 2)],
  ['an end that never comes', 'own/whole-courses', remove('command_finished', 'of another')],
  ['two at once in a lane', 'own/lanes', move('command_started', 'n', 'command_finished', 'p')],
  [
    'two at once in the lane of the server',
    'own/lanes',
    all(
      add(course('accepted', 'h', 'health_check'), 'command_finished', 'anon:1'),
      add(course('started', 'h', 'health_check'), 'command_finished', 'anon:1'),
    ),
  ],
  [
    'one that overtakes another',
    'own/lanes',
    (frames) => frames.splice(placeOf(frames, 'command_started', 'n'), 0, ...whole('q', 'bash', s1, {}).slice(0, 3)),
  ],
  ['a response before the end', 'finished-before-response', move('response', '2', 'command_finished', '2')],
  ['a failure before its end', 'finished-before-response', move('response', 'n', 'command_finished', 'n', 1)],
  ['a response that says another thing', 'response-outcome', edit('response', 'p', { sessionVersion: 9 })],
  ['a response to another type', 'response-command', edit('response', 'p', { command: 'bash' })],
  ['a repetition under an old name', 'response-id', edit('response', 'n', { id: 'old' }, 1)],
  ['a second response', 'answered', repeat('response', 'p')],
  ['no response', 'answered', remove('response', 'p')],
  ['no response to what is no command', 'own/answers', remove('response', '')],
  ['a session that begins with 1', 'version-zero', edit('command_finished', '1', { sessionVersion: 1 })],
  ['a version that falls', 'version-grows', edit('command_finished', 'n', { sessionVersion: 0 })],
  ['a version that jumps', 'version-write', edit('command_finished', 'n', { sessionVersion: 4 })],
  ['a version that outlives its session', 'version-zero', edit('command_finished', '1b', { sessionVersion: 3 })],
  [
    'a command behind the end',
    'shutdown-last',
    add(course('accepted', 'z', 'abort', s1), 'command_finished', 'of another'),
  ],
  [
    'a session that is made in silence',
    'session-created',
    all(remove('session_created', '', 1), remove('session_created', '')),
  ],
  ['a session that is deleted in silence', 'session-deleted', remove('session_deleted', '')],
  ['two ends', 'own/said-once', repeat('server_shutdown', '')],
  ['an event of a stranger', 'event-subscribed', add(event('agent_start', {}, 's2'), 'response', 'p')],
  ['an event before the subscription', 'event-subscribed', add(event('queue_update'), 'response', '2')],
  [
    'an event of a session that is gone',
    'own/subscribed',
    add(event('queue_update'), 'command_accepted', 'of another'),
  ],
  ['a prompt that is finished in its run', 'own/runs', move('event', 'agent_end', 'command_started', 'n')],
  ['events in another order', 'pi/message-brackets', move('event', 'message_end', 'event', 'message_start')],
  ['a run that never ends', 'pi/agent-brackets', all(remove('event', 'agent_end'))],
];

test('correct frames pass', () => expect(found(correct())).toEqual([]));

test('so do those of a connection that is bound to its session, or was made late, or was cut', () => {
  const isOfTwo = ({ id, data, asks: asked }: Frame) => [id, Object(data).commandId, Object(asked).id].includes('2');
  const bound = correct().filter((frame) => !isOfTwo(frame));
  expect(found(bound, { bound: 's1' })).toEqual([]);
  const from = placeOf(correct(), 'command_finished', 'n');
  const others = correct().filter(({ type }) => type?.toString().startsWith('command_'));
  expect(found([ready, ...others.slice(from - 20)], { late: true })).toEqual([]);
  const cut = placeOf(correct(), 'event', 'message_start');
  expect(found(correct().slice(0, cut + 1), { complete: false })).toEqual([]);
});

test('a connection that was made late may hear of a conflicting repetition before the command that it repeats', () => {
  const [first, repetition] = [{ idempotencyKey: 'one' }, { idempotencyKey: 'two' }].map((key) => ({ ...s1, ...key }));
  const heard = [
    course('accepted', 'n', 'set_model', repetition),
    course('started', 'n', 'set_model', first),
    course('finished', 'n', 'set_model', { ...first, success: true, sessionVersion: 4 }),
    course('finished', 'n', 'set_model', { ...repetition, success: false, error: 'Conflicting id: n' }),
  ];
  expect(found([ready, ...heard], { late: true })).toEqual([]);
  expect(found([ready, ...heard]).map(({ rule }) => rule)).toContain('pi-server/own/whole-courses');
});

test('a prompt that joins a run needs no turn of its own, where its client says so', () => {
  const joining = (more: Frame) => {
    const frames = correct();
    const at = placeOf(frames, 'command_finished', 'a');
    const [, ...steps] = whole('j', 'prompt', s1, { sessionVersion: 1 });
    frames.splice(at, 0, asks({ id: 'j', type: 'prompt', ...s1, message: 'j', ...more }), ...steps);
    for (const [id, version] of [
      ['a', 2],
      ['p', 3],
      ['n', 4],
    ] as const)
      for (const frame of frames)
        if ((frame.id === id || Object(frame.data).commandId === id) && frame.success !== false) grow(frame, version);
    return found(frames).map(({ rule }) => rule);
  };
  expect(joining({ streamingBehavior: 'steer' })).toEqual([]);
  expect(joining({})).toEqual(expect.arrayContaining(['pi-server/own/lanes', 'pi-server/own/runs']));
});

describe('one breach', () => {
  test.each(broken)('%s', (_, rule, breakage) => {
    const frames = correct();
    breakage(frames);
    expect(found(frames).map((breach) => breach.rule)).toContain(rule.startsWith('pi/') ? rule : `pi-server/${rule}`);
  });

  test('each promise of ours has one', () => {
    const tried = new Set(broken.map(([, rule]) => `pi-server/${rule}`));
    expect(piServerOwn(false).filter(({ id }) => !tried.has(id))).toEqual([]);
  });
});
