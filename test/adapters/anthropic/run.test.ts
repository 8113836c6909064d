// A run, from the prompt to its end: what a plain one looks like to the last field, why messages stop, what they cost, and
// the ways in which a request goes wrong or is stopped.
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { call, changed, message, opened, started, startMachine, stopped, stopping, text, thinking } from './machine.ts';

const counted = { input: 10, output: 7, cacheRead: 4, cacheWrite: 2 };
const ends = (events: readonly Event[]) => events.filter(({ type }) => type === 'message-end' || type === 'run-end');

test('a whole run', () => {
  const machine = startMachine({ system: 'Be brief.' });
  expect(machine.prompt('Hi')).toEqual({ ok: true });
  expect(machine.sent).toEqual([
    {
      type: 'request',
      request: 1,
      body: {
        model: 'claude-opus-5-5',
        max_tokens: 32_000,
        stream: true,
        cache_control: { type: 'ephemeral' },
        system: 'Be brief.',
        thinking: { type: 'adaptive', display: 'summarized' },
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      },
    },
  ]);
  const start = started();
  machine.say(start, { type: 'ping' }, ...thinking(0, 's', 'Hm'), ...text(1, 'Hello'), stopping('end_turn'), stopped);
  expect(machine.delivered.slice(1)).toEqual([
    { type: 'run-start' },
    { type: 'turn-start' },
    {
      type: 'message-added',
      id: 'message-1',
      role: 'user',
      origin: 'prompt',
      content: [{ type: 'text', text: 'Hi' }],
    },
    {
      type: 'message-start',
      id: start.message.id,
      model: 'claude-opus-5-5',
      provider: 'anthropic',
      usage: { ...counted, output: 1 },
    },
    { type: 'block-start', index: 0, block: { kind: 'thinking' } },
    { type: 'block-delta', index: 0, delta: 'Hm' },
    { type: 'block-end', index: 0, signature: 's' },
    { type: 'block-start', index: 1, block: { kind: 'text' } },
    { type: 'block-delta', index: 1, delta: 'Hello' },
    { type: 'block-end', index: 1 },
    {
      type: 'message-end',
      stop: { reason: 'end', raw: 'end_turn' },
      usage: counted,
      cost: {
        total: expect.closeTo((10 * 4 + 7 * 20 + 4 * 0.2 + 2 * 5) / 1e6, 12),
        input: 40 / 1e6,
        output: 140 / 1e6,
        cacheRead: 0.8 / 1e6,
        cacheWrite: 10 / 1e6,
      },
    },
    { type: 'turn-end' },
    { type: 'run-end', outcome: 'completed' },
  ]);
  // The request itself ends behind the message, and says nothing new.
  expect(machine.end('finished')).toEqual([]);
  expect([machine.repairs, machine.notes]).toEqual([[], []]);
});

