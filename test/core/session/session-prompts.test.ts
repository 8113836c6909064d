// Prompts of one session: one at a time, in their order, answered once; aborts and the agent that does not obey.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import {
  createSessionRig,
  promptOf,
  question,
  type RigOptions,
  type SessionRig,
} from '../../support/core/session-rig.ts';

const compaction: Event = { type: 'compaction-start', trigger: 'manual' };
const compactionEnd: Event = { type: 'compaction-end', outcome: 'completed' };

/** A session whose agent has been given its first command, by default the prompt `one`. */
function asked(command: Command = promptOf('one'), options: RigOptions = {}): SessionRig {
  const rig = createSessionRig(options);
  rig.submit(command, command.type === 'prompt' ? 'one' : command.type);
  return rig;
}

describe('a prompt', () => {
  test('starts the agent, and is answered when its run begins', () => {
    const { session, agents, answers, prompt, run, endRun, log } = createSessionRig();
    expect(session.state).toBe('idle');
    expect(agents).toEqual([]);
    prompt('hello');
    expect(agents).toHaveLength(1);
    expect(session.state).toBe('running');
    agents[0]?.settle('prompt');
    expect(answers).toEqual([]);
    run();
    expect(answers).toEqual(['hello: ok']);
    expect(session.state).toBe('running');
    endRun();
    expect(session.state).toBe('idle');
    expect(log()).toEqual(['run-start', 'run-end completed']);
    expect(answers).toEqual(['hello: ok']);
  });

  test('that the agent refuses is answered with that, and the next one is sent', () => {
    const { session, agent, clock, answers, problems, prompt, prompted } = asked();
    prompt('two');
    agent.settle('prompt', refused('agent-refused', 'no credit'));
    expect(answers).toEqual(['one: agent-refused']);
    expect(problems).toEqual(['no credit']);
    clock.advance(0);
    expect(prompted()).toEqual(['one', 'two']);
    expect(session.state).toBe('running');
  });

  test('is answered once, whatever the agent says of it afterwards', () => {
    const rig = asked();
    rig.run();
    rig.agent.settle('prompt', refused('agent-refused', 'too late'));
    rig.endRun();
    rig.agent.settle('prompt');
    expect(rig.answers).toEqual(['one: ok']);
    expect(rig.session.state).toBe('idle');
  });

  test('whose run starts of itself needs no answer of the agent', () => {
    const rig = createSessionRig({
      agent: () => ({ encode: () => [{ do: 'deliver', message: { type: 'run-start' } }] }),
    });
    rig.prompt('one');
    expect(rig.answers).toEqual(['one: ok']);
  });
});

