// What a client asks beside the conversation: what becomes a command, what is answered at once, what the agent is offered.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { connect } from './harness.ts';

const ok: Outcome = { ok: true };
const control = (request: object) => ({ type: 'control_request', request_id: 'r1', request });
const success = (response?: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', ...(response && { response }) },
});
const failure = (error: string, code?: string) => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: 'r1', error, ...(code && { error_code: code }) },
});

describe('control requests that become commands', () => {
  test.each<[object, Command, object | undefined]>([
    [{ subtype: 'interrupt' }, { type: 'abort', target: 'run' }, { still_queued: [] }],
    [{ subtype: 'set_model', model: 'm' }, { type: 'set-model', model: 'm' }, { model: 'm' }],
    [{ subtype: 'set_model' }, { type: 'set-model' }, { model: 'default' }],
    [{ subtype: 'set_model', model: null }, { type: 'set-model' }, { model: 'default' }],
    [{ subtype: 'set_model', model: 'default' }, { type: 'set-model' }, { model: 'default' }],
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
    const refusedWith = (outcome: Outcome) => client.reply(client.asks(control(request)), outcome).sent;
    expect(refusedWith(refused('unsupported', 'no such thing'))).toEqual([
      failure('no such thing', 'unsupported_request'),
    ]);
    expect(refusedWith(refused('timeout', 'too late'))).toEqual([failure('too late')]);
    const isMode = command.type === 'set-mode';
    expect(refusedWith(refused('invalid', 'no such mode'))).toEqual([
      failure('no such mode', isMode ? 'invalid_mode' : undefined),
    ]);
  });

  test('a mode is answered with the one that the agent has now', () => {
    const client = connect();
    const asked = client.asks(control({ subtype: 'set_permission_mode', mode: 'auto' }));
    expect(client.reply(asked, { ok: true, data: { mode: 'default' } }).sent).toEqual([success({ mode: 'default' })]);
  });

  test.each<[object, string, string | undefined]>([
    [{ subtype: 'set_model', model: 7 }, 'set_model: model: ', undefined],
    [{ subtype: 'set_permission_mode' }, 'set_permission_mode: mode: ', 'invalid_mode'],
    [{ subtype: 'set_permission_mode', mode: 7 }, 'set_permission_mode: mode: ', 'invalid_mode'],
    [{ subtype: 'set_max_thinking_tokens', max_thinking_tokens: '9' }, 'set_max_thinking_tokens: ', undefined],
  ])('%j is refused under its id, or its client would wait for ever', (request, words, code) => {
    const { delivered, sent, notes } = connect().say(control(request));
    expect(delivered).toEqual([]);
    expect(sent).toEqual([failure(expect.stringContaining(words), code)]);
    expect(notes).toEqual([expect.stringContaining(`violation: ${words}`)]);
  });
});

describe('a malformed request is refused under its id, or its client would wait for ever', () => {
  const malformed = { type: 'control_request', request_id: 'r1' };

  test.each<[string, object, string]>([
    ['a list as subtype', { ...malformed, request: { subtype: [] } }, 'request.subtype: '],
    ['a number as subtype', { ...malformed, request: { subtype: -1 } }, 'request.subtype: '],
    ['an object as subtype', { ...malformed, request: { subtype: {} } }, 'request.subtype: '],
    ['null as subtype', { ...malformed, request: { subtype: null } }, 'request.subtype: '],
    ['no subtype', { ...malformed, request: {} }, 'request.subtype: '],
    ['a request that is no object', { ...malformed, request: 'initialize' }, 'request: '],
    ['no request', malformed, 'request: '],
  ])('%s', (_, frame, words) => {
    const { delivered, sent, notes } = connect().say(frame);
    expect(delivered).toEqual([]);
    expect(sent).toEqual([failure(expect.stringContaining(`bad control_request frame: ${words}`))]);
    expect(notes).toEqual([expect.stringContaining(`violation: bad control_request frame: ${words}`)]);
  });

  test.each<[string, string, object]>([
    ['without an id that could be repeated', 'claude', { ...malformed, request_id: 7 }],
    ['in the dialect that has no control frames', 'rpc-message', malformed],
  ])('%s it is an error', (_, id, frame) => {
    expect(connect({ id }).say(frame).sent).toMatchObject([
      { type: 'error', message: expect.stringContaining('bad control_request frame: ') },
    ]);
  });
});

