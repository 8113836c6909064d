// The backend of ACP, word by word (docs/protocols/acp.md). Each talk is judged: its events are legal, and its messages are true.
import { describe, expect, onTestFinished, test } from 'vitest';
import { at } from '../../support/acp-traces.ts';
import {
  type Beginning,
  call,
  change,
  chosen,
  permission,
  said,
  session,
  type Talk,
  talk,
  text,
  thought,
  update,
} from './backend-words.ts';

/** A talk that is judged at its end. */
function judged(beginning: Beginning = {}) {
  const it = talk(beginning);
  onTestFinished(() => expect(it.faults()).toEqual([]));
  return it;
}
const end = { stopReason: 'end_turn' };
const ends = (it: ReturnType<typeof talk>) =>
  it.of('run-end').map(({ outcome, failure }) => [outcome, failure?.message]);

describe('the beginning', () => {
  test('asks for version 1, declares neither files nor terminals, and opens a session', () => {
    const it = judged();
    expect(it.sent[0]).toMatchObject({ params: { protocolVersion: 1, clientCapabilities: { terminal: false } } });
    expect(at(it.last('session/new'), 'params')).toEqual({ cwd: '/p', mcpServers: [] });
    expect(it.of('session-changed').map(({ changes }) => changes.agentSessionId)).toEqual([session]);
  });

  test('plays updates that come before their session', () => {
    const it = talk({ isSilent: true });
    it.answer('initialize', { protocolVersion: 1 });
    it.hear(update('session_info_update', { title: 'early' }));
    expect(it.events).toEqual([]);
    it.answer('session/new', { sessionId: session });
    expect(it.of('session-changed').at(-1)?.changes).toEqual({ name: 'early' });
  });

  test('says how to log in, and why no prompt is taken', () => {
    const it = talk({ isSilent: true });
    const prompt = it.prompt('hi');
    const methods = [{ type: 'terminal', id: 't', name: 'Log in here', args: ['--login'] }];
    it.answer('initialize', { protocolVersion: 1, authMethods: methods });
    it.fail('session/new', -32_000, 'Authentication required');
    const words = "Log in to the agent first: Log in here (in a terminal, the agent's program with --login).";
    expect(it.of('notice').map(({ text: shown }) => shown)).toEqual([words]);
    expect(it.outcome(prompt)).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
  });

  test('refuses an agent of another version', () => {
    const it = talk({ isSilent: true });
    const prompt = it.prompt('hi');
    it.answer('initialize', { protocolVersion: 2 });
    expect(it.outcome(prompt)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  });

  test('brings the tool servers that the agent can use, and tells of the others without their secrets', () => {
    const secret = 'hush';
    const toolServers = [
      { name: 'a', config: { command: 'a', args: ['-x'], env: { KEY: secret } } },
      { name: 'b', config: { type: 'http', url: 'http://b', headers: { auth: secret } } },
    ];
    const it = judged({ toolServers });
    expect(at(it.last('session/new'), 'params', 'mcpServers')).toEqual([
      { name: 'a', command: 'a', args: ['-x'], env: [{ name: 'KEY', value: secret }] },
    ]);
    expect(it.of('notice')).toHaveLength(1);
    expect(JSON.stringify([it.events, it.notes])).not.toContain(secret);
  });

  test.each([
    ['session/resume', { loadSession: true, sessionCapabilities: { resume: {} } }],
    ['session/load', { loadSession: true }],
  ])('goes on with a known session by %s, and begins anew without it', (method, can) => {
    const it = judged({ resume: { name: 'old', isKnown: true }, can });
    it.hear(update('agent_message_chunk', { content: { type: 'text', text: 'past' } }, 'old'));
    it.fail(method, -32_603, 'gone');
    it.answer('session/new', { sessionId: session });
    expect(it.of('notice').map(({ text: shown }) => shown)).toEqual([expect.stringContaining('does not remember')]);
    expect(it.of('message-added')).toEqual([]);
  });

  test('tells the past of a session that nobody knows here, and fails without it', () => {
    const it = judged({ resume: { name: 'old', isKnown: false }, can: { loadSession: true } });
    it.hear(update('user_message_chunk', { content: { type: 'text', text: 'Hi' } }, 'old'));
    it.hear(update('agent_thought_chunk', { content: { type: 'text', text: 'Hm.' } }, 'old'));
    it.hear(update('agent_message_chunk', { content: { type: 'text', text: 'Yes?' } }, 'old'));
    it.hear(
      update('tool_call', { toolCallId: 'c', title: 'ls', name: 'bash', status: 'completed', rawOutput: 'a' }, 'old'),
    );
    it.answer('session/load', null);
    expect(it.of('message-added').map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['thinking', 'text', 'tool-call']],
      ['tool', ['text']],
    ]);
    const lost = talk({ resume: { name: 'old', isKnown: false }, can: { loadSession: true } });
    const state = lost.ask({ type: 'query', subject: 'state' });
    lost.fail('session/load', -32_602, 'Unknown session');
    expect(lost.outcome(state)).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });
});

