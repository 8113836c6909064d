// How patient a circuit breaker is.

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