describe('while a run goes on', () => {
  /** A session in the middle of the run of prompt `one`. */
  function running(options: RigOptions = {}) {
    const rig = asked(undefined, options);
    rig.run();
    rig.answers.splice(0);
    return rig;
  }

  test('prompts wait, and are sent in their order, one run each', () => {
    const { clock, answers, prompt, prompted, run, endRun } = running();
    prompt('two');
    prompt('three', 'queue');
    for (const [sent, answered] of [
      [['one', 'two'], 'two: ok'],
      [['one', 'two', 'three'], 'three: ok'],
    ] as const) {
      clock.advance(1000);
      expect(prompted()).toEqual(sent.slice(0, -1));
      endRun();
      clock.advance(0);
      expect(prompted()).toEqual(sent);
      run();
      expect(answers.at(-1)).toBe(answered);
    }
  });

  test('a waiting prompt is not sent while the agent is still speaking of the end', () => {
    const { agent, clock, prompt, prompted } = running();
    prompt('two');
    const seen: number[] = [];
    agent.act(
      { do: 'deliver', message: { type: 'run-end', outcome: 'completed' } },
      { do: 'deliver', message: { type: 'usage-changed', sessionTokens: 1 } },
      { do: 'send', frame: 'acknowledged' },
    );
    seen.push(prompted().length);
    clock.advance(0);
    seen.push(prompted().length);
    expect(seen).toEqual([1, 2]);
  });

  test('one that comes between two runs does not overtake those that wait', () => {
    const { session, clock, prompt, prompted, answers, run, endRun } = running();
    prompt('two');
    endRun();
    expect(session.state).toBe('running');
    prompt('three');
    prompt('four', 'refuse');
    prompt('five', 'steer');
    clock.advance(0);
    expect(prompted()).toEqual(['one', 'two']);
    expect(answers).toEqual(['four: busy']);
    run();
    endRun();
    clock.advance(0);
    run();
    endRun();
    clock.advance(0);
    expect(prompted()).toEqual(['one', 'two', 'three', 'five']);
  });

  test('one that will not wait is refused', () => {
    const { answers, problems, prompt, prompted } = running();
    prompt('two', 'refuse');
    expect(answers).toEqual(['two: busy']);
    expect(problems).toEqual(['the agent is still working on an earlier prompt']);
    expect(prompted()).toEqual(['one']);
  });

  test.each(['steer', 'follow-up'] as const)(
    'one that is to join (%s) goes to the agent, which answers it',
    (whenBusy) => {
      const { agent, answers, prompt, prompted, endRun, session } = running();
      prompt('two', whenBusy);
      expect(prompted()).toEqual(['one', 'two']);
      expect(answers).toEqual([]);
      agent.settle('prompt');
      expect(answers).toEqual(['two: ok']);
      endRun();
      expect(session.state).toBe('idle');
    },
  );

  test.each(['steer', 'follow-up'] as const)(
    'one that was to join (%s) is the next prompt, once the agent says that there is no run to join',
    (whenBusy) => {
      const { agent, answers, prompt, prompted, endRun, run } = running();
      prompt('two', whenBusy);
      endRun();
      agent.settle('prompt', refused('unsupported', 'no run'));
      expect(prompted()).toEqual(['one', 'two', 'two']);
      expect(answers).toEqual([]);
      run();
      expect(answers).toEqual(['two: ok']);
    },
  );

  test('of two that were to steer a run that never was, the second steers the run of the first', () => {
    const { agent, answers, prompt, prompted } = asked();
    prompt('two', 'steer');
    prompt('three', 'steer');
    const ids = agent.received.slice(-3).map(({ id }) => id);
    for (const id of ids) {
      const outcome = id === ids[0] ? refused('invalid', 'no') : refused('unsupported', 'no run');
      agent.act({ do: 'settle', id, outcome });
    }
    expect(prompted()).toEqual(['one', 'two', 'three', 'two', 'three']);
    expect(answers).toEqual(['one: invalid']);
    agent.settle('prompt', refused('unsupported', 'it cannot'));
    expect(answers).toEqual(['one: invalid', 'three: unsupported']);
  });

  test('only so many wait', () => {
    const { answers, problems, prompt } = running({ limits: { queuedPrompts: 2 } });
    for (const text of ['two', 'three', 'four']) prompt(text);
    expect(answers).toEqual(['four: limit']);
    expect(problems).toEqual(['2 prompts are waiting already']);
  });

  test('other commands go straight to the agent', () => {
    const { agent, answers, submit } = running();
    submit({ type: 'steer', content: [] });
    submit({ type: 'query', subject: 'state' });
    agent.settle('query', { ok: true, data: { running: true } });
    agent.settle('steer', refused('unsupported', 'no'));
    expect(answers).toEqual(['query: ok', 'steer: unsupported']);
  });
});

describe('a compaction outside a run', () => {
  test.each([undefined, 'steer', 'follow-up'] as const)(
    'makes a prompt wait (%s), for there is nothing to join',
    (whenBusy) => {
      const rig = asked({ type: 'compact' });
      const { session, agent, clock } = rig;
      agent.say(compaction);
      expect(session.state).toBe('running');
      rig.prompt('one', whenBusy);
      clock.advance(1_000);
      expect(rig.prompted()).toEqual([]);
      agent.say(compactionEnd);
      clock.advance(0);
      expect(rig.prompted()).toEqual(['one']);
    },
  );

  test('after a run keeps the next prompt waiting as well', () => {
    const rig = asked();
    rig.run();
    rig.prompt('two');
    rig.agent.say(compaction, { type: 'run-end', outcome: 'completed' });
    rig.clock.advance(1_000);
    expect(rig.prompted()).toEqual(['one']);
    rig.agent.say(compactionEnd);
    rig.clock.advance(0);
    expect(rig.prompted()).toEqual(['one', 'two']);
  });
});

