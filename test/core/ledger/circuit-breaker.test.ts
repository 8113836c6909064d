// The circuit breaker: when it opens, which probes it lets through, when it closes (docs/protocols/pi-server.md 21).
import { describe, expect, test } from 'vitest';
import { type Breaker, createBreaker } from '../../../src/core/ledger/circuit-breaker.ts';

const limits = { latencyMs: 100, failures: 3, windowMs: 1_000, recoveryMs: 500, successes: 2 };

type Result = 'succeeded' | 'failed' | 'ignored';

function rig() {
  const breaker: Breaker = createBreaker(limits);
  /** One call that comes back at once. */
  const call = (now: number, result: Result, latencyMs = 0) => {
    const wait = breaker.enter(now);
    if (wait === null) breaker.leave(result, now, latencyMs);
    return wait;
  };
  /** Opened at 0. */
  const open = () => {
    for (let count = 0; count < limits.failures; count += 1) call(0, 'failed');
  };
  return { breaker, call, open, state: (now: number) => breaker.figures(now).state };
}

describe('closed', () => {
  test.each<[string, [now: number, result: Result, latencyMs?: number][], string]>([
    [
      'too few failures',
      [
        [0, 'failed'],
        [1, 'failed'],
      ],
      'closed',
    ],
    [
      'enough failures',
      [
        [0, 'failed'],
        [1, 'failed'],
        [2, 'failed'],
      ],
      'open',
    ],
    [
      'successes between them change nothing',
      [
        [0, 'failed'],
        [1, 'succeeded'],
        [2, 'failed'],
        [3, 'failed'],
      ],
      'open',
    ],
    [
      'not within the window',
      [
        [0, 'failed'],
        [1, 'failed'],
        [1_000, 'failed'],
      ],
      'closed',
    ],
    [
      'within the window',
      [
        [0, 'failed'],
        [1, 'failed'],
        [999, 'failed'],
      ],
      'open',
    ],
    [
      'slow ones that succeeded',
      [
        [0, 'succeeded', 101],
        [1, 'succeeded', 101],
        [2, 'failed', 101],
      ],
      'open',
    ],
    [
      'as slow as may be',
      [
        [0, 'succeeded', 100],
        [1, 'succeeded', 100],
        [2, 'succeeded', 100],
      ],
      'closed',
    ],
    [
      'what says nothing',
      [
        [0, 'ignored', 101],
        [1, 'ignored', 101],
        [2, 'ignored', 101],
      ],
      'closed',
    ],
  ])('%s', (_, calls, state) => {
    const { call, breaker } = rig();
    for (const one of calls) expect(call(...one)).toBeNull();
    const last = calls.at(-1)?.[0] ?? 0;
    expect(breaker.figures(last).state).toBe(state);
    expect(breaker.enter(last) === null).toBe(state === 'closed');
  });

  test('any number at once', () => {
    const { breaker } = rig();
    for (let count = 0; count < 100; count += 1) expect(breaker.enter(0)).toBeNull();
  });
});

describe('open', () => {
  test('lets nobody in until it has recovered, and says how long that takes', () => {
    const { breaker, open, state } = rig();
    open();
    expect([breaker.enter(0), breaker.enter(200), breaker.enter(499)]).toEqual([500, 300, 1]);
    expect([state(499), state(500)]).toEqual(['open', 'half-open']);
    expect(breaker.enter(500)).toBeNull();
  });

  test('what comes back from before changes nothing', () => {
    const { breaker, open, state } = rig();
    for (let count = 0; count < 4; count += 1) breaker.enter(0);
    open();
    breaker.leave('failed', 400, 0);
    breaker.leave('succeeded', 410, 0);
    expect([state(499), state(500)]).toEqual(['open', 'half-open']);
    // Half open, and no probe was let through yet.
    breaker.leave('succeeded', 510, 0);
    breaker.leave('succeeded', 520, 0);
    expect(state(520)).toBe('half-open');
  });
});

