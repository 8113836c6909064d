// Approvals and dialogs of a session: the first valid answer wins, none is answered twice, none outlives its deadline
// or its run, and nobody's silence is a yes (docs/faults.md F15 to F18).
import { describe, expect, test } from 'vitest';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { mostOpen } from '../../../src/core/session/questions/expiry.ts';
import { createSessionRig, question, type RigOptions } from '../../support/core/session-rig.ts';

const allow: CommandOf<'answer-approval'> = { type: 'answer-approval', id: 'x', decision: 'allow' };
const deny: CommandOf<'answer-approval'> = { ...allow, decision: 'deny', reason: 'not there' };
const dialog: Extract<Event, { type: 'dialog-request' }> = {
  type: 'dialog-request',
  id: 'x',
  kind: 'input',
  title: 'Who?',
};
const say: CommandOf<'answer-dialog'> = { type: 'answer-dialog', id: 'x', answer: { kind: 'value', value: 'me' } };
const cancel: CommandOf<'answer-dialog'> = { ...say, answer: { kind: 'cancelled' } };

/** A session in a run, in which the agent has asked. */
function asked(events: Event[] = [question], limits: RigOptions['limits'] = {}) {
  const rig = createSessionRig({ limits: { questionMs: 60_000, ...limits } });
  rig.prompt('one');
  rig.run();
  rig.agent.say(...events);
  rig.log();
  rig.answers.splice(0);
  const { agent } = rig;
  /** What the agent was told since the prompt. */
  const told = (): Command[] => agent.received.slice(1).map(({ command }) => command);
  return { ...rig, agent, told };
}

