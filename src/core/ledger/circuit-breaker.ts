// A circuit breaker: keeps commands from something that has failed too often, and tries it again by and by. Pure. Knows no
// protocol.
import type { BreakerLimits } from '../contract/breaker-limits.ts';

/** What a breaker has seen, for metrics. Times on the session clock, ms. */
export interface BreakerFigures {
  readonly state: 'closed' | 'open' | 'half-open';
  /** Within the window, slow ones included. */
  readonly failureCount: number;
  readonly lastFailureAt: number | null;
  readonly lastChangeAt: number | null;
  readonly lastUsedAt: number | null;
  /** All that asked to come in. */
  readonly calls: number;
  readonly rejected: number;
  /** Also counted among the successes or the failures, by what came of them. */
  readonly slow: number;
  readonly successes: number;
  readonly failures: number;
  /** Of those that succeeded or failed. */
  readonly averageLatencyMs: number;
  /** Let through while half open and not back yet. */
  readonly probes: number;
}

/** One breaker. `now` on any monotonic clock, ms. */
export interface Breaker {
  /** Null: come in. Else ms until it may be tried again. */
  enter(now: number): number | null;
  /** Exactly once for each that was let in. `ignored`: it says nothing about the health of what is behind. */
  leave(result: 'succeeded' | 'failed' | 'ignored', now: number, latencyMs: number): void;
  figures(now: number): BreakerFigures;
}

/** A closed one. */
export function createBreaker(limits: BreakerLimits): Breaker {
  let state: BreakerFigures['state'] = 'closed';
  /** When those of the last window failed. */
  let failedAt: readonly number[] = [];
  let lastFailureAt: number | null = null;
  let lastChangeAt: number | null = null;
  let lastUsedAt: number | null = null;
  let successesInRow = 0;
  let probes = 0;
  let summedLatencyMs = 0;
  let calls = 0;
  let rejected = 0;
  let slow = 0;
  let successes = 0;
  let failures = 0;

  function change(next: BreakerFigures['state'], now: number): void {
    state = next;
    lastChangeAt = now;
    successesInRow = 0;
    probes = 0;
    if (next === 'closed') failedAt = [];
  }

  /** Ms until an open one lets somebody through. */
  const closedFor = (now: number) => (lastChangeAt ?? now) + limits.recoveryMs - now;

  /** What comes by itself as time goes by. */
  function passTime(now: number): void {
    failedAt = failedAt.filter((at) => at > now - limits.windowMs);
    if (state === 'open' && closedFor(now) <= 0) change('half-open', now + closedFor(now));
  }

  function fail(now: number): void {
    lastFailureAt = now;
    failedAt = [...failedAt, now];
    if (state === 'half-open' || (state === 'closed' && failedAt.length >= limits.failures)) change('open', now);
  }

  function succeed(now: number): void {
    // Only who was let through to see counts: others have come back from before it failed.
    if (state !== 'half-open' || probes === 0) return;
    probes -= 1;
    successesInRow += 1;
    if (successesInRow >= limits.successes) change('closed', now);
  }

  function reject(ms: number): number {
    rejected += 1;
    return ms;
  }

  return {
    enter(now) {
      passTime(now);
      lastUsedAt = now;
      calls += 1;
      if (state === 'open') return reject(closedFor(now));
      // Until the one that was let through is back, nobody knows; at the worst the recovery begins anew.
      if (state === 'half-open' && probes > 0) return reject(limits.recoveryMs);
      if (state === 'half-open') probes += 1;
      return null;
    },
    leave(result, now, latencyMs) {
      passTime(now);
      lastUsedAt = now;
      if (result === 'ignored') {
        probes = Math.max(0, probes - 1);
        return;
      }
      const isSlow = latencyMs > limits.latencyMs;
      summedLatencyMs += latencyMs;
      if (isSlow) slow += 1;
      if (result === 'succeeded') successes += 1;
      else failures += 1;
      if (isSlow || result === 'failed') fail(now);
      else succeed(now);
    },
    figures(now) {
      passTime(now);
      const known = successes + failures;
      return {
        state,
        failureCount: failedAt.length,
        lastFailureAt,
        lastChangeAt,
        lastUsedAt,
        calls,
        rejected,
        slow,
        successes,
        failures,
        averageLatencyMs: known === 0 ? 0 : Math.round(summedLatencyMs / known),
        probes,
      };
    },
  };
}
