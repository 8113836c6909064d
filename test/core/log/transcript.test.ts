// The one fold: what it keeps of events, and what it makes of them. Order is grammar.test.ts's, replay replay.test.ts's.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import { wholeContent } from '../../../src/core/log/messages.ts';
import { measureTranscript } from '../../../src/core/log/transcript-size.ts';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';
import { vocabulary } from '../../support/core/vocabulary.ts';

const opening: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }, { type: 'message-start', id: 'm' }];
const folded = (...events: Event[]): Transcript => verify(events).end;
const text = (index: number): Event => ({ type: 'block-start', index, block: { kind: 'text' } });
const call = (index: number): Event => ({
  type: 'block-start',
  index,
  block: { kind: 'tool-call', id: 'a', name: 'look' },
});
const delta = (index: number, said: string): Event => ({ type: 'block-delta', index, delta: said });
const usage = { input: 5, output: 7, cacheRead: 1, cacheWrite: 2 };

describe('the content of a message', () => {
  test.each<[string, Event[], Content]>([
    ['text', [text(0), delta(0, 'a'), delta(0, 'b')], { type: 'text', text: 'ab' }],
    [
      'a text that its ending repeats: the ending counts',
      [text(0), delta(0, 'a'), { type: 'block-end', index: 0, text: 'whole' }],
      { type: 'text', text: 'whole' },
    ],
    [
      'thinking',
      [
        { type: 'block-start', index: 0, block: { kind: 'thinking' } },
        delta(0, 'hm'),
        { type: 'block-end', index: 0, signature: 's', redacted: true },
      ],
      { type: 'thinking', text: 'hm', signature: 's', redacted: true },
    ],
    [
      'a call',
      [call(0), delta(0, '{"p":1}'), { type: 'block-end', index: 0, input: { p: 1 } }],
      { type: 'tool-call', id: 'a', name: 'look', input: { p: 1 } },
    ],
    [
      'an open call',
      [call(0), delta(0, '{"p"')],
      { type: 'tool-call', id: 'a', name: 'look', input: {}, incomplete: true },
    ],
    [
      'a call that was cut',
      [call(0), { type: 'block-end', index: 0, incomplete: true }],
      { type: 'tool-call', id: 'a', name: 'look', input: {}, incomplete: true },
    ],
    [
      'a whole content',
      [{ type: 'block-start', index: 0, block: { kind: 'whole', content: { type: 'link', url: 'u' } } }],
      { type: 'link', url: 'u' },
    ],
  ])('%s', (_name, events, content) => {
    const message = folded(...opening, ...events).open.get('');
    expect(message && wholeContent(message)).toEqual([content]);
  });
});

describe('the end of a message', () => {
  test('is kept with all that it said', () => {
    const failure = { kind: 'limit' as const, message: 'too long' };
    const end: Event = { type: 'message-end', stop: { reason: 'length' }, usage, cost: { total: 2 }, failure };
    const transcript = emptyTranscript();
    for (const [at, event] of [...opening, end].entries()) fold(transcript, { seq: at + 1, at: 10 * at, event });
    const [message] = transcript.items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
    const times = { seq: 3, startedAt: 20, endedAt: 30 };
    expect(message).toMatchObject({ ...times, stop: { reason: 'length' }, usage, cost: { total: 2 }, failure, end });
    expect(transcript.open.size).toBe(0);
  });
});

