// One connection: its greeting, its responses, its subscriptions, what it is told of all commands, and what is no command.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { connect, done, newsOf, receipt, sideOf, ticketOf, viewOf } from './client.ts';

const state = { id: 'c1', type: 'get_state', sessionId: 's1' };
const rename = { id: 'n1', type: 'set_session_name', sessionId: 's1', name: 'x' };
const question: Event = {
  type: 'dialog-request',
  id: 'q1',
  kind: 'select',
  title: 'Which?',
  options: ['a', 'b'],
};
const approval: Event = { type: 'approval-request', id: 't1', name: 'write', input: {} };

describe('the greeting', () => {
  const Package = z.object({ version: z.string() });
  const manifest = path.resolve(import.meta.dirname, '../../../package.json');
  const { version } = Package.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  const ready = {
    type: 'server_ready',
    data: { serverVersion: version, protocolVersion: '1.0.0', transports: ['websocket', 'stdio'] },
  };

  test('is the first frame, with the version of this package', () => expect(connect().start().sent).toEqual([ready]));
  test('is the same for readers of a stream', () =>
    expect(
      sideOf()
        .greeting?.()
        .map((out) => JSON.parse(String(out))),
    ).toEqual([ready]));
  test('a connection carries many sessions, of one projection in both dialects', () =>
    expect(
      ['1.0', '2.2'].map((dialect) => sideOf({ dialect })).map(({ isMultiplexed, key }) => [isMultiplexed, key]),
    ).toEqual([
      [true, ''],
      [true, ''],
    ]));
});

describe('a response', () => {
  test.each([
    [
      'success',
      rename,
      done,
      { version: 3 },
      '{"id":"n1","type":"response","command":"set_session_name","success":true,"sessionVersion":3}',
    ],
    [
      'without id',
      { type: 'abort', sessionId: 's1' },
      done,
      {},
      '{"type":"response","command":"abort","success":true}',
    ],
    [
      'with data',
      { id: 'd', type: 'delete_session', sessionId: 's1' },
      done,
      {},
      '{"id":"d","type":"response","command":"delete_session","success":true,"data":{"deleted":true}}',
    ],
    [
      'failure',
      rename,
      refused('agent-refused', 'no'),
      {},
      '{"id":"n1","type":"response","command":"set_session_name","success":false,"error":"no"}',
    ],
    [
      'replayed',
      rename,
      done,
      { version: 3, replayed: true },
      '{"id":"n1","type":"response","command":"set_session_name","success":true,"sessionVersion":3,"replayed":true}',
    ],
    [
      'timed out, replayed',
      rename,
      refused('timeout', "Command 'x' timed out after 7ms"),
      { replayed: true, timedOut: true },
      `{"id":"n1","type":"response","command":"set_session_name","success":false,"error":"Command 'x' timed out after 7ms","timedOut":true,"replayed":true}`,
    ],
  ])('%s: its keys in order', (_name, line, outcome, told, text) => {
    const client = connect();
    expect(client.send(line).sent).toEqual([]);
    expect(client.settle(outcome, told).texts).toEqual([text]);
  });

  test('of a prompt that failed in the model is a success without data (docs/protocols/pi-server.md 17.11)', () => {
    const client = connect();
    client.send({ id: 'p', type: 'prompt', sessionId: 's1', message: 'hi' });
    const outcome = { ok: true, data: { outcome: 'failed', failure: { kind: 'provider', message: 'no' } } } as const;
    expect(client.settle(outcome).texts).toEqual(['{"id":"p","type":"response","command":"prompt","success":true}']);
  });
});

