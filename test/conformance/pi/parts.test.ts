// Parts of recordings of the real pi: one side alone, or from the middle on. What is missing then is no violation. Also
// handmade conversations of correct agents and clients.
import { describe, expect, test } from 'vitest';
import type { CheckSet } from '../../../src/conformance/check/sets.ts';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { piClient } from '../../../src/conformance/pi/client.ts';
import { piLegacyAgent } from '../../../src/conformance/pi-legacy/agent.ts';
import { piLegacyClient } from '../../../src/conformance/pi-legacy/client.ts';
import { endsOf, frame, recordingsOf, saidBy, wrongIn } from './recordings.ts';

const modern = recordingsOf('0.54.2', '0.73.1', '0.87.1');
const legacy = recordingsOf('0.13.2');
if (modern.length + legacy.length === 0) console.log('there are no recordings');

const nameOf = (wrong: string) => wrong.split(': ')[0] ?? '';

describe.each([
  ['pi', piAgent, modern],
  ['pi', piClient, modern],
  ['pi-legacy', piLegacyAgent, legacy],
  ['pi-legacy', piLegacyClient, legacy],
] as const)('recordings of %s', (_, set, recordings) => {
  test.each(recordings.map((one) => [`${set.side} of ${one.version}/${one.name}`, one] as const))('%s', (__, one) => {
    // Violations of the whole recording have their reasons in corpus.test.ts.
    const theirs = new Set(wrongIn(set, one.frames).map(nameOf));
    const isNew = (wrong: string) => !theirs.has(nameOf(wrong));
    const side = saidBy(set.side, one);
    expect(wrongIn(set, side).filter(isNew), 'of one side').toEqual([]);
    expect(wrongIn(set, side, { isComplete: true }).filter(isNew), 'of one side, to its end').toEqual([]);
    expect(
      endsOf(one).flatMap((frames) => wrongIn(set, frames).filter(isNew)),
      'from its middle on',
    ).toEqual([]);
  });
});

const time = { timestamp: 1_795_254_914_785 };
const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } };
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], ...time });
const model = (content: readonly object[], stopReason = 'stop') => {
  const from = { api: 'anthropic-messages', provider: 'test', model: 'test' };
  return { role: 'assistant', content, ...from, usage, stopReason, ...time };
};
const words = (text: string) => ({ type: 'text', text });
const said = (message: object) => [`< ${told('message_start', { message })}`, `< ${told('message_end', { message })}`];
const told = (type: string, more: object = {}) => JSON.stringify({ type, ...more });
const out = (type: string, more: object = {}) => `< ${told(type, more)}`;
const asks = (type: string, id: string, more: object = {}) => `> ${told(type, { id, ...more })}`;
const answers = (command: string, id: string, more: object = {}) =>
  out('response', { id, command, success: true, ...more });
const refuses = (command: string, id: string, error: string) => out('response', { id, command, success: false, error });
const update = (event: object) => out('message_update', { usage, assistantMessageEvent: event });

const streamed = (contentIndex: number, content: string) => [
  update({ type: 'text_start', contentIndex }),
  update({ type: 'text_delta', contentIndex, delta: content }),
  update({ type: 'text_end', contentIndex, content }),
];

/** A run of one prompt, with further lines during the answer. */
function run(prompt: string, answer: string, during: readonly string[] = []): string[] {
  const [first, reply] = [user(prompt), model([words(answer)])];
  return [
    ...[out('agent_start'), out('turn_start'), ...said(first)],
    ...[out('message_start', { message: model([]) }), ...streamed(0, answer), ...during],
    out('message_end', { message: reply }),
    ...[out('turn_end', { message: reply, toolResults: [] }), out('agent_end', { messages: [first, reply] })],
  ];
}
const prompted = (prompt: string, answer: string, during: readonly string[] = []) => [
  ...[asks('prompt', `of ${prompt}`, { message: prompt }), answers('prompt', `of ${prompt}`)],
  ...run(prompt, answer, during),
];
const compaction = [
  out('compaction_start', { reason: 'threshold' }),
  out('compaction_end', { reason: 'threshold', aborted: false, willRetry: false, result: null }),
];
const state = {
  ...{ thinkingLevel: 'off', isStreaming: false, isCompacting: false, autoCompactionEnabled: true, sessionId: 'one' },
  ...{ steeringMode: 'all', followUpMode: 'all', messageCount: 0, pendingMessageCount: 0 },
};
const half = { type: 'toolCall', id: 't1', name: 'write', arguments: {} };
const cut = model([half], 'length');