describe('what is so now', () => {
  const failure = { kind: 'provider' as const, message: 'away' };
  const retry: Event = { type: 'retry-start', attempt: 1, maxAttempts: 2, delayMs: 5, failure };
  const queue: Event = { type: 'queue-changed', steering: ['left'], followUp: ['then'] };
  const dialog: Event = { type: 'dialog-request', id: 'x', kind: 'confirm', title: 'Sure?' };
  const compaction: Event = { type: 'compaction-start', trigger: 'manual' };

  test.each<[string, Event[], Partial<Transcript>]>([
    ['a turn', opening, { turn: true }],
    ['no turn', [...opening.slice(0, 2), { type: 'turn-end' }], { turn: false }],
    ['a queue', [queue], { queue }],
    ['a retry', [...opening, retry], { retry }],
    ['no retry', [...opening, retry, { type: 'retry-end', attempt: 1, success: true }], { retry: null }],
    ['a compaction', [compaction], { compaction }],
    ['no compaction', [compaction, { type: 'compaction-end', outcome: 'completed' }], { compaction: null }],
    ['no agent', [{ type: 'agent-changed', state: 'down' }], { agent: 'down' }],
    [
      'an agent again',
      [
        { type: 'agent-changed', state: 'down' },
        { type: 'agent-changed', state: 'up' },
      ],
      { agent: 'up' },
    ],
    ['a dialog', [dialog], { dialogs: new Map([['x', dialog]]) }],
    ['no dialog', [dialog, { type: 'dialog-end', id: 'x', outcome: 'answered' }], { dialogs: new Map() }],
  ])('%s', (_name, events, expected) => expect(folded(...events)).toMatchObject(expected));
});

describe('tools', () => {
  const states = (...events: Event[]) =>
    [...folded(...opening, ...events).tools.values()].map(({ call: id, state, input }) => [id, state, input]);
  const start: Event = { type: 'tool-start', call: 'a', name: 'look', input: { p: 2 } };
  const end: Event = { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false };

  test.each<[string, Event[], unknown[]]>([
    ['announced', [call(0)], [['a', 'announced', {}]]],
    [
      'announced with its arguments',
      [call(0), { type: 'block-end', index: 0, input: { p: 1 } }],
      [['a', 'announced', { p: 1 }]],
    ],
    [
      'running, with the arguments that it runs with',
      [call(0), { type: 'block-end', index: 0, input: { p: 1 } }, start],
      [['a', 'running', { p: 2 }]],
    ],
    [
      'and so it stays',
      [call(0), start, { type: 'block-end', index: 0, input: { p: 1 } }],
      [['a', 'running', { p: 2 }]],
    ],
    ['also when it is announced again', [start, call(0)], [['a', 'running', { p: 2 }]]],
    ['done', [start, end], [['a', 'done', { p: 2 }]]],
    ['announced again when it was done', [start, end, call(0)], [['a', 'announced', {}]]],
    ['forgotten with the run', [start, end, { type: 'run-end', outcome: 'completed' }], []],
  ])('%s', (_name, events, expected) => expect(states(...events)).toEqual(expected));

  test('progress grows or is replaced', () => {
    const piece = (mode: 'append' | 'replace', said: string): Event => ({
      type: 'tool-update',
      call: 'a',
      mode,
      content: [{ type: 'text', text: said }],
    });
    const progress = (...events: Event[]) =>
      folded(...opening, start, ...events)
        .tools.get('a')
        ?.progress.map((one) => one.type === 'text' && one.text);
    expect(progress(piece('append', '1'), piece('append', '2'))).toEqual(['1', '2']);
    expect(progress(piece('append', '1'), piece('replace', '2'), piece('append', '3'))).toEqual(['2', '3']);
  });
});

