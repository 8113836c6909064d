// Prompts that are answered when their run is over: once, with how it went, behind all that the run said.
import { describe, expect, test } from 'vitest';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSessionRig, promptOf, question, type RigOptions } from '../../support/core/session-rig.ts';

/** A session with what comes back for each command in full, in order. */
function rigged(options: RigOptions = {}) {
  const rig = createSessionRig(options);
  const outcomes: { name: string; outcome: Outcome; said: string | undefined }[] = [];
  const said: string[] = [];
  const submit = (name: string, command: Command) =>
    rig.session.submit(command, (outcome) => {
      said.push(...rig.log());
      outcomes.push({ name, outcome, said: said.at(-1) });
    });
  const ask = (text: string, whenBusy?: CommandOf<'prompt'>['whenBusy']) =>
    submit(text, { ...promptOf(text, whenBusy), untilIdle: true });
  /** Short: `name: ok completed` or `name: code`. */
  const answers = () =>
    outcomes.map(({ name, outcome }) => {
      if (!outcome.ok) return `${name}: ${outcome.error.code}`;
      const { data } = outcome;
      const verdict = typeof data === 'object' && data !== null && 'outcome' in data ? ` ${data.outcome}` : '';
      return `${name}: ok${verdict}`;
    });
  const { session, clock, run, endRun, log } = rig;
  return { session, clock, run, endRun, log, agent: () => rig.agent, submit, ask, answers, outcomes };
}

const failure = { kind: 'provider' as const, message: 'overloaded' };

