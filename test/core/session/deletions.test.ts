// Who has asked for the deletion of a session hears the answer before the streams of the session end.
import { expect, test } from 'vitest';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import { Deletions } from '../../../src/core/session/deletions.ts';

const done: Outcome = { ok: true };

function open() {
  const said: string[] = [];
  const closes: (() => void)[] = [];
  const deletions = new Deletions((reason) => void said.push(`the end: ${reason}`));
  const ask = (name: string) =>
    deletions.asked((outcome, close) => {
      said.push(`${name}: ${outcome.ok}`);
      closes.push(close);
    });
  return { said, deletions, ask, close: () => closes.shift()?.() };
}

test('the streams end behind the last of all answers', () => {
  const { said, deletions, ask, close } = open();
  expect(deletions.joins(ask('first'))).toBe(false);
  expect(deletions.joins(ask('second'))).toBe(true);
  expect(said).toEqual([]);
  deletions.answer(done, 'deleted');
  close();
  expect(deletions.joins(ask('late'))).toBe(true);
  close();
  expect(said).toEqual(['first: true', 'second: true', 'late: true']);
  close();
  expect(said.at(-1)).toBe('the end: deleted');
});

test('a session stays if its agent refuses', () => {
  const { said, ask, close } = open();
  ask('first')(refused('agent-refused', 'no'));
  close();
  expect(said).toEqual(['first: false']);
});

test('a session of another gateway that is gone before the answer comes waits for the answer', () => {
  const { said, deletions, ask, close } = open();
  const settle = ask('first');
  deletions.end('the session was closed');
  expect(said).toEqual([]);
  settle(done);
  close();
  expect(said).toEqual(['first: true', 'the end: the session was closed']);
});

test('a session of another gateway that is gone ends at once if nobody has asked here', () => {
  const { said, deletions } = open();
  deletions.end('the session was closed');
  expect(said).toEqual(['the end: the session was closed']);
});
