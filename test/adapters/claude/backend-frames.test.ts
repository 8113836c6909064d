// What the frames of a Claude agent mean (docs/protocols/claude.md 4, 5), and what is made of those that nobody should send.
import { describe, expect, test } from 'vitest';
import { claude } from '../../../src/adapters/claude/index.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { bench, typesOf } from '../pi/harness.ts';
import { calling, said, wire } from './backend-words.ts';

type Json = Record<string, unknown>;

const start = () => bench({}, claude);

/** What frames give in a run that is open. */
function inRun(...frames: readonly object[]): Event[] {
  const agent = start();
  agent.feed(wire.init());
  agent.events();
  agent.feed(...frames);
  expect(agent.notes()).toEqual([]);
  return agent.events();
}

describe('the end of a run', () => {
  test.each<[string, Json, Json]>([
    ['success', {}, { outcome: 'completed' }],
    ['nothing but its type', { subtype: undefined, is_error: undefined }, { outcome: 'completed' }],
    [
      'success with is_error: the provider failed',
      { is_error: true, result: 'API Error: 529', terminal_reason: 'api_error', api_error_status: 529 },
      { outcome: 'failed', failure: { kind: 'provider', message: 'API Error: 529', status: 529 } },
    ],
    [
      'too many turns',
      {
        subtype: 'error_max_turns',
        is_error: true,
        errors: ['Reached maximum number of turns (1)'],
        result: undefined,
      },
      { outcome: 'failed', failure: { kind: 'limit', message: 'Reached maximum number of turns (1)' } },
    ],
    [
      'an interrupt, without words for makers of the agent',
      {
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['[ede_diagnostic] x'],
        result: undefined,
        terminal_reason: 'aborted_tools',
      },
      { outcome: 'aborted', failure: { kind: 'aborted', message: 'the run was interrupted' } },
    ],
    [
      'an error that is nobody’s wish',
      { subtype: 'error_during_execution', is_error: true, errors: ['broken'], result: undefined },
      { outcome: 'failed', failure: { kind: 'agent', message: 'broken' } },
    ],
    [
      'the RpcMessage project’s server, whose word is error',
      { subtype: 'error', is_error: undefined, result: 'no' },
      { outcome: 'failed', failure: { kind: 'agent', message: 'no' } },
    ],
    [
      'a prompt that is too long',
      { is_error: true, terminal_reason: 'prompt_too_long', result: 'Prompt is too long' },
      { outcome: 'failed', failure: { kind: 'overflow', message: 'Prompt is too long' } },
    ],
  ])('%s', (_, fields, expected) => {
    const { type, extra, ...verdict } = inRun(wire.result(fields)).at(-1) as Extract<Event, { type: 'run-end' }>;
    expect(verdict).toEqual(expected);
  });

  test('is an abort where the agent said so in the user’s name, or we had asked for it', () => {
    const failed = wire.result({ subtype: 'error_during_execution', is_error: true, errors: ['aborted'] });
    const mark = wire.user([{ type: 'text', text: '[Request interrupted by user]' }]);
    expect(inRun(mark, failed).at(-1)).toMatchObject({ outcome: 'aborted' });
    const agent = start();
    agent.feed(wire.init());
    agent.command({ type: 'abort', target: 'run' }, 'a');
    agent.feed(failed);
    expect(agent.events().at(-1)).toMatchObject({ outcome: 'aborted' });
  });

  test.each([
    ['[Request interrupted by user]', 'agent'],
    ['[Request interrupted by user for tool use]', 'agent'],
    ['<local-command-stdout>Set model to x</local-command-stdout>', 'agent'],
    ['<command-name>/model</command-name>', 'agent'],
    ['what the user once said', 'replay'],
  ])('in history, %s is of the %s', (words, origin) => {
    const agent = start();
    agent.feed(wire.init(), wire.user([{ type: 'text', text: words }], { isReplay: true }));
    expect(agent.events()).toContainEqual(expect.objectContaining({ type: 'message-added', role: 'user', origin }));
  });

  test('closes what is open, sub-agents first', () => {
    const agent = start();
    agent.feed(wire.init(), ...calling('m1', 't1'));
    agent.feed(
      wire.copy('s1', [wire.call('t2')], {}, 't1'),
      wire.start('m2'),
      wire.begin(0, { type: 'text', text: '' }),
    );
    agent.events();
    agent.feed(wire.result());
    const ends = agent
      .events()
      .map((event) => ('parent' in event && event.parent ? `${event.type} ${event.parent}` : event.type));
    expect(ends).toEqual([
      'block-end',
      'message-end',
      'message-end t1',
      'tool-start t1',
      'tool-end',
      'turn-end',
      'tool-end t1',
      'run-end',
    ]);
  });

  test('that nobody waits for is mended', () => {
    const agent = start();
    agent.feed(wire.result());
    expect([agent.events(), agent.notes()]).toEqual([[], ['repair: result: no run is open']]);
  });
});