/** Conversations of correct programs. */
const trueOnes: readonly (readonly [string, CheckSet, readonly string[]])[] = [
  [
    'compacts by itself in a session that was new',
    piAgent,
    [
      ...[asks('new_session', 'n'), answers('new_session', 'n', { data: { cancelled: false } })],
      ...[...prompted('one', 'First.'), ...compaction, ...prompted('two', 'Second.')],
      ...[asks('get_messages', 'm'), answers('get_messages', 'm', { data: { messages: [user('two')] } })],
    ],
  ],
  [
    'keeps a name as it came',
    piAgent,
    [
      ...[asks('set_session_name', 'n', { name: ' one ' }), answers('set_session_name', 'n')],
      ...[asks('get_state', 's'), answers('get_state', 's', { data: { ...state, sessionName: ' one ' } })],
    ],
  ],
  [
    'forgets what waits when it is told to',
    piAgent,
    prompted('one', 'First.', [
      ...[asks('steer', 's', { message: 'wait' }), answers('steer', 's')],
      ...[asks('follow_up', 'f', { message: 'later' }), answers('follow_up', 'f')],
      ...[asks('clear_queue', 'c'), answers('clear_queue', 'c', { data: { steering: ['wait'], followUp: ['later'] } })],
    ]),
  ],
  [
    'lets an extension take a prompt during a run',
    piAgent,
    prompted('one', 'First.', [
      asks('prompt', 'p', { message: 'weather?' }),
      answers('prompt', 'p', { data: { disposition: 'handled' } }),
    ]),
  ],
  [
    'refuses half a call',
    piAgent,
    [
      ...[asks('prompt', 'p', { message: 'write' }), answers('prompt', 'p'), out('agent_start'), out('turn_start')],
      ...[...said(user('write')), out('message_start', { message: model([]) })],
      update({ type: 'toolcall_start', contentIndex: 0, id: 't1', toolName: 'write' }),
      update({ type: 'toolcall_delta', contentIndex: 0, delta: '{"path":"a' }),
      update({ type: 'toolcall_end', contentIndex: 0, toolCall: { ...half, arguments: { path: 'a' } } }),
      ...[out('message_end', { message: cut }), out('turn_end', { message: cut, toolResults: [] })],
      out('agent_end', { messages: [user('write'), cut] }),
    ],
  ],
  [
    'has a command of a newer version',
    piClient,
    [asks('get_weather', 'w'), answers('get_weather', 'w', { data: { sky: 'blue' } })],
  ],
  [
    'runs the command of an extension during a run',
    piClient,
    prompted('one', 'First.', [
      ...[asks('prompt', 'x', { message: '/mycommand' }), answers('prompt', 'x')],
      ...[asks('prompt', 'y', { message: '/theirs' }), refuses('prompt', 'y', 'Agent is already processing.')],
    ]),
  ],
  [
    'prompts while a retry begins',
    piClient,
    [
      ...prompted('one', 'First.'),
      ...run('one', 'Again.', [
        asks('prompt', 'p', { message: 'next' }),
        refuses('prompt', 'p', 'Agent is already processing.'),
      ]),
    ],
  ],
  [
    'prompts in a way of a newer version',
    piClient,
    prompted('one', 'First.', [
      ...[asks('prompt', 'p', { message: 'next', streamingBehavior: 'soon' }), answers('prompt', 'p')],
      ...[asks('set_steering_mode', 'm', { mode: 'two-at-a-time' }), answers('set_steering_mode', 'm')],
    ]),
  ],
];