describe('messages', () => {
  test.each([
    [
      'by ids',
      [thought('a', '1'), text('b', '1'), text('c', '1'), text('d', '2')],
      ['message', 'thinking a', 'text bc', 'message', 'text d'],
    ],
    [
      'by kind: a thought behind text',
      [text('a'), text('b'), thought('c'), text('d')],
      ['message', 'text ab', 'message', 'thinking c', 'text d'],
    ],
    [
      'with a thought that has an id of its own',
      [thought('a', '1'), text('b', '2'), text('c', '2')],
      ['message', 'thinking a', 'text bc'],
    ],
    ['without empty chunks', [text(''), text('a'), text(''), text('b')], ['message', 'text ab']],
    [
      'without remarks',
      [text('Warning: x'), text('a', '1'), text('**Notice**'), text('b', '1')],
      ['message', 'text ab'],
    ],
  ])('are told apart %s', (_, messages, expected) => {
    const it = judged();
    it.prompt('hi');
    it.hear(...messages);
    it.answer('session/prompt', end);
    expect(said(it)).toEqual(expected);
  });

  test('a single chunk without an id is the model speaking', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(text('Hello.'));
    expect(said(it)).toEqual([]);
    it.answer('session/prompt', end);
    expect(said(it)).toEqual(['message', 'text Hello.']);
  });

  test('text outside a run is one notice', () => {
    const it = judged();
    it.hear(text('pi v1'), text('\n---'));
    it.wake('outside');
    it.hear(text('Bye.'));
    it.prompt('hi');
    expect(it.of('notice').map(({ text: shown }) => shown)).toEqual(['pi v1\n---', 'Bye.']);
    it.answer('session/prompt', end);
  });

  test('an echo of the prompt is dropped, other words of the user are told', () => {
    const it = judged();
    it.prompt('hi you');
    const user = (words: string) => update('user_message_chunk', { content: { type: 'text', text: words } });
    it.hear(user('hi '), user('you'), user('more'));
    it.answer('session/prompt', end);
    expect(it.of('message-added').map(({ origin }) => origin)).toEqual(['prompt', 'agent']);
  });
});

describe('ends', () => {
  test.each([
    ['end_turn', ['completed', undefined]],
    ['max_tokens', ['completed', undefined]],
    ['cancelled', ['aborted', undefined]],
    ['max_turn_requests', ['failed', 'the agent has reached the largest number of requests of one turn']],
  ])('%s', (stopReason, expected) => {
    const it = judged();
    it.prompt('hi');
    it.hear(text('a', '1'));
    it.answer('session/prompt', { stopReason, usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } });
    expect(ends(it)).toEqual([expected]);
    expect(it.of('message-end').at(-1)?.usage).toMatchObject({ input: 3, output: 4 });
  });

  test('an error is a run that failed, with the status of the provider', () => {
    const it = judged();
    it.prompt('hi');
    it.fail('session/prompt', 529, 'overloaded');
    expect(it.of('run-end')).toMatchObject([{ outcome: 'failed', failure: { message: 'overloaded', status: 529 } }]);
  });

  test('a cancelled prompt that is never answered ends all the same, and its agent with it', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(text('a', '1'));
    it.ask({ type: 'abort', target: 'run' });
    expect(it.timers.has('cancelled')).toBe(true);
    it.wake('cancelled');
    expect(ends(it)).toEqual([['aborted', undefined]]);
    // It still works on that prompt: a second one would be the fault of the client (docs/protocols/acp.md 4.31).
    expect(it.closed).toBe('the agent did not answer a cancelled prompt');
  });

  test('a second prompt is never sent', () => {
    const it = judged();
    it.prompt('one');
    expect(it.outcome(it.prompt('two'))).toMatchObject({ ok: false, error: { code: 'busy' } });
    it.answer('session/prompt', end);
  });
});