describe.each<[string, Event, Command, Command, string, string, Command]>([
  [
    'approval',
    question,
    allow,
    deny,
    'approval-end x allowed',
    '+approval-end x expired',
    { type: 'answer-approval', id: 'x', decision: 'deny', reason: 'nobody answered in time' },
  ],
  ['dialog', dialog, say, cancel, 'dialog-end x answered', '+dialog-end x expired', cancel],
])('an %s', (_name, request, answer, other, ending, expired, refusal) => {
  const { type } = answer;

  test('is answered through the agent, and then over for everybody', () => {
    const { agent, submit, answers, told, log } = asked([request]);
    submit(answer);
    expect(told()).toEqual([answer]);
    expect(answers).toEqual([]);
    expect(log()).toEqual([]);
    agent.settle(type);
    expect(answers).toEqual([`${type}: ok`]);
    expect(log()).toEqual([ending]);
  });

  test('has one answer: a second one is stale, before and after the agent has taken the first (docs/faults.md F16)', () => {
    const { agent, submit, answers, problems, told } = asked([request]);
    submit(answer);
    submit(other);
    expect(answers).toEqual([`${type}: stale`]);
    expect(problems).toEqual(['no open question "x": answered, withdrawn or never asked']);
    agent.settle(type);
    submit(other);
    expect(answers).toEqual([`${type}: stale`, `${type}: ok`, `${type}: stale`]);
    expect(told()).toEqual([answer]);
  });

  test('that the agent ends itself as it takes the answer ends once', () => {
    const { agent, submit, answers, log, notes } = asked([request]);
    submit(answer);
    const end: Event =
      request.type === 'dialog-request'
        ? { type: 'dialog-end', id: 'x', outcome: 'answered' }
        : { type: 'approval-end', id: 'x', outcome: 'allowed' };
    agent.say(end);
    agent.settle(type);
    expect(log()).toEqual([ending]);
    expect(answers).toEqual([`${type}: ok`]);
    expect(notes).toEqual([]);
  });

  test('stays open when the agent refuses the answer, for a better one (docs/faults.md F17)', () => {
    const { agent, submit, answers, log } = asked([request]);
    submit(answer);
    agent.settle(type, refused('invalid', 'what?'));
    expect(answers).toEqual([`${type}: invalid`]);
    expect(log()).toEqual([]);
    submit(answer);
    agent.settle(type);
    expect(log()).toEqual([ending]);
  });

  test('nobody answers expires, and the agent is told no (docs/faults.md F15)', () => {
    const { clock, told, log, submit, answers } = asked([request]);
    clock.advance(59_999);
    expect(told()).toEqual([]);
    clock.advance(1);
    expect(told()).toEqual([refusal]);
    expect(log()).toEqual([expired]);
    submit(answer);
    expect(answers).toEqual([`${type}: stale`]);
    clock.advance(3_600_000);
    expect(told()).toHaveLength(1);
  });

  test('may bring a deadline of its own', () => {
    const { clock, told } = asked([{ ...request, timeoutMs: 5 } as Event]);
    clock.advance(4);
    expect(told()).toEqual([]);
    clock.advance(1);
    expect(told()).toEqual([refusal]);
  });

  test('that is over does not expire', () => {
    const { agent, clock, submit, told } = asked([request]);
    submit(answer);
    agent.settle(type);
    clock.advance(3_600_000);
    expect(told()).toEqual([answer]);
  });

  test('whose answer is on its way does not expire under it', () => {
    const { agent, clock, submit, told, log } = asked([request]);
    submit(answer);
    clock.advance(60_000);
    expect(told()).toEqual([answer]);
    agent.settle(type);
    expect(log()).toEqual([ending]);
    expect(told()).toEqual([answer]);
  });

  test('whose answer is refused after the deadline expires then', () => {
    const { agent, clock, submit, told, log } = asked([request]);
    submit(answer);
    clock.advance(60_000);
    agent.settle(type, refused('invalid', 'what?'));
    expect(log()).toEqual([expired]);
    expect(told()).toEqual([answer, refusal]);
  });

  test('withdrawn by the agent is stale', () => {
    const { agent, submit, answers, clock, told } = asked([request]);
    agent.say(
      request.type === 'dialog-request'
        ? { type: 'dialog-end', id: 'x', outcome: 'cancelled' }
        : { type: 'approval-end', id: 'x', outcome: 'cancelled' },
    );
    submit(answer);
    expect(answers).toEqual([`${type}: stale`]);
    clock.advance(3_600_000);
    expect(told()).toEqual([]);
  });

  test('asked again under the same id is another question: an old answer does not end it (docs/faults.md F18)', () => {
    const { agent, submit, log } = asked([request]);
    submit(answer);
    const [, taken] = agent.received;
    agent.say(
      request.type === 'dialog-request'
        ? { type: 'dialog-end', id: 'x', outcome: 'cancelled' }
        : { type: 'approval-end', id: 'x', outcome: 'cancelled' },
    );
    agent.say({ ...request });
    log();
    agent.act({ do: 'settle', id: taken?.id ?? '', outcome: { ok: true } });
    expect(log()).toEqual([]);
    submit(answer);
    agent.settle(type);
    expect(log()).toEqual([ending]);
  });

  test('never asked is stale', () => {
    const { submit, answers, told } = asked([]);
    submit(answer);
    expect(answers).toEqual([`${type}: stale`]);
    expect(told()).toEqual([]);
  });

  test('ends with its agent', () => {
    const { agent, agents, clock, submit, answers, log } = asked([request]);
    submit(answer);
    agent.wire.end({ reason: 'gone' });
    expect(answers).toEqual([`${type}: agent-down`]);
    expect(log()[0]).toBe(`+${request.type.split('-')[0]}-end x cancelled`);
    submit(answer);
    expect(answers.at(-1)).toBe(`${type}: stale`);
    clock.advance(3_600_000);
    expect(agents).toHaveLength(1);
  });
});

test('an approval and a dialog of one id do not get in each other’s way', () => {
  const { agent, submit, answers, log, clock, told } = asked([question, { ...dialog, timeoutMs: 30_000 }]);
  submit(allow);
  submit(say);
  expect(answers).toEqual([]);
  agent.settle('answer-approval');
  expect(log()).toEqual(['approval-end x allowed']);
  agent.settle('answer-dialog');
  expect(log()).toEqual(['dialog-end x answered']);
  clock.advance(3_600_000);
  expect(told()).toEqual([allow, say]);
});

