// What the session tracker learns about a pi session, what it asks pi by itself, and what it delivers to all clients.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { bench, typesOf, wire } from './harness.ts';
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

describe('what pi has is told', () => {
  const unsaid = { pi: { unsaid: true } };
  const tool = (name: string) => ({ name, description: `does ${name}`, parameters: { type: 'object' }, strict: 1 });
  const system = (news: object) => ({ type: 'message_end', message: { role: 'system', content: '', ...news } });
  const begun = { type: 'message_start', message: { role: 'system', content: '' } };

  test('its commands, which it is asked for when it starts', () => {
    const pi = bench();
    pi.start();
    const asked = pi.sent().find(({ type }) => type === 'get_commands');
    const commands = [{ name: 'review', description: 'Reviews', source: 'prompt', sourceInfo: { path: '/r' } }];
    pi.feed(wire.response(String(asked?.id), 'get_commands', { commands }));
    const { source, sourceInfo, ...rest } = commands[0] ?? {};
    const told = [{ ...rest, kind: source, extra: { pi: { sourceInfo } } }];
    expect(pi.events()).toEqual([{ type: 'session-changed', changes: { commands: told }, extra: unsaid }]);
  });

  /** A pi 1.x that has taken its first prompt. */
  function prompted(data?: object) {
    const pi = bench();
    pi.command({ type: 'prompt', content: [{ type: 'text', text: 'hi' }] }, 'c1');
    pi.feed(wire.response('c1', 'prompt', data));
    pi.events();
    return pi;
  }
  const started = { disposition: 'started' };
  const names = (events: readonly Event[]) =>
    events.map((event) =>
      event.type === 'session-changed' ? event.changes.tools?.map(({ name }) => name).join(' ') : event.type,
    );

  test('its tools, before the first run that has them', () => {
    const pi = prompted(started);
    pi.feed(wire.agentStart, wire.turnStart, begun);
    expect(pi.events()).toEqual([]);
    pi.feed(system({ toolsAdded: [tool('read'), tool('write')] }));
    const [news, ...rest] = pi.events();
    const tools = [tool('read'), tool('write')].map(({ strict: _, ...one }) => one);
    expect(news).toEqual({ type: 'session-changed', changes: { tools }, extra: unsaid });
    expect(typesOf(rest)).toEqual(['run-start', 'turn-start', 'message-added']);
    expect(pi.timers()).toEqual({});
    pi.feed(wire.turnEnd, wire.agentEnd, wire.settled, wire.agentStart);
    expect(names(pi.events())).toEqual(['turn-end', 'run-end', 'run-start']);
    pi.feed(system({ toolsAdded: [tool('grep')], toolsRemoved: [{ name: 'write' }] }));
    expect(names(pi.events())).toEqual(['read grep', 'message-added']);
  });

  test.each<[what: string, lines: object[], told: string[]]>([
    ['a message of its user', [wire.turnStart, wire.said('hi')], ['run-start', 'turn-start', 'message-added']],
    ['a second run', [wire.agentEnd], ['run-start']],
  ])('a run that begins with %s waits no longer', (_, lines, told) => {
    const pi = prompted(started);
    pi.feed(wire.agentStart, ...lines);
    expect(typesOf(pi.events())).toEqual(told);
  });

  test('a run waits for its tools no longer than an end waits for a retry', () => {
    const pi = prompted(started);
    pi.feed(wire.agentStart, wire.turnStart);
    expect(pi.timers()).toHaveProperty('run-begin', 50);
    pi.advance(50);
    expect(typesOf(pi.events())).toEqual(['run-start', 'turn-start']);
  });

  test('the end of the channel lets it go', () => {
    const pi = prompted(started);
    pi.feed(wire.agentStart);
    pi.end();
    expect(typesOf(pi.events())).toEqual(['run-start']);
  });

  test('older versions, which do not say what becomes of a prompt, are not waited for', () => {
    const pi = prompted();
    pi.feed(wire.agentStart);
    expect(typesOf(pi.events())).toEqual(['run-start']);
  });
});

describe('thinking levels of a pi that has no command for them', () => {
  const usual = ['off', 'minimal', 'low', 'medium', 'high'];
  const lost = { kind: 'refused' };

  test.each<[what: string, state: object | undefined, levels: string[] | typeof lost]>([
    ['a model that reasons', { ...state, thinkingLevel: 'low', model: { ...model, reasoning: true } }, usual],
    [
      'one that is at another',
      { ...state, thinkingLevel: 'xhigh', model: { ...model, reasoning: true } },
      [...usual, 'xhigh'],
    ],
    ['one that does not', { ...state, thinkingLevel: 'off', model: { ...model, reasoning: false } }, ['off']],
    ['no model', { ...state, model: null }, lost],
    ['no answer', undefined, lost],
  ])('%s', (_, told, levels) => {
    const pi = bench();
    pi.command({ type: 'query', subject: 'thinking-levels' }, 'c1');
    pi.sent();
    const words = 'Unknown command: get_available_thinking_levels';
    pi.feed(wire.refusal(undefined, 'get_available_thinking_levels', words));
    const [look] = pi.sent();
    const id = String(look?.id);
    pi.feed(told === undefined ? wire.refusal(id, 'get_state', 'no') : wire.response(id, 'get_state', told));
    expect(pi.settled()).toEqual({
      c1: levels === lost ? refused('unsupported', words) : { ok: true, data: { levels } },
    });
  });
});
