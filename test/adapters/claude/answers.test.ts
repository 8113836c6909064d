// What a client answers to what it was asked: permissions, dialogs, and what only an agent of its own protocol asks.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { connect } from './harness.ts';

const ok: Outcome = { ok: true };
const answer = (id: string, response: unknown) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});
const failed = (request_id: string) => ({
  type: 'control_response',
  response: { subtype: 'error', request_id, error: 'it threw' },
});

describe('answers to a question whether a tool may run', () => {
  const events: Event[] = [{ type: 'run-start' }, { type: 'approval-request', id: 'a1', name: 'swap', input: {} }];
  const suggestion = { type: 'addRules' };

  test.each<[string, unknown, Command]>([
    ['allow', { behavior: 'allow' }, { type: 'answer-approval', id: 'a1', decision: 'allow' }],
    [
      'allow, the input unchanged',
      { behavior: 'allow', updatedInput: null, updatedPermissions: null },
      { type: 'answer-approval', id: 'a1', decision: 'allow' },
    ],
    [
      'allow, the input changed',
      { behavior: 'allow', updatedInput: { to: 8 } },
      { type: 'answer-approval', id: 'a1', decision: 'allow', input: { to: 8 } },
    ],
    [
      'allow from now on',
      { behavior: 'allow', updatedPermissions: [suggestion], toolUseID: 'c' },
      { type: 'answer-approval', id: 'a1', decision: 'allow', remember: [suggestion] },
    ],
    ['deny', { behavior: 'deny' }, { type: 'answer-approval', id: 'a1', decision: 'deny' }],
    [
      'deny with a reason',
      { behavior: 'deny', message: 'no' },
      { type: 'answer-approval', id: 'a1', decision: 'deny', reason: 'no' },
    ],
    [
      'deny and stop',
      { behavior: 'deny', message: 'no', interrupt: true },
      { type: 'answer-approval', id: 'a1', decision: 'deny', reason: 'no', interrupt: true },
    ],
  ])('%s', (_, response, command) => {
    expect(connect().say(answer('a1', response))).toEqual({ delivered: [command], sent: [], notes: [] });
  });

  const whole = { type: 'addRules', rules: [{ toolName: 'swap' }], behavior: 'allow', destination: 'session' };
  const narrow = { ...whole, rules: [{ toolName: 'swap', ruleContent: 'a *' }] };

  test.each<[string, unknown[], unknown[] | undefined, boolean]>([
    ['this tool, this session', [whole], undefined, true],
    ['… beside something else', [narrow, whole], undefined, true],
    ['… of an agent that suggests nothing this time', [whole], [], true],
    ['… of an agent that suggests what may be kept: that is its own business', [whole], [whole], false],
    ['this tool in some cases', [narrow], undefined, false],
    ['this tool and another', [{ ...whole, rules: [{ toolName: 'swap' }, { toolName: 'drop' }] }], undefined, false],
    ['another tool', [{ ...whole, rules: [{ toolName: 'drop' }] }], undefined, false],
    ['for ever', [{ ...whole, destination: 'userSettings' }], undefined, false],
    ['never again', [{ ...whole, behavior: 'deny' }], undefined, false],
    ['no rule', [{ ...whole, rules: [] }], undefined, false],
    ['a mode', [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }], undefined, false],
    ['nothing that can be read', [null, 1, {}], undefined, false],
  ])('a yes to %s', (_, updatedPermissions, suggestions, forSession) => {
    const asked: Event = {
      type: 'approval-request',
      id: 'a1',
      name: 'swap',
      input: {},
      ...(suggestions && { suggestions }),
    };
    const { delivered } = connect({ events: [{ type: 'run-start' }, asked] }).say(
      answer('a1', { behavior: 'allow', updatedPermissions }),
    );
    const command: Command = { type: 'answer-approval', id: 'a1', decision: 'allow', remember: updatedPermissions };
    expect(delivered).toEqual([forSession ? { ...command, forSession } : command]);
  });

  test.each<[string, Command]>([
    ['a1', { type: 'answer-approval', id: 'a1', decision: 'deny', reason: 'no callback', unable: true }],
    ['dialog:d', { type: 'answer-dialog', id: 'd', answer: { kind: 'cancelled' }, unable: true }],
  ])('an error for %s: this client cannot ask, but another one may', (request_id, command) => {
    const frame = { type: 'control_response', response: { subtype: 'error', request_id, error: 'no callback' } };
    expect(connect({ events }).say(frame)).toEqual({ delivered: [command], sent: [], notes: [] });
  });

  test.each([
    [null],
    ['allow'],
    [{}],
    [{ behavior: 'maybe' }],
    [{ behavior: '__proto__' }],
    [{ behavior: 'allow', updatedInput: 'x' }],
    [{ behavior: 'deny', message: 7 }],
  ])('malformed %j decides nothing', (response) => {
    const { delivered, sent } = connect({ events }).say(answer('a1', response));
    expect(delivered).toEqual([]);
    expect(sent).toMatchObject([{ type: 'error', message: expect.stringContaining('the answer to a1') }]);
  });

  test.each<[string, Outcome, string[]]>([
    ['taken', ok, []],
    ['too late', refused('stale', 'answered already'), []],
    ['refused', refused('invalid', 'not so'), ['not so']],
  ])('one that is %s', (_, outcome, errors) => {
    const client = connect({ events });
    const { sent } = client.reply(client.asks(answer('a1', { behavior: 'allow' })), outcome);
    expect(sent.map(({ message }) => message)).toEqual(errors);
  });
});

