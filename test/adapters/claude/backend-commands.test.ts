// What commands become on the wire of a Claude agent, and how they are answered (docs/protocols/claude.md 3.4, 8).
import { describe, expect, test } from 'vitest';
import { claude } from '../../../src/adapters/claude/index.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import { bench, typesOf } from '../pi/harness.ts';
import { calling, said, wire } from './backend-words.ts';

type Json = Record<string, unknown>;

const start = () => bench({}, claude);
/** A bench whose agent was greeted and has answered. */
function greeted(answer: Json = {}) {
  const agent = start();
  agent.command(
    { type: 'unknown', protocol: 'claude', payload: { type: 'control_request', request: { subtype: 'initialize' } } },
    'hello',
  );
  agent.feed(wire.granted('request-1', answer));
  agent.sent();
  agent.settled();
  agent.events();
  return agent;
}
const prompt = (text: string): Command => ({ type: 'prompt', content: [{ type: 'text', text }] });
const requestsIn = (frames: readonly Json[]) => frames.map(({ request }) => request);

describe('the greeting', () => {
  test('of a client of this protocol goes through, and its answer comes back', () => {
    const agent = start();
    const request = { subtype: 'initialize', hooks: { Stop: [] }, systemPrompt: [''] };
    agent.command({ type: 'unknown', protocol: 'claude', payload: { type: 'control_request', request } }, 'c');
    expect(agent.sent()).toEqual([{ type: 'control_request', request_id: 'request-1', request }]);
    agent.feed(wire.granted('request-1', { models: [{ value: 'opus', displayName: 'Opus' }], account: {} }));
    expect(agent.settled()).toEqual({
      c: { ok: true, data: { models: [{ value: 'opus', displayName: 'Opus' }], account: {} } },
    });
    expect(agent.events()).toMatchObject([
      { type: 'session-changed', changes: { models: [{ id: 'opus', name: 'Opus', provider: 'anthropic' }] } },
    ]);
    agent.command(prompt('hi'), 'p');
    expect(agent.sent()).toMatchObject([{ type: 'user' }]);
  });

  test('is ours where nobody else’s came first, and no prompt waits for its answer', () => {
    const agent = start();
    agent.command(prompt('hi'), 'p');
    expect(agent.sent()).toEqual([
      { type: 'control_request', request_id: 'request-1', request: { subtype: 'initialize' } },
      {
        type: 'user',
        session_id: '',
        message: { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        parent_tool_use_id: null,
      },
    ]);
    agent.feed(wire.refused('request-1', 'never heard of it', 'unsupported_request'));
    agent.feed(wire.init(), ...said('m1', 'hello'), wire.result());
    expect(agent.settled()).toEqual({ p: { ok: true } });
    expect(agent.notes()).toEqual([]);
  });
});

describe('a prompt', () => {
  const cases: [string, Partial<Extract<Command, { type: 'prompt' }>>, unknown, string[]][] = [
    [
      'pictures',
      {
        content: [
          { type: 'image', data: 'AA', mediaType: 'image/gif' },
          { type: 'image', url: 'http://x/y.png' },
        ],
      },
      [
        { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'AA' } },
        { type: 'image', source: { type: 'url', url: 'http://x/y.png' } },
      ],
      [],
    ],
    [
      'documents',
      {
        content: [
          { type: 'document', name: 'a.pdf', data: 'BB', mediaType: 'application/pdf' },
          { type: 'document', text: 'words' },
        ],
      },
      [
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BB' }, title: 'a.pdf' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      ],
      [],
    ],
    [
      'blocks of its own',
      { content: [{ type: 'opaque', name: 'x', protocol: 'claude', payload: { type: 'x', y: 1 } }] },
      [{ type: 'x', y: 1 }],
      [],
    ],
    [
      'what cannot be said',
      {
        content: [
          { type: 'opaque', name: 'x', protocol: 'pi', payload: {} },
          { type: 'thinking', text: 'hm' },
        ],
      },
      [],
      [
        'loss: prompt: a Claude agent does not take content of type opaque',
        'loss: prompt: a Claude agent does not take content of type thinking',
      ],
    ],
    [
      'files and the like, as Claude Code mentions them',
      {
        content: [{ type: 'text', text: 'look' }],
        contexts: [
          { type: 'file', path: 'a.ts', lines: { start: 1, end: 3 } },
          { type: 'directory', path: 'src' },
          { type: 'web', url: 'http://x' },
          { type: 'resource', server: 'db', uri: 'r:1' },
          { type: 'repo-map' },
        ],
      },
      [
        { type: 'text', text: 'look' },
        { type: 'text', text: '@a.ts#L1-3\n@src\nhttp://x\n@db:r:1' },
      ],
      ['loss: prompt: a Claude agent does not take a context of type repo-map'],
    ],
  ];
  test.each(cases)('with %s', (_, more, content, notes) => {
    const agent = greeted();
    agent.command({ type: 'prompt', content: [], ...more }, 'p');
    expect(agent.sent()).toMatchObject([{ type: 'user', message: { role: 'user', content } }]);
    expect(agent.notes()).toEqual(notes);
  });

  test('keeps the name that a client of this protocol gave it', () => {
    const agent = greeted();
    agent.command({ ...prompt('hi'), extra: { claude: 'uuid-1' } }, 'p');
    expect(agent.sent()).toMatchObject([{ type: 'user', uuid: 'uuid-1' }]);
  });

  test('brings its model and mode with it', () => {
    const agent = greeted({ current_permission_mode: 'default' });
    agent.command({ ...prompt('hi'), model: 'haiku', mode: 'plan' } as Command, 'p');
    expect(requestsIn(agent.sent().slice(0, 2))).toEqual([
      { subtype: 'set_model', model: 'haiku' },
      { subtype: 'set_permission_mode', mode: 'plan' },
    ]);
  });

  test('is settled by its run, which begins with the turn and tells the prompt', () => {
    const agent = greeted();
    agent.command(prompt('hi'), 'p');
    agent.feed({ type: 'command_lifecycle', state: 'queued' }, wire.system('ui_invalidate'));
    expect([agent.settled(), typesOf(agent.events())]).toEqual([{}, ['unknown', 'unknown']]);
    agent.feed(wire.init());
    expect(agent.settled()).toEqual({ p: { ok: true } });
    expect(agent.events()).toMatchObject([
      { type: 'session-changed', changes: { agentSessionId: 's' } },
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-added', role: 'user', origin: 'prompt', content: [{ text: 'hi' }] },
    ]);
  });

  test.each<[string, (agent: ReturnType<typeof start>) => void]>([
    ['on its way', () => {}],
    ['in a run', (agent) => agent.feed(wire.init())],
  ])('while another one is %s: refused, or left to the session’s own queue', (_, before) => {
    const agent = greeted();
    agent.command(prompt('one'), 'p1');
    before(agent);
    agent.sent();
    agent.settled();
    agent.command(prompt('two'), 'p2');
    agent.command({ ...prompt('three'), whenBusy: 'steer' } as Command, 'p3');
    agent.command({ ...prompt('four'), whenBusy: 'follow-up' } as Command, 'p4');
    const code = (outcome: Outcome | undefined) => (outcome?.ok === false ? outcome.error.code : outcome);
    expect(Object.values(agent.settled()).map(code)).toEqual(['busy', 'unsupported', 'unsupported']);
    expect(agent.sent()).toEqual([]);
  });

  test('that the agent echoes is told once', () => {
    const agent = greeted();
    agent.command(prompt('hi'), 'p');
    agent.feed(wire.init(), wire.user([{ type: 'text', text: 'hi' }], { isReplay: true, uuid: 'u' }));
    agent.feed(wire.user([{ type: 'text', text: 'an old one' }], { isReplay: true }));
    expect(agent.events().filter(({ type }) => type === 'message-added')).toMatchObject([
      { origin: 'prompt', content: [{ text: 'hi' }] },
      { origin: 'replay', content: [{ text: 'an old one' }] },
    ]);
  });
});

describe('an abort', () => {
  const abort: Command = { type: 'abort', target: 'run' };

  test('interrupts, and is answered when the agent is', () => {
    const agent = greeted();
    agent.command(prompt('hi'), 'p');
    agent.feed(wire.init());
    agent.sent();
    agent.settled();
    agent.command(abort, 'a');
    expect(requestsIn(agent.sent())).toEqual([{ subtype: 'interrupt' }]);
    expect(agent.settled()).toEqual({});
    agent.feed(wire.granted('request-2', { still_queued: [] }));
    expect(agent.settled()).toEqual({ a: { ok: true } });
  });

  test('that comes before its turn waits for it: an earlier one would do nothing', () => {
    const agent = greeted();
    agent.command(prompt('hi'), 'p');
    agent.sent();
    agent.command(abort, 'a');
    expect(agent.sent()).toEqual([]);
    agent.feed(wire.init());
    expect(requestsIn(agent.sent())).toEqual([{ subtype: 'interrupt' }]);
  });

  test.each(['retry', 'bash'] as const)('of a %s alone is refused', (target) => {
    const agent = greeted();
    agent.command({ type: 'abort', target }, 'a');
    expect(agent.settled()).toMatchObject({ a: { ok: false, error: { code: 'unsupported' } } });
  });
});

describe('a setting', () => {
  test.each<[Command, Json, unknown, Outcome, Json]>([
    [
      { type: 'set-model', model: 'opus' },
      { subtype: 'set_model', model: 'opus' },
      { model: 'opus' },
      { ok: true, data: { model: { id: 'opus', name: 'Opus', provider: 'anthropic' } } },
      { model: { id: 'opus' } },
    ],
    [{ type: 'set-model' }, { subtype: 'set_model' }, {}, { ok: true, data: {} }, {}],
    [
      { type: 'set-mode', mode: 'plan' },
      { subtype: 'set_permission_mode', mode: 'plan' },
      { mode: 'plan' },
      { ok: true, data: { mode: 'plan' } },
      { mode: 'plan' },
    ],
    // The mode that is in effect may be another one.
    [
      { type: 'set-mode', mode: 'auto' },
      { subtype: 'set_permission_mode', mode: 'auto' },
      { mode: 'default' },
      { ok: true, data: { mode: 'default' } },
      { mode: 'default' },
    ],
    [
      { type: 'set-mode', mode: 'plan' },
      { subtype: 'set_permission_mode', mode: 'plan' },
      undefined,
      { ok: true, data: { mode: 'plan' } },
      { mode: 'plan' },
    ],
    [
      { type: 'set-thinking', budgetTokens: 100 },
      { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 100 },
      undefined,
      { ok: true },
      {},
    ],
    [
      { type: 'set-thinking', budgetTokens: null },
      { subtype: 'set_max_thinking_tokens', max_thinking_tokens: null },
      undefined,
      { ok: true },
      {},
    ],
    [
      { type: 'set-thinking', level: 'off' },
      { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 0 },
      undefined,
      { ok: true },
      { thinkingLevel: 'off' },
    ],
  ])('%j', (command, request, response, outcome, changes) => {
    const agent = greeted({ models: [{ value: 'opus', displayName: 'Opus' }] });
    agent.command(command, 'c');
    expect(requestsIn(agent.sent())).toEqual([request]);
    agent.feed(wire.granted('request-2', response));
    expect(agent.settled()).toEqual({ c: outcome });
    const told = agent.events().map((event) => (event.type === 'session-changed' ? event.changes : event));
    expect(told).toMatchObject(Object.keys(changes).length === 0 ? [] : [changes]);
  });

  test.each([
    ['invalid_mode', 'invalid'],
    ['unsupported_request', 'unsupported'],
    ['anything', 'agent-refused'],
    [undefined, 'agent-refused'],
  ])('refused with %s is %s', (wireCode, code) => {
    const agent = greeted();
    agent.command({ type: 'set-mode', mode: 'nonsense' }, 'c');
    agent.feed(wire.refused('request-2', 'no such mode', wireCode));
    expect(agent.settled()).toEqual({ c: { ok: false, error: { code, message: 'no such mode' } } });
  });

  test('without an answer fails when its time is over, and a late answer is no surprise', () => {
    const agent = greeted();
    agent.command({ type: 'set-mode', mode: 'plan' }, 'c');
    agent.advance(30_000);
    expect(agent.settled()).toMatchObject({ c: { ok: false, error: { code: 'timeout' } } });
    agent.feed(wire.granted('request-2', { mode: 'plan' }));
    expect([agent.notes(), agent.events()]).toEqual([[], []]);
    agent.feed(wire.granted('request-77'));
    expect(agent.notes()).toEqual(['repair: control_response: ignored an answer that nobody waits for']);
  });

  test('that makes no sense is refused at once', () => {
    const agent = greeted();
    agent.command({ type: 'set-thinking' }, 'a');
    agent.command({ type: 'set-thinking', level: 'constructor' }, 'b');
    expect(agent.settled()).toMatchObject({ a: { error: { code: 'invalid' } }, b: { error: { code: 'invalid' } } });
    expect(agent.sent()).toEqual([]);
  });
});

describe('a compaction', () => {
  const compacted = [
    wire.system('status', { status: 'compacting' }),
    wire.system('status', { status: null, compact_result: 'success' }),
    wire.init(),
    wire.system('compact_boundary', { compact_metadata: { trigger: 'manual', pre_tokens: 67, post_tokens: 26 } }),
    wire.user('What was said so far.', { isSynthetic: true, isReplay: false }),
    wire.user('<local-command-stdout>Compacted</local-command-stdout>', { isReplay: true }),
    wire.result({ num_turns: 0, result: '', total_cost_usd: 0.25 }),
  ];

  test('that is asked for is no run; its summary answers the command', () => {
    const agent = greeted();
    agent.command({ type: 'compact', instructions: 'keep the cables' }, 'c');
    expect(agent.sent()).toMatchObject([
      { message: { content: [{ type: 'text', text: '/compact keep the cables' }] } },
    ]);
    agent.feed(...compacted);
    expect(agent.settled()).toEqual({ c: { ok: true, data: { summary: 'What was said so far.', tokensBefore: 67 } } });
    expect(agent.events()).toMatchObject([
      { type: 'compaction-start', trigger: 'manual' },
      { type: 'session-changed' },
      { type: 'compaction-end', outcome: 'completed', trigger: 'manual', tokensBefore: 67, tokensAfter: 26 },
      { type: 'message-added', role: 'user', origin: 'agent' },
      { type: 'message-added', role: 'user', origin: 'agent' },
      { type: 'usage-changed', sessionCost: { total: 0.25 } },
    ]);
    agent.command(prompt('go on'), 'p');
    expect(agent.settled()).toEqual({});
  });

  test('that a client of this protocol prompts for is the run of that prompt', () => {
    const agent = greeted();
    agent.command(prompt('/compact'), 'p');
    agent.feed(...compacted);
    expect(agent.settled()).toEqual({ p: { ok: true } });
    const types = typesOf(agent.events());
    expect(types.filter((type) => type.startsWith('run-') || type.startsWith('compaction-'))).toEqual([
      'run-start',
      'compaction-start',
      'compaction-end',
      'run-end',
    ]);
  });

  test.each([
    ['compact_error', 'failed'],
    ['Request was aborted.', 'aborted'],
  ])('that fails with %j is told as %s, and refuses its command', (compact_error, outcome) => {
    const agent = greeted();
    agent.command({ type: 'compact' }, 'c');
    agent.feed(
      wire.system('status', { status: 'compacting' }),
      wire.system('status', { status: null, compact_result: 'failed', compact_error }),
      wire.result({ result: 'Not enough messages to compact.' }),
    );
    expect(agent.events()).toMatchObject([{ type: 'compaction-start' }, { type: 'compaction-end', outcome }]);
    expect(agent.settled()).toEqual({
      c: { ok: false, error: { code: 'agent-refused', message: 'Not enough messages to compact.' } },
    });
  });
});

describe('a question of ours', () => {
  test.each<[Extract<Command, { type: 'query' }>['subject'], unknown]>([
    ['models', { models: [{ id: 'opus', name: 'Opus', provider: 'anthropic' }] }],
    ['commands', { commands: [{ name: 'compact', description: 'd' }] }],
  ])('for %s waits for the greeting', (subject, data) => {
    const agent = start();
    agent.command({ type: 'query', subject }, 'q');
    expect(requestsIn(agent.sent())).toEqual([{ subtype: 'initialize' }]);
    agent.feed(
      wire.granted('request-1', {
        models: [{ value: 'opus', displayName: 'Opus' }],
        commands: [{ name: 'compact', description: 'd' }],
      }),
    );
    expect(agent.settled()).toEqual({ q: { ok: true, data } });
    agent.command({ type: 'query', subject }, 'again');
    expect(agent.settled()).toEqual({ again: { ok: true, data } });
  });

  test('for what the agent has not told is left to the session', () => {
    const agent = greeted();
    agent.command({ type: 'query', subject: 'models' }, 'a');
    agent.command({ type: 'query', subject: 'tools' }, 'b');
    agent.command({ type: 'query', subject: 'statistics' }, 'c');
    const codes = Object.values(agent.settled()).map((outcome) => (outcome.ok ? 'ok' : outcome.error.code));
    expect(codes).toEqual(['unsupported', 'unsupported', 'unsupported']);
  });

  test('for servers, the context, the state', () => {
    const agent = greeted();
    agent.command({ type: 'query', subject: 'tool-servers' }, 'a');
    agent.feed(wire.granted('request-2', { mcpServers: [{ name: 'db', status: 'connected' }] }));
    agent.command({ type: 'query', subject: 'context-usage' }, 'b');
    agent.feed(wire.granted('request-3', { totalTokens: 12, maxTokens: 100 }));
    agent.command({ type: 'query', subject: 'state' }, 'c');
    expect(agent.settled()).toMatchObject({
      a: { ok: true, data: { servers: [{ name: 'db', kind: 'mcp', status: 'running' }] } },
      b: { ok: true, data: { tokens: 12, window: 100 } },
      c: { ok: true, data: { running: false, compacting: false } },
    });
    expect(agent.events()).toEqual([{ type: 'tool-server-changed', name: 'db', kind: 'mcp', status: 'running' }]);
  });

  test('for the state between a prompt and the start of its run says that it runs', () => {
    const agent = greeted();
    const isRunning = (id: string) => {
      agent.command({ type: 'query', subject: 'state' }, id);
      return Object.values(agent.settled()).map((outcome) => outcome.ok && Object(outcome.data).running);
    };
    agent.command({ type: 'prompt', content: [{ type: 'text', text: 'go' }] }, 'p');
    expect(isRunning('early')).toEqual([true]);
    agent.feed(wire.init(), ...said('m1', 'x'), wire.result());
    agent.settled();
    expect(isRunning('after')).toEqual([false]);
  });
});

test.each<[string, unknown, string]>([
  ['another protocol', { protocol: 'pi', payload: { type: 'x' } }, 'unsupported'],
  ['no frame', { protocol: 'claude', payload: null }, 'invalid'],
  ['a request without a subtype', { protocol: 'claude', payload: { type: 'control_request' } }, 'invalid'],
  ['a frame that only agents send', { protocol: 'claude', payload: { type: 'result' } }, 'unsupported'],
  [
    'an answer that nobody waits for',
    { protocol: 'claude', payload: { type: 'control_response', response: { request_id: 'x' } } },
    'stale',
  ],
])('%s is refused, and the agent hears nothing of it', (_, fields, code) => {
  const agent = start();
  agent.command({ type: 'unknown', ...(fields as { protocol: string; payload: unknown }) }, 'u');
  expect(agent.settled()).toMatchObject({ u: { ok: false, error: { code } } });
  expect(agent.sent()).toEqual([]);
});

test('what the conversation costs is told when it changes', () => {
  const agent = greeted();
  agent.feed(wire.init(), ...calling('m1', 't1'), wire.user([wire.answer('t1')]), wire.result({ total_cost_usd: 0.5 }));
  agent.feed(wire.init(), ...said('m2', 'x'), wire.result({ total_cost_usd: 0.5 }));
  agent.feed(wire.init(), ...said('m3', 'x'), wire.result({ total_cost_usd: 0.75 }));
  const costs = agent.events().filter(({ type }) => type === 'usage-changed');
  expect(costs).toEqual([0.5, 0.75].map((total) => ({ type: 'usage-changed', sessionCost: { total } })));
});
