// Limits of a ledger.

/**
 * Total bytes of the payloads of all commands in flight and of their waiting repetitions. A limit on the number alone
 * would let a few clients fill the memory: ten thousand commands may be 10 MiB each (docs/threats.md T32).
 */
export const maxBytesInFlight = 256 * 1024 * 1024;

/** Limits of one ledger; times in ms. */
export interface LedgerLimits {
  /** Commands in flight; also the limit for repetitions that wait for them, counted separately. */
  readonly maxInFlight: number;
  /** Outcomes that are kept for repetitions, by id and by key each; the oldest are dropped first. */
  readonly maxOutcomes: number;
  /** How long a key is remembered after the end of its command. */
  readonly idempotencyTtlMs: number;
  /** How long a command waits for all its dependencies together. */
  readonly dependencyWaitMs: number;
  /** Commands per minute in one lane. */
  readonly commandsPerMinute: number;
  /** Commands per minute in all lanes together. */
  readonly allCommandsPerMinute: number;
  /** Commands per minute with the allowance `answers`, for one session. */
  readonly answersPerMinute: number;
}