describe('a subscription', () => {
  const switching = { id: 'sw', type: 'switch_session', sessionId: 's1' };
  const answer = { ok: true, data: { changes: {}, running: false } } as const;

  test('begins behind the response, also of a repetition', () => {
    const client = connect();
    for (const replayed of [false, true]) {
      client.send(switching);
      const { sent, watched, order } = client.settle(answer, { version: 0, replayed });
      expect(sent).toMatchObject([{ id: 'sw', success: true, data: { sessionInfo: { sessionId: 's1' } } }]);
      expect([watched, order]).toEqual([['s1'], ['send', 'subscribe']]);
    }
  });

  test('does not begin with a failure, nor with the opening of a session', () => {
    const client = connect();
    client.send(switching);
    expect(client.settle(refused('not-found', 'session s1 not found')).watched).toEqual([]);
    client.send({ type: 'create_session', sessionId: 's1' });
    expect(client.settle({ ok: true, data: { session: { id: 's1' } } }).watched).toEqual([]);
  });

  test('that is over is not mentioned', () => {
    const client = connect();
    client.watching(viewOf('s1'));
    expect(client.over('s1').sent).toEqual([]);
  });

  test('is there from the first on a connection that hears one session, and is for no other', () => {
    const client = connect({ bound: viewOf('s1') });
    client.send(switching);
    expect(client.settle(answer)).toMatchObject({ sent: [{ success: true }], watched: [] });
    const { sent, delivered, notes } = client.send({ ...switching, sessionId: 's2' });
    expect(sent).toEqual([
      {
        id: 'sw',
        type: 'response',
        command: 'switch_session',
        success: false,
        error: 'This connection hears session s1 only',
      },
    ]);
    expect([delivered, notes.length]).toEqual([[], 1]);
    // Commands may be about any session.
    expect(client.send({ ...rename, sessionId: 's2' }).delivered).toMatchObject([{ session: 's2' }]);
  });
});

describe('an answer to a question', () => {
  const answerTo = (requestId: string, response: object, sessionId = 's1') => ({
    id: 'u',
    type: 'extension_ui_response',
    sessionId,
    requestId,
    response,
  });
  const stale = refused('stale', 'no open question "q1": answered, withdrawn or never asked');

  test.each([
    ['q1', 's1', 'No pending UI request with id q1'],
    ['q2', 's2', 'No pending UI request with id q2'],
    ['q1', 's2', 'Session ID mismatch for request q1'],
    ['approval:t1', 's2', 'Session ID mismatch for request approval:t1'],
  ])('that comes too late or goes astray: %s in %s', (requestId, session, words) => {
    const client = connect();
    client.watching(viewOf('s1', [question, approval]));
    const [one] = client.send(answerTo(requestId, { method: 'cancelled' }, session)).delivered;
    if (one === undefined) throw new Error('not delivered');
    const ending = { outcome: stale, receipt };
    // In the same words to everybody and to the client.
    expect(client.hear(newsOf(one.ticket, { phase: 'finished', ending })).sent).toMatchObject([
      { data: { error: words } },
    ]);
    expect(client.settle(stale).sent).toMatchObject([{ success: false, error: words }]);
  });

  test('of a session that ended is not looked for there', () => {
    const client = connect();
    client.watching(viewOf('s1', [question]));
    client.over('s1');
    client.send(answerTo('q1', { method: 'cancelled' }, 's2'));
    expect(client.settle(stale).sent).toMatchObject([{ error: 'No pending UI request with id q1' }]);
  });

  test('of another kind than the question, where that is known, cancels it', () => {
    const client = connect();
    client.watching(viewOf('s1', [question]));
    const cancelled = { type: 'answer-dialog', id: 'q1', answer: { kind: 'cancelled' } };
    const line = answerTo('q1', { method: 'confirm', confirmed: true });
    expect(client.send(line).delivered).toMatchObject([{ command: cancelled, session: 's1' }]);
    expect(client.send(answerTo('q1', { method: 'select', value: 'a' })).delivered).toMatchObject([
      { command: { type: 'answer-dialog', id: 'q1', answer: { kind: 'value', value: 'a' } } },
    ]);
  });

  test('a dialog that is called like an approval is answered by those who do not hear it, too', () => {
    const line = answerTo('spelled:_61_pproval:t1', { method: 'select', value: 'a' });
    const answer = { kind: 'value', value: 'a' };
    expect(connect().send(line).delivered).toMatchObject([
      { command: { type: 'answer-dialog', id: 'approval:t1', answer } },
    ]);
  });

  test('a dialog may be called like an approval', () => {
    const client = connect();
    client.watching(viewOf('s1', [{ ...question, id: 'approval:t1' }]));
    const line = answerTo('approval:t1', { method: 'select', value: 'a' });
    expect(client.send(line).delivered).toMatchObject([{ command: { type: 'answer-dialog', id: 'approval:t1' } }]);
  });
});