describe('an abort', () => {
  const abort = { type: 'abort', target: 'run' } as const;

  test('with no run is done', () => {
    const { agents, answers, submit } = createSessionRig();
    submit(abort);
    expect(answers).toEqual(['abort: ok']);
    expect(agents).toEqual([]);
  });

  test('goes to the agent, and its answer comes back', () => {
    const { agent, answers, submit, clock, session } = started();
    submit(abort);
    agent.settle('abort');
    expect(answers).toEqual(['abort: ok']);
    agent.say({ type: 'run-end', outcome: 'aborted' });
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
    expect(session.state).toBe('idle');
  });

  test('leaves the prompts that wait', () => {
    const { agent, prompt, prompted, submit, clock } = started();
    prompt('two');
    submit(abort);
    agent.say({ type: 'run-end', outcome: 'aborted' });
    clock.advance(0);
    expect(prompted()).toEqual(['one', 'two']);
  });

  test('that the agent does not obey ends the agent, so long after the first (docs/faults.md F4)', () => {
    const { agent, submit, clock, log, session } = started({ abortMs: 5_000 });
    submit(abort);
    clock.advance(3_000);
    submit(abort);
    clock.advance(1_999);
    expect(agent.wire.closings).toEqual([]);
    clock.advance(1);
    expect(agent.wire.closings).toEqual([{ code: 'going-away', reason: 'the agent did not stop when it was aborted' }]);
    expect(log()).toEqual(['run-start', '+run-end failed', 'agent-changed down']);
    expect(session.state).toBe('down');
  });

  test('before the run has begun counts as well', () => {
    const rig = asked(undefined, { limits: { abortMs: 5_000 } });
    rig.submit(abort);
    rig.clock.advance(5_000);
    expect(rig.agent.wire.closings).toHaveLength(1);
    expect(rig.answers).toEqual(['one: agent-down', 'abort: agent-down']);
  });

  test('does not outlive its run, not even when a compaction follows', () => {
    const { agent, submit, clock, run, prompt } = started({ abortMs: 5_000 });
    submit(abort);
    agent.say(compaction, { type: 'run-end', outcome: 'aborted' });
    clock.advance(4_000);
    agent.say(compactionEnd);
    prompt('two');
    run();
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
  });

  test('goes on when a compaction ends before the run has begun', () => {
    const rig = asked(undefined, { limits: { abortMs: 5_000 } });
    rig.agent.say(compaction);
    rig.submit({ ...abort, untilIdle: true });
    rig.agent.say(compactionEnd);
    rig.agent.settle('abort');
    rig.clock.advance(5_000);
    expect(rig.agent.wire.closings).toHaveLength(1);
    expect(rig.answers).toEqual(['one: agent-down', 'abort: ok']);
  });

  test('of something else has no such deadline', () => {
    const { agent, submit, clock } = started({ abortMs: 5_000 });
    submit({ type: 'abort', target: 'retry' });
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
    expect(agent.received.at(-1)?.command).toEqual({ type: 'abort', target: 'retry' });
  });

  function started(limits: { abortMs?: number } = {}) {
    const rig = asked(undefined, { limits });
    rig.run();
    rig.answers.splice(0);
    return rig;
  }
});

describe('silence (docs/faults.md F4, F5)', () => {
  const text: Event[] = [
    { type: 'turn-start' },
    { type: 'message-start', id: 'm' },
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    { type: 'block-delta', index: 0, delta: 'all said' },
  ];

  function started(silenceMs: number | null = 1_000) {
    const rig = asked(undefined, { limits: { silenceMs } });
    rig.run();
    rig.log();
    return rig;
  }

  test('in the middle of a run ends the agent; what it said stays', () => {
    const { agent, clock, log } = started();
    agent.say(...text);
    clock.advance(999);
    expect(agent.wire.closings).toEqual([]);
    clock.advance(1);
    expect(agent.wire.closings).toEqual([{ code: 'going-away', reason: 'agent unresponsive' }]);
    expect(log().slice(3)).toEqual([
      'block-delta 0 all ',
      'block-delta 0 said',
      '+block-end 0 cut',
      '+message-end error',
      '+turn-end',
      '+run-end failed',
      'agent-changed down',
    ]);
  });

  test.each<[string, Event]>([
    ['anything', { type: 'activity', text: 'busy' }],
    ['the end of a compaction', compactionEnd],
  ])('%s breaks it', (_name, event) => {
    const { agent, clock } = started();
    agent.say(compaction);
    clock.advance(900);
    agent.say(event);
    clock.advance(900);
    expect(agent.wire.closings).toEqual([]);
    clock.advance(100);
    expect(agent.wire.closings).toHaveLength(1);
  });

  test('is nothing outside a run', () => {
    const { agent, clock, endRun } = started();
    agent.say(compaction);
    endRun();
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
  });

  test('is nothing while a user is asked, and counts from the answer', () => {
    const { agent, clock, submit } = started();
    agent.say(question);
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
    submit({ type: 'answer-approval', id: 'x', decision: 'allow' });
    agent.settle('answer-approval');
    clock.advance(999);
    expect(agent.wire.closings).toEqual([]);
    clock.advance(1);
    expect(agent.wire.closings).toHaveLength(1);
  });

  test('has no limit by default', () => {
    const { agent, clock } = started(null);
    clock.advance(24 * 3_600_000);
    expect(agent.wire.closings).toEqual([]);
  });
});

