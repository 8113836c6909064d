// Every command of a client as a canonical command with its place among all others (docs/protocols/pi-server.md 17, 18.2; which of them count, wait and time out: 10.3, 11.2).
import { describe, expect, test } from 'vitest';
import { serverCommands, sessionCommands } from '../../../src/adapters/pi-server/wire/commands.ts';
import { Command } from '../../../src/core/model/command.ts';
import { connect, type Json, sideOf, ticketOf } from './client.ts';

const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const picture = { type: 'image', data: 'AAAA', mediaType: 'image/png' };
/** Of the first prompt. */
const handle = { handle: 'prompt-1' };
const whole = { describe: true, keep: true };
const abort = (target: string, rest: object = {}) => ({ type: 'abort', target, ...rest });
const query = (subject: string) => ({ type: 'query', subject });
const response = (method: string, rest: object = {}) => ({ requestId: 'q1', response: { method, ...rest } });
const dialog = (answer: object) => ({ type: 'answer-dialog', id: 'q1', answer });
const cancelled = dialog({ kind: 'cancelled' });

const server = 'server in-turn none 300000';
const look = 'session in-turn none 30000';
const change = 'session in-turn changes 300000';
const beside = 'session beside changes 30000';
const answering = 'session beside none 30000';
const endless = (lane: string, effect: string) => `${lane} in-turn ${effect} null`;

