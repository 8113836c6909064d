// One connection of a Claude client: every frame it may send, good and bad, and what it gets back.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/command.ts';
import { type Outcome, refused } from '../../../src/core/errors.ts';
import type { Event, EventOf } from '../../../src/core/event.ts';
import { checkRpcMessages } from '../../support/judges/rpc-message.ts';
import { connect } from './harness.ts';

const ok: Outcome = { ok: true };
const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
const control = (request: object) => ({ type: 'control_request', request_id: 'r1', request });
const answer = (id: string, response: unknown) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});
const success = (response?: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', ...(response && { response }) },
});
const failure = (error: string, code?: string) => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: 'r1', error, ...(code && { error_code: code }) },
});

describe('prompts', () => {
  test.each<[string, unknown, unknown]>([
    ['a string', 'Hello.', [{ type: 'text', text: 'Hello.' }]],
    ['no words at all', '', [{ type: 'text', text: '' }]],
    ['no blocks at all', [], []],
    [
      'texts',
      [
        { type: 'text', text: 'a', cache_control: {} },
        { type: 'text', text: 'b' },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [
      'an image',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
      [{ type: 'image', data: 'aGk=', mediaType: 'image/png' }],
    ],
    [
      'an image elsewhere',
      [{ type: 'image', source: { type: 'url', url: 'https://example.com' } }],
      [{ type: 'image', url: 'https://example.com' }],
    ],
    [
      'a document',
      [{ type: 'document', title: 'T', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } }],
      [{ type: 'document', name: 'T', mediaType: 'application/pdf', data: 'aGk=' }],
    ],
    [
      'a document as text',
      [{ type: 'document', source: { type: 'text', data: 'words' } }],
      [{ type: 'document', text: 'words' }],
    ],
    [
      'a document elsewhere',
      [{ type: 'document', title: null, source: { type: 'url', url: 'https://example.com' } }],
      [{ type: 'document', url: 'https://example.com' }],
    ],
    [
      'a block that we do not know',
      [{ type: 'constructor', a: 1 }],
      [{ type: 'opaque', name: 'constructor', protocol: 'claude', payload: { type: 'constructor', a: 1 } }],
    ],
  ])('%s', (_, content, expected) => {
    expect(connect().say(user(content))).toEqual({
      delivered: [{ type: 'prompt', content: expected }],
      sent: [],
      notes: [],
    });
  });

  const prompt: Command = { type: 'prompt', content: [] };

  test('one that is taken is answered by the session, not by the connection', () => {
    expect(connect().reply(prompt, ok)).toEqual({ delivered: [], sent: [], notes: [] });
  });

  test('one that is refused gets a result, or the client would wait for ever', () => {
    const events: Event[] = [
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'message-end', stop: { reason: 'end' }, cost: { total: 0.25 } },
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'completed' },
    ];
    const { sent } = connect({ events }).reply(prompt, refused('busy', 'the agent is busy'));
    expect(sent).toEqual([
      {
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        duration_ms: 0,
        duration_api_ms: 0,
        num_turns: 0,
        errors: ['the agent is busy'],
        stop_reason: null,
        total_cost_usd: 0.25,
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
        modelUsage: {},
        permission_denials: [],
        terminal_reason: 'error',
        queued_turn_count: 0,
        session_id: 'session',
        uuid: 'frame-1',
      },
    ]);
  });

  test('one that is refused in the middle of a turn gets an error: a result would end that turn', () => {
    const client = connect({ events: [{ type: 'run-start' }] });
    expect(client.reply(prompt, refused('limit', 'too many prompts wait')).sent).toMatchObject([
      { type: 'error', message: 'too many prompts wait' },
    ]);
  });

  test('a prompt’s uuid comes back with the prompt where it waits', () => {
    const uuid = '11111111-1111-4111-8111-111111111111';
    const client = connect();
    const { delivered } = client.say({ ...user('a'), uuid });
    expect(delivered).toMatchObject([{ type: 'prompt', extra: { claude: uuid } }]);
    const [interrupt] = client.say(control({ subtype: 'interrupt' })).delivered;
    if (interrupt === undefined) throw new Error('nothing was delivered');
    const waiting = [...delivered, { type: 'prompt', content: [] }];
    expect(client.reply(interrupt, { ok: true, data: { waiting } }).sent).toEqual([
      success({ still_queued: [uuid, null] }),
    ]);
  });

  test('rpc-message: an error before the result, both as its parser takes them', () => {
    const { sent } = connect({ id: 'rpc-message' }).reply(prompt, refused('agent-down', 'the agent is gone'));
    expect(sent.map(({ type }) => type)).toEqual(['error', 'result']);
    expect(checkRpcMessages(sent)).toEqual([]);
  });
});

