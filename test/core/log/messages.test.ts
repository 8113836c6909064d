// The conversation as whole messages: in order, complete, each result once; and what they count together.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { figuresOf, messagesOf, textIn, userMessages } from '../../../src/core/log/messages.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';

/** A transcript of these events; the clock shows ten times their number. */
function told(...events: Event[]): Transcript {
  const transcript = emptyTranscript();
  for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at: (at + 1) * 10, event });
  return transcript;
}

const start: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
const said = (text: string): EventOf<'message-added'> => ({
  type: 'message-added',
  role: 'user',
  content: [{ type: 'text', text }],
});
const result = (call: string, text = 'done'): Event => ({
  type: 'tool-end',
  call,
  name: 'look',
  content: [{ type: 'text', text }],
  isError: false,
});
const repeated = (call: string, text = 'repeated'): Event => ({
  type: 'message-added',
  role: 'tool',
  call,
  content: [{ type: 'text', text }],
});

/** Messages in short: role and text. */
const short = (transcript: Transcript) =>
  messagesOf(transcript).map(({ role, content }) =>
    [role, ...content.map((part) => (part.type === 'text' ? part.text : part.type))].join(' '),
  );

describe('a message of the model', () => {
  const events: Event[] = [
    ...start,
    {
      type: 'message-start',
      id: 'm',
      model: 'large',
      provider: 'p',
      usage: { input: 9, output: 0, cacheRead: 0, cacheWrite: 0 },
      extra: { one: { a: 1 }, two: { b: 2 } },
    },
    { type: 'block-start', index: 0, block: { kind: 'thinking' } },
    { type: 'block-delta', index: 0, delta: 'hm' },
    { type: 'block-end', index: 0, signature: 'sealed', redacted: true, extra: { one: { c: 3 } } },
    { type: 'block-start', index: 1, block: { kind: 'text' } },
    { type: 'block-delta', index: 1, delta: 'draft' },
    { type: 'block-end', index: 1, text: 'final', signature: 'marked' },
    { type: 'block-start', index: 2, block: { kind: 'tool-call', id: 'a', name: 'look' } },
    { type: 'block-delta', index: 2, delta: '{"path":"x"}' },
    { type: 'block-end', index: 2, signature: 'thought' },
    { type: 'block-start', index: 3, block: { kind: 'tool-call', id: 'b', name: 'look' } },
    { type: 'block-delta', index: 3, delta: '{"pa' },
    { type: 'block-end', index: 3, incomplete: true },
    { type: 'block-start', index: 4, block: { kind: 'whole', content: { type: 'link', url: 'https://example.org' } } },
    { type: 'block-end', index: 4 },
    {
      type: 'message-end',
      stop: { reason: 'error', raw: 'error' },
      cost: { total: 0.5 },
      failure: { kind: 'provider', message: 'away' },
      extra: { one: { d: 4 } },
    },
  ];

  test('keeps everything that it was told with', () => {
    expect(messagesOf(told(...events), 1000)).toEqual([
      {
        id: 'm',
        role: 'assistant',
        model: 'large',
        provider: 'p',
        content: [
          { type: 'thinking', text: 'hm', signature: 'sealed', redacted: true, extra: { one: { c: 3 } } },
          { type: 'text', text: 'final', signature: 'marked' },
          { type: 'tool-call', id: 'a', name: 'look', input: { path: 'x' }, signature: 'thought' },
          { type: 'tool-call', id: 'b', name: 'look', input: {}, incomplete: true },
          { type: 'link', url: 'https://example.org' },
        ],
        stop: { reason: 'error', raw: 'error' },
        usage: { input: 9, output: 0, cacheRead: 0, cacheWrite: 0 },
        cost: { total: 0.5 },
        failure: { kind: 'provider', message: 'away' },
        timestamp: 1030,
        extra: { one: { d: 4 }, two: { b: 2 } },
      },
    ]);
  });

  test('does not count before it is over', () => {
    expect(messagesOf(told(...events.slice(0, -1)))).toEqual([]);
  });

  test('of a sub-agent carries its call', () => {
    const transcript = told(
      { type: 'run-start' },
      { type: 'message-start', parent: 'a', id: 'm' },
      { type: 'message-end', parent: 'a', stop: { reason: 'end' } },
    );
    expect(messagesOf(transcript)).toMatchObject([{ role: 'assistant', parent: 'a' }]);
  });
});

describe('the time of a message', () => {
  const at = (event: Event, timeOrigin?: number) => messagesOf(told(event), timeOrigin)[0]?.timestamp;

  test.each<[string, Event, number | undefined, number | undefined]>([
    ['is the agent’s', { ...said('a'), timestamp: 77 }, 1000, 77],
    ['is else that of the log', said('a'), 1000.4, 1010],
    ['is unknown without a time of day', said('a'), undefined, undefined],
    ['is unknown for history', { ...said('a'), origin: 'replay' }, 1000, undefined],
    ['is known for the result of a tool', result('a'), 1000, 1010],
  ])('%s', (_name, event, timeOrigin, expected) => {
    expect(at(event, timeOrigin)).toBe(expected);
  });
});