describe('a message', () => {
  test('that streams is told by its stream, its copies say what it came to', () => {
    const events = inRun(
      wire.start('m1', { usage: { input_tokens: 3, output_tokens: 1 } }),
      wire.begin(0, { type: 'thinking', thinking: '', signature: '' }),
      wire.delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      wire.delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      wire.copy('m1', [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }]),
      wire.end(0),
      wire.begin(1, { ...wire.call('t1'), input: {} }),
      wire.json(1, '{"a"'),
      wire.json(1, ':1}'),
      wire.copy('m1', [wire.call('t1', { a: 1, b: false })]),
      wire.end(1),
      wire.reason('tool_use', { output_tokens: 9 }),
      wire.stop,
      wire.user([wire.answer('t1')]),
    );
    expect(events).toMatchObject([
      { type: 'turn-start' },
      { type: 'message-start', id: 'm1', model: 'm-1', usage: { input: 3, output: 1, cacheRead: 0, cacheWrite: 0 } },
      { type: 'block-start', index: 0, block: { kind: 'thinking' } },
      { type: 'block-delta', index: 0, delta: 'hm' },
      { type: 'block-end', index: 0, text: 'hm', signature: 'c2ln' },
      { type: 'block-start', index: 1, block: { kind: 'tool-call', id: 't1', name: 'Look' } },
      { type: 'block-delta', index: 1, delta: '{"a"' },
      { type: 'block-delta', index: 1, delta: ':1}' },
      { type: 'block-end', index: 1, input: { a: 1, b: false } },
      { type: 'message-end', stop: { reason: 'tool-use', raw: 'tool_use' }, usage: { input: 3, output: 9 } },
      { type: 'tool-start', call: 't1', name: 'Look', input: { a: 1, b: false } },
      { type: 'tool-end', call: 't1' },
    ]);
  });

  test('that does not stream is one message, whatever number of frames it comes in', () => {
    const events = inRun(
      wire.copy('m1', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
      wire.copy('m1', [{ type: 'text', text: 'I look.' }, wire.call('t1', { a: 1 })]),
      wire.user([wire.answer('t1')]),
      wire.copy('m2', [{ type: 'text', text: 'Done.' }]),
      wire.result(),
    );
    expect(typesOf(events)).toEqual([
      ...['turn-start', 'message-start'],
      ...['block-start', 'block-delta', 'block-end'],
      ...['block-start', 'block-delta', 'block-end'],
      ...['block-start', 'block-delta', 'block-end'],
      ...['message-end', 'tool-start', 'tool-end', 'turn-end'],
      ...[
        'turn-start',
        'message-start',
        'block-start',
        'block-delta',
        'block-end',
        'message-end',
        'turn-end',
        'run-end',
      ],
    ]);
    expect(events.filter(({ type }) => type === 'message-end')).toMatchObject([
      { stop: { reason: 'tool-use' } },
      { stop: { reason: 'end' } },
    ]);
  });

  test.each<[string, object[], Json]>([
    [
      'an interrupt',
      [wire.copy('m1', [{ type: 'text', text: 'I wa' }], { aborted: true }), wire.end(0), wire.reason(null), wire.stop],
      { stop: { reason: 'aborted' } },
    ],
    ['a stream that broke', [wire.end(0), wire.stop], { stop: { reason: 'error' }, failure: { kind: 'provider' } }],
    ['a limit', [wire.end(0), wire.reason('max_tokens'), wire.stop], { stop: { reason: 'length', raw: 'max_tokens' } }],
    ['a refusal', [wire.end(0), wire.reason('refusal'), wire.stop], { stop: { reason: 'refusal', raw: 'refusal' } }],
    [
      'a word of a newer version',
      [wire.end(0), wire.reason('bored'), wire.stop],
      { stop: { reason: 'unknown', raw: 'bored' } },
    ],
  ])('ends with %s', (_, frames, end) => {
    const events = inRun(wire.start('m1'), wire.begin(0, { type: 'text', text: '' }), wire.text(0, 'I wa'), ...frames);
    expect(events.filter(({ type }) => type === 'message-end')).toMatchObject([end]);
    expect(events.at(-1)?.type).toBe('message-end');
  });

  test('in the name of the provider is its failure', () => {
    const failed = wire.copy('x', [{ type: 'text', text: 'API Error: 529' }], {
      is_api_error_message: true,
      api_error_status: 529,
    });
    const retry = wire.system('api_retry', {
      attempt: 1,
      max_retries: 3,
      retry_delay_ms: 5,
      error_status: 529,
      error: 'overloaded',
    });
    const failure = { kind: 'provider', message: 'API Error: 529', status: 529 };
    const events = inRun(retry, failed, wire.result());
    expect(events.filter(({ type }) => type === 'retry-end' || type === 'message-end')).toMatchObject([
      { type: 'retry-end', attempt: 1, success: false, failure },
      { type: 'message-end', stop: { reason: 'error' }, failure },
    ]);
  });

  test('after a retry says that it worked', () => {
    const retry = (attempt: number) =>
      wire.system('api_retry', { attempt, max_retries: 3, retry_delay_ms: 5, error_status: null });
    expect(inRun(retry(1), retry(2), ...said('m1', 'x')).slice(0, 3)).toMatchObject([
      { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 5 },
      { type: 'retry-start', attempt: 2 },
      { type: 'retry-end', attempt: 2, success: true },
    ]);
  });

  test.each<[string, Json, Json]>([
    [
      'hidden thinking',
      { type: 'redacted_thinking', data: 'AA' },
      { type: 'thinking', text: '', redacted: true, signature: 'AA' },
    ],
    [
      'a tool of the provider',
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { q: 1 } },
      { type: 'tool-call', id: 's1', name: 'web_search', input: { q: 1 } },
    ],
    [
      'its result',
      { type: 'web_search_tool_result', content: [] },
      { type: 'opaque', name: 'web_search_tool_result', protocol: 'claude' },
    ],
    [
      'a block of a newer version',
      { type: 'hologram', light: 'green' },
      { type: 'opaque', name: 'hologram', protocol: 'claude' },
    ],
    [
      'the RpcMessage form of such a block',
      { type: 'unknown', originalType: 'x', data: { type: 'x', y: 1 } },
      { type: 'opaque', name: 'x', payload: { type: 'x', y: 1 } },
    ],
    ['a call without a name', { type: 'tool_use', id: 't1' }, { type: 'opaque', name: 'tool_use' }],
  ])('has %s whole', (_, block, content) => {
    const events = inRun(wire.start('m1'), wire.begin(0, block), wire.copy('m1', [block]), wire.end(0));
    expect(events.slice(2)).toMatchObject([
      { type: 'block-start', block: { kind: 'whole', content } },
      { type: 'block-end' },
    ]);
  });

  test('whose signature streamed without a copy has it all the same', () => {
    const events = inRun(
      wire.start('m1'),
      wire.begin(0, { type: 'thinking', thinking: '', signature: '' }),
      wire.delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      wire.end(0),
    );
    expect(events.at(-1)).toMatchObject({ type: 'block-end', signature: 'c2ln' });
  });

  test('whose arguments streamed without a copy has them all the same', () => {
    const block = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
    const events = inRun(
      wire.start('m1'),
      wire.begin(0, block),
      wire.json(0, '{"q":'),
      wire.json(0, '1}'),
      wire.end(0),
    );
    expect(events[2]).toMatchObject({ block: { kind: 'whole', content: { input: { q: 1 } } } });
  });
});

