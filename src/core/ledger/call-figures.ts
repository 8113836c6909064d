// Counts the calls of a circuit breaker.

/** How a call ended. `ignored`: the result says nothing about the health of the target. */
export type Result = 'succeeded' | 'failed' | 'ignored';

/** Counts since the start. */
export interface CallFigures {
  /** All calls, including rejected ones. */
  readonly calls: number;
  readonly rejected: number;
  /** Calls that took too long. Each also counts as a success or a failure. */
  readonly slow: number;
  readonly successes: number;
  readonly failures: number;
  /** Average over the calls that succeeded or failed. */
  readonly averageLatencyMs: number;
}

/** Counts calls. */
export interface CallCounter {
  entered(isLetThrough: boolean): void;
  /**
   * Counts the end of a call. Returns how the result counts for the health of the target: a slow call counts as a
   * failure.
   */
  left(result: Exclude<Result, 'ignored'>, latencyMs: number): 'succeeded' | 'failed';
  figures(): CallFigures;
}

/** Creates counters at zero. A call is slow if it takes longer than `slowMs`. */
export function createCallFigures(slowMs: number): CallCounter {
  let calls = 0;
  let rejected = 0;
  let slow = 0;
  let successes = 0;
  let failures = 0;
  let summedLatencyMs = 0;
  return {
    entered(isLetThrough) {
      calls += 1;
      if (!isLetThrough) rejected += 1;
    },
    left(result, latencyMs) {
      const isSlow = latencyMs > slowMs;
      summedLatencyMs += latencyMs;
      if (isSlow) slow += 1;
      if (result === 'succeeded') successes += 1;
      else failures += 1;
      return isSlow ? 'failed' : result;
    },
    figures() {
      const known = successes + failures;
      const averageLatencyMs = known === 0 ? 0 : Math.round(summedLatencyMs / known);
      return { calls, rejected, slow, successes, failures, averageLatencyMs };
    },
  };
}