describe('half open', () => {
  function halfOpen() {
    const all = rig();
    all.open();
    return all;
  }

  test('one at a time', () => {
    const { breaker } = halfOpen();
    expect(breaker.enter(500)).toBeNull();
    expect(breaker.enter(501)).toBe(limits.recoveryMs);
    breaker.leave('succeeded', 502, 0);
    expect(breaker.enter(503)).toBeNull();
    expect(breaker.enter(504)).not.toBeNull();
  });

  test('one that says nothing makes room for another', () => {
    const { breaker, state } = halfOpen();
    for (let count = 0; count < 3; count += 1) {
      expect(breaker.enter(500)).toBeNull();
      breaker.leave('ignored', 500, 0);
    }
    expect(state(500)).toBe('half-open');
  });

  test.each<[string, [now: number, result: Result, latencyMs?: number][], string]>([
    ['one success', [[500, 'succeeded']], 'half-open'],
    [
      'enough successes',
      [
        [500, 'succeeded'],
        [501, 'succeeded'],
      ],
      'closed',
    ],
    ['a failure', [[500, 'failed']], 'open'],
    [
      'a failure behind a success',
      [
        [500, 'succeeded'],
        [501, 'failed'],
      ],
      'open',
    ],
    ['a slow success', [[500, 'succeeded', 101]], 'open'],
  ])('%s', (_, calls, state) => {
    const all = halfOpen();
    for (const one of calls) expect(all.call(...one)).toBeNull();
    expect(all.state(501)).toBe(state);
  });

  test('a failure begins the recovery anew, and the successes', () => {
    const { call, state, breaker } = halfOpen();
    call(500, 'succeeded');
    call(600, 'failed');
    expect(breaker.enter(1_099)).toBe(1);
    call(1_100, 'succeeded');
    expect(state(1_100)).toBe('half-open');
    call(1_101, 'succeeded');
    expect(state(1_101)).toBe('closed');
  });

  test('closed again, it has forgotten what failed before', () => {
    const { call, state } = halfOpen();
    call(500, 'succeeded');
    call(501, 'succeeded');
    call(502, 'failed');
    call(503, 'failed');
    expect(state(503)).toBe('closed');
    call(504, 'failed');
    expect(state(504)).toBe('open');
  });
});

test('figures', () => {
  const { breaker, call } = rig();
  const fresh = {
    state: 'closed',
    failureCount: 0,
    lastFailureAt: null,
    lastChangeAt: null,
    lastUsedAt: null,
    calls: 0,
    rejected: 0,
    slow: 0,
    successes: 0,
    failures: 0,
    averageLatencyMs: 0,
    probes: 0,
  };
  expect(breaker.figures(0)).toEqual(fresh);
  call(1, 'succeeded', 10);
  call(2, 'succeeded', 150);
  call(3, 'ignored', 1_000);
  call(4, 'failed', 21);
  const before = {
    ...fresh,
    failureCount: 2,
    lastFailureAt: 4,
    lastUsedAt: 4,
    calls: 4,
    slow: 1,
    successes: 2,
    failures: 1,
  };
  expect(breaker.figures(4)).toEqual({ ...before, averageLatencyMs: 60 });
  call(5, 'failed', 0);
  expect(call(6, 'succeeded')).toBe(499);
  const open = {
    ...before,
    state: 'open',
    lastFailureAt: 5,
    lastChangeAt: 5,
    lastUsedAt: 6,
    calls: 6,
    rejected: 1,
    failures: 2,
  };
  expect(breaker.figures(6)).toEqual({ ...open, failureCount: 3, averageLatencyMs: 45 });
  expect(breaker.enter(600)).toBeNull();
  expect(breaker.figures(600)).toMatchObject({
    state: 'half-open',
    lastChangeAt: 505,
    lastUsedAt: 600,
    calls: 7,
    probes: 1,
  });
  // The slow call at 2 is no longer within the last second; the failures at 4 and 5 are.
  expect(breaker.figures(1_002).failureCount).toBe(2);
});