describe('a result of a tool', () => {
  const end = (block: Json, frame: Json = {}): Event | undefined =>
    inRun(...calling('m1', 't1', { a: 1 }), wire.user([block], frame)).find(({ type }) => type === 'tool-end');

  test.each<[string, Json, Json, Json]>([
    [
      'words',
      wire.answer('t1', 'out'),
      { tool_use_result: { stdout: 'out' } },
      { content: [{ type: 'text', text: 'out' }], isError: false, details: { stdout: 'out' } },
    ],
    ['nothing', wire.answer('t1', null), {}, { content: [], isError: false }],
    ['a failure', wire.answer('t1', 'no', { is_error: true }), {}, { isError: true }],
    [
      'a denial, by its mark',
      wire.answer('t1', 'no', { is_error: true }),
      { tool_result_meta: [{ id: 't1', non_execution_kind: 'permission-rule' }] },
      { skipped: 'denied' },
    ],
    [
      'an interrupt, by its mark',
      wire.answer('t1', 'no', { is_error: true }),
      { tool_result_meta: [{ id: 't1', non_execution_kind: 'user-rejected' }] },
      { skipped: 'aborted' },
    ],
    [
      'a picture',
      wire.answer('t1', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }]),
      {},
      { content: [{ type: 'image', data: 'AA', mediaType: 'image/png' }] },
    ],
  ])('says %s', (_, block, frame, expected) => {
    expect(end(block, frame)).toMatchObject({ type: 'tool-end', call: 't1', name: 'Look', ...expected });
  });

  test('in the middle of a message is told there; the turn goes on', () => {
    const events = inRun(
      ...calling('m1', 't1').slice(0, -2),
      wire.begin(1, { type: 'text', text: '' }),
      wire.user([wire.answer('t1')]),
      wire.text(1, 'more'),
      wire.end(1),
      wire.reason('tool_use'),
      wire.stop,
    );
    expect(typesOf(events).slice(-6)).toEqual([
      'block-start',
      'tool-start',
      'tool-end',
      'block-delta',
      'block-end',
      'message-end',
    ]);
  });
});

