// Requests and their answers: deadlines, answers that are hard to place, answers that are events, options.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import { backendOf, bench, shortRun, wire } from './harness.ts';

const prompt: Command = { type: 'prompt', content: [] };
const abort: Command = { type: 'abort', target: 'run' };
const ok = { ok: true };
const refused = (code: string) => ({ ok: false, error: { code } });
const asks = (id: string, rest: object = {}) => ({
  type: 'extension_ui_request',
  id,
  method: 'select',
  title: 'Which?',
  options: ['a', 'b'],
  ...rest,
});

describe('deadlines', () => {
  test('a request that pi does not answer', () => {
    const pi = bench({ requestTimeoutMs: 30_000 });
    pi.command({ type: 'cycle-model' }, 'c1');
    pi.advance(29_999);
    expect(pi.settled()).toEqual({});
    pi.advance(1);
    expect(pi.settled()).toMatchObject({ c1: refused('timeout') });
    pi.feed(wire.response('c1', 'cycle_model', null));
    expect([pi.settled(), pi.notes()]).toEqual([{}, []]);
  });

  test.each<Command>([{ type: 'bash', command: 'sleep 99' }, { type: 'compact' }])(
    '$type takes as long as it takes',
    (command) => {
      const pi = bench();
      pi.command(command, 'c1');
      expect(pi.timers()).toEqual({});
      const hasty = bench({ longRequestTimeoutMs: 10 });
      hasty.command(command, 'c1');
      hasty.advance(10);
      expect(hasty.settled()).toMatchObject({ c1: refused('timeout') });
    },
  );

  test('a prompt waits as long as its dialog is open, then its clock starts anew', () => {
    const pi = bench({ requestTimeoutMs: 1000 });
    pi.command(prompt, 'c1');
    pi.advance(900);
    pi.feed(asks('d'));
    pi.advance(60_000);
    expect(pi.settled()).toEqual({});
    pi.command({ type: 'answer-dialog', id: 'd', answer: { kind: 'value', value: 'a' } }, 'c2');
    pi.advance(999);
    expect(pi.settled()).toEqual({ c2: ok });
    pi.advance(1);
    expect(pi.settled()).toMatchObject({ c1: refused('timeout') });
  });

  test('a prompt sent beside an open dialog waits as well', () => {
    const pi = bench({ requestTimeoutMs: 1000 });
    pi.feed(asks('d'));
    pi.command(prompt, 'c1');
    pi.advance(60_000);
    expect(pi.settled()).toEqual({});
  });
});

describe('answers without an id', () => {
  const models: Command = { type: 'query', subject: 'models' };
  const parse = wire.refusal(undefined, 'parse', 'Failed to parse command: no');

  test('an unknown command is the oldest of that name', () => {
    const pi = bench();
    pi.command({ type: 'clear-queue' }, 'c1');
    pi.command(models, 'c2');
    pi.feed(wire.refusal(undefined, 'clear_queue', 'Unknown command: clear_queue'));
    expect(pi.settled()).toMatchObject({ c1: refused('unsupported') });
  });

  test('"parse" is the only open one', () => {
    const pi = bench();
    pi.command({ type: 'fork', entry: 'x' }, 'c1');
    pi.feed(parse);
    expect(pi.settled()).toMatchObject({ c1: refused('agent-refused') });
  });

  test.each([0, 2])('"parse" with %d open ones is nobody', (open) => {
    const pi = bench();
    for (let at = 0; at < open; at += 1) pi.command(models, `c${at}`);
    pi.feed(parse);
    expect(pi.settled()).toEqual({});
    expect(pi.notes()).toEqual(['repair: response: ignored an answer that nobody waits for']);
  });
});

describe('0.13.2 answers with events', () => {
  test('compact', () => {
    const pi = bench();
    pi.command({ type: 'compact' }, 'c1');
    pi.feed({ type: 'compaction', summary: 's', tokensBefore: 9 });
    expect(pi.settled()).toMatchObject({ c1: { ok: true, data: { summary: 's', tokensBefore: 9 } } });
  });

  test('abort', () => {
    const pi = bench();
    pi.feed(wire.agentStart);
    pi.command(abort, 'c1');
    pi.feed(...shortRun('aborted').slice(1));
    pi.advance(50);
    expect(pi.settled()).toEqual({ c1: ok });
  });
});

describe('the beginning', () => {
  test('pi is asked how it is', () => {
    const pi = bench();
    pi.start();
    const [look] = pi.sent();
    expect(look).toMatchObject({ type: 'get_state' });
    const data = { isStreaming: false, sessionId: 's', thinkingLevel: 'low', model: { id: 'm', provider: 'p' } };
    pi.feed(wire.response(String(look?.id), 'get_state', data));
    expect(pi.events()).toEqual([
      {
        type: 'session-changed',
        changes: { agentSessionId: 's', thinkingLevel: 'low', model: { id: 'm', provider: 'p' } },
        extra: { pi: { unsaid: true } },
      },
    ]);
  });

  test('0.13.2 does not answer, and that is no event', () => {
    const pi = bench();
    pi.start();
    pi.advance(60_000);
    expect([pi.events(), pi.settled(), pi.notes()]).toEqual([[], {}, []]);
  });

  test('shell output without an id is that of the command that runs', () => {
    const pi = bench();
    pi.command({ type: 'bash', command: 'ls' }, 'c1');
    pi.feed({ type: 'bash_execution_update', delta: 'o' });
    expect(pi.events()).toEqual([{ type: 'bash-output', command: 'c1', delta: 'o' }]);
  });

  test.each([
    ['the one that its client gave', { extra: { pi: { id: 'mine' } } }, 'c1', { extra: { pi: { id: 'mine' } } }],
    ['none, where its client gave none', {}, 'c1', {}],
    ['its own, where it is not ours', {}, 'x', { extra: { pi: { id: 'x' } } }],
  ])('shell output comes back with an id: %s', (_, given, id, told) => {
    const pi = bench();
    pi.command({ type: 'bash', command: 'ls', ...given }, 'c1');
    pi.feed({ type: 'bash_execution_update', id, delta: 'o' });
    expect(pi.events()).toEqual([{ type: 'bash-output', command: id, delta: 'o', ...told }]);
  });
});

describe('options', () => {
  test.each([{ graceMs: '20' }, { graceMs: 0, startGraceMs: 0, requestTimeoutMs: 1, longRequestTimeoutMs: 0 }])(
    '%o is taken',
    (options) => {
      expect(() => backendOf(options)).not.toThrow();
    },
  );
  test.each([{ graceMs: -1 }, { graceMs: 'soon' }, { requestTimeoutMs: 0 }, { grace: 1 }])(
    '%o is refused',
    (options) => {
      expect(() => backendOf(options)).toThrow(GatewayError);
    },
  );
});
