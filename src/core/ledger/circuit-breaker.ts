// A circuit breaker: keeps commands away from a target that has failed too often, and lets a probe through after a
// while.
import type { BreakerLimits } from '../contract/breaker-limits.ts';
import { type CallFigures, createCallFigures, type Result } from './call-figures.ts';

/** What a breaker has seen, for metrics. Times on the session clock, ms. */
export interface BreakerFigures extends CallFigures {
  readonly state: 'closed' | 'open' | 'half-open';
  /** Failures within the window, slow calls included. */
  readonly failureCount: number;
  readonly lastFailureAt: number | null;
  readonly lastChangeAt: number | null;
  readonly lastUsedAt: number | null;
  /** Calls that were let through while half open and are not back yet. */
  readonly probes: number;
}

/** One breaker. `now` on any monotonic clock, ms. */
export interface Breaker {
  /** Null: the call may go through. Else ms until it may be tried again. */
  enter(now: number): number | null;
  /**
   * Exactly once for each call that went through. `ignored`: the result says nothing about the health of the target.
   */
  leave(result: Result, now: number, latencyMs: number): void;
  figures(now: number): BreakerFigures;
}

/** All calls pass while closed, none while open, one at a time while half open. */
type Phase =
  | { readonly is: 'closed' }
  | { readonly is: 'open'; readonly since: number }
  | { readonly is: 'half-open'; probes: number; successesInRow: number };

/** A closed breaker. */
export function createBreaker(limits: BreakerLimits): Breaker {
  const calls = createCallFigures(limits.latencyMs);
  let phase: Phase = { is: 'closed' };
  /** When the calls of the last window failed. */
  let failedAt: readonly number[] = [];
  let lastFailureAt: number | null = null;
  let lastChangeAt: number | null = null;
  let lastUsedAt: number | null = null;

  function change(next: Phase, now: number): void {
    phase = next;
    lastChangeAt = now;
  }

  function passTime(now: number): void {
    failedAt = failedAt.filter((at) => at > now - limits.windowMs);
    if (phase.is !== 'open') return;
    const recoveredAt = phase.since + limits.recoveryMs;
    if (recoveredAt <= now) change({ is: 'half-open', probes: 0, successesInRow: 0 }, recoveredAt);
  }

  function fail(now: number): void {
    lastFailureAt = now;
    failedAt = [...failedAt, now];
    if (phase.is === 'half-open' || (phase.is === 'closed' && failedAt.length >= limits.failures)) {
      change({ is: 'open', since: now }, now);
    }
  }

  function succeed(now: number): void {
    // Only a probe counts: other calls have come back from before the breaker opened.
    if (phase.is !== 'half-open' || phase.probes === 0) return;
    phase.probes -= 1;
    phase.successesInRow += 1;
    if (phase.successesInRow < limits.successes) return;
    change({ is: 'closed' }, now);
    failedAt = [];
  }

  return {
    enter(now) {
      passTime(now);
      lastUsedAt = now;
      const ms = waitMs(phase, limits, now);
      calls.entered(ms === null);
      return ms;
    },
    leave(result, now, latencyMs) {
      passTime(now);
      lastUsedAt = now;
      if (result === 'ignored') {
        if (phase.is === 'half-open') phase.probes = Math.max(0, phase.probes - 1);
        return;
      }
      if (calls.left(result, latencyMs) === 'failed') fail(now);
      else succeed(now);
    },
    figures(now) {
      passTime(now);
      return {
        state: phase.is,
        failureCount: failedAt.length,
        lastFailureAt,
        lastChangeAt,
        lastUsedAt,
        ...calls.figures(),
        probes: phase.is === 'half-open' ? phase.probes : 0,
      };
    },
  };
}

/** Ms until the call may be tried again; null when it may go through now, as a probe while half open. */
function waitMs(phase: Phase, { recoveryMs }: BreakerLimits, now: number): number | null {
  switch (phase.is) {
    case 'closed':
      return null;
    case 'open':
      return phase.since + recoveryMs - now;
    case 'half-open':
      // Until the probe is back, nobody knows; in the worst case the recovery begins again.
      if (phase.probes > 0) return recoveryMs;
      phase.probes += 1;
      return null;
    default:
      return phase satisfies never;
  }
}