describe('leave for a tool', () => {
  /** A run whose message calls a tool and asks for it before it ends, as Claude Code does. */
  function asking(more: Json = {}) {
    const agent = start();
    agent.feed(wire.init(), ...calling('m1', 't1', { a: 1 }).slice(0, -2), wire.permission('p1', more));
    agent.sent();
    return agent;
  }

  test('is an approval of its call', () => {
    const suggestions = [{ type: 'setMode', mode: 'plan' }];
    const more = { title: 'May I?', description: 'look', permission_suggestions: suggestions, blocked_path: '/x' };
    expect(asking(more).events().at(-1)).toEqual({
      type: 'approval-request',
      id: 'p1',
      call: 't1',
      name: 'Look',
      input: { a: 1 },
      title: 'May I?',
      suggestions,
      extra: { claude: { description: 'look', blocked_path: '/x' } },
    });
  });

  test.each<[string, Json, Json, string[]]>([
    ['allowed', { decision: 'allow' }, { behavior: 'allow', updatedInput: { a: 1 }, toolUseID: 't1' }, ['tool-start']],
    [
      'allowed with other words',
      { decision: 'allow', input: { a: 2 } },
      { behavior: 'allow', updatedInput: { a: 2 }, toolUseID: 't1' },
      ['tool-start'],
    ],
    [
      'allowed for ever',
      { decision: 'allow', remember: [{ x: 1 }] },
      { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [{ x: 1 }], toolUseID: 't1' },
      ['tool-start'],
    ],
    [
      'allowed for the session, whatever was suggested',
      { decision: 'allow', forSession: true, remember: [{ x: 1 }, { x: 2, destination: 'localSettings' }] },
      {
        behavior: 'allow',
        updatedInput: { a: 1 },
        updatedPermissions: [{ x: 1 }, { x: 2, destination: 'session' }],
        toolUseID: 't1',
      },
      ['tool-start'],
    ],
    ['denied', { decision: 'deny', reason: 'no' }, { behavior: 'deny', message: 'no', toolUseID: 't1' }, []],
    [
      'denied in silence',
      { decision: 'deny' },
      { behavior: 'deny', message: 'The user does not allow it.', toolUseID: 't1' },
      [],
    ],
    [
      'denied for all',
      { decision: 'deny', reason: 'no', interrupt: true },
      { behavior: 'deny', message: 'no', interrupt: true, toolUseID: 't1' },
      [],
    ],
  ])('%s', (_, answer, response, events) => {
    const agent = asking();
    agent.events();
    agent.command({ type: 'answer-approval', id: 'p1', ...answer } as never, 'a');
    expect(agent.sent()).toEqual([
      { type: 'control_response', response: { subtype: 'success', request_id: 'p1', response } },
    ]);
    expect(agent.settled()).toEqual({ a: { ok: true } });
    expect(typesOf(agent.events())).toEqual(events);
    agent.command({ type: 'answer-approval', id: 'p1', ...answer } as never, 'b');
    expect(agent.settled()).toMatchObject({ b: { error: { code: 'stale' } } });
    expect(agent.sent()).toEqual([]);
  });

  test('once denied, its tool never starts', () => {
    const agent = asking();
    agent.command({ type: 'answer-approval', id: 'p1', decision: 'deny' }, 'a');
    agent.feed(wire.reason('tool_use'), wire.stop, wire.user([wire.answer('t1', 'no', { is_error: true })]));
    const events = agent.events();
    expect(typesOf(events)).not.toContain('tool-start');
    expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({ skipped: 'denied' });
  });

  test('while one is open, no other tool of the message starts', () => {
    const agent = start();
    agent.feed(
      wire.init(),
      wire.start('m1'),
      wire.begin(0, wire.call('t1')),
      wire.copy('m1', [wire.call('t1')]),
      wire.begin(1, wire.call('t2')),
      wire.copy('m1', [wire.call('t2')]),
      wire.permission('p1'),
      wire.reason('tool_use'),
      wire.stop,
    );
    expect(typesOf(agent.events())).not.toContain('tool-start');
    agent.command({ type: 'answer-approval', id: 'p1', decision: 'allow' }, 'a');
    agent.feed(wire.user([wire.answer('t2')]));
    const started = agent.events().flatMap((event) => (event.type === 'tool-start' ? [event.call] : []));
    expect(started).toEqual(['t1', 't2']);
  });

  const asked = 'approval-request t1';
  const task = { task_id: 'k', tool_use_id: 't1' };
  /** Two calls in one message, and what comes behind its end; `wait`: nothing for so long, ms. */
  test.each<[string, (object | { readonly wait: number })[], string[]]>([
    ['nothing at first', [{ wait: 49 }], []],
    ['nothing for a while: both start', [{ wait: 50 }], ['tool-start t1', 'tool-start t2']],
    ['a question: no start before its answer', [wire.permission('p1'), { wait: 90 }], [asked]],
    [
      'a question that is withdrawn: the other starts',
      [wire.permission('p1'), { type: 'control_cancel_request', request_id: 'p1' }, { wait: 50 }],
      [asked, 'approval-end', 'tool-start t2'],
    ],
    [
      'the result of one: the next may still be asked for',
      [{ wait: 40 }, wire.user([wire.answer('t1')]), { wait: 40 }, wire.permission('p2', { tool_use_id: 't2' })],
      ['tool-start t1', 'tool-end t1', 'approval-request t2'],
    ],
    [
      'the result of the second: the first has started',
      [wire.user([wire.answer('t2')])],
      ['tool-start t1', 'tool-start t2', 'tool-end t2'],
    ],
    [
      'a notice of a gateway',
      [wire.system('notice', { level: 'info', text: 'half done' })],
      ['tool-start t1', 'tool-start t2', 'notice'],
    ],
    ['the words of its sub-agent', [wire.user('go', {}, 't1')], ['tool-start t1', 'message-added']],
    ['a message of its sub-agent', [wire.start('s', {}, 't1')], ['tool-start t1', 'message-start']],
    ['its task', [wire.system('task_started', task)], ['tool-start t1', 'task-changed t1']],
    [
      'what says nothing of it',
      [wire.system('thinking_tokens'), wire.asks('h', { subtype: 'hook_callback' })],
      ['unknown'],
    ],
    ['the next message', [wire.start('m2')], ['tool-start t1', 'tool-start t2', 'message-start']],
    [
      'the end of the run',
      [wire.result()],
      ['tool-start t1', 'tool-start t2', 'tool-end t2', 'tool-end t1', 'turn-end', 'run-end'],
    ],
    [
      'the end of the run, and nobody has answered',
      [wire.permission('p1'), wire.result()],
      [asked, 'tool-end t2', 'tool-end t1', 'turn-end', 'run-end'],
    ],
  ])('behind its message: %s', (_, steps, expected) => {
    const agent = start();
    agent.feed(
      wire.init(),
      wire.start('m1'),
      ...['t1', 't2'].flatMap((id, at) => [wire.begin(at, wire.call(id)), wire.copy('m1', [wire.call(id)])]),
      wire.reason('tool_use'),
      wire.stop,
    );
    agent.events();
    for (const step of steps) {
      if ('wait' in step) agent.advance(step.wait);
      else agent.feed(step);
    }
    expect(agent.events().map((event) => ('call' in event ? `${event.type} ${event.call}` : event.type))).toEqual(
      expected,
    );
    expect(agent.notes()).toEqual([]);
  });

  test('once given, the other tools of the message have their turn to ask', () => {
    const agent = start();
    const calls = ['t1', 't2'].flatMap((id, at) => [wire.begin(at, wire.call(id)), wire.copy('m1', [wire.call(id)])]);
    agent.feed(wire.init(), wire.start('m1'), ...calls, wire.reason('tool_use'), wire.stop, wire.permission('p1'));
    agent.command({ type: 'answer-approval', id: 'p1', decision: 'allow' }, 'a');
    agent.feed(wire.permission('p2', { tool_use_id: 't2' }));
    agent.advance(90);
    const started = () => agent.events().flatMap((event) => (event.type === 'tool-start' ? [event.call] : []));
    expect(started()).toEqual(['t1']);
    agent.command({ type: 'answer-approval', id: 'p2', decision: 'allow' }, 'b');
    expect(started()).toEqual(['t2']);
  });

  test('that is withdrawn is cancelled', () => {
    const agent = asking();
    agent.events();
    agent.feed(
      { type: 'control_cancel_request', request_id: 'p1' },
      { type: 'control_cancel_request', request_id: 'p9' },
    );
    expect(agent.events()).toEqual([{ type: 'approval-end', id: 'p1', outcome: 'cancelled' }]);
    agent.command({ type: 'answer-approval', id: 'p1', decision: 'allow' }, 'a');
    expect(agent.settled()).toMatchObject({ a: { error: { code: 'stale' } } });
  });

  test('between two runs has a run of its own, which ends with the answer', () => {
    const agent = start();
    agent.feed(wire.permission('p1'));
    expect(typesOf(agent.events())).toEqual(['run-start', 'approval-request']);
    agent.command({ type: 'answer-approval', id: 'p1', decision: 'allow' }, 'a');
    expect(typesOf(agent.events())).toEqual(['run-end']);
  });

  test('that is malformed is refused, and noted', () => {
    const agent = start();
    agent.feed(wire.asks('p1', { subtype: 'can_use_tool' }));
    expect(agent.sent()).toMatchObject([{ response: { subtype: 'error', request_id: 'p1' } }]);
    expect(agent.notes()).toEqual([
      'violation: can_use_tool: tool_name: Invalid input: expected string, received undefined',
    ]);
  });

  test('for a plan is leave like any other', () => {
    const agent = start();
    agent.feed(wire.init(), wire.permission('p1', { tool_name: 'ExitPlanMode', input: { plan: 'x' } }));
    expect(agent.events().at(-1)).toMatchObject({
      type: 'approval-request',
      name: 'ExitPlanMode',
      input: { plan: 'x' },
    });
  });
});