describe('the result of a tool', () => {
  test.each<[string, Event[], string[]]>([
    ['has a message of its own where the agent sends none', [said('do'), result('a')], ['user do', 'tool done']],
    [
      'is told once where it does, at the place of that',
      [result('a'), result('b', 'other'), repeated('b'), repeated('a', 'again')],
      ['tool repeated', 'tool again'],
    ],
    [
      'is told once when the message comes first',
      [{ type: 'run-start' }, repeated('a'), result('a')],
      ['tool repeated'],
    ],
    [
      'of a call whose name is used again is another one',
      [{ type: 'run-start' }, result('a'), repeated('a'), result('a', 'new'), said('x')],
      ['tool repeated', 'tool new', 'user x'],
    ],
    [
      'of an earlier run is not hidden by a message of a later one',
      [{ type: 'run-start' }, result('a'), { type: 'run-start' }, repeated('a')],
      ['tool done', 'tool repeated'],
    ],
    [
      'is not hidden by a message of an earlier run',
      [{ type: 'run-start' }, repeated('a'), { type: 'run-start' }, result('a')],
      ['tool repeated', 'tool done'],
    ],
    ['is gone with its history', [result('a'), { type: 'history-reset', reason: 'new' }, said('b')], ['user b']],
  ])('%s', (_name, events, expected) => {
    expect(short(told(...events))).toEqual(expected);
  });
});

test('user messages have a name that stays', () => {
  const events: Event[] = [
    said('one'),
    { ...said('named'), id: 'n' },
    { ...said('in a sub-agent'), parent: 'a' },
    { type: 'message-added', role: 'system', content: [] },
    { ...said('[in the name of the user]'), origin: 'agent' },
    { type: 'message-added', role: 'user', content: [{ type: 'image' }, { type: 'text', text: 'look' }] },
  ];
  const points = [
    { entry: 'message-1', text: 'one' },
    { entry: 'n', text: 'named' },
    { entry: 'message-6', text: 'look' },
  ];
  const named = (...all: Event[]) =>
    userMessages(told(...all)).map(({ entry, logged }) => ({ entry, text: textIn(logged.event.content) }));
  expect(named(...events)).toEqual(points);
  expect(named(...events, said('more')).slice(0, 3)).toEqual(points);
});

describe('figures', () => {
  test('of nothing are nothing, and no cost', () => {
    expect(figuresOf([])).toEqual({
      userMessages: 0,
      assistantMessages: 0,
      toolCalls: 0,
      toolResults: 0,
      totalMessages: 0,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  });

  test('count history that was told again as well', () => {
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    const old: Event = {
      type: 'message-added',
      role: 'assistant',
      content: [],
      origin: 'replay',
      usage,
      cost: { total: 1 },
    };
    expect(figuresOf(messagesOf(told(old, old)))).toMatchObject({
      assistantMessages: 2,
      totalMessages: 2,
      usage: { input: 2, output: 4, cacheRead: 6, cacheWrite: 8 },
      cost: { total: 2 },
    });
  });

  test('agree with the events, whatever legal events come', () => {
    fc.assert(
      fc.property(legalEvents, (events) => {
        const since = events.slice(events.findLastIndex(({ type }) => type === 'history-reset') + 1);
        const figures = figuresOf(messagesOf(told(...events)));
        const count = (isOne: (event: Event) => boolean) => since.filter(isOne).length;
        const added = (role: string) => count((event) => event.type === 'message-added' && event.role === role);
        const results = count(({ type }) => type === 'tool-end');
        expect(figures.userMessages).toBe(added('user'));
        expect(figures.assistantMessages).toBe(count(({ type }) => type === 'message-end'));
        // A message and a result may be the same one.
        expect(figures.toolResults).toBeGreaterThanOrEqual(added('tool'));
        expect(figures.toolResults).toBeLessThanOrEqual(results + added('tool'));
        expect(figures.totalMessages).toBe(figures.userMessages + figures.assistantMessages + figures.toolResults);
        const ended = since.flatMap((event) => (event.type === 'message-end' ? (event.cost?.total ?? []) : []));
        expect(figures.cost?.total ?? 0).toBeCloseTo(
          ended.reduce((sum, cost) => sum + cost, 0),
          9,
        );
      }),
    );
  });

  test('never throw, in whatever order events come', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const messages = messagesOf(told(...events), 0);
        expect(figuresOf(messages).totalMessages).toBe(messages.length);
      }),
    );
  });
});