test('an approval ends with its run, and is not answered afterwards (docs/threats.md T25)', () => {
  const { endRun, submit, answers, told, clock, log } = asked();
  endRun();
  expect(log()).toEqual(['+approval-end x cancelled', 'run-end completed']);
  submit(allow);
  expect(answers).toEqual(['answer-approval: stale']);
  clock.advance(3_600_000);
  expect(told()).toEqual([]);
});

test('a dialog may outlive its run', () => {
  const { agent, endRun, submit, log } = asked([dialog]);
  endRun();
  expect(log()).toEqual(['run-end completed']);
  submit(say);
  agent.settle('answer-dialog');
  expect(log()).toEqual(['dialog-end x answered']);
});

test.each([
  [deny, 'approval-end x denied'],
  [allow, 'approval-end x allowed'],
])('%j is told as such', (answer, ending) => {
  const { agent, submit, log } = asked();
  submit(answer);
  agent.settle('answer-approval');
  expect(log()).toEqual([ending]);
});

test('a dialog that is cancelled is told as such', () => {
  const { agent, submit, log } = asked([dialog]);
  submit(cancel);
  agent.settle('answer-dialog');
  expect(log()).toEqual(['dialog-end x cancelled']);
});

describe('the arguments of an answer', () => {
  const asks: EventOf<'approval-request'> = { ...question, input: { a: 1, b: { c: [1, { d: 2 }], e: null } } };

  test.each<[name: string, input: Dictionary]>([
    ['as they were asked', { a: 1, b: { c: [1, { d: 2 }], e: null } }],
    ['in another order', { b: { e: null, c: [1, { d: 2 }] }, a: 1 }],
  ])('%s are no change: the agent is not bothered with them', (_name, input) => {
    const { submit, told } = asked([asks]);
    submit({ ...allow, input });
    expect(told()).toEqual([allow]);
  });

  test.each<[name: string, input: Dictionary]>([
    ['another value', { a: 2, b: { c: [1, { d: 2 }], e: null } }],
    ['deep inside', { a: 1, b: { c: [1, { d: 3 }], e: null } }],
    ['one less', { a: 1 }],
    ['one more', { a: 1, b: { c: [1, { d: 2 }], e: null }, f: 1 }],
    ['another name', { a: 1, g: { c: [1, { d: 2 }], e: null } }],
    ['a longer list', { a: 1, b: { c: [1, { d: 2 }, 3], e: null } }],
    ['an object for a list', { a: 1, b: { c: { 0: 1, 1: { d: 2 } }, e: null } }],
    ['a word for null', { a: 1, b: { c: [1, { d: 2 }], e: 'null' } }],
    ['nothing', {}],
  ])('changed, %s: the agent gets them', (_name, input) => {
    const { submit, told } = asked([asks]);
    submit({ ...allow, input });
    expect(told()).toEqual([{ ...allow, input }]);
  });

  test('changed, for an agent that cannot take that: the client is told so, and may still say yes or no', () => {
    const { agent, submit, answers, told, log } = asked([asks]);
    submit({ ...allow, input: {} });
    agent.settle('answer-approval', refused('unsupported', 'as it is or not at all'));
    expect(answers).toEqual(['answer-approval: unsupported']);
    expect(log()).toEqual([]);
    submit(deny);
    agent.settle('answer-approval');
    expect(log()).toEqual(['approval-end x denied']);
    expect(told()).toEqual([{ ...allow, input: {} }, deny]);
  });
});

test('standing permissions are the agent’s business, whether it offered any or not: none is made up or held back', () => {
  const { submit, told } = asked([question, { ...question, id: 'y', suggestions: [{ rule: 1 }] }]);
  submit({ ...allow, remember: [{ rule: 2 }] });
  submit({ ...allow, id: 'y' });
  expect(told()).toEqual([
    { ...allow, remember: [{ rule: 2 }] },
    { ...allow, id: 'y' },
  ]);
});