describe('a question to the user', () => {
  const question = (more: Json = {}) => ({
    question: 'Which?',
    header: 'H',
    options: [{ label: 'a' }, { label: 'b' }],
    ...more,
  });
  const asked = (...questions: Json[]) => wire.permission('q1', { tool_name: 'AskUserQuestion', input: { questions } });

  test('with one answer is a choice', () => {
    const agent = start();
    agent.feed(wire.init(), asked(question()));
    expect(agent.events().at(-1)).toMatchObject({
      type: 'dialog-request',
      id: 'q1',
      kind: 'select',
      title: 'Which?',
      options: ['a', 'b'],
    });
    agent.command({ type: 'answer-dialog', id: 'q1', answer: { kind: 'confirmed', confirmed: true } }, 'x');
    expect(agent.settled()).toMatchObject({ x: { error: { code: 'invalid' } } });
    agent.command({ type: 'answer-dialog', id: 'q1', answer: { kind: 'value', value: 'b' } }, 'y');
    expect(agent.sent()).toMatchObject([
      {
        response: {
          response: {
            behavior: 'allow',
            updatedInput: { questions: [question()], answers: { 'Which?': 'b' } },
            toolUseID: 't1',
          },
        },
      },
    ]);
  });

  test.each<[string, Json[]]>([
    ['several answers', [question({ multiSelect: true })]],
    ['others', [question(), question({ question: 'Why?' })]],
    ['no choice', [question({ options: [] })]],
  ])('with %s is an interview', (_, questions) => {
    const agent = start();
    agent.feed(wire.init(), asked(...questions));
    expect(agent.events().at(-1)).toMatchObject({ kind: 'interview', questions });
    agent.command(
      { type: 'answer-dialog', id: 'q1', answer: { kind: 'responses', responses: { 'Which?': 'a, b' } } },
      'y',
    );
    expect(agent.sent()).toMatchObject([
      { response: { response: { behavior: 'allow', updatedInput: { answers: { 'Which?': 'a, b' } } } } },
    ]);
  });

  test('that is not answered is denied; one that is withdrawn is over', () => {
    const agent = start();
    agent.feed(wire.init(), asked(question()));
    agent.command({ type: 'answer-dialog', id: 'q1', answer: { kind: 'cancelled' } }, 'y');
    expect(agent.sent()).toMatchObject([{ response: { response: { behavior: 'deny' } } }]);
    agent.feed(asked(question()), { type: 'control_cancel_request', request_id: 'q1' });
    expect(agent.events().at(-1)).toEqual({ type: 'dialog-end', id: 'q1', outcome: 'cancelled' });
  });
});

