// The changes of calls: made once, told until the call ends.
import { expect, test } from 'vitest';
import { createCallChanges } from '../../../src/core/log/call-changes.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { wholeFileChange } from '../../../src/core/model/file-change.ts';

function counted() {
  const asked: string[] = [];
  const changes = createCallChanges((name, { text }: Dictionary) => {
    asked.push(name);
    return typeof text === 'string' ? wholeFileChange('a', { before: '', after: text }) : undefined;
  });
  return { asked, changes };
}

test('one call is looked at once, also when it changes nothing', () => {
  const { asked, changes } = counted();
  const first = changes.of('1', 'write', { text: 'a\n' });
  expect(first).toMatchObject({ linesAdded: 1 });
  expect(changes.of('1', 'write', { text: 'a\n' })).toBe(first);
  expect([changes.of('2', 'read', {}), changes.of('2', 'read', {})]).toEqual([undefined, undefined]);
  expect(asked).toEqual(['write', 'read']);
});

test('other arguments make another change', () => {
  const { changes } = counted();
  changes.of('1', 'write', { text: 'a\n' });
  changes.replaced('1', 'write', { text: 'a\nb\n' });
  expect(changes.of('1', 'write', {})).toMatchObject({ linesAdded: 2 });
});

test('with its end a call is forgotten, and with `clear` all are', () => {
  const { changes } = counted();
  changes.of('1', 'write', { text: 'a\n' });
  expect(changes.ended('1')).toMatchObject({ linesAdded: 1 });
  expect(changes.ended('1')).toBeUndefined();
  changes.of('2', 'write', { text: 'a\n' });
  changes.clear();
  expect(changes.ended('2')).toBeUndefined();
});