describe('why a message stops', () => {
  test.each([
    ['end_turn', 'end'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'stop-sequence'],
    ['some_new_reason', 'unknown'],
  ])('%s: %s', (raw, reason) => {
    const machine = startMachine();
    machine.prompt('Hi');
    const events = machine.say(...message(text(0, 'Hello'), raw));
    expect(ends(events)).toMatchObject([{ stop: { reason, raw } }, { outcome: 'completed' }]);
  });

  test('nobody says', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    expect(ends(machine.say(started(), ...text(0, 'Hello'), stopped))).toMatchObject([
      { stop: { reason: 'unknown' }, usage: { output: 1 } },
      { outcome: 'completed' },
    ]);
  });

  test('what else is said of it comes along', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    const more = { stop_sequence: 'STOP', container: null };
    const events = machine.say(started(), ...text(0, 'Hello'), stopping('stop_sequence', more), stopped);
    expect(ends(events)[0]).toMatchObject({ extra: { anthropic: { stop_sequence: 'STOP' } } });
  });

  test('refusal: the prompt and the answer are not shown to the model again, and the user is told', () => {
    const machine = startMachine();
    machine.prompt('one');
    machine.say(...message(text(0, 'First.')));
    machine.prompt('two');
    const events = machine.say(...message(text(0, 'I must not.'), 'refusal'));
    expect(events.slice(-4)).toEqual([
      expect.objectContaining({ type: 'message-end', stop: { reason: 'refusal', raw: 'refusal' } }),
      expect.objectContaining({ type: 'notice', level: 'warning', source: 'gateway' }),
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'completed' },
    ]);
    machine.prompt('three');
    expect(machine.body().messages.map(({ content }) => content[0]?.text)).toEqual(['one', 'First.', 'three']);
  });

  test('pause_turn: the model goes on in a turn of its own, shown what it had said', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    const first = machine.say(...message(text(0, 'Wait.'), 'pause_turn'));
    expect(first.slice(-3)).toEqual([
      expect.objectContaining({ type: 'message-end', stop: { reason: 'pause', raw: 'pause_turn' } }),
      { type: 'turn-end' },
      { type: 'turn-start' },
    ]);
    expect(machine.sent).toHaveLength(2);
    expect(machine.body().messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    // The first request ends now, and is not the one that is going on.
    expect(machine.say({ type: 'request_end', request: 1, how: 'finished' })).toEqual([]);
    machine.say(...message(text(0, 'Done.')));
    machine.prompt('again');
    expect(machine.body().messages.map(({ content }) => content[0]?.text)).toEqual(['Hi', 'Wait.', 'Done.', 'again']);
    expect(machine.repairs).toEqual([]);
  });

  test('refusal behind a pause: nothing of it is shown again', () => {
    const machine = startMachine();
    machine.prompt('one');
    machine.say(...message(text(0, 'Wait.'), 'pause_turn'));
    machine.say(...message(text(0, 'I must not.'), 'refusal'));
    machine.prompt('two');
    expect(machine.body().messages.map(({ content }) => content[0]?.text)).toEqual(['two']);
  });

  test('pause_turn for ever: not for ever', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    for (let round = 0; round < 9; round += 1) machine.say(...message(text(0, `Wait ${round}.`), 'pause_turn'));
    expect(machine.sent).toHaveLength(9);
    expect(machine.delivered.at(-1)).toEqual({ type: 'run-end', outcome: 'completed' });
  });
});

describe('what a message costs', () => {
  const cost = (options: Record<string, unknown>, model: string, more: object = {}) => {
    const machine = startMachine(options);
    machine.prompt('Hi');
    const [end] = ends(
      machine.say(started(model, { usage: { input_tokens: 1_000_000 } }), stopping('end_turn', {}, more), stopped),
    );
    return end?.type === 'message-end' ? end.cost?.total : 'no end';
  };
  const prices = { 'my-model': { input: 1.5, output: 0, cacheRead: 0, cacheWrite: 0 } };

  test.each<
    [name: string, options: Record<string, unknown>, answering: string, counts: object, total: number | undefined]
  >([
    ['the model that was asked', { model: 'claude-sonnet-5-5' }, 'claude-sonnet-5-5', {}, 2],
    ['its name with a date', { model: 'claude-haiku-4-5' }, 'claude-haiku-4-5-20251001', {}, 1],
    ['another known model', { model: 'my-model', prices }, 'claude-haiku-4-5', {}, 1],
    ['another unknown model', { model: 'claude-haiku-4-5' }, 'claude-haiku-4-5-turbo', {}, undefined],
    ['a model without a price', { model: 'claude-haiku-5-5' }, 'claude-haiku-5-5', {}, undefined],
    ['a price from the options', { model: 'my-model', prices }, 'my-model', {}, 1.5],
    ['the usual tier', {}, 'claude-opus-5-5', { service_tier: 'standard', inference_geo: 'global' }, 4],
    ['another tier', {}, 'claude-opus-5-5', { service_tier: 'priority' }, undefined],
    ['another speed', {}, 'claude-opus-5-5', { speed: 'fast' }, undefined],
    ['another place', {}, 'claude-opus-5-5', { inference_geo: 'us' }, undefined],
    ['the long cache', {}, 'claude-opus-5-5', { cache_creation: { ephemeral_1h_input_tokens: 5 } }, undefined],
    ['the short cache', {}, 'claude-opus-5-5', { cache_creation: { ephemeral_1h_input_tokens: 0 } }, 4],
  ])('%s', (_, options, answering, counts, total) => {
    expect(cost(options, answering, counts)).toBe(total);
  });

  test('later counts replace earlier ones, and those that are not told stay', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    const counts = { output_tokens: 9, input_tokens: 20, cache_read_input_tokens: null };
    const events = machine.say(started(), stopping('end_turn', {}, counts), stopped);
    expect(ends(events)[0]).toMatchObject({ usage: { input: 20, output: 9, cacheRead: 4, cacheWrite: 2 } });
  });
});