describe('calls', () => {
  const output = [{ type: 'content', content: { type: 'text', text: 'out' } }];
  const terminal = (key: string) => ({ _meta: { [key]: { terminal_id: 't', data: 'out' } } });

  test.each([
    ['content', { content: output, rawOutput: 'raw' }, 'out'],
    ['a terminal', { ...terminal('terminal_output'), rawOutput: 'raw' }, 'out'],
    ["codex' terminal", terminal('terminal_output_delta'), 'out'],
    ['raw output', { rawOutput: { output: 'raw' } }, 'raw'],
    [
      'a fence of claude',
      { content: [{ type: 'content', content: { type: 'text', text: '```console\nraw\n```' } }], rawOutput: 'raw' },
      'raw',
    ],
  ])('show %s', (_, fields, expected) => {
    const it = judged();
    it.prompt('hi');
    it.hear(call('c', { rawInput: { a: 1 }, status: 'in_progress' }), change('c', { ...fields, status: 'completed' }));
    it.answer('session/prompt', end);
    expect(it.of('tool-start')).toMatchObject([{ name: 'bash', input: { a: 1 }, kind: 'execute' }]);
    expect(it.of('tool-end')).toMatchObject([{ content: [{ type: 'text', text: expected }], isError: false }]);
  });

  test('have the arguments that they run with, though they were announced empty', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(call('a', { rawInput: {} }), call('b', { rawInput: {} }), change('a', { rawInput: { x: 1 } }));
    it.hear(permission(0, 'a', { rawInput: { x: 2 } }), change('b', { rawInput: { y: 1 } }));
    it.ask({ type: 'answer-approval', id: 'permission-1', decision: 'allow' });
    it.hear(change('a', { status: 'completed' }), change('b', { status: 'completed' }));
    it.answer('session/prompt', end);
    expect(it.of('block-end').map(({ input }) => input)).toEqual([{ x: 2 }, { y: 1 }]);
    expect(it.of('tool-start').map(({ input }) => input)).toEqual([{ x: 2 }, { y: 1 }]);
    expect(it.of('turn-start')).toHaveLength(1);
  });

  test('are begun by their first change, or by a question', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(change('c', { title: 'read', kind: 'read', status: 'completed' }), permission(0, 'look__1'));
    it.ask({ type: 'answer-approval', id: 'permission-1', decision: 'deny' });
    it.hear(text('No then.', '1'));
    it.answer('session/prompt', end);
    expect(it.of('tool-end').map(({ name, skipped }) => [name, skipped])).toEqual([
      ['read', undefined],
      ['look', 'denied'],
    ]);
  });

  test('end with their turn, and what is said of them later is for ACP clients', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(call('a', { status: 'in_progress' }), call('b', { rawInput: {} }));
    it.ask({ type: 'abort', target: 'run' });
    it.answer('session/prompt', { stopReason: 'cancelled' });
    expect(it.of('tool-end').map(({ call: id, isError, skipped }) => [id, isError, skipped])).toEqual([
      ['a', true, undefined],
      ['b', true, 'aborted'],
    ]);
    it.prompt('again');
    it.hear(change('a', { status: 'completed' }));
    it.answer('session/prompt', end);
    expect(it.of('tool-end')).toHaveLength(2);
    expect(it.of('unknown')).toHaveLength(1);
  });

  test('change files', () => {
    const it = judged();
    it.prompt('hi');
    const diff = { type: 'diff', path: '/p/a', oldText: 'one\n', newText: 'two\n' };
    it.hear(call('c', { kind: 'edit', content: [diff], status: 'completed', locations: [{ path: '/p/a', line: 2 }] }));
    it.answer('session/prompt', end);
    const [ended] = it.of('tool-end');
    expect(ended?.change).toMatchObject({
      path: '/p/a',
      before: 'one\n',
      after: 'two\n',
      linesAdded: 1,
      linesRemoved: 1,
    });
    expect(ended?.locations).toEqual([{ path: '/p/a', line: 2 }]);
  });
});

