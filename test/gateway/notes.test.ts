// Notes in the log: so many lines a minute and session, then a count; the metrics count each one (docs/limits.md 5.1).
import { expect, test } from 'vitest';
import { createLineLimit } from '../../src/gateway/clients/line-limit.ts';
import { Notes } from '../../src/gateway/notes.ts';

function rig() {
  const lines: string[] = [];
  const clock = { now: 0 };
  const notes = new Notes(
    (level, text, fields) => lines.push(`${level} ${text} ${JSON.stringify(fields)}`),
    () => clock.now,
    () => {},
  );
  const violations = (session: string, count: number) => {
    for (let number = 0; number < count; number += 1) notes.add(session, 'violation', 'bad frame');
  };
  return { lines, clock, notes, violations };
}

test('4,000 bad frames are 20 lines; the count comes with the next minute', () => {
  const { lines, clock, notes, violations } = rig();
  violations('a', 4000);
  expect(lines).toHaveLength(20);
  expect(lines[0]).toBe('warn bad frame {"session":"a","note":"violation"}');
  clock.now = 59_999;
  violations('a', 1);
  expect(lines).toHaveLength(20);
  clock.now = 60_000;
  violations('a', 1);
  expect(lines.slice(20)).toEqual([
    'warn 3981 more notes like these were not written {"session":"a"}',
    'warn bad frame {"session":"a","note":"violation"}',
  ]);
  expect(notes.counts.get('violation')).toBe(4002);
});

test('the count comes with the end of the session, and another session has its own lines', () => {
  const { lines, notes, violations } = rig();
  violations('a', 25);
  violations('b', 25);
  expect(lines).toHaveLength(40);
  notes.forget('a');
  notes.forget('a');
  expect(lines.slice(40)).toEqual(['warn 5 more notes like these were not written {"session":"a"}']);
});

test('losses and repairs are lines for debugging and have no limit; faults are errors and have one', () => {
  const { lines, notes } = rig();
  for (let number = 0; number < 30; number += 1) notes.add('a', 'loss', 'no shape');
  expect(lines).toHaveLength(30);
  expect(lines[0]).toBe('debug no shape {"session":"a","note":"loss"}');
  lines.splice(0);
  for (let number = 0; number < 30; number += 1) notes.fault(new Error('broken'));
  notes.fault('no error');
  expect(lines).toHaveLength(20);
  expect(lines[0]).toMatch(/^error internal error: broken \{"note":"internal","stack":"Error: broken\\n/u);
  expect(notes.counts.get('internal')).toBe(31);
});

test('sessions without number cost no memory: the oldest is forgotten', () => {
  const summed: string[] = [];
  const limit = createLineLimit(
    () => 0,
    (source, count) => summed.push(`${source} ${count}`),
  );
  for (let number = 0; number < 21; number += 1) limit.allows('first');
  for (let number = 0; number < 4096; number += 1) limit.allows(`other ${number}`);
  expect(summed).toEqual(['first 1']);
});
