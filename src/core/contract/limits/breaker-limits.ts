// Limits of a circuit breaker.

/** Limits of one breaker; times in ms. */
export interface BreakerLimits {
  /** Slower commands count as failed. */
  readonly latencyMs: number;
  /** Number of failures within {@link windowMs} that open the breaker. */
  readonly failures: number;
  readonly windowMs: number;
  /** How long the breaker stays open before it lets one command through as a probe. */
  readonly recoveryMs: number;
  /** Number of successes in a row that close the breaker again. */
  readonly successes: number;
}
