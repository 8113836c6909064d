// What the machine learns of pi's session, asks by itself and tells everybody.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/command.ts';
import { bench, wire } from './harness.ts';
import { changes, model, state } from './samples.ts';

describe('what a change leads to', () => {
  test.each<Command>([
    { type: 'set-model', model: 'm', provider: 'p' },
    { type: 'cycle-model' },
    { type: 'set-thinking', level: 'low' },
    { type: 'cycle-thinking' },
    { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
    { type: 'set-auto', what: 'compaction', enabled: true },
    { type: 'set-name', name: 'n' },
  ])('$type: pi is asked how it is now, and what is new is told', (command) => {
    const pi = bench();
    pi.command(command, 'c1');
    const [{ type } = {}] = pi.sent();
    pi.feed(wire.response('c1', String(type), { ...model, model, level: 'low' }));
    const [look] = pi.sent();
    expect(look).toMatchObject({ type: 'get_state' });
    pi.feed(wire.response(String(look?.id), 'get_state', state));
    expect(pi.events()).toEqual([{ type: 'session-changed', changes, extra: { pi: { unsaid: true } } }]);
    // What pi says in a line of its own is told again, for its own clients.
    pi.feed({ type: 'thinking_level_changed', level: 'low' });
    expect(pi.events()).toEqual([
      { type: 'session-changed', changes: { thinkingLevel: 'low' }, extra: { pi: { type: 'thinking_level_changed' } } },
    ]);
  });

  test('set-auto retry is not in the state', () => {
    const pi = bench();
    pi.command({ type: 'set-auto', what: 'retry', enabled: false }, 'c1');
    pi.feed(wire.response('c1', 'set_auto_retry'));
    expect(pi.events()).toEqual([
      { type: 'session-changed', changes: { autoRetry: false }, extra: { pi: { unsaid: true } } },
    ]);
  });

  test.each<[Command, string, string[]]>([
    [{ type: 'new-session' }, 'new', ['get_state']],
    [{ type: 'switch-session', path: '/x' }, 'switched', ['get_state', 'get_messages']],
    [{ type: 'fork', entry: 'e' }, 'forked', ['get_state', 'get_messages']],
  ])('$type: another conversation', (command, reason, asked) => {
    const pi = bench();
    pi.command(command, 'c1');
    const [{ type } = {}] = pi.sent();
    pi.feed(wire.response('c1', String(type), { cancelled: false }));
    expect(pi.events()).toEqual([{ type: 'history-reset', reason }]);
    const lines = pi.sent();
    expect(lines.map((line) => line.type)).toEqual(asked);
    const history = lines.find((line) => line.type === 'get_messages');
    if (history === undefined) return;
    const messages = [{ role: 'user', content: 'hi' }];
    pi.feed(wire.response(String(history.id), 'get_messages', { messages }));
    expect(pi.events()).toMatchObject([{ type: 'message-added', role: 'user', origin: 'replay' }]);
  });

  test('a change that an extension cancelled is none', () => {
    const pi = bench();
    pi.command({ type: 'new-session' }, 'c1');
    pi.feed(wire.response('c1', 'new_session', { cancelled: true }));
    expect(pi.events()).toEqual([]);
  });
});

describe('a model without its provider', () => {
  const models = [model, { id: 'm', provider: 'q' }, { id: 'x/y', provider: 'q' }];
  /** The set_model line for a name, after pi listed its models and said which it uses. */
  function named(name: string, current: object | null): unknown {
    const pi = bench();
    pi.start();
    const [look] = pi.sent();
    pi.feed(wire.response(String(look?.id), 'get_state', { ...state, model: current }));
    pi.command({ type: 'set-model', model: name }, 'c1');
    const [list] = pi.sent();
    expect(list).toMatchObject({ type: 'get_available_models' });
    pi.feed(wire.response(String(list?.id), 'get_available_models', { models }));
    return pi.sent()[0] ?? pi.settled().c1;
  }

  test.each([
    ['listed', 'm', null, { provider: 'p', modelId: 'm' }],
    ['listed twice: the current provider', 'm', { id: 'z', provider: 'q' }, { provider: 'q', modelId: 'm' }],
    ['an id with a slash', 'x/y', null, { provider: 'q', modelId: 'x/y' }],
    ['a full name', 'q/m', null, { provider: 'q', modelId: 'm' }],
    ['not listed: the current provider', 'new', { id: 'z', provider: 'q' }, { provider: 'q', modelId: 'new' }],
    ['not listed, no provider', 'new', null, { ok: false, error: { code: 'not-found' } }],
  ])('%s', (_, name, current, expected) => {
    expect(named(name, current)).toMatchObject(expected);
  });

  test('the list is asked for once', () => {
    const pi = bench();
    pi.command({ type: 'query', subject: 'models' }, 'c1');
    pi.feed(wire.response('c1', 'get_available_models', { models }));
    pi.sent();
    pi.command({ type: 'set-model', model: 'm' }, 'c2');
    expect(pi.sent()).toEqual([{ type: 'set_model', provider: 'p', modelId: 'm', id: 'c2' }]);
  });
});