describe('when idle', () => {
  test('calls back at once, or once after the last waiting prompt', () => {
    const { session, clock, prompt, run, endRun } = createSessionRig();
    const calls: string[] = [];
    session.whenIdle(() => calls.push('at once'));
    prompt('one');
    session.whenIdle(() => calls.push('later'));
    prompt('two');
    run();
    endRun();
    expect(calls).toEqual(['at once']);
    clock.advance(0);
    run();
    expect(calls).toEqual(['at once']);
    endRun();
    expect(calls).toEqual(['at once', 'later']);
    prompt('three');
    run();
    endRun();
    expect(calls).toHaveLength(2);
  });

  test('a refused prompt leaves it idle', () => {
    const { session, agent } = asked();
    let calls = 0;
    session.whenIdle(() => {
      calls += 1;
    });
    agent.settle('prompt', refused('agent-refused', 'no'));
    expect(calls).toBe(1);
  });

  test('a compaction is not idle', () => {
    const { session, agent } = asked({ type: 'compact' });
    agent.say(compaction);
    let calls = 0;
    session.whenIdle(() => {
      calls += 1;
    });
    expect(calls).toBe(0);
    agent.say(compactionEnd);
    expect(calls).toBe(1);
  });
});

describe('a compaction that takes its turn', () => {
  const compact: Command = { type: 'compact', asPrompt: true };
  const done = { ok: true, data: { summary: 'It was long.', tokensBefore: 9 } } as const;

  test('is sent at once where nothing goes on, and answered when it begins', () => {
    const { session, agent, answers } = asked(compact);
    expect([agent.received.map(({ command }) => command.type), answers, session.state]).toEqual([
      ['compact'],
      [],
      'running',
    ]);
    agent.say(compaction);
    expect(answers).toEqual(['compact: ok']);
    agent.say(compactionEnd);
    agent.settle('compact', done);
    expect([answers, session.state]).toEqual([['compact: ok'], 'idle']);
  });

  test('waits behind a run and before the prompts that come later', () => {
    const { agent, clock, run, endRun, submit, prompt, prompted, log } = asked();
    run();
    submit(compact);
    prompt('two');
    const types = () => agent.received.map(({ command }) => command.type);
    expect(types()).toEqual(['prompt']);
    endRun();
    clock.advance(0);
    expect(types()).toEqual(['prompt', 'compact']);
    agent.say(compaction, compactionEnd);
    clock.advance(0);
    expect(prompted()).toEqual(['one']);
    agent.settle('compact', done);
    clock.advance(0);
    expect(prompted()).toEqual(['one', 'two']);
    expect(log().filter((line) => line.startsWith('compaction'))).toHaveLength(2);
  });

  test('of which the agent tells nothing is told by the session', () => {
    const rig = asked(compact);
    const events: Event[] = [];
    rig.session.stream('events', () => ({
      event({ event }) {
        events.push(event);
        return [];
      },
    }));
    rig.agent.settle('compact', done);
    expect(events).toEqual([
      { type: 'compaction-start', trigger: 'manual', synthetic: true, asPrompt: true },
      {
        type: 'compaction-end',
        trigger: 'manual',
        synthetic: true,
        outcome: 'completed',
        summary: 'It was long.',
        tokensBefore: 9,
      },
    ]);
    expect([rig.answers, rig.session.state]).toEqual([['compact: ok'], 'idle']);
  });

  test.each<[string, Event[], string[], string[]]>([
    ['before it began: refused', [], ['compact: agent-refused'], []],
    [
      'behind its beginning: its end is told',
      [compaction],
      ['compact: ok'],
      ['compaction-start', '+compaction-end failed'],
    ],
    [
      'behind its end: nothing more',
      [compaction, { ...compactionEnd, outcome: 'failed' }],
      ['compact: ok'],
      ['compaction-start', 'compaction-end failed'],
    ],
  ])('that the agent refuses %s', (_, events, answers, log) => {
    const rig = asked(compact);
    rig.agent.say(...events);
    rig.agent.settle('compact', refused('agent-refused', 'nothing to compact'));
    expect([rig.answers, rig.log(), rig.session.state]).toEqual([answers, log, 'idle']);
    rig.prompt('two');
    expect(rig.prompted()).toEqual(['two']);
  });

  test('whose agent dies is over', () => {
    const rig = asked(compact);
    rig.agent.wire.end({ reason: 'it died' });
    expect([rig.answers, rig.session.state]).toEqual([['compact: agent-down'], 'down']);
  });

  test('is dropped with the prompts that wait', () => {
    const rig = asked();
    rig.run();
    rig.submit(compact);
    rig.submit({ type: 'abort', target: 'run', waiting: 'drop' });
    expect(rig.answers).toEqual(['one: ok', 'compact: aborted']);
  });

  test('any other is sent at once, whatever goes on', () => {
    const { agent, run, submit } = asked();
    run();
    submit({ type: 'compact' });
    expect(agent.received.map(({ command }) => command.type)).toEqual(['prompt', 'compact']);
  });
});