const overloaded = { message: 'Overloaded (overloaded_error)', status: 529 };
const shown = { kind: 'provider', ...overloaded };

describe('a request that fails before the model speaks', () => {
  test('is made again, and both are told', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    expect(machine.end({ failed: overloaded })).toEqual([
      { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 500, failure: shown },
    ]);
    expect([...machine.timers]).toEqual([['retry', 500]]);
    machine.ring();
    expect(machine.sent.map(({ request }) => request)).toEqual([1, 2]);
    expect(machine.sent[1]?.body).toEqual(machine.sent[0]?.body);
    expect(machine.end({ failed: overloaded })).toEqual([
      { type: 'retry-end', attempt: 1, success: false, failure: shown },
      { type: 'retry-start', attempt: 2, maxAttempts: 3, delayMs: 1_000, failure: shown },
    ]);
    machine.ring();
    const events = machine.say(...message(text(0, 'At last.')));
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'retry-end', attempt: 2, success: true },
      { type: 'message-start' },
    ]);
    expect(events.at(-1)).toEqual({ type: 'run-end', outcome: 'completed' });
    expect(machine.repairs).toEqual([]);
  });

  test('again and again, fails the run; what was not answered is not shown to the model again', () => {
    const machine = startMachine({ retries: 1 });
    machine.prompt('Hi');
    machine.end({ failed: overloaded });
    machine.ring();
    expect(machine.end({ failed: overloaded })).toEqual([
      { type: 'retry-end', attempt: 1, success: false, failure: shown },
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'failed', failure: shown },
    ]);
    expect(machine.timers.size).toBe(0);
    machine.prompt('Hello?');
    expect(machine.body().messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }]);
    expect(machine.repairs).toEqual([]);
  });

  test.each<[failure: object, options: Record<string, unknown>, delayMs: number | null]>([
    [{ status: 529 }, {}, 500],
    [{ status: 500 }, {}, 500],
    [{ status: 429, retryAfterMs: 1_700 }, {}, 1_700],
    [{ status: 429, retryAfterMs: 60_000 }, {}, 60_000],
    [{ status: 429, retryAfterMs: 60_001 }, {}, null],
    [{ status: 408 }, {}, 500],
    [{ status: 409 }, {}, 500],
    [{ mayRetry: true }, {}, 500],
    [{ status: 529 }, { retries: 0 }, null],
    [{ status: 529, mayRetry: false }, {}, null],
    [{ status: 400, mayRetry: true }, {}, 500],
    [{ status: 400 }, {}, null],
    [{ status: 401 }, {}, null],
    [{ status: 404 }, {}, null],
    [{ status: 413 }, {}, null],
    [{}, {}, null],
  ])('%j with %j waits %s ms', (failure, options, delayMs) => {
    const machine = startMachine(options);
    machine.prompt('Hi');
    const events = machine.end({ failed: { message: 'no', ...failure } });
    if (delayMs === null) expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'failed' });
    else expect(events).toMatchObject([{ type: 'retry-start', delayMs }]);
    expect(machine.timers.get('retry')).toBe(delayMs ?? undefined);
  });

  test('waits twice as long each time, but not longer than 8 s', () => {
    const machine = startMachine({ retries: 7 });
    machine.prompt('Hi');
    const delays = Array.from({ length: 7 }, () => {
      machine.end({ failed: overloaded });
      const delay = machine.timers.get('retry');
      machine.ring();
      return delay;
    });
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  test('by an event instead of an answer, is the same', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(machine.say(error)).toMatchObject([{ type: 'retry-start', failure: shown }]);
    // The request that brought it ends, which is no news.
    expect(machine.end('finished')).toEqual([]);
    expect(machine.say({ ...error, error: { type: 'authentication_error', message: 'no key' } })).toEqual([]);
    machine.ring();
    const final = machine.say({ ...error, error: { type: 'authentication_error', message: 'no key' } });
    expect(final.at(-1)).toMatchObject({ failure: { status: 401, message: 'no key (authentication_error)' } });
  });

  test('by ending without a word, is made again', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    expect(machine.end('finished')).toMatchObject([{ type: 'retry-start', failure: { kind: 'provider' } }]);
  });

  test('is final while auto-retry is off', () => {
    const machine = startMachine();
    expect(machine.ask({ type: 'set-auto', what: 'retry', enabled: false })).toMatchObject({ ok: true });
    machine.prompt('Hi');
    expect(machine.end({ failed: overloaded }).at(-1)).toMatchObject({ type: 'run-end', outcome: 'failed' });
  });
});