/** The command of a line, and: lane, place, effect on the version, timeout in ms. Session commands are of session s1. */
const commands: readonly [type: string, fields: Json, command: object, place: string][] = [
  ['list_sessions', {}, { type: 'list-sessions' }, server],
  ['create_session', {}, { type: 'create-session', ...whole }, endless('server', 'opens')],
  [
    'create_session',
    { sessionId: 'a.b', cwd: '/p' },
    { type: 'create-session', id: 'a.b', cwd: '/p', ...whole },
    endless('server', 'opens'),
  ],
  ['delete_session', { sessionId: 's1' }, { type: 'delete-session' }, endless('session', 'closes')],
  ['switch_session', { sessionId: 's1' }, query('state'), server],
  ['get_metrics', {}, query('metrics'), server],
  ['health_check', {}, query('health'), server],
  ['list_stored_sessions', {}, { type: 'list-stored-sessions' }, server],
  [
    'load_session',
    { sessionPath: '/p/a.jsonl', sessionId: 'a' },
    { type: 'load-session', path: '/p/a.jsonl', id: 'a', ...whole },
    endless('server', 'opens'),
  ],
  [
    'load_session',
    { sessionPath: '/p/a.jsonl' },
    { type: 'load-session', path: '/p/a.jsonl', ...whole },
    endless('server', 'opens'),
  ],
  ['get_available_models', {}, query('models'), look],
  ['get_commands', {}, query('commands'), look],
  ['get_skills', {}, query('skills'), look],
  ['get_tools', {}, query('tools'), look],
  ['list_session_files', {}, query('session-files'), look],
  [
    'prompt',
    { message: 'hi' },
    { type: 'prompt', content: [text('hi')], whenBusy: 'queue', untilIdle: true, ...handle },
    `${change} runs`,
  ],
  [
    'prompt',
    { message: 'hi', images: [image], streamingBehavior: 'steer' },
    { type: 'prompt', content: [text('hi'), picture], whenBusy: 'steer', untilIdle: true, ...handle },
    'session joins changes 300000 runs',
  ],
  [
    'prompt',
    { message: 'hi', streamingBehavior: 'followUp' },
    { type: 'prompt', content: [text('hi')], whenBusy: 'follow-up', untilIdle: true, ...handle },
    'session joins changes 300000 runs',
  ],
  [
    'prompt',
    { message: 'hi', images: null, streamingBehavior: null },
    { type: 'prompt', content: [text('hi')], whenBusy: 'queue', untilIdle: true, ...handle },
    `${change} runs`,
  ],
  ['steer', { message: 'no', images: [image] }, { type: 'steer', content: [text('no'), picture] }, beside],
  ['follow_up', { message: 'and' }, { type: 'follow-up', content: [text('and')] }, beside],
  ['abort', {}, abort('run', { untilIdle: true }), beside],
  ['get_state', {}, query('state'), look],
  ['get_messages', {}, query('messages'), look],
  ['set_model', { provider: 'p', modelId: 'm' }, { type: 'set-model', provider: 'p', model: 'm' }, change],
  ['cycle_model', {}, { type: 'cycle-model' }, change],
  ['cycle_model', { direction: 'backward' }, { type: 'cycle-model', direction: 'backward' }, change],
  ['set_thinking_level', { level: 'none' }, { type: 'set-thinking', level: 'off' }, change],
  ['set_thinking_level', { level: 'off' }, { type: 'set-thinking', level: 'off' }, change],
  ['set_thinking_level', { level: 'xhigh' }, { type: 'set-thinking', level: 'xhigh' }, change],
  ['cycle_thinking_level', {}, { type: 'cycle-thinking' }, change],
  ['set_session_name', { name: 'x' }, { type: 'set-name', name: 'x' }, 'session in-turn changes 30000'],
  ['compact', {}, { type: 'compact' }, change],
  ['compact', { customInstructions: 'short' }, { type: 'compact', instructions: 'short' }, change],
  ['abort_compaction', {}, abort('compaction'), beside],
  ['set_auto_compaction', { enabled: true }, { type: 'set-auto', what: 'compaction', enabled: true }, change],
  ['set_auto_retry', { enabled: false }, { type: 'set-auto', what: 'retry', enabled: false }, change],
  ['abort_retry', {}, abort('retry'), beside],
  ['bash', { command: 'ls' }, { type: 'bash', command: 'ls' }, change],
  ['abort_bash', {}, abort('bash'), beside],
  ['get_session_stats', {}, query('statistics'), look],
  ['export_html', {}, { type: 'export', format: 'html' }, change],
  ['export_html', { outputPath: 'o.html' }, { type: 'export', format: 'html', path: 'o.html' }, change],
  ['new_session', {}, { type: 'new-session' }, change],
  ['new_session', { parentSession: 'p' }, { type: 'new-session', parent: 'p' }, change],
  ['switch_session_file', { sessionPath: '/p/a.jsonl' }, { type: 'switch-session', path: '/p/a.jsonl' }, change],
  ['fork', { entryId: 'e' }, { type: 'fork', entry: 'e' }, change],
  ['get_fork_messages', {}, query('fork-points'), look],
  ['get_last_assistant_text', {}, query('last-text'), look],
  ['get_context_usage', {}, query('context-usage'), look],
  ['extension_ui_response', response('select', { value: 'a' }), dialog({ kind: 'value', value: 'a' }), answering],
  ['extension_ui_response', response('input', { value: '' }), dialog({ kind: 'value', value: '' }), answering],
  ['extension_ui_response', response('editor', { value: 'a\nb' }), dialog({ kind: 'value', value: 'a\nb' }), answering],
  [
    'extension_ui_response',
    response('confirm', { confirmed: false }),
    dialog({ kind: 'confirmed', confirmed: false }),
    answering,
  ],
  [
    'extension_ui_response',
    response('interview', { responses: { a: [1] } }),
    dialog({ kind: 'responses', responses: { a: [1] } }),
    answering,
  ],
  ['extension_ui_response', response('cancelled'), cancelled, answering],
  // Real servers look at the method alone; what lacks its value is no answer.
  ['extension_ui_response', response('select'), cancelled, answering],
  ['extension_ui_response', response('confirm', { confirmed: 'yes' }), cancelled, answering],
  ['extension_ui_response', response('interview', { responses: [] }), cancelled, answering],
  ...(
    [
      [{ method: 'confirm', confirmed: true }, 'allow'],
      [{ method: 'confirm', confirmed: false }, 'deny'],
      [{ method: 'confirm' }, 'deny'],
      [{ method: 'select', value: 'yes' }, 'deny'],
      [{ method: 'cancelled' }, 'deny'],
    ] as const
  ).map(
    ([said, decision]) =>
      [
        'extension_ui_response',
        { requestId: 'approval:t1', response: said },
        { type: 'answer-approval', id: 't1', decision },
        answering,
      ] satisfies (typeof commands)[number],
  ),
];

const isServer = (type: string) => Object.hasOwn(serverCommands, type);
const lineOf = (type: string, fields: Json): Json => ({
  id: 'c1',
  type,
  ...(isServer(type) ? {} : { sessionId: 's1' }),
  ...fields,
});