describe('control requests that become commands', () => {
  test.each<[object, Command, object | undefined]>([
    [{ subtype: 'interrupt' }, { type: 'abort', target: 'run' }, { still_queued: [] }],
    [{ subtype: 'set_model', model: 'm' }, { type: 'set-model', model: 'm' }, { model: 'm' }],
    [{ subtype: 'set_model' }, { type: 'set-model' }, { model: 'default' }],
    [{ subtype: 'set_model', model: null }, { type: 'set-model' }, { model: 'default' }],
    [{ subtype: 'set_permission_mode', mode: 'plan' }, { type: 'set-mode', mode: 'plan' }, { mode: 'plan' }],
    [
      { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 9 },
      { type: 'set-thinking', budgetTokens: 9 },
      undefined,
    ],
    [{ subtype: 'set_max_thinking_tokens' }, { type: 'set-thinking', budgetTokens: null }, undefined],
  ])('%j', (request, command, response) => {
    const client = connect();
    const { delivered, sent, notes } = client.say(control(request));
    expect({ delivered, sent, notes }).toMatchObject({ delivered: [command], sent: [], notes: [] });
    const [asked] = delivered;
    if (asked === undefined) throw new Error('nothing was delivered');
    expect(client.reply(asked, ok).sent).toEqual([success(response)]);
    expect(client.reply(asked, refused('unsupported', 'no such thing')).sent).toEqual([
      failure('no such thing', 'unsupported_request'),
    ]);
    expect(client.reply(asked, refused('timeout', 'too late')).sent).toEqual([failure('too late')]);
  });
});

describe('control requests that are answered at once', () => {
  const model = { id: 'large', name: 'Large' };
  const events: Event[] = [
    {
      type: 'session-changed',
      changes: { model, commands: [{ name: 'count', description: 'counts' }, { name: 'stop' }] },
    },
    { type: 'tool-server-changed', name: 'files', kind: 'mcp', status: 'running' },
  ];
  const initialized = (commands: object[], models: object[]) =>
    success({
      commands,
      agents: [],
      output_style: 'default',
      available_output_styles: ['default'],
      models,
      account: {},
    });
  const commands = [
    { name: 'count', description: 'counts', argumentHint: '' },
    { name: 'stop', description: '', argumentHint: '' },
  ];

  const small = { value: 'small', displayName: 'small', description: '' };
  const large = { value: 'large', displayName: 'Large', description: '' };

  test.each<[string, Event[], Outcome, object]>([
    ['models', [], { ok: true, data: { models: [{ id: 'small' }, model] } }, initialized([], [small, large])],
    ['nothing that is a model', [], { ok: true, data: { models: 'many' } }, initialized([], [])],
    ['nothing, so the one that is known counts', events, refused('unsupported', 'no'), initialized(commands, [large])],
    ['nothing, and none is known', [], refused('agent-down', 'gone'), initialized([], [])],
  ])('initialize asks the agent first for its models: it tells %s', (_, state, outcome, expected) => {
    const client = connect({ events: state });
    const { delivered, sent } = client.say(control({ subtype: 'initialize' }));
    expect({ delivered, sent }).toMatchObject({ delivered: [{ type: 'query', subject: 'models' }], sent: [] });
    const [asked] = delivered;
    expect(asked && client.reply(asked, outcome).sent).toEqual([expected]);
  });

  test.each<[string, object, Event[], object]>([
    [
      'initialize, when the models are known',
      { subtype: 'initialize' },
      [...events, { type: 'session-changed', changes: { models: [{ id: 'small' }, model] } }],
      initialized(commands, [small, large]),
    ],
    ['mcp_status', { subtype: 'mcp_status' }, events, success({ mcpServers: [{ name: 'files', status: 'running' }] })],
    [
      'set_permission_mode without a mode',
      { subtype: 'set_permission_mode' },
      [],
      failure('set_permission_mode needs a mode', 'invalid_mode'),
    ],
    [
      'an unknown subtype',
      { subtype: 'get_settings' },
      [],
      failure('Unsupported control request subtype: get_settings', 'unsupported_request'),
    ],
    [
      'the subtype __proto__',
      { subtype: '__proto__' },
      [],
      failure('Unsupported control request subtype: __proto__', 'unsupported_request'),
    ],
    [
      'the subtype constructor',
      { subtype: 'constructor' },
      [],
      failure('Unsupported control request subtype: constructor', 'unsupported_request'),
    ],
  ])('%s', (_, request, state, expected) => {
    expect(connect({ events: state }).say(control(request))).toEqual({ delivered: [], sent: [expected], notes: [] });
  });
});