describe('a prompt until idle', () => {
  test.each<[string, Event, object]>([
    ['completed', { type: 'run-end', outcome: 'completed' }, { outcome: 'completed', longestSilenceMs: 5 }],
    [
      'that its model failed',
      { type: 'run-end', outcome: 'failed', failure },
      { outcome: 'failed', failure, longestSilenceMs: 5 },
    ],
    ['that was aborted', { type: 'run-end', outcome: 'aborted' }, { outcome: 'aborted', longestSilenceMs: 5 }],
  ])('is answered well at the end of a run %s', (_name, end, data) => {
    const { ask, run, agent, clock, outcomes, session } = rigged();
    ask('one');
    agent().settle('prompt');
    run();
    clock.advance(5);
    expect(outcomes).toEqual([]);
    agent().say(end);
    expect(outcomes).toEqual([{ name: 'one', outcome: { ok: true, data }, said: expect.stringContaining('run-end') }]);
    expect(session.state).toBe('idle');
  });

  test('is refused at the end of a run that its agent says it has failed', () => {
    const { ask, run, agent, outcomes } = rigged();
    ask('one');
    agent().settle('prompt');
    run();
    agent().say({ type: 'run-end', outcome: 'failed', failure: { kind: 'agent', message: 'no session' } });
    expect(outcomes).toMatchObject([{ outcome: refused('agent-refused', 'no session') }]);
  });

  test('is answered before the abort that ends it, and the abort does not wait for more', () => {
    const { ask, run, agent, submit, answers } = rigged();
    ask('one');
    run();
    submit('stop', { type: 'abort', target: 'run' });
    agent().settle('abort');
    submit('stop until idle', { type: 'abort', target: 'run', untilIdle: true });
    agent().settle('abort');
    expect(answers()).toEqual(['stop: ok']);
    agent().say({ type: 'run-end', outcome: 'aborted' });
    expect(answers()).toEqual(['stop: ok', 'one: ok aborted', 'stop until idle: ok']);
  });

  test('is refused by an agent that refuses it, and an agent that dies in its run fails it behind the run', () => {
    const { ask, run, endRun, agent, answers, outcomes } = rigged();
    ask('one');
    agent().settle('prompt', refused('agent-refused', 'no credit'));
    ask('two');
    agent().wire.end({ reason: 'it fell' });
    ask('three');
    run();
    agent().wire.end({ reason: 'it fell again' });
    expect(answers()).toEqual(['one: agent-refused', 'two: agent-down', 'three: agent-down']);
    expect(outcomes.at(-1)).toEqual({
      name: 'three',
      outcome: refused('agent-down', 'it fell again'),
      said: '+run-end failed',
    });
    ask('four');
    run();
    endRun();
    expect(answers().at(-1)).toBe('four: ok completed');
  });

  test('that waits for its turn is dropped, and told so', () => {
    const { ask, run, submit, answers, agent } = rigged();
    ask('one');
    ask('two');
    run();
    submit('stop', { type: 'abort', target: 'run', waiting: 'drop' });
    expect(answers()).toEqual(['two: aborted']);
    agent().say({ type: 'run-end', outcome: 'aborted' });
    expect(answers()).toEqual(['two: aborted', 'one: ok aborted']);
  });

  test.each<[string, (session: ReturnType<typeof rigged>['session']) => void, string[]]>([
    ['closed', (session) => session.close('over'), ['two: shutting-down', 'one: shutting-down']],
    ['retired', (session) => session.retire('over'), ['two: shutting-down']],
  ])('of a session that is %s', (_name, act, told) => {
    const { ask, run, session, answers } = rigged();
    ask('one');
    run();
    ask('two');
    act(session);
    expect(answers()).toEqual(told);
  });

  test('of a retired session is answered at the end of its run all the same', () => {
    const { ask, run, endRun, session, answers } = rigged();
    ask('one');
    run();
    session.retire('over');
    endRun();
    expect(answers()).toEqual(['one: ok completed']);
  });

  test('whose run is closed for it (the history was replaced) is over as well', () => {
    const { ask, run, agent, answers } = rigged();
    ask('one');
    run();
    agent().say({ type: 'history-reset', reason: 'switched' });
    expect(answers()).toEqual(['one: ok failed']);
  });

  describe('that is taken back by its handle', () => {
    type Rigged = ReturnType<typeof rigged>;
    const takeBack = { type: 'abort', target: 'run', handle: 'h' } as const;
    const askWith = ({ submit }: Rigged, text: string, whenBusy?: CommandOf<'prompt'>['whenBusy']) =>
      submit(text, { ...promptOf(text, whenBusy), untilIdle: true, handle: 'h' });
    const aborts = ({ agent }: Rigged) => agent().received.filter(({ command }) => command.type === 'abort').length;
    const prompts = ({ agent }: Rigged) => agent().received.filter(({ command }) => command.type === 'prompt').length;

    test.each<[string, (rig: Rigged) => void, string]>([
      ['is stopped before its run', () => {}, 'ok aborted'],
      ['is stopped in its run', ({ run }) => run(), 'ok aborted'],
    ])('%s', (_name, before, end) => {
      const rig = rigged();
      askWith(rig, 'mine');
      before(rig);
      rig.submit('back', takeBack);
      expect(aborts(rig)).toBe(1);
      rig.run();
      rig.agent().say({ type: 'run-end', outcome: 'aborted' });
      expect(rig.answers()).toContain(`mine: ${end}`);
    });

    test('is taken out where it waits, behind the run of another, which goes on', () => {
      const rig = rigged();
      rig.ask('other');
      rig.run();
      askWith(rig, 'mine');
      rig.ask('third');
      rig.submit('back', takeBack);
      expect(rig.answers()).toEqual(['mine: aborted', 'back: ok']);
      expect(aborts(rig)).toBe(0);
      for (let count = 0; count < 2; count += 1) {
        rig.endRun();
        rig.clock.advance(0);
        if (count === 0) rig.run();
      }
      expect(rig.answers().slice(2)).toEqual(['other: ok completed', 'third: ok completed']);
      expect(prompts(rig)).toBe(2);
    });

    test('is taken out behind a compaction, and between two runs, and then nothing is waited for', () => {
      const rig = rigged();
      const idle: string[] = [];
      rig.session.start();
      rig.agent().say({ type: 'compaction-start', trigger: 'manual' });
      askWith(rig, 'mine');
      rig.agent().say({ type: 'compaction-end', outcome: 'completed' });
      rig.session.whenIdle(() => idle.push('idle'));
      rig.submit('back', takeBack);
      expect(idle).toEqual(['idle']);
      rig.clock.advance(0);
      expect([prompts(rig), aborts(rig), ...rig.answers()]).toEqual([0, 0, 'mine: aborted', 'back: ok']);
    });

    test.each([
      ['over', (rig: Rigged) => rig.endRun(), true],
      ['failed', (rig: Rigged) => rig.agent().say({ type: 'run-end', outcome: 'failed', failure }), true],
      ['lost with its agent', (rig: Rigged) => rig.agent().wire.end({ reason: 'it fell' }), true],
      ['lost before its run', (rig: Rigged) => rig.agent().wire.end({ reason: 'it fell' }), false],
    ])('when it is %s: the run that an agent begins by itself goes on', (_name, end, isBegun) => {
      const rig = rigged();
      askWith(rig, 'mine');
      if (isBegun) rig.run();
      end(rig);
      rig.session.start();
      rig.run();
      rig.submit('back', takeBack);
      expect([aborts(rig), rig.session.state]).toEqual([0, 'running']);
    });

    test('when its agent did not want it: the run that the agent begins by itself goes on', () => {
      const rig = rigged();
      askWith(rig, 'mine');
      rig.agent().settle('prompt', refused('agent-refused', 'no credit'));
      rig.run();
      rig.submit('back', takeBack);
      expect(aborts(rig)).toBe(0);
    });

    test.each(['steer', 'follow-up'] as const)('when it has joined a run (%s): nothing is stopped', (whenBusy) => {
      const rig = rigged();
      rig.ask('other');
      rig.run();
      askWith(rig, 'mine', whenBusy);
      rig.submit('back', takeBack);
      rig.agent().settle('prompt');
      expect(aborts(rig)).toBe(0);
      rig.endRun();
      expect(rig.answers()).toEqual(['back: ok', 'mine: ok', 'other: ok completed']);
    });

    test.each([
      ['while its agent is asked', 'mine: aborted', true],
      ['when it is kept', 'mine: ok', false],
    ])('before it follows the run of another, %s', (_name, answer, isEarly) => {
      const rig = rigged();
      rig.ask('other');
      rig.run();
      askWith(rig, 'mine', 'follow-up');
      if (isEarly) rig.submit('back', takeBack);
      rig.agent().settle('prompt', refused('unsupported', 'no queue'));
      if (!isEarly) rig.submit('back', takeBack);
      rig.endRun();
      rig.clock.advance(0);
      expect(rig.answers()).toEqual(expect.arrayContaining([answer, 'back: ok', 'other: ok completed']));
      expect(prompts(rig)).toBe(2);
      expect([aborts(rig), rig.session.state]).toEqual([0, 'idle']);
    });
  });

  test('that joins a run is answered as ever', () => {
    const { ask, run, agent, answers, endRun } = rigged();
    ask('one');
    run();
    ask('two', 'steer');
    agent().settle('prompt');
    expect(answers()).toEqual(['two: ok']);
    endRun();
    expect(answers()).toEqual(['two: ok', 'one: ok completed']);
  });

  test('that is kept to follow is answered when it is kept, and not again, whatever becomes of its run', () => {
    const { ask, run, agent, answers, endRun, clock, log } = rigged();
    ask('one');
    run();
    ask('two', 'follow-up');
    agent().settle('prompt', refused('unsupported', 'no queue'));
    expect(answers()).toEqual(['two: ok']);
    endRun();
    clock.advance(0);
    run();
    log();
    agent().wire.end({ reason: 'it fell' });
    expect(answers()).toEqual(['two: ok', 'one: ok completed']);
    expect(log()).toEqual(['+run-end failed', 'agent-changed down']);
  });

  test('asked for where the last one is answered waits until the agent has said everything about the end', () => {
    const rig = createSessionRig();
    const sent: number[] = [];
    rig.session.submit({ ...promptOf('one'), untilIdle: true }, () => rig.prompt('two', 'refuse'));
    rig.run();
    rig.agent.act(
      { do: 'deliver', message: { type: 'run-end', outcome: 'completed' } },
      { do: 'deliver', message: { type: 'usage-changed', sessionTokens: 1 } },
    );
    sent.push(rig.prompted().length);
    expect(rig.session.state).toBe('running');
    rig.clock.advance(0);
    sent.push(rig.prompted().length);
    expect(sent).toEqual([1, 2]);
    rig.run();
    expect(rig.answers).toEqual(['two: ok']);
  });

  test('is told the longest that the model was silent, without what the agent was not heard', () => {
    const { ask, run, agent, clock, outcomes, endRun, session } = rigged();
    const reader = session.stream('slow', () => ({ event: () => ['x'.repeat(100_000)] })).attach(null, true);
    ask('one');
    run();
    clock.advance(40);
    agent().say(question);
    clock.advance(1_000);
    agent().say({ type: 'approval-end', id: 'x', outcome: 'allowed' });
    clock.advance(30);
    for (let count = 0; count < 20; count += 1) agent().say({ type: 'activity', text: 'busy' });
    expect(agent().wire.isPaused).toBe(true);
    clock.advance(500);
    while (reader.read(1_000_000).length > 0);
    expect(agent().wire.isPaused).toBe(false);
    clock.advance(35);
    endRun();
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      { ok: true, data: { outcome: 'completed', longestSilenceMs: 40 } },
    ]);
  });
});
