// The circuit breakers of agents and shells: which results count as failures, which commands are refused, and which
// figures are reported.
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/core/contract/clock.ts';
import type { Command } from '../../src/core/model/command.ts';
import { type ErrorCode, type Outcome, refused } from '../../src/core/model/errors.ts';
import { CircuitBreakers, type GuardedCall } from '../../src/gateway/commands/circuit-breakers.ts';

const limits = { latencyMs: 100, failures: 2, windowMs: 1000, recoveryMs: 500, successes: 1 };
const timeOrigin = 1_000_000;
const prompt: Command = { type: 'prompt', content: [] };
const bash: Command = { type: 'bash', command: 'ls' };

function open() {
  const time = { now: 0 };
  const clock: Clock = { now: () => time.now, after: () => () => {} };
  const breakers = new CircuitBreakers(limits, clock, timeOrigin);
  const enter = (command: Command, session = 's1', agent = 'one') => breakers.enter(command, { agent, session });
  /** Enters a command and ends it with the outcome. */
  function pass(command: Command, outcome: Outcome | 'timeout', session?: string, agent?: string): void {
    passed(enter(command, session, agent)).ended(outcome);
  }
  return { breakers, time, enter, pass };
}

function passed(way: GuardedCall | Outcome): GuardedCall {
  if ('ok' in way) throw new Error('kept out');
  return way;
}

const ran = (data: object): Outcome => ({ ok: true, data });
const failed = (code: ErrorCode) => refused(code, 'x');

describe('before an agent', () => {
  test.each<[string, Outcome | 'timeout', boolean]>([
    ['a run that the model failed', ran({ outcome: 'failed' }), true],
    ['an agent that died', failed('agent-down'), true],
    ['a prompt that took too long', 'timeout', true],
    ['a silence over the latency', ran({ outcome: 'completed', longestSilenceMs: 101 }), true],
    ['a silence within it', ran({ outcome: 'completed', longestSilenceMs: 100 }), false],
    ['a run that the user stopped', ran({ outcome: 'aborted', longestSilenceMs: 5000 }), false],
    ['a prompt that joined a run', { ok: true }, false],
    ['a prompt that was refused', failed('busy'), false],
    ['a prompt that was dropped', failed('aborted'), false],
  ])('%s: counts as a failure: %s, %s', (_name, outcome, opens) => {
    const { breakers, enter, pass } = open();
    pass(prompt, outcome);
    pass(prompt, outcome);
    expect(breakers.openAgents()).toEqual(opens ? ['one'] : []);
    const way = enter(prompt);
    if (opens) {
      const message = 'Circuit breaker open: Circuit open for one (recovery in 1s)';
      expect(way).toEqual({ ok: false, error: { code: 'agent-refused', message } });
    } else expect(way).toHaveProperty('ended');
  });

  test('one agent says nothing of another, and prompts nothing of what else is asked', () => {
    const { enter, pass } = open();
    pass(prompt, 'timeout');
    pass(prompt, 'timeout');
    expect(enter(prompt, 's1', 'two')).toHaveProperty('ended');
    expect(enter({ type: 'compact' })).toHaveProperty('ended');
    expect(enter(bash)).toHaveProperty('ended');
  });

  test('an end counts once', () => {
    const { breakers, enter } = open();
    const way = passed(enter(prompt));
    for (let time = 0; time < 5; time += 1) way.ended('timeout');
    expect(breakers.openAgents()).toEqual([]);
    expect(breakers.figures().circuits).toMatchObject([{ name: 'one', failures: 1, calls: 1 }]);
  });

  test('it is tried again by and by', () => {
    const { breakers, time, enter, pass } = open();
    pass(prompt, 'timeout');
    pass(prompt, 'timeout');
    time.now = 500;
    expect(breakers.figures().circuits).toMatchObject([{ state: 'half-open', lastFailureAt: timeOrigin }]);
    pass(prompt, ran({ outcome: 'completed' }));
    expect(breakers.openAgents()).toEqual([]);
    expect(enter(prompt)).toHaveProperty('ended');
  });
});

describe('before shells', () => {
  test('only time counts: a command that fails was carried out', () => {
    const { breakers, pass } = open();
    for (let time = 0; time < 20; time += 1) pass(bash, ran({ exitCode: 1, output: '', cancelled: false }));
    for (let time = 0; time < 20; time += 1) pass(bash, failed('unsupported'));
    expect(breakers.openShells()).toEqual([]);
  });

  test('that of one session is shut for that session, until it is forgotten', () => {
    const { breakers, enter, pass } = open();
    pass(bash, 'timeout');
    pass(bash, 'timeout');
    expect(breakers.openShells()).toEqual(['s1']);
    const message = 'Bash circuit breaker open for session s1: recovery in 1s';
    expect(enter(bash)).toEqual({ ok: false, error: { code: 'agent-refused', message } });
    expect(enter(bash, 's2')).toHaveProperty('ended');
    breakers.forget('s1');
    expect(enter(bash)).toHaveProperty('ended');
  });

  test('that of all is shut by ten times as many, and who was let in by one and not by the other has not been in', () => {
    const { breakers, enter, pass } = open();
    for (let session = 0; session < 20; session += 1) pass(bash, 'timeout', `s${session}`);
    expect(breakers.openShells()).toEqual(['*']);
    expect(enter(bash, 'fresh')).toMatchObject({ ok: false });
    const fresh = breakers.figures().shell.sessions.find(({ name }) => name === 'fresh');
    expect(fresh).toMatchObject({ state: 'closed', successes: 0, failures: 0 });
  });
});