describe('questions', () => {
  test.each([
    ['y', { decision: 'allow' }],
    ['n', { decision: 'deny' }],
    ['ever', { decision: 'allow', forSession: true }],
    ['ever', { decision: 'allow', remember: [{ protocol: 'acp', optionId: 'ever' }] }],
    ['y', { decision: 'allow', remember: [{ protocol: 'acp', optionId: 'invented' }] }],
  ] as const)('are answered %s for %j', (option, answer) => {
    const it = judged();
    it.prompt('hi');
    it.hear(permission('0', 'c'));
    const { remember, ...rest } = { remember: [], ...answer };
    it.ask({ type: 'answer-approval', id: 'permission-1', ...rest, remember: [...remember] });
    expect(chosen(it, '0')).toBe(option);
    it.hear(change('c', { status: 'failed' }));
    it.answer('session/prompt', end);
  });

  test('are all cancelled with their turn, before the cancelling is answered', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(permission(0, 'a'), permission('0', 'b'), permission(null, 'c'));
    it.ask({ type: 'abort', target: 'run' });
    expect([0, '0', null].map((id) => chosen(it, id))).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(it.of('approval-end').map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    it.answer('session/prompt', { stopReason: 'cancelled' });
  });

  test('are withdrawn by the agent', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(permission(5, 'a'), { method: '$/cancel_request', params: { requestId: 5 } });
    expect(chosen(it, 5)).toBe('cancelled');
    it.answer('session/prompt', end);
  });

  const form = (id: unknown, property: object) => ({
    id,
    method: 'elicitation/create',
    params: {
      sessionId: session,
      mode: 'form',
      message: 'Well?',
      requestedSchema: { type: 'object', properties: { it: property }, required: ['it'] },
    },
  });
  test.each([
    ['select', { type: 'string', enum: ['red', 'blue'] }, { kind: 'value', value: 'blue' }, 'blue'],
    ['select', { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, { kind: 'value', value: 'Red' }, 'r'],
    ['confirm', { type: 'boolean' }, { kind: 'confirmed', confirmed: false }, false],
    ['input', { type: 'integer' }, { kind: 'value', value: '7' }, 7],
    ['input', { type: 'string' }, { kind: 'value', value: 'words' }, 'words'],
  ] as const)('that are forms become a dialog: %s %j', (kind, property, answer, value) => {
    const it = judged();
    it.prompt('hi');
    it.hear(form(1, property));
    expect(it.of('dialog-request')).toMatchObject([{ kind, title: 'Well?' }]);
    it.ask({ type: 'answer-dialog', id: 'dialog-1', answer });
    expect(it.answerTo(1)).toEqual({ action: 'accept', content: { it: value } });
    it.answer('session/prompt', end);
  });

  const several = { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }, { const: 'b' }] } };
  test.each([
    ['Red, b', ['r', 'b']],
    [' b ', ['b']],
    ['', []],
  ])('that take several choices are one line of words: %j', (words, values) => {
    const it = judged();
    it.prompt('hi');
    it.hear(form(1, several));
    expect(it.of('dialog-request')).toMatchObject([{ kind: 'input', placeholder: 'Red, b' }]);
    const of = { type: 'answer-dialog', id: 'dialog-1' } as const;
    expect(it.outcome(it.ask({ ...of, answer: { kind: 'value', value: 'Red, green' } }))).toMatchObject({ ok: false });
    it.ask({ ...of, answer: { kind: 'value', value: words } });
    expect(it.answerTo(1)).toEqual({ action: 'accept', content: { it: values } });
    it.answer('session/prompt', end);
  });

  /** As claude-agent-acp 0.101.0 asks with Claude's tool for questions, and codex-acp 2.6.0 with its own. */
  const asking = (properties: object, required?: readonly string[]) => ({
    id: 1,
    method: 'elicitation/create',
    params: {
      sessionId: session,
      mode: 'form',
      message: 'Please answer.',
      requestedSchema: { type: 'object', properties, ...(required === undefined ? {} : { required }) },
    },
  });
  const colour = { type: 'string', title: 'Colour', oneOf: ['red', 'blue'].map((value) => ({ const: value })) };
  const other = { type: 'string', title: 'Other', description: 'Type your own answer (optional).' };
  const questions = asking({
    question_0: { ...colour, description: 'Which one?' },
    question_0_custom: other,
    question_1: { type: 'array', title: 'Sizes', items: { anyOf: [{ const: 'S' }, { const: 'L' }] } },
    question_1_custom: other,
  });

  test('with several fields are asked field by field; other words go into the field for them', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(questions);
    expect(it.of('dialog-request')).toMatchObject([
      { kind: 'select', title: 'Please answer.\nColour\nWhich one?', options: ['red', 'blue'] },
    ]);
    it.ask({ type: 'answer-dialog', id: 'dialog-1', answer: { kind: 'value', value: 'a green one' } });
    expect(it.answerTo(1)).toBeUndefined();
    expect(it.of('dialog-end')).toMatchObject([{ outcome: 'answered' }]);
    it.ask({ type: 'answer-dialog', id: 'dialog-2', answer: { kind: 'value', value: 'S, L' } });
    expect(it.of('dialog-request')).toHaveLength(2);
    const content = { question_0_custom: 'a green one', question_1: ['S', 'L'] };
    expect(it.answerTo(1)).toEqual({ action: 'accept', content });
    it.answer('session/prompt', end);
  });

  test.each([
    ['cancelled', (it: Talk) => it.ask({ type: 'answer-dialog', id: 'dialog-2', answer: { kind: 'cancelled' } })],
    ['withdrawn', (it: Talk) => it.hear({ method: '$/cancel_request', params: { requestId: 1 } })],
  ])('that are %s between two fields are answered once', (_, stop) => {
    const it = judged();
    it.prompt('hi');
    it.hear(questions);
    it.ask({ type: 'answer-dialog', id: 'dialog-1', answer: { kind: 'value', value: 'red' } });
    stop(it);
    expect(it.answerTo(1)).toEqual({ action: 'cancel' });
    expect(it.of('dialog-end')).toHaveLength(2);
    it.answer('session/prompt', end);
  });

  test('whose required field is a list tell the question, and leave the note beside the list out', () => {
    const it = judged();
    it.prompt('hi');
    it.hear(
      asking({ which: { ...colour, title: 'Which colour?', description: 'Colour' }, which_note: other }, ['which']),
    );
    expect(it.of('dialog-request')).toMatchObject([{ title: 'Please answer.\nWhich colour?\nColour' }]);
    it.ask({ type: 'answer-dialog', id: 'dialog-1', answer: { kind: 'value', value: 'blue' } });
    expect(it.answerTo(1)).toEqual({ action: 'accept', content: { which: 'blue' } });
    it.answer('session/prompt', end);
  });

  test.each([
    ['no field', {}],
    ['a field of no kind', { it: { type: 'hologram' } }],
    ['a list without choices', { it: { type: 'array' } }],
    ['too many fields', Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`f${at}`, { type: 'boolean' }]))],
  ])('that no dialog can ask are cancelled, and the user is told: %s', (_, properties) => {
    const it = judged();
    it.hear(asking(properties));
    expect(it.answerTo(1)).toEqual({ action: 'cancel' });
    expect(it.of('notice')).toHaveLength(1);
  });

  test('of vendors, and those for files, are unknown methods', () => {
    const it = judged();
    it.hear(
      { id: 0, method: 'craft/drainMidTurnQueue', params: {} },
      { id: 1, method: 'fs/read_text_file', params: { sessionId: session, path: '/p/a' } },
    );
    expect(it.sent.slice(-2)).toMatchObject([
      { id: 0, error: { code: -32_601 } },
      { id: 1, error: { code: -32_601 } },
    ]);
  });
});

