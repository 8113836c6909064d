// A circuit breaker: rejects commands for a target that has failed too often, and lets a probe through after a while.
import type { BreakerLimits } from '../contract/limits/breaker-limits.ts';
import { type CallFigures, createCallFigures, type Result } from './call-figures.ts';

/** Figures of a breaker for metrics. Times on the session clock, ms. */
export interface BreakerFigures extends CallFigures {
  readonly state: 'closed' | 'open' | 'half-open';
  /** Failures within the window, including slow calls. */
  readonly failureCount: number;
  readonly lastFailureAt: number | null;
  readonly lastChangeAt: number | null;
  readonly lastUsedAt: number | null;
  /** Probes that have not ended. */
  readonly probes: number;
}

/** One breaker. `now`: any monotonic clock, ms. */
export interface Breaker {
  /** Asks to start a call. Null: the call may start. Otherwise: ms until the next attempt may be made. */
  enter(now: number): number | null;
  /**
   * Must be called exactly once for each started call. `ignored`: the result says nothing about the health of the
   * target.
   */
  leave(result: Result, now: number, latencyMs: number): void;
  figures(now: number): BreakerFigures;
}

/** `closed` lets all calls pass, `open` none, `half-open` one at a time. */
type Phase =
  | { readonly is: 'closed' }
  | { readonly is: 'open'; readonly since: number }
  | { readonly is: 'half-open'; probes: number; successesInRow: number };

/** Creates a closed breaker. */
export function createBreaker(limits: BreakerLimits): Breaker {
  const calls = createCallFigures(limits.latencyMs);
  let phase: Phase = { is: 'closed' };
  /** Times of the failures within the last window. */
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
    // Ignore calls from before the breaker opened: only a probe shows the present health.
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

/** Ms until a call may start; null if a call may start now. While half open, that call is a probe. */
function waitMs(phase: Phase, { recoveryMs }: BreakerLimits, now: number): number | null {
  switch (phase.is) {
    case 'closed':
      return null;
    case 'open':
      return phase.since + recoveryMs - now;
    case 'half-open':
      // The result of the running probe is unknown. In the worst case the recovery period begins again.
      if (phase.probes > 0) return recoveryMs;
      phase.probes += 1;
      return null;
    default:
      return phase satisfies never;
  }
}
