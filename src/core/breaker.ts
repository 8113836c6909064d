// A circuit breaker: keeps commands from something that has failed too often, and tries it again by and by. Pure. Knows no
// protocol.

/** Bounds of one breaker; times in ms. */
export interface BreakerLimits {
  /** What takes longer has failed. */
  readonly latencyMs: number;
  /** So many failures within {@link windowMs} open it. */
  readonly failures: number;
  readonly windowMs: number;
  /** How long it stays open before it lets one through to see. */
  readonly recoveryMs: number;
  /** So many successes in a row close it again. */
  readonly successes: number;
}

/** What a breaker has seen, for metrics. Times on the session clock, ms. */
export interface BreakerFigures {
  readonly state: 'closed' | 'open' | 'half-open';
  readonly failureCount: number;
  readonly lastFailureAt: number | null;
  readonly lastChangeAt: number | null;
  readonly lastUsedAt: number | null;
  readonly calls: number;
  readonly rejected: number;
  readonly slow: number;
  readonly successes: number;
  readonly failures: number;
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
export function createBreaker(_limits: BreakerLimits): Breaker {
  throw new Error('to be written');
}
