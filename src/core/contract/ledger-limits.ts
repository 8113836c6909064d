// How much a ledger keeps and how long it waits. Knows no protocol.

/**
 * Bytes that the payloads of all commands may take together that are admitted and not finished, repetitions that wait for
 * them included. By number alone a few clients could fill the memory: ten thousand commands may be 10 MiB each (docs/threats.md T32).
 */
export const maxBytesInFlight = 256 * 1024 * 1024;

/** Bounds of one ledger; times in ms. */
export interface LedgerLimits {
  /** Commands that are admitted and not finished; and, counted by themselves, repetitions that wait for one of them. */
  readonly maxInFlight: number;
  /** Outcomes that are kept for repetitions, by id and by key each; the oldest go first. */
  readonly maxOutcomes: number;
  /** How long a key is known behind the end of its command. */
  readonly idempotencyTtlMs: number;
  /** How long a command waits for all those that it depends on together. */
  readonly dependencyWaitMs: number;
  /** Commands in one lane within a minute. */
  readonly commandsPerMinute: number;
  /** In all lanes together. */
  readonly allCommandsPerMinute: number;
  /** Of the allowance `answers`, for one session. */
  readonly answersPerMinute: number;
}