const framesOf = (lines: readonly string[]) =>
  lines.map((line) => frame(line.startsWith('>') ? 'client' : 'agent', line.slice(2)));

test.each(trueOnes)('a correct conversation %s', (_, set, lines) => {
  expect(wrongIn(set, framesOf(lines))).toEqual([]);
  expect(wrongIn(set, framesOf(lines), { isComplete: true })).toEqual([]);
});

/** Conversations that no correct program holds; reading alone shows the fault. */
const brokenOnes: readonly (readonly [string, CheckSet, readonly string[]])[] = [
  [
    'pi/response-asked',
    piAgent,
    [...prompted('one', 'First.'), asks('get_commands', 'a'), answers('get_commands', 'b', { data: { commands: [] } })],
  ],
  [
    'pi/steer-delivered',
    piAgent,
    prompted('one', 'First.', [asks('steer', 's', { message: 'wait' }), answers('steer', 's')]),
  ],
  ['pi/client/known-commands', piClient, [asks('nope', 'w'), refuses('nope', 'w', 'Unknown command: nope')]],
  [
    'pi/client/prompt-while-streaming',
    piClient,
    prompted('one', 'First.', [
      ...[asks('prompt', 'p', { message: 'next' }), refuses('prompt', 'p', 'Agent is already processing.')],
    ]),
  ],
  [
    'pi-legacy/abort-reason',
    piLegacyAgent,
    [
      ...[`> ${told('prompt', { message: 'one' })}`, out('agent_start'), out('turn_start'), ...said(user('one'))],
      ...[out('message_start', { message: model([]) }), update({ type: 'text_start', contentIndex: 0, partial: {} })],
      ...[`> ${told('abort')}`, out('message_end', { message: model([words('')]) })],
    ],
  ],
];

test.each(brokenOnes)('a broken conversation is caught by %s', (id, set, lines) => {
  expect(wrongIn(set, framesOf(lines)).map(nameOf)).toContain(id);
});

test('a response to a dialog reply violates one rule, once', () => {
  const lines = [
    ...[asks('get_state', 's'), answers('get_state', 's', { data: state })],
    ...prompted('one', 'First.', [
      out('extension_ui_request', { id: 'd', method: 'select', title: 'Which?', options: ['a'] }),
      asks('extension_ui_response', 'd', { value: 'a' }),
      answers('extension_ui_response', 'd'),
    ]),
  ];
  expect(wrongIn(piAgent, framesOf(lines), { isComplete: true }).map(nameOf)).toEqual(['pi/ui-response-silent']);
});

test('a message without an end violates one rule, at its start', () => {
  const lines = prompted('one', 'First.').filter((line) => !/"message_end".*"assistant"/u.test(line));
  const start = lines.findIndex((line) => /"message_start".*"assistant"/u.test(line));
  expect(wrongIn(piAgent, framesOf(lines)).map(nameOf)).toEqual(['pi/message-brackets']);
  const rule = piAgent.rules.find(({ id }) => id === 'pi/message-brackets');
  const judged = [...(rule?.judge({ frames: framesOf(lines), isComplete: false }) ?? [])];
  expect(judged.flatMap(({ frame, wrong }) => (wrong === null ? [] : [frame]))).toEqual([start]);
});

test('a message open at the end of the trace is a violation', () => {
  const lines = [out('message_start', { message: user('one') })];
  expect(wrongIn(piAgent, framesOf(lines)).map(nameOf)).toEqual([]);
  expect(wrongIn(piAgent, framesOf(lines), { isComplete: true }).map(nameOf)).toContain('pi/message-brackets');
});
