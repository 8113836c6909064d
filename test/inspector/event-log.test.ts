// What the page keeps of a session: events of a snapshot give way to what the wire tells of the same time, rows without an
// event stand in their place, and each mark counts once, however it was told.
import { describe, expect, it } from 'vitest';
import type { WireRow } from '../../src/core/contract/gateway/wire-rows.ts';
import type { Event } from '../../src/core/model/event.ts';
import { createEventLog, everything } from '../../src/inspector/state/event-log.ts';

const delta = (text: string): Event => ({ type: 'block-delta', index: 0, delta: text });
const start: Event = { type: 'message-start', id: 'm' } as Event;
const end: Event = { type: 'message-end', stop: { reason: 'end' } };

let rows = 0;
const wire = (seq: number | null, event: Event | undefined, more: Partial<WireRow> = {}): WireRow => {
  rows += 1;
  const frame = { n: rows, at: 0, bytes: 1, text: `frame ${rows}` };
  const told = { row: rows, part: 0, at: 0, seq, after: (seq ?? 1) - 1, from: [frame], to: [], frames: {}, marks: [] };
  return { ...told, ...(event && { event }), ...more };
};

type Log = ReturnType<typeof createEventLog>;
const shown = (log: Log) =>
  log.shown().map((row) => {
    if (row.is === 'wire') return `wire ${row.wire.row}`;
    const { seq, event } = log.at(row.first);
    return `${seq} ${event?.type}${row.count > 1 ? ` ${row.count}` : ''}`;
  });

describe('a page that comes late', () => {
  function late() {
    const log = createEventLog();
    // As a snapshot tells it: one delta, and all of a message under the number of its start.
    for (const event of [start, delta('one two'), end]) log.append(1, 0, event, true);
    log.append(5, 1, { type: 'run-end', outcome: 'completed' } as Event);
    return log;
  }
  const told = () => [wire(1, start), wire(2, delta('one ')), wire(3, delta('two')), wire(4, end)];

  it('has each event with its own frame', () => {
    const log = late();
    log.show({ ...everything, isFolded: false });
    log.learn(told());
    expect(shown(log)).toEqual(['1 message-start', '2 block-delta', '3 block-delta', '4 message-end', '5 run-end']);
    expect([1, 2, 3, 4].map((seq) => log.wireOf(seq)?.from.length)).toEqual([1, 1, 1, 1]);
    log.show(everything);
    expect(shown(log)).toEqual(['1 message-start', '2 block-delta 2', '4 message-end', '5 run-end']);
  });

  it('has them in order, in whatever parts they are told, and once', () => {
    const log = late();
    const all = told();
    for (const each of all) log.learn([each]);
    log.learn(all);
    expect(shown(log)).toEqual(['1 message-start', '2 block-delta 2', '4 message-end', '5 run-end']);
    expect(log.firstWired).toBe(1);
  });

  it('waits for an event that the snapshot has joined as long as the wire may tell of it', () => {
    const log = late();
    expect([2, 6].map(log.mayCome)).toEqual([true, true]);
    log.learn([]);
    expect([2, 6].map(log.mayCome)).toEqual([false, true]);
    log.learn(told().slice(2));
    expect([2, 3].map(log.mayCome)).toEqual([false, true]);
  });

  it('has its numbers in order, though a snapshot begins with the newest', () => {
    const log = createEventLog();
    log.append(9, 0, { type: 'session-changed', changes: {} }, true);
    for (const event of [start, end]) log.append(2, 0, event, true);
    expect(log.at(log.placeOf(2)).seq).toBe(2);
    log.learn([wire(null, undefined, { after: 9 })]);
    expect(shown(log).filter((row) => row.startsWith('wire'))).toHaveLength(1);
  });

  it('keeps what the snapshot says of the time before', () => {
    const log = late();
    log.learn(told().slice(2));
    expect(shown(log)).toEqual([
      '1 message-start',
      '1 block-delta',
      '1 message-end',
      '3 block-delta',
      '4 message-end',
      '5 run-end',
    ]);
    expect(log.firstWired).toBe(3);
  });

  it('has what it asks the agent behind the snapshot', () => {
    const log = createEventLog();
    for (const event of [start, end]) log.append(1, 0, event, true);
    const query = wire(null, undefined, { after: 4 });
    log.learn([query]);
    expect(shown(log)).toEqual(['1 message-start', '1 message-end', `wire ${query.row}`]);
  });
});

it('takes no event twice that the wire has told of already', () => {
  const log = createEventLog();
  log.learn([wire(1, start), wire(2, end)]);
  for (const [seq, event] of [start, end, start].entries()) log.append(seq + 1, 0, event);
  expect(shown(log)).toEqual(['1 message-start', '2 message-end', '3 message-start']);
});

describe('rows without an event', () => {
  it('stand behind the event before them, also as the first of their answer', () => {
    const log = createEventLog();
    for (let seq = 1; seq <= 4; seq += 1) log.append(seq, 0, delta('x'));
    const [first, middle] = [wire(null, undefined, { after: 0 }), wire(null, undefined, { after: 2 })];
    log.learn([wire(1, delta('x')), wire(2, delta('x'))]);
    log.learn([middle, wire(3, delta('x'))]);
    log.learn([first]);
    log.learn([first, middle]);
    expect(shown(log)).toEqual([`wire ${first.row}`, '1 block-delta 2', `wire ${middle.row}`, '3 block-delta 2']);
    expect(log.rowOf(1)).toBe(1);
    expect(log.rowOf(2)).toBe(3);
  });
});

describe('marks', () => {
  const loss = { kind: 'loss', dialect: 'eca', text: 'signature' } as const;

  it('count once, told by the wire, by a search and by the connection', () => {
    const log = createEventLog();
    log.append(1, 0, delta('x'));
    log.learnLosses('eca', [{ seq: 1, field: 'signature' }]);
    log.learn([wire(1, delta('x'), { marks: [loss, { kind: 'repair', text: 'order' }] })]);
    log.learnLosses('eca', [{ seq: 1, field: 'signature' }]);
    log.learn([wire(null, undefined, { after: 1, marks: [{ kind: 'ignored', text: 'no event' }] })]);
    expect(log.marks.counts).toEqual({ loss: 1, repair: 1, violation: 0, ignored: 1 });
    expect(log.marksOf(log.shown()[0] as never)).toEqual([
      { ...loss, rule: 'docs/fidelity.md' },
      { kind: 'repair', text: 'order' },
    ]);
    log.show({ ...everything, marks: new Set(['ignored']) });
    expect(log.shown().map(({ is }) => is)).toEqual(['wire']);
  });

  it('that come later bring their row into a filter', () => {
    const log = createEventLog();
    for (let seq = 1; seq <= 3; seq += 1) log.append(seq, 0, seq === 2 ? end : start);
    log.show({ ...everything, marks: new Set(['loss']) });
    expect(shown(log)).toEqual([]);
    log.learnLosses('eca', [{ seq: 2, field: 'signature' }]);
    expect(shown(log)).toEqual(['2 message-end']);
  });
});