test.each<[string, Json]>([
  ['a list as subtype', { request: { subtype: [] } }],
  ['no subtype', { request: {} }],
  ['no request', {}],
])('a request of the agent that is malformed is refused under its id: %s', (_, rest) => {
  const agent = start();
  agent.feed({ type: 'control_request', request_id: 'h1', ...rest });
  expect(agent.sent()).toMatchObject([
    {
      type: 'control_response',
      response: { subtype: 'error', request_id: 'h1', error: 'a malformed control request' },
    },
  ]);
  expect(agent.notes()).toEqual([expect.stringContaining('violation: control_request: request')]);
});

describe('what only a client of this protocol can answer', () => {
  const hook = wire.asks('h1', { subtype: 'hook_callback', callback_id: 'x' });
  const hello = (request: Json) =>
    ({
      type: 'unknown',
      protocol: 'claude',
      payload: { type: 'control_request', request: { subtype: 'initialize', ...request } },
    }) as const;

  test.each<[string, Json | null, object]>([
    ['nobody greeted the agent', null, hook],
    ['nobody has hooks', {}, hook],
    ['nobody has tools', { hooks: { Stop: [1] } }, wire.asks('h1', { subtype: 'mcp_message' })],
    ['nobody has dialogs', { hooks: { Stop: [1] } }, wire.asks('h1', { subtype: 'request_user_dialog' })],
    ['nobody greeted, whatever it is', null, wire.asks('h1', { subtype: 'elicitation' })],
  ])('is refused at once where %s', (_, greeting, request) => {
    const agent = start();
    if (greeting !== null) agent.command(hello(greeting), 'i');
    agent.sent();
    agent.feed(request);
    expect(agent.sent()).toMatchObject([
      { response: { subtype: 'error', request_id: 'h1', error_code: 'unsupported_request' } },
    ]);
    expect(agent.events()).toEqual([]);
  });

  test.each<[Json, object]>([
    [{ hooks: { Stop: [1] } }, hook],
    [{ sdkMcpServers: ['calc'] }, wire.asks('h1', { subtype: 'mcp_message' })],
    [{ supportedDialogKinds: ['x'] }, wire.asks('h1', { subtype: 'request_user_dialog' })],
    [{}, wire.asks('h1', { subtype: 'elicitation' })],
  ])('declared by %j: passed on, and its answer once', (greeting, request) => {
    const agent = start();
    agent.command(hello(greeting), 'i');
    agent.sent();
    agent.feed(request);
    expect(agent.events()).toEqual([{ type: 'unknown', protocol: 'claude', payload: request }]);
    const payload = wire.granted('h1', { continue: true });
    agent.command({ type: 'unknown', protocol: 'claude', payload }, 'a');
    agent.command({ type: 'unknown', protocol: 'claude', payload }, 'b');
    expect(agent.sent()).toEqual([payload]);
    expect(agent.settled()).toMatchObject({ a: { ok: true }, b: { error: { code: 'stale' } } });
  });

  test('that nobody answers fails in time; that is withdrawn is passed on as that', () => {
    const agent = start();
    agent.command(hello({ hooks: { Stop: [1] } }), 'i');
    agent.feed(hook, wire.asks('h2', { subtype: 'hook_callback' }));
    agent.sent();
    agent.events();
    const cancel = { type: 'control_cancel_request', request_id: 'h2' };
    agent.feed(cancel);
    expect(agent.events()).toEqual([{ type: 'unknown', protocol: 'claude', payload: cancel }]);
    agent.advance(600_000);
    expect(agent.sent()).toMatchObject([
      { response: { subtype: 'error', request_id: 'h1', error: 'no client answered in time' } },
    ]);
  });
});