test('with nobody there a question waits for its deadline, for somebody may come back', () => {
  const { clock, told, leave, session, submit } = asked([question, dialog]);
  leave();
  expect(session.readers).toBe(0);
  clock.advance(59_999);
  expect(told()).toEqual([]);
  submit(allow);
  clock.advance(1);
  expect(told()).toEqual([allow, cancel]);
});

describe('a denial that interrupts', () => {
  test('is answered, then aborts the run', () => {
    const { agent, submit, answers, told, clock } = asked([question], { abortMs: 5_000 });
    submit({ ...deny, interrupt: true });
    expect(told()).toHaveLength(1);
    agent.settle('answer-approval');
    expect(answers).toEqual(['answer-approval: ok']);
    expect(told().at(-1)).toEqual({ type: 'abort', target: 'run' });
    clock.advance(5_000);
    expect(agent.wire.closings).toHaveLength(1);
  });

  test('aborts nothing when the agent refuses it', () => {
    const { agent, submit, told } = asked();
    submit({ ...deny, interrupt: true });
    agent.settle('answer-approval', refused('invalid', 'what?'));
    expect(told()).toHaveLength(1);
  });

  test('aborts nothing when the run is over by then', () => {
    const { agent, submit, told, endRun } = asked();
    submit({ ...deny, interrupt: true });
    endRun();
    agent.settle('answer-approval');
    expect(told()).toHaveLength(1);
  });
});

test('where nobody can answer any more, what is open and what is asked later is denied', () => {
  const { agent, session, told, log, clock } = asked([question, dialog]);
  session.setUnattended();
  expect(log()).toEqual(['+approval-end x expired', '+dialog-end x expired']);
  agent.say({ ...dialog, id: 'y' });
  clock.advance(0);
  expect(log()).toEqual(['dialog-request y', '+dialog-end y expired']);
  expect(told().map(({ type }) => type)).toEqual(['answer-approval', 'answer-dialog', 'answer-dialog']);
});

describe('the reason of a denial that no user gave is the true one', () => {
  const denied = (reason: string): Command => ({ type: 'answer-approval', id: 'x', decision: 'deny', reason });

  test('time is up', () => {
    const { told, clock } = asked();
    clock.advance(60_000);
    expect(told()).toEqual([denied('nobody answered in time')]);
  });

  test('nobody is there', () => {
    const { session, told } = asked();
    session.setUnattended();
    expect(told()).toEqual([denied('nobody is there who can be asked')]);
  });

  test('nobody was there when it was asked', () => {
    const { agent, session, told, clock } = asked([]);
    session.setUnattended();
    agent.say(question);
    clock.advance(0);
    expect(told()).toEqual([denied('nobody is there who can be asked')]);
  });

  test('too many are open', () => {
    const others = Array.from({ length: mostOpen }, (_, at): Event => ({ ...question, id: `other ${at}` }));
    const { told, clock } = asked([...others, question]);
    clock.advance(0);
    expect(told()).toEqual([denied(`more than ${mostOpen} questions are open`)]);
  });
});

test('that nobody can answer may be said before anything else is', () => {
  const rig = createSessionRig({ limits: { questionMs: 60_000 } });
  rig.session.setUnattended();
  rig.prompt('one');
  rig.run();
  rig.agent.say(question);
  rig.clock.advance(0);
  expect(rig.log().slice(-2)).toEqual(['approval-request x', '+approval-end x expired']);
});

test('several questions are independent', () => {
  const { agent, submit, log, clock } = asked([question, { ...question, id: 'y', timeoutMs: 10 }]);
  clock.advance(10);
  expect(log()).toEqual(['+approval-end y expired']);
  submit(allow);
  agent.settle('answer-approval');
  expect(log()).toEqual(['approval-end x allowed']);
});
