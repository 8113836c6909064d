// How a session on a pi-server begins and ends.
import { describe, expect, test } from 'vitest';
import { multiplexing } from '../../../src/adapters/pi-server/backend/frames.ts';
import { frameOf } from '../pi/harness.ts';
import { agent, info, name, once, prompt, speaking, strangeAgent, wire } from './agent.ts';

const opened = { sessionId: name, sessionInfo: info };
const created = wire.answer(1, 'create_session', opened, 0);
const subscribed = wire.answer(2, 'switch_session', { sessionInfo: info }, 0);

describe('the greeting', () => {
  test('then a session of its own, then the subscription, then what was asked meanwhile', () => {
    const server = strangeAgent();
    server.start();
    server.command(prompt('hi'), 'c1');
    server.command({ type: 'query', subject: 'skills' }, 'c2');
    expect(server.sent()).toEqual([]);
    server.feed(wire.ready());
    expect(server.sent()).toEqual([{ id: 's:1', type: 'create_session', sessionId: name, cwd: '/home/me/project' }]);
    server.feed(created);
    expect(server.sent()).toEqual([{ id: 's:2', type: 'switch_session', sessionId: name }]);
    server.feed(subscribed);
    expect(server.sent()).toEqual([
      { id: 's:3', type: 'prompt', sessionId: name, message: 'hi' },
      { id: 's:4', type: 'get_skills', sessionId: name },
    ]);
    expect(server.events()).toEqual([
      {
        type: 'session-changed',
        changes: expect.objectContaining({ agentSessionId: name, createdAt: info.createdAt, thinkingLevel: 'medium' }),
        extra: { pi: { unsaid: true } },
      },
    ]);
    expect([server.settled(), server.closed()]).toEqual([{}, null]);
  });

  test.each([
    ['a folder', {}, ['/a', '/b'], { cwd: '/a' }],
    ['its option', { cwd: '/there' }, ['/a'], { cwd: '/there' }],
    ['the server’s own', { cwd: '' }, ['/a'], {}],
    ['no folder', {}, [], {}],
  ])('it works in %s', (_, options, folders, told) => {
    const server = strangeAgent(options, folders);
    server.feed(wire.ready());
    expect(server.sent()).toEqual([{ id: 's:1', type: 'create_session', sessionId: name, ...told }]);
  });

  test.each([['1.0.0'], ['1.7.3'], ['1']])('version %s is ours', (version) => {
    const server = strangeAgent();
    server.feed(wire.ready(version));
    expect([server.sent().length, server.closed()]).toEqual([1, null]);
  });

  test.each([
    ['2.0.0', 'the agent speaks 2.0.0 of the pi-server protocol, and we speak 1.x'],
    ['0.9', 'the agent speaks 0.9 of the pi-server protocol, and we speak 1.x'],
    ['10.0.0', 'the agent speaks 10.0.0 of the pi-server protocol, and we speak 1.x'],
    [7, 'the agent speaks an unknown version of the pi-server protocol, and we speak 1.x'],
  ])('version %s is not', (version, sentence) => {
    const server = strangeAgent();
    server.command(prompt('hi'), 'c1');
    server.feed(wire.ready(version));
    server.command(prompt('again'), 'c2');
    expect([server.sent(), server.closed()]).toEqual([[], sentence]);
    const refusal = { ok: false, error: { code: 'agent-down', message: sentence } };
    expect(server.settled()).toEqual({ c1: refusal, c2: refusal });
  });

  test.each([
    ['a limit', 'Session limit reached (100 sessions)'],
    ['a bad directory', 'CWD must point to an existing directory'],
    ['a name that is taken', 'Session s already exists'],
  ])('without a session for %s every command fails with that sentence', (_, sentence) => {
    const server = strangeAgent();
    server.feed(wire.ready());
    server.command(prompt('hi'), 'c1');
    server.feed(wire.refusal(1, 'create_session', sentence));
    server.command({ type: 'abort', target: 'run' }, 'c2');
    const refusal = { ok: false, error: { code: 'agent-down', message: sentence } };
    expect([server.settled(), server.closed()]).toEqual([{ c1: refusal, c2: refusal }, sentence]);
    expect(server.sent().map(({ type }) => type)).toEqual(['create_session']);
  });

  test('a session is asked for once, whatever is said again', () => {
    const server = strangeAgent();
    server.feed(wire.ready(), wire.ready(), created, wire.ready(), subscribed, wire.ready());
    expect(server.sent().map(({ type }) => type)).toEqual(['create_session', 'switch_session']);
    expect(server.notes()).toHaveLength(3);
  });

  test.each([
    ['no greeting', [], 'the pi-server did not answer in time (it has not greeted us)'],
    ['no session', [wire.ready()], 'the pi-server did not answer in time (create_session)'],
    ['no subscription', [wire.ready(), created], 'the pi-server did not answer in time (switch_session)'],
  ])('%s in time', (_, frames, sentence) => {
    const server = strangeAgent({ readyTimeoutMs: 1_000 });
    server.start();
    server.advance(900);
    server.feed(...frames);
    server.command({ type: 'cycle-model' }, 'c1');
    server.advance(99);
    expect(server.closed()).toBeNull();
    // All of it together.
    server.advance(1);
    expect(server.closed()).toBe(sentence);
    expect(server.settled()).toEqual({ c1: { ok: false, error: { code: 'agent-down', message: sentence } } });
  });

  test('by itself it waits less long than those do who open a session through us', () => {
    const server = strangeAgent();
    server.start();
    server.advance(24_999);
    expect(server.closed()).toBeNull();
    server.advance(1);
    expect(server.closed()).toBe('the pi-server did not answer in time (it has not greeted us)');
  });

  test('an open session is not waited for any more', () => {
    const server = agent({ readyTimeoutMs: 1_000 });
    server.advance(60_000);
    expect([server.closed(), server.timers()]).toEqual([null, {}]);
  });

  test('a session that is told of behind its answer is not the news that it is gone', () => {
    const server = strangeAgent();
    server.feed(wire.ready(), created, { type: 'session_created', data: opened }, subscribed);
    expect([server.closed(), server.notes()]).toEqual([null, []]);
  });
});