describe('figures', () => {
  test('what the agent says of the whole conversation takes the place of that sum', () => {
    const end: Event = { type: 'message-end', stop: { reason: 'end' }, cost: { total: 0.5 } };
    const told: Event = { type: 'usage-changed', sessionCost: { total: 2 } };
    const silent: Event = { type: 'usage-changed', contextTokens: 3 };
    expect(folded(...opening, end, told, silent).cost).toBe(2);
    expect(folded(...opening, told, end).cost).toBe(2.5);
  });

  test('usage and cost add up over the messages', () => {
    const end: Event = { type: 'message-end', stop: { reason: 'end' }, usage, cost: { total: 0.5 } };
    const { usage: sum, cost } = folded(...opening, end, { type: 'message-start', id: 'n' }, end);
    expect(sum).toEqual({ input: 10, output: 14, cacheRead: 2, cacheWrite: 4 });
    expect(cost).toBe(1);
  });

  test('a message that ends without usage keeps what it started with', () => {
    const events: Event[] = [...opening.slice(0, 2), { type: 'message-start', id: 'm', usage }];
    expect(folded(...events, { type: 'message-end', stop: { reason: 'end' } }).usage).toEqual(usage);
  });

  test('runs are counted', () => {
    const run: Event[] = [{ type: 'run-start' }, { type: 'run-end', outcome: 'completed' }];
    expect(folded(...run, ...run)).toMatchObject({ runs: 2, run: null });
    expect(folded(...run, { type: 'run-start' })).toMatchObject({ runs: 2, run: { number: 1, startedAt: 0 } });
  });
});

test('what shows at a place stays until it changes or is cleared', () => {
  const show = (place: 'status' | 'title', key: string | undefined, lines: string[] | null): Event => ({
    type: 'display',
    place,
    key,
    lines,
  });
  const shown = (...events: Event[]) => [...folded(...events).displays.values()].map((event) => event.lines?.[0]);
  expect(shown(show('status', 'k', ['1']), show('status', 'k', ['2']), show('title', 'k', ['3']))).toEqual(['2', '3']);
  expect(shown(show('status', 'k', ['1']), show('status', undefined, ['2']), show('status', 'k', null))).toEqual(['2']);
  expect(shown(show('status', 'k', ['1']), show('status', 'l', ['2']))).toEqual(['1', '2']);
});

test('settings are changes, servers the last word of each', () => {
  const { info, servers } = folded(
    { type: 'session-changed', changes: { name: 'a', cwd: '/' } },
    { type: 'session-changed', changes: { name: 'b' } },
    { type: 'tool-server-changed', name: 's', kind: 'mcp', status: 'starting' },
    { type: 'tool-server-changed', name: 's', kind: 'mcp', status: 'running' },
  );
  expect(info).toEqual({ name: 'b', cwd: '/' });
  expect([...servers.values()].map(({ status }) => status)).toEqual(['running']);
});

test('a new history forgets what was said, and keeps what is open', () => {
  const { items, compaction } = folded(
    { type: 'message-added', role: 'user', content: [] },
    { type: 'compaction-start', trigger: 'manual' },
    { type: 'history-reset', reason: 'cleared' },
    { type: 'message-added', role: 'system', content: [] },
  );
  expect(items.map((item) => item.kind === 'event' && item.logged.event.type)).toEqual([
    'compaction-start',
    'message-added',
  ]);
  expect(compaction).not.toBeNull();
});

test('no sequence of events is an error', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      expect(folded(...events).lastSeq).toBe(events.length);
    }),
    { numRuns: 300 },
  );
});

test('an event with nothing to hold on to is no error', () => {
  for (const event of vocabulary) {
    const transcript = emptyTranscript();
    fold(transcript, { seq: 7, at: 9, event });
    expect(transcript).toMatchObject({ lastSeq: 7, lastAt: 9 });
  }
});

describe('the size', () => {
  test('that is counted along is the size of the whole, whatever the events', () => {
    fc.assert(
      fc.property(legalEvents, (events) => {
        const transcript = emptyTranscript();
        for (const [at, event] of events.entries()) {
          fold(transcript, { seq: at + 1, at, event });
          expect(transcript.bytes, event.type).toBe(measureTranscript(transcript));
        }
      }),
    );
  });

  test('of a delta is two bytes for each character', () => {
    const transcript = folded(...opening, text(0));
    const before = transcript.bytes;
    fold(transcript, { seq: 9, at: 9, event: delta(0, 'x'.repeat(1000)) });
    expect(transcript.bytes - before).toBe(2000);
  });
});