describe('settings', () => {
  const option = (id: string, category: string, values: readonly string[]) => ({
    id,
    name: id,
    category,
    type: 'select',
    currentValue: values[0],
    options: values.map((value) => ({ value, name: value })),
  });
  const configOptions = [
    option('m', 'model', ['m1', 'm2']),
    option('how', 'mode', ['ask', 'plan']),
    option('effort', 'thought_level', ['low', 'high']),
    { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
    { id: 'odd', name: 'Odd', type: 'slider', currentValue: 'x' },
  ];

  test('are told with the session', () => {
    const it = judged({ setup: { configOptions } });
    const info = Object.assign({}, ...it.of('session-changed').map(({ changes }) => changes));
    expect(info).toMatchObject({
      model: { id: 'm1' },
      models: [{ id: 'm1' }, { id: 'm2' }],
      mode: 'ask',
      thinkingLevels: ['low', 'high'],
      options: [{ id: 'fast', type: 'boolean', value: false }],
    });
  });

  test.each([
    [
      { type: 'set-model', model: 'm2' },
      { configId: 'm', value: 'm2' },
    ],
    [
      { type: 'set-mode', mode: 'plan' },
      { configId: 'how', value: 'plan' },
    ],
    [
      { type: 'set-thinking', level: 'high' },
      { configId: 'effort', value: 'high' },
    ],
    [
      { type: 'set-option', id: 'fast', value: true },
      { configId: 'fast', value: true, type: 'boolean' },
    ],
  ] as const)('%j', (command, expected) => {
    const it = judged({ setup: { configOptions } });
    const id = it.ask(command);
    expect(at(it.last('session/set_config_option'), 'params')).toEqual({ sessionId: session, ...expected });
    it.answer('session/set_config_option', { configOptions });
    expect(it.outcome(id)).toMatchObject({ ok: true });
  });

  test('of an agent without options: its modes, and its models of the removed draft', () => {
    const modes = {
      currentModeId: 'a',
      availableModes: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    };
    const models = {
      currentModelId: 'x',
      availableModels: [
        { modelId: 'x', name: 'X' },
        { modelId: 'y', name: 'Y' },
      ],
    };
    const it = judged({ setup: { modes, models } });
    it.ask({ type: 'set-mode', mode: 'b' });
    expect(at(it.last('session/set_mode'), 'params', 'modeId')).toBe('b');
    it.answer('session/set_mode', {});
    it.ask({ type: 'set-model', model: 'y' });
    it.answer('session/set_model', {});
    expect(it.of('session-changed').at(-1)?.changes).toMatchObject({ model: { id: 'y', name: 'Y' } });
    expect(it.outcome(it.ask({ type: 'set-mode', mode: 'c' }))).toMatchObject({ ok: false });
  });

  test('levels of thinking that are repeated as modes are none', () => {
    const modes = {
      currentModeId: 'low',
      availableModes: [
        { id: 'low', name: 'L' },
        { id: 'high', name: 'H' },
      ],
    };
    const it = judged({ setup: { modes, configOptions: [option('effort', 'thought_level', ['low', 'high'])] } });
    it.hear(update('current_mode_update', { currentModeId: 'high' }));
    expect(JSON.stringify(it.events)).not.toContain('"mode');
  });
});

describe('other updates', () => {
  test('plans, commands, figures, titles, notices', () => {
    const it = judged();
    const commands = { availableCommands: [{ name: 'memory show', description: 'shows', input: { hint: 'what' } }] };
    it.hear(update('available_commands_update', commands), update('available_commands_update', commands));
    it.hear(update('plan', { entries: [{ content: 'look', priority: 'high', status: 'in_progress' }] }));
    it.hear(update('usage_update', { used: 5, size: 10, cost: { amount: 0.5, currency: 'USD' } }));
    it.hear(update('notice', { severity: 'warning', title: 'Careful', description: 'It is hot.' }));
    it.hear(update('compaction_update', { compactionId: 'k', status: 'in_progress' }));
    it.hear(update('compaction_update', { compactionId: 'k', status: 'completed' }));
    expect(it.events.slice(1)).toMatchObject([
      { type: 'session-changed', changes: { commands: [{ name: 'memory show', arguments: [{ name: 'what' }] }] } },
      { type: 'plan-changed', entries: [{ text: 'look', priority: 'high', status: 'in-progress' }] },
      { type: 'usage-changed', contextTokens: 5, contextWindow: 10, sessionCost: { total: 0.5 } },
      { type: 'notice', level: 'warning', text: 'Careful\nIt is hot.' },
      { type: 'compaction-start' },
      { type: 'compaction-end', outcome: 'completed' },
    ]);
  });

  test('of other sessions and of unknown kinds are for ACP clients, and garbage is noted', () => {
    const it = talk();
    it.hear(update('agent_message_chunk', { content: { type: 'text', text: 'x' } }, 'other'));
    it.hear(update('hologram', {}), { method: '_auth/status_update', params: {} });
    expect(it.of('unknown')).toHaveLength(3);
    for (const raw of ['42', '[]', '{', '"x"', '{"jsonrpc":"2.0","id":{}}', '{"id":1.5,"method":"a"}']) it.hearRaw(raw);
    expect(it.notes.map(({ level }) => level)).toEqual(Array(6).fill('violation'));
  });
});
