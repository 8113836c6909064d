// Answers that answer nothing (docs/faults.md F17, F18): refused with the reason, and the question stays as it was.
import { describe, expect, test } from 'vitest';
import type { CommandOf } from '../../../src/core/model/command.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSessionRig, question } from '../../support/core/session-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

type Answer = CommandOf<'answer-dialog'>['answer'];
const select: Event = { type: 'dialog-request', id: 'd', kind: 'select', title: 'Which?', options: ['red', 'green'] };
const answerTo = (id: string, answer: Answer) => ({ type: 'answer-dialog', id, answer }) as const;
const value = (text: string): Answer => ({ kind: 'value', value: text });

function asked(event: Event, takesOther = false) {
  const rig = createSessionRig();
  rig.prompt('one');
  if (takesOther) Object.assign(rig.agent.backend, { takesOtherAnswers: true });
  rig.run();
  rig.agent.say(event);
  rig.answers.splice(0);
  return rig;
}

describe('a question with options', () => {
  test.each<[string, Answer]>([
    ['another word', value('blue')],
    ['another case', value('Red')],
    ['nothing', value('')],
    ['a yes', { kind: 'confirmed', confirmed: true }],
    ['several answers', { kind: 'responses', responses: { d: 'red' } }],
  ])('refuses %s, and takes an option afterwards', (_name, answer) => {
    const rig = asked(select);
    rig.submit(answerTo('d', answer), 'wrong');
    expect(rig.answers).toEqual(['wrong: invalid']);
    expect(rig.problems).toEqual(['the answer is none of the options: "red", "green"']);
    expect(rig.session.transcript.dialogs.has('d')).toBe(true);
    expect(rig.agent.received.map(({ command }) => command.type)).toEqual(['prompt']);
    rig.submit(answerTo('d', value('green')), 'right');
    rig.agent.settle('answer-dialog');
    expect(rig.answers).toEqual(['wrong: invalid', 'right: ok']);
    expect(rig.session.transcript.dialogs.has('d')).toBe(false);
  });

  test('may be cancelled', () => {
    const rig = asked(select);
    rig.submit(answerTo('d', { kind: 'cancelled' }));
    rig.agent.settle('answer-dialog');
    expect(rig.answers).toEqual(['answer-dialog: ok']);
  });

  test('of an agent that takes other answers gets them', () => {
    const rig = asked(select, true);
    rig.submit(answerTo('d', value('mauve')));
    expect(rig.agent.received.at(-1)?.command).toEqual(answerTo('d', value('mauve')));
  });

  test('names a few of many long options', () => {
    const options = Array.from({ length: 20 }, (_, at) => `${at} ${'x'.repeat(100)}`);
    const rig = asked({ ...select, options } as Event);
    rig.submit(answerTo('d', value('y')));
    expect(rig.problems[0]).toMatch(/^the answer is none of the options: "0 x{62}", (?:"\d x{62}", ){7}…$/u);
  });
});

test('an answer for a question of another session is refused there, and the question stays where it is', () => {
  const clock = createVirtualClock();
  const here = createSessionRig({ clock });
  const other = createSessionRig({ clock });
  for (const rig of [here, other]) {
    rig.prompt('one');
    rig.run();
  }
  here.agent.say(question, select);
  other.submit({ type: 'answer-approval', id: 'x', decision: 'allow' });
  other.submit(answerTo('d', value('red')));
  expect(other.answers).toEqual(['one: ok', 'answer-approval: stale', 'answer-dialog: stale']);
  expect(other.agent.received).toHaveLength(1);
  expect(here.agent.received).toHaveLength(1);
  expect([...here.session.transcript.approvals.keys(), ...here.session.transcript.dialogs.keys()]).toEqual(['x', 'd']);
});

test('an answer for an earlier run is refused, also when the next run asks under the same id', () => {
  const rig = asked(question);
  rig.endRun();
  rig.submit({ type: 'answer-approval', id: 'x', decision: 'allow' }, 'between');
  expect(rig.answers).toEqual(['between: stale']);
  rig.prompt('two');
  rig.run();
  // The first question of that id was answered by a client that never heard of the second.
  rig.agent.say(question);
  rig.submit({ type: 'answer-approval', id: 'x', decision: 'deny' }, 'first');
  rig.submit({ type: 'answer-approval', id: 'x', decision: 'allow' }, 'second');
  expect(rig.answers.slice(2)).toEqual(['second: stale']);
  rig.agent.settle('answer-approval');
  expect(rig.answers.slice(2)).toEqual(['second: stale', 'first: ok']);
  expect(rig.agent.received.filter(({ command }) => command.type === 'answer-approval')).toHaveLength(1);
});