describe('the end', () => {
  test('it closes its session', () => {
    const server = agent();
    expect(server.leave()).toEqual([{ id: 's:3', type: 'delete_session', sessionId: name }]);
    server.feed({ type: 'session_deleted', data: { sessionId: name } });
    expect([server.leave(), server.closed()]).toEqual([[], null]);
  });

  test('one that was asked for and not answered as well, and none where none was asked for', () => {
    const server = strangeAgent();
    expect(server.leave()).toEqual([]);
    server.feed(wire.ready());
    expect(server.leave()).toMatchObject([{ type: 'delete_session' }]);
  });

  test.each([
    [
      'deleted by somebody',
      { type: 'session_deleted', data: { sessionId: name } },
      'the session was deleted on the pi-server',
    ],
    ['not found any more', wire.refusal(3, 'prompt', 'Session s not found'), 'the pi-server has closed the session'],
  ])('a session that is %s', (_, frame, sentence) => {
    const server = agent();
    server.command(prompt('hi'), 'c1');
    server.feed(frame);
    expect(server.closed()).toBe(sentence);
    expect(server.settled()).toMatchObject({ c1: { ok: false } });
    expect(server.leave()).toEqual([]);
  });

  test('another session may go', () => {
    const server = agent();
    server.feed({ type: 'session_deleted', data: { sessionId: 'another' } });
    expect(server.closed()).toBeNull();
  });

  const shutdown = { type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 30_000 } };
  const farewell = 'the pi-server is shutting down (graceful_shutdown)';

  test('a server that shuts down and is at nothing', () => {
    const server = agent();
    server.feed(shutdown);
    expect(server.closed()).toBe(farewell);
  });

  test('… and one that ends what it is at first, and takes nothing more', () => {
    const server = agent();
    server.command(prompt('hi'), 'c1');
    server.feed(...speaking(), shutdown);
    server.command({ type: 'cycle-model' }, 'c2');
    expect(server.closed()).toBeNull();
    expect(server.settled()).toEqual({
      c1: { ok: true },
      c2: { ok: false, error: { code: 'shutting-down', message: farewell } },
    });
    server.feed(...once().slice(3), wire.answer(3, 'prompt', undefined, 1));
    expect(server.closed()).toBe(farewell);
    expect(server.events().at(-1)).toEqual({ type: 'run-end', outcome: 'completed' });
  });
});

describe('what is no frame of the session', () => {
  test.each([
    ['a log line', '2026-03-01T00:00:00.000Z INFO [pi-server] up', /^violation: skipped a line of \d+ bytes/],
    [
      'a log line with a frame in it',
      'INFO {"type":"session_deleted","data":{"sessionId":"s"}}',
      /^violation: skipped/,
    ],
    ['no object', '42', /^violation: skipped a frame/],
    [
      'a summary of a newer server',
      { type: 'startup_recovery_summary', data: {} },
      /^repair: ignored a frame of an unknown/,
    ],
    ['a name of Object.prototype', { type: 'constructor' }, /^repair: ignored a frame/],
    ['an answer that nobody waits for', wire.answer(99, 'prompt'), /^repair: response: ignored/],
  ])('%s: a note, and nothing else', (_, frame, note) => {
    const server = agent();
    server.feed(frame);
    expect([server.notes(), server.events(), server.closed()]).toEqual([[expect.stringMatching(note)], [], null]);
  });

  test('another session', () => {
    const server = agent();
    server.feed(
      { type: 'event', sessionId: 'another', event: { type: 'agent_start' } },
      { ...wire.started('x', 'prompt'), data: { ...wire.started('x', 'prompt').data, sessionId: 'another' } },
    );
    expect([server.notes(), server.events()]).toEqual([[], []]);
  });
});

describe('whose a frame is on a connection of many', () => {
  test.each([
    ['a greeting', wire.ready(), { name: null, isGreeting: true }],
    ['an event', wire.event({ type: 'agent_start' }), { name }],
    ['an answer', wire.answer(7, 'prompt'), { name }],
    ['an answer without id', { type: 'response', command: 'unknown', success: false, error: 'no' }, { name: null }],
    ['an answer to somebody else', { ...wire.answer(1, 'prompt'), id: 'p1' }, { name: 'p1' }],
    ['a command', wire.started(3, 'prompt'), { name }],
    [
      'a server command',
      { type: 'command_started', data: { commandId: 'b:4', commandType: 'list_sessions' } },
      { name: 'b' },
    ],
    ['a session', { type: 'session_deleted', data: { sessionId: name } }, { name }],
    ['a farewell', { type: 'server_shutdown', data: {} }, { name: null }],
    ['what nobody knows', { type: 'startup_recovery_summary' }, { name: null }],
    ['a log line', 'INFO up', { name: null }],
  ])('%s', (_, frame, place) => {
    expect(multiplexing.route(frameOf(frame))).toEqual(place);
  });
});