describe('what all clients are told', () => {
  const ticket = ticketOf({ ...rename, dependsOn: ['a'], ifSessionVersion: 2, idempotencyKey: 'k' });
  const course = {
    commandId: 'n1',
    commandType: 'set_session_name',
    sessionId: 's1',
    dependsOn: ['a'],
    ifSessionVersion: 2,
    idempotencyKey: 'k',
  };
  const finished = (outcome: typeof done, rest: object = {}) =>
    newsOf(ticket, { phase: 'finished', ending: { outcome, receipt: { ...receipt, ...rest } } });

  test('the course of a command, its keys in order', () => {
    const client = connect();
    const texts = [newsOf(ticket), newsOf(ticket, { phase: 'started' }), finished(done, { version: 3 })].flatMap(
      (news) => client.hear(news).texts,
    );
    const data = JSON.stringify(course);
    expect(texts).toEqual([
      `{"type":"command_accepted","data":${data}}`,
      `{"type":"command_started","data":${data}}`,
      `{"type":"command_finished","data":${data.slice(0, -1)},"success":true,"sessionVersion":3}}`,
    ]);
  });

  test.each([
    ['failed', refused('agent-refused', 'no'), {}, { success: false, error: 'no' }],
    ['repeated', done, { replayed: true, version: 3 }, { success: true, sessionVersion: 3, replayed: true }],
    ['timed out, which is not said', refused('timeout', 'late'), { timedOut: true }, { success: false, error: 'late' }],
  ])('how it ended: %s', (_name, outcome, rest, told) =>
    expect(connect().hear(finished(outcome, rest)).sent).toEqual([
      { type: 'command_finished', data: { ...course, ...told } },
    ]),
  );

  test('what went wrong is not told at any length', () => {
    const outcome = refused('agent-refused', `Model not found: ${'p'.repeat(1_000_000)}`);
    const [told] = connect().hear(finished(outcome)).sent;
    expect(JSON.stringify(told).length).toBeLessThan(9_000);
    expect(told).toMatchObject({ data: { error: expect.stringMatching(/^Model not found: p+…$/u) } });
  });

  test('a command without id has one of the server, the same for all clients', () => {
    const [first, second] = [connect(), connect()].map(
      (client) => client.hear(newsOf(ticketOf({ type: 'list_sessions' }))).sent[0],
    );
    expect(first).toEqual({
      type: 'command_accepted',
      data: { commandId: 'anon:server-1:7', commandType: 'list_sessions', dependsOn: [] },
    });
    expect(second).toEqual(first);
  });

  test.each([
    ['create_session without id', { type: 'create_session' }, undefined],
    ['create_session', { type: 'create_session', sessionId: 's9' }, 's9'],
    ['a server command with a stray one', { type: 'list_sessions', sessionId: 's1' }, 's1'],
    ['a stray one that is none', { type: 'list_sessions', sessionId: 4 }, undefined],
  ])('which session it is about: %s', (_name, line, sessionId) => {
    const [sent] = connect().hear(newsOf(ticketOf(line))).sent;
    expect(sent).toMatchObject({ data: { commandType: line.type, ...(sessionId === undefined ? {} : { sessionId }) } });
    expect(JSON.stringify(sent).includes('sessionId')).toBe(sessionId !== undefined);
  });

  test.each([
    ['1.0', 'executed', ['accepted', 'started', 'finished']],
    ['1.0', 'replayed', ['accepted', 'finished']],
    ['1.0', 'refused', ['accepted', 'finished']],
    ['2.2', 'executed', ['accepted', 'started', 'finished']],
    ['2.2', 'replayed', ['finished']],
    ['2.2', 'refused', ['finished']],
  ] as const)('dialect %s, %s', (dialect, how, phases) => {
    const client = connect({ options: { dialect } });
    const all =
      how === 'executed' ? (['accepted', 'started', 'finished'] as const) : (['accepted', 'finished'] as const);
    const told = all.flatMap((phase) => {
      const ending = phase === 'finished' ? { ending: { outcome: done, receipt } } : {};
      return client.hear(newsOf(ticket, { phase, how, ...ending })).sent;
    });
    expect(told.map(({ type }) => type)).toEqual(phases.map((phase) => `command_${phase}`));
  });

  test('sessions come and go, and the end is near', () => {
    const client = connect();
    const session = { id: 's1', createdAt: '2026-01-01T00:00:00.000Z', messageCount: 0, running: false };
    const opened = client.hear({ kind: 'session-opened', session, state: { changes: { name: 'x' }, running: false } });
    expect(opened.sent).toEqual([
      {
        type: 'session_created',
        data: {
          sessionId: 's1',
          sessionInfo: {
            sessionId: 's1',
            sessionName: 'x',
            thinkingLevel: 'off',
            isStreaming: false,
            messageCount: 0,
            createdAt: '2026-01-01T00:00:00.000Z',
          },
        },
      },
    ]);
    expect(client.hear({ kind: 'session-closed', session: 's1' }).sent).toEqual([
      { type: 'session_deleted', data: { sessionId: 's1' } },
    ]);
    expect(client.hear({ kind: 'shutdown', graceMs: 30_000 }).sent).toEqual([
      { type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 30_000 } },
    ]);
  });
});