describe('control requests that are answered at once', () => {
  const answerOf = ({ response }: ReturnType<typeof success>) => response.response;

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

  /** What the agent is offered. */
  const offered = (request: object) => ({
    type: 'unknown',
    protocol: 'claude',
    payload: { type: 'control_request', request },
  });
  const unsupported = refused('unsupported', 'the agent knows no such request');
  const initialize = { subtype: 'initialize', hooks: {} };

  test('initialize is the agent’s, whose answer goes back word for word', () => {
    const client = connect({ events });
    const asked = client.asks(control(initialize));
    expect(asked).toEqual(offered(initialize));
    const data = { commands: [], models: [{ value: 'theirs' }], account: { email: null } };
    expect(client.reply(asked, { ok: true, data })).toEqual({ delivered: [], sent: [success(data)], notes: [] });
  });

  test('an agent that refuses the greeting is taken at its word', () => {
    const client = connect({ events });
    const { sent } = client.reply(client.asks(control(initialize)), refused('agent-refused', 'no such hook'));
    expect(sent).toEqual([failure('no such hook')]);
  });

  test.each<[string, Event[], Outcome, object]>([
    ['models', [], { ok: true, data: { models: [{ id: 'small' }, model] } }, initialized([], [small, large])],
    ['nothing that is a model', [], { ok: true, data: { models: 'many' } }, initialized([], [])],
    ['nothing, so the one that is known counts', events, refused('unsupported', 'no'), initialized(commands, [large])],
    ['nothing, and none is known', [], refused('agent-down', 'gone'), initialized([], [])],
  ])('an agent of another protocol is asked for its models: it tells %s', (_, state, outcome, expected) => {
    const client = connect({ events: state });
    const { delivered, sent } = client.reply(client.asks(control({ subtype: 'initialize' })), unsupported);
    expect({ delivered, sent }).toEqual({ delivered: [{ type: 'query', subject: 'models' }], sent: [] });
    const [asked] = delivered;
    expect(asked && client.reply(asked, outcome).sent).toEqual([expected]);
  });

  test('models that are known are not asked for again', () => {
    const known: Event = { type: 'session-changed', changes: { models: [{ id: 'small' }, model] } };
    const client = connect({ events: [...events, known] });
    const { delivered, sent } = client.reply(client.asks(control({ subtype: 'initialize' })), unsupported);
    expect({ delivered, sent }).toEqual({ delivered: [], sent: [initialized(commands, [small, large])] });
  });

  test('an agent that is gone is not started again to be asked', () => {
    const client = connect({ events });
    const { delivered, sent } = client.reply(
      client.asks(control({ subtype: 'initialize' })),
      refused('agent-down', 'gone'),
    );
    expect({ delivered, sent }).toEqual({ delivered: [], sent: [initialized(commands, [large])] });
  });

  test.each<[object, object]>([
    [{}, {}],
    [{ hooks: null, plugins: undefined }, {}],
    [{ hooks: { Stop: [{ matcher: 'x' }] } }, { hooks_applied: false }],
    [{ plugins: [{ type: 'local', path: '/p' }] }, { plugins_applied: false }],
    [{ mcpServers: { files: { command: 'files' } } }, { mcp_servers_applied: false }],
    [{ codeRunningMcpTools: ['mcp__a__b'] }, { code_running_mcp_tools_applied: false }],
    [{ settings: { model: 'm' } }, { settings_applied: false }],
    [{ managedSettings: { permissions: {} } }, { managed_settings_applied: false }],
    [{ disallowedTools: ['Bash'] }, { disallowed_tools_applied: false }],
    // Of nothing, everything has been applied.
    [
      { mcpServers: {}, settings: {}, disallowedTools: [], hooks: {} },
      { hooks_applied: true, mcp_servers_applied: true, settings_applied: true, disallowed_tools_applied: true },
    ],
    [
      { sdkMcpServers: ['calc', 'constructor'], sdkMcpServerManifests: { calc: {}, other: {} } },
      { sdk_mcp_manifests_parked: { calc: 'not_honoured' } },
    ],
    [{ sdkMcpServers: 'calc', sdkMcpServerManifests: [] }, {}],
  ])('a client that greets with %j learns of each part whether it counts', (parts, verdicts) => {
    const known: Event = { type: 'session-changed', changes: { models: [model] } };
    const client = connect({ events: [known] });
    const asked = client.asks(control({ subtype: 'initialize', ...parts }));
    const [answer] = client.reply(asked, unsupported).sent;
    expect(answer).toEqual({
      ...initialized([], [large]),
      response: expect.objectContaining({ response: { ...answerOf(initialized([], [large])), ...verdicts } }),
    });
  });

  test('mcp_status is the agent’s, else what the session knows', () => {
    const client = connect({ events });
    const asked = client.asks(control({ subtype: 'mcp_status' }));
    expect(asked).toEqual(offered({ subtype: 'mcp_status' }));
    const expected = success({ mcpServers: [{ name: 'files', status: 'connected' }] });
    expect(client.reply(asked, unsupported).sent).toEqual([expected]);
  });

  test.each(['get_settings', '__proto__', 'constructor'])('the subtype %s is offered to the agent first', (subtype) => {
    const request = { subtype, more: [1] };
    const client = connect();
    const outcomes: [Outcome, object][] = [
      [{ ok: true, data: { theirs: true } }, success({ theirs: true })],
      [{ ok: true }, success()],
      [unsupported, failure(`Unsupported control request subtype: ${subtype}`, 'unsupported_request')],
      [refused('agent-refused', 'not now'), failure('not now')],
      [refused('timeout', 'too late'), failure('too late')],
    ];
    for (const [outcome, expected] of outcomes) {
      const asked = client.asks(control(request));
      expect(asked).toEqual(offered(request));
      expect(client.reply(asked, outcome)).toEqual({ delivered: [], sent: [expected], notes: [] });
    }
  });

  const unknownUsage = failure('Unsupported control request subtype: get_context_usage', 'unsupported_request');
  test.each<[string, Outcome, object]>([
    [
      'tokens and window',
      { ok: true, data: { tokens: 50, window: 200 } },
      success(
        expect.objectContaining({ totalTokens: 50, maxTokens: 200, rawMaxTokens: 200, percentage: 25, model: 'large' }),
      ),
    ],
    ['no window', { ok: true, data: { tokens: 50, window: null } }, unknownUsage],
    ['nothing', refused('unsupported', 'no'), unknownUsage],
  ])('get_context_usage of an agent that tells %s', (_, outcome, expected) => {
    const client = connect({ events });
    const { delivered } = client.reply(client.asks(control({ subtype: 'get_context_usage' })), unsupported);
    expect(delivered).toEqual([{ type: 'query', subject: 'context-usage' }]);
    const [asked] = delivered;
    expect(asked && client.reply(asked, outcome).sent).toEqual([expected]);
  });
});