describe('sub-agents', () => {
  test('speak on the lane of their call, with tasks beside them', () => {
    const task = { task_id: 'k', tool_use_id: 't1', description: 'job' };
    const events = inRun(
      ...calling('m1', 't1'),
      wire.system('task_started', task),
      wire.user([{ type: 'text', text: 'do it' }], {}, 't1'),
      wire.copy('s1', [wire.call('t2', {}, 'Open')], {}, 't1'),
      wire.user([wire.answer('t2')], {}, 't1'),
      wire.system('task_notification', { task_id: 'k', status: 'completed', summary: 'done' }),
      wire.user([wire.answer('t1')]),
    ).slice(7);
    expect(events).toMatchObject([
      { type: 'task-changed', id: 'k', call: 't1', status: 'running', text: 'job' },
      { type: 'message-added', parent: 't1', origin: 'agent' },
      { type: 'message-start', parent: 't1', id: 's1' },
      { type: 'block-start', parent: 't1', block: { id: 't2', name: 'Open' } },
      { type: 'block-end', parent: 't1' },
      { type: 'message-end', parent: 't1' },
      { type: 'tool-start', parent: 't1', call: 't2' },
      { type: 'tool-end', parent: 't1', call: 't2' },
      { type: 'task-changed', id: 'k', call: 't1', status: 'completed', text: 'done' },
      { type: 'tool-end', call: 't1' },
    ]);
  });

  test('have said all they had to say when their call has a result', () => {
    const words = wire.copy('s1', [{ type: 'text', text: 'Done.' }], {}, 't1');
    const events = inRun(...calling('m1', 't1'), words, wire.user([wire.answer('t1')]));
    expect(typesOf(events).slice(-2)).toEqual(['message-end', 'tool-end']);
  });

  test('that go on behind their run are for clients of this protocol alone', () => {
    const agent = start();
    agent.feed(
      wire.copy('s1', [wire.call('t2')], {}, 't1'),
      wire.user([wire.answer('t2')], {}, 't1'),
      wire.start('s2', {}, 't1'),
    );
    expect([typesOf(agent.events()), agent.notes()]).toEqual([['unknown', 'unknown', 'unknown'], []]);
  });

  test('work in the background once their call has a result, and owe nothing to the run', () => {
    const begun = inRun(...calling('m1', 't1'), wire.copy('s1', [wire.call('t2')], {}, 't1')).length;
    const events = inRun(
      ...calling('m1', 't1'),
      wire.copy('s1', [wire.call('t2')], {}, 't1'),
      wire.user([wire.answer('t1')]),
      wire.copy('s2', [wire.call('t3')], {}, 't1'),
      wire.result(),
      wire.user([wire.answer('t2')], {}, 't1'),
      wire.user([wire.answer('t3')], {}, 't1'),
      ...calling('m2', 't4').slice(0, 1),
      wire.copy('s3', [{ type: 'text', text: 'Done.' }], {}, 't1'),
    ).slice(begun);
    expect(typesOf(events)).toEqual([
      ...['message-end', 'tool-start', 'tool-end', 'unknown', 'turn-end', 'tool-end', 'run-end'],
      ...['unknown', 'unknown', 'run-start', 'turn-start', 'message-start', 'unknown'],
    ]);
    expect(events[5]).toMatchObject({ call: 't2', isError: false, extra: { claude: { detached: true } } });
  });

  test('get the result of a call from before they were sent off', () => {
    const events = inRun(
      ...calling('m1', 't1'),
      wire.copy('s1', [wire.call('t2')], {}, 't1'),
      wire.user([wire.answer('t1')]),
      wire.user([wire.answer('t2')], {}, 't1'),
    );
    expect(events.at(-1)).toMatchObject({ type: 'tool-end', call: 't2', parent: 't1' });
  });
});

describe('RpcMessage', () => {
  test('has no init, no ids of frames, its own words for a call and one copy behind the whole', () => {
    const agent = start();
    const call = {
      type: 'tool_use',
      id: 't1',
      toolName: 'Bash',
      toolType: 'CLAUDE_BASH',
      status: 'in_progress',
      input: null,
    };
    const provider = { provider: 'claude' };
    agent.feed(
      { ...wire.start('m1'), ...provider },
      { ...wire.begin(0, { type: 'text', text: '' }), ...provider },
      { ...wire.text(0, 'hi'), ...provider },
      { ...wire.end(0), ...provider },
      { ...wire.begin(1, call), ...provider },
      { ...wire.json(1, '{"a":1}'), ...provider },
      { ...wire.end(1), ...provider },
      { ...wire.reason('tool_use', { output_tokens: 2 }), ...provider },
      { ...wire.stop, ...provider },
      {
        ...wire.copy(
          undefined,
          [
            { type: 'text', text: 'hi' },
            { ...call, input: { a: 1 } },
          ],
          { id: 'm1' },
        ),
        ...provider,
      },
      { ...wire.user([wire.answer('t1')]), ...provider },
      { type: 'error', message: 'a complaint', ...provider },
      { ...wire.result(), ...provider },
    );
    expect(agent.notes()).toEqual([]);
    const events = agent.events();
    expect(typesOf(events)).toEqual([
      ...['run-start', 'turn-start', 'message-start', 'block-start', 'block-delta', 'block-end'],
      ...[
        'block-start',
        'block-delta',
        'block-end',
        'message-end',
        'tool-start',
        'tool-end',
        'error',
        'turn-end',
        'run-end',
      ],
    ]);
    expect(events[6]).toMatchObject({ block: { kind: 'tool-call', id: 't1', name: 'Bash' } });
  });
});