describe('what is no command gets a failure, and the connection goes on', () => {
  const failure = (error: unknown, rest: object = {}) => ({
    ...rest,
    type: 'response',
    command: 'unknown',
    success: false,
    error,
  });
  const noObject = 'Validation failed: root: Command must be an object';
  const noType = "Validation failed: type: Command must have a string 'type' field";

  test.each([
    ['{bad json', expect.stringContaining('JSON')],
    ['', expect.stringContaining('JSON')],
    ['{"id":"two","type":"list_sessions"}{"id":"three","type":"list_sessions"}', expect.stringContaining('JSON')],
    ['{"id":"a","type":"list_sessions"}\n{"id":"b","type":"list_sessions"}', expect.stringContaining('JSON')],
    ['null', noObject],
    ['42', noObject],
    ['"x"', noObject],
    ['[]', noType],
    ['[{"type":"list_sessions"}]', noType],
    ['{}', noType],
  ])('%s', (text, error) => {
    const client = connect();
    const { sent, delivered, notes } = client.raw(text);
    expect(sent).toEqual([failure(error)]);
    expect(delivered).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/^violation: /u)]);
    expect(client.send(state).delivered).toHaveLength(1);
  });

  test('bytes that are no UTF-8', () =>
    expect(connect().raw(Buffer.from([0x7b, 0xff, 0x7d])).sent).toEqual([failure(expect.any(String))]));

  test('the note does not repeat what the client said', () =>
    expect(JSON.stringify(connect().send({ type: 'secret', id: 'secret' }).notes)).not.toContain('secret'));

  test.each([
    [{ code: 'too-large', message: 'm', bytes: 1200 } as const, 'Message size 1200 exceeds limit 1000'],
    [{ code: 'too-large', message: 'm' } as const, 'Message size exceeds limit 1000'],
    [{ code: 'bad-frame', message: 'a binary message' } as const, 'a binary message'],
  ])('%o', (fault, words) =>
    expect(connect({ settings: { maxMessageBytes: 1000 } }).fault(fault).sent).toEqual([failure(words)]),
  );
});