describe('what the agent cannot call', () => {
  const init = JSON.stringify({ type: 'system', subtype: 'init', a: 1 });
  const greet = (client: ReturnType<typeof connect>, request: object, outcome: Outcome) =>
    client.reply(client.asks(control({ subtype: 'initialize', ...request })), outcome);
  const gone = refused('agent-down', 'gone');

  test.each<[object, Outcome, string | null]>([
    [{ hooks: { PreToolUse: [] } }, gone, 'hooks'],
    [{ sdkMcpServers: ['calc'] }, gone, 'tools of its own'],
    [{ hooks: { PreToolUse: [] }, sdkMcpServers: ['calc'] }, gone, 'hooks, tools of its own'],
    [{ hooks: {}, sdkMcpServers: [] }, gone, null],
    [{ hooks: null }, gone, null],
    [{}, gone, null],
    [{ hooks: { PreToolUse: [] } }, { ok: true, data: {} }, null],
    [{ mcpServers: { a: {} }, plugins: [{ type: 'local' }] }, gone, 'MCP servers, plugins'],
    [
      { agents: { a: {} }, skills: ['s'], jsonSchema: { type: 'object' } },
      gone,
      'sub-agents, a choice of skills, a schema for the answer',
    ],
    [
      { settings: { a: 1 }, managedSettings: { a: 1 }, disallowedTools: ['Bash'] },
      gone,
      'settings, managed settings, disallowed tools',
    ],
    [
      { toolAliases: { a: 'b' }, planModeInstructions: 'Plan.' },
      gone,
      'other names of tools, instructions for plan mode',
    ],
    [
      { appendSubagentSystemPrompt: 'x', promptSuggestions: true, agentProgressSummaries: true },
      gone,
      'a system prompt for sub-agents, suggestions of prompts, summaries of sub-agents',
    ],
    // What SDKs always send, and what says something of the client itself.
    [{ systemPrompt: [''], appendSystemPrompt: '', skills: [], promptSuggestions: false, agents: {} }, gone, null],
    [
      {
        title: '',
        supportedDialogKinds: ['x'],
        forwardSubagentText: true,
        excludeDynamicSections: true,
        workspaceTrust: 'x',
      },
      gone,
      null,
    ],
    // Parts of versions to come.
    [{ newer: ['x'], newest: {}, [`__proto${'o'.repeat(90)}`]: 1 }, gone, `newer, __proto${'o'.repeat(57)}`],
    [
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`new${at}`, 1])),
      gone,
      'new0, new1, new2, new3, new4, new5, new6, new7',
    ],
  ])('%j is told once, behind the next init', (request, outcome, words) => {
    const client = connect();
    greet(client, request, outcome);
    greet(client, request, outcome);
    const text = `The agent behind this gateway cannot use what this client offers: ${words}.`;
    const notice = { type: 'system', subtype: 'notice', level: 'warning', text, source: 'gateway' };
    const told = words === null ? [] : [expect.objectContaining(notice)];
    expect(client.hears(init, init)).toEqual([JSON.parse(init), ...told, JSON.parse(init)]);
  });
});