describe('answers to a question whether a tool may run', () => {
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

  test.each<[string, Command]>([
    ['a1', { type: 'answer-approval', id: 'a1', decision: 'deny', reason: 'no callback', unable: true }],
    ['dialog:d', { type: 'answer-dialog', id: 'd', answer: { kind: 'cancelled' }, unable: true }],
  ])('an error for %s: this client cannot ask, but another one may', (request_id, command) => {
    const frame = { type: 'control_response', response: { subtype: 'error', request_id, error: 'no callback' } };
    expect(connect().say(frame)).toEqual({ delivered: [command], sent: [], notes: [] });
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
    const { delivered, sent } = connect().say(answer('a1', response));
    expect(delivered).toEqual([]);
    expect(sent).toMatchObject([{ type: 'error', message: expect.stringContaining('the answer to a1') }]);
  });

  const given: Command = { type: 'answer-approval', id: 'a1', decision: 'allow' };
  test.each<[string, Outcome, string[]]>([
    ['taken', ok, []],
    ['too late', refused('stale', 'answered already'), []],
    ['refused', refused('invalid', 'not so'), ['not so']],
  ])('one that is %s', (_, outcome, errors) => {
    expect(
      connect()
        .reply(given, outcome)
        .sent.map(({ message }) => message),
    ).toEqual(errors);
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

describe('what is no frame', () => {
  test.each<[string, Uint8Array, string]>([
    ['no JSON', Buffer.from('{"type":'), 'the frame is not valid JSON'],
    ['no UTF-8', Buffer.from([0xff, 0xfe]), 'the frame is not valid UTF-8'],
    ['nothing', Buffer.from(''), 'the frame is not valid JSON'],
    ['too deep', Buffer.from('['.repeat(500)), 'the frame nests deeper than 128 levels'],
    ['a type without end', Buffer.from(`{"type":"${'x'.repeat(500)}"}`), `unknown frame type "${'x'.repeat(64)}"`],
  ])('%s', (_, bytes, message) => {
    const error = { type: 'error', message, session_id: 'session', uuid: 'frame-1' };
    expect(connect().raw(bytes)).toEqual({ delivered: [], sent: [error], notes: [`violation: ${message}`] });
    const [said] = connect({ id: 'rpc-message' }).raw(bytes).sent;
    expect(checkRpcMessages([said])).toEqual([]);
  });

  test('a fault of the transport is told in our own protocol', () => {
    expect(connect().fault('the frame is too large').sent).toMatchObject([
      { type: 'error', message: 'the frame is too large' },
    ]);
  });

  test('an error never repeats what a client said at length', () => {
    const { sent } = connect().say({ type: 'user', message: { role: 'user', content: { secret: 'x'.repeat(1_000) } } });
    expect(JSON.stringify(sent)).not.toContain('xxxx');
  });

  test('frames that want nothing get nothing', () => {
    for (const type of ['keep_alive', 'control_cancel_request']) {
      expect(connect().say({ type })).toEqual({ delivered: [], sent: [], notes: [] });
    }
  });
});

test('rpc-message: control frames do not exist, so a control request is done and not answered', () => {
  const client = connect({ id: 'rpc-message' });
  const { delivered, sent } = client.say(control({ subtype: 'interrupt' }));
  expect({ delivered, sent }).toMatchObject({ delivered: [{ type: 'abort', target: 'run' }], sent: [] });
  const [asked] = delivered;
  expect(asked && client.reply(asked, ok).sent).toEqual([]);
});