describe('answers to a dialog', () => {
  const dialog = (kind: EventOf<'dialog-request'>['kind']): Event[] => [
    { type: 'dialog-request', id: 'd', kind, title: 'Q?' },
  ];
  const said = (answers: unknown) => ({ behavior: 'allow', updatedInput: { questions: [], answers } });
  const value = (text: string) => ({ kind: 'value', value: text });
  const cancelled = { kind: 'cancelled' };

  test.each<[string, EventOf<'dialog-request'>['kind'], unknown, unknown]>([
    ['one of a list', 'select', said({ 'Q?': 'red' }), value('red')],
    ['a word of the user’s own', 'input', said({ 'Q?': 'Ada' }), value('Ada')],
    ['a text', 'editor', said({ 'Q?': 'a\nb' }), value('a\nb')],
    ['yes', 'confirm', said({ 'Q?': 'Yes' }), { kind: 'confirmed', confirmed: true }],
    ['no', 'confirm', said({ 'Q?': 'No' }), { kind: 'confirmed', confirmed: false }],
    ['neither yes nor no', 'confirm', said({ 'Q?': 'Perhaps' }), { kind: 'confirmed', confirmed: false }],
    [
      'several',
      'interview',
      said({ one: 'a', two: ['b'] }),
      { kind: 'responses', responses: { one: 'a', two: ['b'] } },
    ],
    ['no answer', 'select', said({}), cancelled],
    ['answers that are no object', 'select', said('red'), cancelled],
    ['an answer that is no text', 'select', said({ 'Q?': 4 }), cancelled],
    ['nothing', 'select', { behavior: 'allow' }, cancelled],
    ['a denial', 'select', { behavior: 'deny', message: 'not now' }, cancelled],
  ])('%s to %s', (_, kind, response, expected) => {
    const { delivered } = connect({ events: dialog(kind) }).say(answer('dialog:d', response));
    expect(delivered).toEqual([{ type: 'answer-dialog', id: 'd', answer: expected }]);
  });

  test('a dialog that is over: the words go on, and the session calls them stale', () => {
    const { delivered } = connect().say(answer('dialog:d', said({ 'Q?': 'red' })));
    expect(delivered).toEqual([{ type: 'answer-dialog', id: 'd', answer: value('red') }]);
  });
});

describe('answers to what we do not know', () => {
  const frames = [
    answer('h1', { continue: true }),
    answer('m1', { mcp_response: {} }),
    answer('e1', null),
    failed('h1'),
  ];

  test.each(frames)('%j goes to the agent as it is', (frame) => {
    expect(connect().say(frame)).toEqual({
      delivered: [{ type: 'unknown', protocol: 'claude', payload: frame }],
      sent: [],
      notes: [],
    });
  });

  // A client may still answer what was withdrawn (docs/protocols/claude.md 3.7): it must not hear of it.
  test.each<[Outcome, string[]]>([
    [ok, []],
    [refused('stale', 'over'), ['loss: an answer to h1, which nobody waits for']],
    [refused('unsupported', 'no'), ['loss: an answer to h1, which nobody waits for']],
  ])('with the outcome %j the client hears nothing', (outcome, notes) => {
    const client = connect();
    expect(client.reply(client.asks(failed('h1')), outcome)).toEqual({ delivered: [], sent: [], notes });
  });

  test('a permission for what is no open question is a late answer', () => {
    const { delivered } = connect().say(answer('h1', { behavior: 'allow' }));
    expect(delivered).toEqual([{ type: 'answer-approval', id: 'h1', decision: 'allow' }]);
  });
});

describe('the end of a question', () => {
  const events: Event[] = [
    { type: 'run-start' },
    { type: 'approval-request', id: 'a1', name: 'swap', input: {} },
    { type: 'dialog-request', id: 'd', kind: 'input', title: 'Q?' },
  ];
  const over = (request_id: string) => JSON.stringify({ type: 'control_cancel_request', request_id });
  const allow = (id: string) => answer(id, { behavior: 'allow' });

  test('is told to all but the one who answered it, once', () => {
    const client = connect({ events });
    client.say(allow('a1'));
    client.say(answer('dialog:d', { behavior: 'allow', updatedInput: { answers: { 'Q?': 'x' } } }));
    expect(client.hears(over('a1'), over('dialog:d'))).toEqual([]);
    expect(client.hears(over('a1'), over('dialog:d'))).toHaveLength(2);
    expect(connect({ events }).hears(over('a1'))).toHaveLength(1);
  });

  test('a client that cannot answer has nothing to take back', () => {
    const client = connect({ events });
    client.reply(client.asks(failed('a1')), ok);
    expect(client.hears(over('a1'))).toEqual([]);
  });

  test.each<[Outcome, number]>([
    [ok, 0],
    [refused('stale', 'another was first'), 1],
    [refused('invalid', 'not so'), 1],
  ])('is told to who answered with the outcome %j and asks again', (outcome, count) => {
    const client = connect({ events });
    client.reply(client.asks(allow('a1')), outcome);
    expect(client.hears(over('a1'))).toHaveLength(count);
  });

  test('a client that answers without end is not remembered without end', () => {
    const client = connect({ events });
    for (let number = 0; number < 200; number += 1) client.say(allow(`a${number}`));
    expect(client.hears(over('a0'), over('a199'))).toEqual([JSON.parse(over('a0'))]);
  });
});