describe('an answer that breaks off', () => {
  const half = () => {
    const [open, say] = text(1, 'Half a sentence');
    return [started(), ...thinking(0, 's', 'Hm'), open, say];
  };

  test.each<[name: string, end: (machine: ReturnType<typeof startMachine>) => Event[], failure: object]>([
    [
      'by an event',
      (machine) => machine.say({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      shown,
    ],
    [
      'with its stream',
      (machine) => machine.end('finished'),
      { kind: 'provider', message: 'the stream of the API ended before its message did' },
    ],
    [
      'with its connection',
      (machine) => machine.end({ failed: { message: 'terminated', mayRetry: true } }),
      { kind: 'provider', message: 'terminated' },
    ],
  ])('%s, fails the run and is not begun again', (_, end, failure) => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.say(...half());
    expect(end(machine)).toEqual([
      { type: 'block-end', index: 1, incomplete: true },
      expect.objectContaining({ type: 'message-end', stop: { reason: 'error' }, failure }),
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'failed', failure },
    ]);
    expect([machine.sent.length, machine.timers.size]).toEqual([1, 0]);
    machine.prompt('Go on.');
    expect(machine.body().messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 's' },
        { type: 'text', text: 'Half a sentence' },
      ],
    });
    expect(machine.repairs).toEqual([]);
  });

  test.each<[name: string, said: readonly object[]]>([
    ['before its first block', []],
    ['in a thought', [opened(0, { type: 'thinking', thinking: 'Hm' })]],
    ['behind a thought', thinking(0, 's', 'Hm')],
    ['in a call', call(0, 'toolu_1', '{"at').slice(0, 2)],
    ['before words', [opened(0, { type: 'text', text: '' }), changed(0, { type: 'text_delta', text: ' ' })]],
    ['between a tool of the server and its result', [opened(0, { type: 'server_tool_use', id: 'a', name: 'b' })]],
  ])('%s leaves nothing to show: its prompt goes with it', (_, said) => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.say(started(), ...said);
    machine.end('finished');
    expect(machine.delivered.at(-1)).toMatchObject({ type: 'run-end', outcome: 'failed' });
    machine.prompt('Again');
    expect(machine.body().messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Again' }] }]);
    expect(machine.repairs).toEqual([]);
  });
});

test('a thought that did not end is not shown again, words behind it are', () => {
  const machine = startMachine();
  machine.prompt('Hi');
  machine.say(started(), ...thinking(0, 's', 'Hm').slice(0, -1), ...text(1, 'So.').slice(0, -1));
  machine.end('finished');
  machine.prompt('Again');
  expect(machine.body().messages[1]?.content).toEqual([{ type: 'text', text: 'So.' }]);
});