describe('instructions in a greeting', () => {
  const greeting = (parts: object) => control({ subtype: 'initialize', ...parts });
  const boundary = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';
  const offer = { type: 'unknown', protocol: 'claude' };

  test.each<[object, object]>([
    [{ systemPrompt: ['Be brief.'] }, { text: 'Be brief.' }],
    [{ systemPrompt: 'Be brief.' }, { text: 'Be brief.' }],
    [{ systemPrompt: ['Be brief.', boundary, 'Rhyme.'] }, { text: 'Be brief.\n\nRhyme.' }],
    [{ systemPrompt: [`Be brief.\n${boundary}\nRhyme.`] }, { text: 'Be brief.\nRhyme.' }],
    [{ appendSystemPrompt: 'Rhyme.' }, { addition: 'Rhyme.' }],
    [
      { systemPrompt: ['Be brief.'], appendSystemPrompt: 'Rhyme.' },
      { text: 'Be brief.', addition: 'Rhyme.' },
    ],
  ])('%j go before it, for an agent that takes them when it is started', (parts, instructions) => {
    const client = connect();
    const asked = client.asks(greeting(parts));
    expect(asked).toEqual({ type: 'set-instructions', ...instructions });
    expect(client.reply(asked, ok).delivered).toEqual([expect.objectContaining(offer)]);
  });

  test.each([{}, { systemPrompt: [''] }, { systemPrompt: [' '], appendSystemPrompt: '' }, { systemPrompt: 7 }])(
    '%j are none',
    (parts) => {
      expect(connect().asks(greeting(parts))).toMatchObject(offer);
    },
  );

  test('an agent of this protocol reads them itself', () => {
    const agent = { protocol: 'claude', commands: new Set<never>() };
    expect(connect({ agent }).asks(greeting({ systemPrompt: ['x'] }))).toMatchObject(offer);
  });

  test.each<[Outcome, string[]]>([
    [ok, []],
    [refused('conflict', 'too late'), ['a system prompt, an addition to the system prompt']],
  ])('are told when they come to nothing: %j', (outcome, words) => {
    const client = connect();
    const asked = client.asks(greeting({ systemPrompt: ['x'], appendSystemPrompt: 'y' }));
    const [offered] = client.reply(asked, outcome).delivered;
    if (offered === undefined) throw new Error('the greeting was not offered');
    client.reply(offered, refused('unsupported', 'no'));
    const texts = client.hears('{"type":"system","subtype":"init"}').flatMap(({ text }) => text ?? []);
    expect(texts).toEqual(
      words.map((word) => `The agent behind this gateway cannot use what this client offers: ${word}.`),
    );
  });
});

describe('the title in a greeting', () => {
  const unsupported = refused('unsupported', 'no');
  const greet = (title: unknown, name?: string) => {
    const client = connect({ events: [{ type: 'session-changed', changes: { models: [], name } }] });
    return client.reply(client.asks(control({ subtype: 'initialize', title })), unsupported).delivered;
  };

  test.each<[string, unknown, string | undefined, object[]]>([
    ['names the session', 'Boats', undefined, [{ type: 'set-name', name: 'Boats' }]],
    ['leaves a session that has a name', 'Boats', 'Ships', []],
    ['is nothing when it is empty', ' ', undefined, []],
    ['is nothing when it is no text', 7, undefined, []],
  ])('%s', (_, title, name, delivered) => {
    expect(greet(title, name)).toEqual(delivered);
  });
});
