// Who has asked for the deletion of a session hears the answer before the streams of the session end.
import { expect, test } from 'vitest';
import type { CommandOf } from '../../../src/core/model/command.ts';
import { type Outcome, type Problem, refused, type Settle } from '../../../src/core/model/errors.ts';
import { type DeletionPorts, Deletions } from '../../../src/core/session/deletions.ts';

const done: Outcome = { ok: true };
const command: CommandOf<'delete-session'> = { type: 'delete-session' };

/** The deletions of a session. `submit`: what the agent answers; by default it agrees. */
function open(session: DeletionPorts['session'], submit: DeletionPorts['submit'] = (_, settle) => settle(done)) {
  const said: string[] = [];
  const closes: (() => void)[] = [];
  const say = (text: string) => void said.push(text);
  const deletions = new Deletions({
    session,
    submit,
    began: () => say('the run ends'),
    failed: () => say('not forgotten'),
    close: (reason) => say(`the end: ${reason}`),
  });
  const ask = (name: string) =>
    deletions.delete(command, (outcome, close) => {
      say(`${name}: ${outcome.ok}`);
      closes.push(close);
    });
  return { said, deletions, ask, close: () => closes.shift()?.() };
}

/** A store that answers when it is told to. */
function store() {
  const asked: ((problem: Problem | null) => void)[] = [];
  return { forget: (then: (problem: Problem | null) => void) => void asked.push(then), asked };
}

test('the streams end behind the last of all answers, and the store is asked once', () => {
  const { forget, asked } = store();
  const { said, deletions, ask, close } = open({ forget });
  expect(deletions.hasBegun).toBe(false);
  ask('first');
  ask('second');
  expect(said).toEqual(['the run ends']);
  expect(deletions.hasBegun).toBe(true);
  expect(asked).toHaveLength(1);
  asked[0]?.(null);
  close();
  ask('late');
  close();
  expect(said).toEqual(['the run ends', 'first: true', 'second: true', 'late: true']);
  close();
  expect(said.at(-1)).toBe('the end: the session was deleted');
});

test('a session that the store has not forgotten ends with the reason', () => {
  const { forget, asked } = store();
  const { said, ask, close } = open({ forget });
  ask('first');
  asked[0]?.({ code: 'internal', message: 'the disk is full' });
  close();
  expect(said).toEqual(['the run ends', 'not forgotten', 'first: false', 'the end: the disk is full']);
});

test('a session stays if its agent refuses', () => {
  const { said, deletions, ask, close } = open({}, (_, settle) => settle(refused('agent-refused', 'no')));
  ask('first');
  close();
  expect(said).toEqual(['first: false']);
  expect(deletions.hasBegun).toBe(false);
});

test('a session of another gateway that is gone before the answer comes waits for the answer', () => {
  const answers: Settle[] = [];
  const { said, deletions, ask, close } = open({ forward: (_, settle) => void answers.push(settle) });
  ask('first');
  deletions.end('the session was closed');
  expect(said).toEqual([]);
  answers[0]?.(done);
  close();
  expect(said).toEqual(['first: true', 'the end: the session was deleted']);
});

test('a session of another gateway that is gone ends at once if nobody has asked here', () => {
  const { said, deletions } = open({ forward: () => undefined });
  deletions.end('the session was closed');
  expect(said).toEqual(['the end: the session was closed']);
});