describe('an abort', () => {
  const abort = { type: 'abort', target: 'run' } as const;
  const failure = { kind: 'aborted', message: 'the run was aborted' };

  test('of nothing is fine', () => {
    const machine = startMachine();
    expect(machine.ask(abort)).toEqual({ ok: true });
    expect(machine.sent).toEqual([]);
  });

  test('stops the request once; the run ends with it', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    const [open, say] = text(0, 'This never');
    machine.say(started(), open, say);
    expect(machine.ask(abort)).toEqual({ ok: true });
    expect(machine.ask(abort)).toEqual({ ok: true });
    expect(machine.sent.slice(1)).toEqual([{ type: 'abort', request: 1 }]);
    // What was on its way still comes.
    expect(machine.say(changed(0, { type: 'text_delta', text: ' ends' }))).toHaveLength(1);
    expect(machine.end('aborted')).toEqual([
      { type: 'block-end', index: 0, incomplete: true },
      expect.objectContaining({ type: 'message-end', stop: { reason: 'aborted' }, failure }),
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'aborted', failure },
    ]);
    machine.prompt('Why?');
    expect(machine.body().messages[1]?.content).toEqual([{ type: 'text', text: 'This never ends' }]);
    expect(machine.repairs).toEqual([]);
  });

  test('in a call ends the call as well', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.say(started(), ...call(0, 'toolu_1', '{"at').slice(0, 2));
    machine.ask(abort);
    const events = machine.end('aborted');
    expect(events.map(({ type }) => type)).toEqual(['block-end', 'message-end', 'tool-end', 'turn-end', 'run-end']);
    expect(events[2]).toMatchObject({ call: 'toolu_1', isError: true, skipped: 'aborted' });
    expect(machine.repairs).toEqual([]);
  });

  test('before the first word', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.ask(abort);
    expect(machine.end('aborted')).toEqual([{ type: 'turn-end' }, { type: 'run-end', outcome: 'aborted', failure }]);
  });

  test('of a request that fails meanwhile is an abort', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.ask(abort);
    expect(machine.end({ failed: overloaded }).at(-1)).toEqual({ type: 'run-end', outcome: 'aborted', failure });
  });

  test('of a message that becomes whole meanwhile comes too late', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.ask(abort);
    expect(machine.say(...message(text(0, 'Done.'))).at(-1)).toEqual({ type: 'run-end', outcome: 'completed' });
    expect(machine.end('aborted')).toEqual([]);
  });

  test('of a message that pauses meanwhile lets it not go on', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.ask(abort);
    const events = machine.say(...message(text(0, 'Wait.'), 'pause_turn'));
    expect(events.at(-1)).toEqual({ type: 'run-end', outcome: 'aborted', failure });
    expect(machine.sent.filter(({ type }) => type === 'request')).toHaveLength(1);
  });

  test('while the next try waits', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.end({ failed: overloaded });
    machine.ask(abort);
    expect(machine.delivered.slice(-3)).toEqual([
      { type: 'retry-end', attempt: 1, success: false, failure: shown },
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'aborted', failure },
    ]);
    expect([machine.timers.size, machine.sent.length, machine.ring()]).toEqual([0, 1, []]);
    expect(machine.repairs).toEqual([]);
  });

  test('of the retry makes the failure final', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    machine.end({ failed: overloaded });
    expect(machine.ask({ type: 'abort', target: 'retry' })).toEqual({ ok: true });
    expect(machine.delivered.at(-1)).toEqual({ type: 'run-end', outcome: 'failed', failure: shown });
    expect(machine.timers.size).toBe(0);
  });

  test('of the retry leaves a request alone', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    expect(machine.ask({ type: 'abort', target: 'retry' })).toEqual({ ok: true });
    expect(machine.sent).toHaveLength(1);
  });

  test.each(['compaction', 'bash'] as const)('of a %s is refused', (target) => {
    expect(startMachine().ask({ type: 'abort', target })).toMatchObject({ error: { code: 'unsupported' } });
  });
});

describe('while the model answers', () => {
  test.each<[whenBusy: 'queue' | 'refuse' | 'steer' | 'follow-up', code: string]>([
    ['queue', 'busy'],
    ['refuse', 'busy'],
    // The session keeps a follow-up itself when it hears this.
    ['steer', 'unsupported'],
    ['follow-up', 'unsupported'],
  ])('a prompt that would %s is refused as %s', (whenBusy, code) => {
    const machine = startMachine();
    machine.prompt('Hi');
    const outcome = machine.ask({ type: 'prompt', content: [{ type: 'text', text: 'And?' }], whenBusy });
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    expect(machine.sent).toHaveLength(1);
  });

  test('there is no new session', () => {
    const machine = startMachine();
    machine.prompt('Hi');
    expect(machine.ask({ type: 'new-session' })).toMatchObject({ ok: false, error: { code: 'busy' } });
  });
});

test.each<[name: string, frame: unknown]>([
  ['an event that answers nothing', started()],
  ['a delta before its message', changed(0, { type: 'text_delta', text: 'x' })],
  ['an error that answers nothing', { type: 'error', error: {} }],
  ['an end of nothing that is broken', { type: 'request_end', how: 'never' }],
  ['no object', 7],
  ['no type', {}],
])('%s is noted and changes nothing', (_, frame) => {
  const machine = startMachine();
  expect(machine.say(frame)).toEqual([]);
  expect(machine.notes).toEqual([expect.stringMatching(/^violation: /u)]);
});

test.each([['constructor'], ['__proto__'], ['toString'], ['novelty']])('an event of type %s is unknown', (type) => {
  const machine = startMachine();
  const payload: unknown = JSON.parse(`{"type":${JSON.stringify(type)},"more":1}`);
  expect(machine.say(payload)).toEqual([{ type: 'unknown', protocol: 'anthropic', payload }]);
});

test('bytes that are no frame are noted', () => {
  const machine = startMachine();
  machine.raw('{');
  machine.raw('['.repeat(1_000));
  expect(machine.notes).toHaveLength(2);
});