test('what the end of a block says beside is told as lost, for its copy was its end', () => {
  const agent = start();
  const stop = wire.end(0) as { event: Json };
  agent.feed(
    wire.init(),
    wire.start('m1'),
    wire.begin(0, { type: 'text', text: '' }),
    wire.copy('m1', [{ type: 'text', text: '' }]),
  );
  agent.feed({ ...stop, event: { ...stop.event, newer: 1 }, newest: 2 });
  expect(agent.notes()).toEqual(['loss: content_block_stop: newest, newer']);
});

test('each init tells what is new in it', () => {
  const agent = start();
  const turn = (more: Json) => [wire.init({ cwd: '/w', agents: ['Plan'], ...more }), wire.result()];
  agent.feed(...turn({}), ...turn({ uuid: 'other' }), ...turn({ cwd: '/x' }), ...turn({ cwd: '/x', agents: [] }));
  const told = agent.events().filter(({ type }) => type === 'session-changed');
  expect(told).toEqual([
    {
      type: 'session-changed',
      changes: { agentSessionId: 's', resume: 's', cwd: '/w' },
      extra: { claude: { agents: ['Plan'] } },
    },
    { type: 'session-changed', changes: { cwd: '/x' }, extra: { claude: { agents: ['Plan'] } } },
    { type: 'session-changed', changes: {}, extra: { claude: { agents: [] } } },
  ]);
});

test('the session has its name before the first init, where a frame says it, and can be resumed behind the init', () => {
  const agent = start();
  const hook = (session_id?: string) => wire.system('hook_started', { session_id });
  agent.feed(hook(), hook(''), hook('s'), hook('s'), wire.init(), wire.result());
  const told = agent.events().filter(({ type }) => type === 'session-changed');
  expect(told).toEqual([
    { type: 'session-changed', changes: { agentSessionId: 's' } },
    { type: 'session-changed', changes: { resume: 's' } },
  ]);
});

describe('what nobody should send', () => {
  test.each<[string, object | string, string[]]>([
    ['no JSON', '{"type":', ['violation: Unexpected end of JSON input']],
    ['no object', '[]', ['violation: a frame must be an object with a type']],
    ['a type that is no word', { type: 1 }, ['violation: a frame must be an object with a type']],
    [
      'a delta from nowhere',
      wire.text(0, 'x'),
      [
        'violation: content_block_delta: no message has begun',
        'violation: content_block_delta: its block has not begun',
      ],
    ],
    [
      'a delta of another kind',
      wire.json(0, 'x'),
      [
        'violation: content_block_delta: no message has begun',
        'violation: content_block_delta: its block has not begun',
        'violation: content_block_delta: not of the kind of its block',
      ],
    ],
    ['an end from nowhere', wire.end(0), ['violation: content_block_stop: its block has not begun']],
    ['a message that stops and never began', wire.stop, ['violation: message_stop: no message is open']],
    [
      'a block without a type',
      { type: 'stream_event', event: { type: 'content_block_start', index: 0 } },
      ['violation: content_block_start: content_block: Invalid input: expected object, received undefined'],
    ],
    [
      'a message that is none',
      { type: 'assistant' },
      ['violation: assistant: message: Invalid input: expected object, received undefined'],
    ],
    [
      'a retry without a number',
      wire.system('api_retry'),
      ['violation: system api_retry: attempt: Invalid input: expected number, received undefined'],
    ],
    [
      'an answer without a name',
      { type: 'control_response', response: {} },
      ['violation: control_response: response.subtype: Invalid input: expected string, received undefined'],
    ],
  ])('%s is a violation, and the machine goes on', (_, frame, notes) => {
    const agent = start();
    agent.feed(frame);
    const found = agent.notes();
    expect(found).toHaveLength(notes.length);
    for (const [at, note] of notes.entries()) expect(found[at]?.slice(0, 40)).toBe(note.slice(0, 40));
    agent.feed(wire.init(), ...said('m1', 'x'), wire.result());
    expect(typesOf(agent.events()).at(-1)).toBe('run-end');
  });

  test('a second message before the first has ended: the first is closed as cut', () => {
    const agent = start();
    agent.feed(wire.init(), wire.start('m1'), wire.begin(0, { type: 'text', text: '' }), wire.start('m2'));
    expect(agent.notes()).toEqual(['violation: message_start: the message before it has not ended']);
    expect(agent.events().filter(({ type }) => type.endsWith('-end'))).toMatchObject([
      { type: 'block-end', incomplete: true },
      { type: 'message-end', stop: { reason: 'error' } },
      { type: 'turn-end' },
    ]);
  });

  test('frames of a newer version pass, wherever they come', () => {
    const agent = start();
    const frames = [{ type: 'active_goal', goal: 'x' }, wire.system('ui_invalidate'), { type: 'keep_alive' }];
    agent.feed(...frames);
    expect(agent.events()).toEqual(
      frames.slice(0, 2).map((payload) => ({ type: 'unknown', protocol: 'claude', payload })),
    );
    expect(agent.notes()).toEqual([]);
  });
});