describe('a command', () => {
  test.each(commands)('%s %o', (type, fields, command, place) => {
    const line = lineOf(type, fields);
    const { delivered, sent, notes } = connect().send(line);
    expect([sent, notes]).toEqual([[], []]);
    const [one] = delivered;
    if (one === undefined) throw new Error('not delivered');
    expect(one.command).toEqual(command);
    expect(Command.parse(one.command)).toEqual(command);
    const { ticket } = one;
    const words = [ticket.lane, ticket.place, ticket.effect, String(ticket.timeoutMs)];
    expect([...words, ...(ticket.runs === true ? ['runs'] : [])].join(' ')).toBe(place);
    expect([ticket.type, ticket.id, ticket.dependsOn]).toEqual([type, 'c1', []]);
    expect(ticket.allowance).toBe(type === 'extension_ui_response' ? 'answers' : undefined);
    const isAboutOne = !isServer(type) || type === 'switch_session' || type === 'delete_session';
    expect([one.session, ticket.session]).toEqual(isAboutOne ? ['s1', 's1'] : [undefined, undefined]);
  });

  test('each has its row here', () => {
    const types = [...Object.keys(serverCommands), ...Object.keys(sessionCommands)];
    expect([...new Set(commands.map(([type]) => type))].sort()).toEqual(types.sort());
  });

  test.each([
    ['prompt', { message: 'hi' }, abort('run', { untilIdle: false, ...handle })],
    ['bash', { command: 'ls' }, abort('bash')],
    ['compact', {}, abort('compaction')],
    ['set_session_name', { name: 'x' }, undefined],
  ])('when its time is over: %s', (type, fields, undo) => expect(ticketOf(lineOf(type, fields)).undo).toEqual(undo));

  test('no two prompts have the same handle, on one connection or on two, and each undo is for its own', () => {
    const side = sideOf();
    const connections = [connect({ side }), connect({ side })];
    const handles = [...connections, ...connections].map((client) => {
      const one = client.send(lineOf('prompt', { message: 'hi', handle: 'mine' })).delivered[0];
      const [sent, undone] = [one?.command, one?.ticket.undo];
      if (sent?.type !== 'prompt' || undone?.type !== 'abort') throw new Error('no prompt that can be taken back');
      expect(undone.handle).toBe(sent.handle);
      return sent.handle;
    });
    expect(handles).toEqual(['prompt-1', 'prompt-2', 'prompt-3', 'prompt-4']);
  });

  test('its timeout is the one that is set, for those that only look never more than that', () => {
    const waits = (commandTimeoutMs: number) =>
      ['prompt', 'get_state', 'create_session'].map((type) => {
        const line = lineOf(type, type === 'prompt' ? { message: 'hi' } : {});
        return connect({ settings: { commandTimeoutMs } }).send(line).delivered[0]?.ticket.timeoutMs;
      });
    expect(waits(700)).toEqual([700, 700, null]);
    expect(waits(40_000)).toEqual([40_000, 30_000, null]);
  });
});

describe('what is around a command', () => {
  const line = { type: 'get_state', sessionId: 's1' };

  test('all of it', () => {
    const envelope = { id: 'c1', idempotencyKey: 'k', dependsOn: ['a', 'b'], ifSessionVersion: 0 };
    const { id, key, dependsOn, ifVersion, payload } = ticketOf({ ...line, ...envelope });
    expect([id, key, dependsOn, ifVersion]).toEqual(['c1', 'k', ['a', 'b'], 0]);
    // What a repetition must equal: everything but its names (docs/protocols/pi-server.md 8.3).
    expect(payload).toEqual({ ...line, dependsOn: ['a', 'b'], ifSessionVersion: 0 });
  });

  test('none of it', () => {
    const ticket = ticketOf(line);
    expect([ticket.id, ticket.key, ticket.dependsOn, ticket.ifVersion, ticket.payload]).toEqual([
      undefined,
      undefined,
      [],
      undefined,
      line,
    ]);
  });

  test('fields that nobody knows count, whatever they are called', () => {
    const text = '{"type":"list_sessions","foo":1,"__proto__":{"a":1},"dependsOn":[]}';
    const ticket = connect().raw(text).delivered[0]?.ticket;
    expect(JSON.stringify(ticket?.payload)).toBe(text);
  });

  test('a server command with a stray session is about none', () => {
    const { delivered } = connect().send({ type: 'list_sessions', sessionId: 's1' });
    expect(delivered).toMatchObject([{ session: undefined, ticket: { lane: 'server', session: undefined } }]);
  });

  test('what the canonical command lacks rides along for an agent that speaks pi; the envelope and nulls do not', () => {
    const bash = { id: 'b', type: 'bash', sessionId: 's1', command: 'ls', excludeFromContext: true, more: null };
    const envelope = { idempotencyKey: 'k', dependsOn: ['a'], ifSessionVersion: 0 };
    expect(connect().send({ ...bash, ...envelope }).delivered[0]?.command).toEqual({
      type: 'bash',
      command: 'ls',
      extra: { pi: { excludeFromContext: true } },
    });
  });
});
