// The settings of this protocol for all clients, from patchbay.json or the environment. Defaults are those of real
// servers (docs/protocols/pi-server.md 8.7, 11.2, 12.2 to 12.4).
import { z } from 'zod';
import type { FrontendLimits } from '../../core/contract/adapter/frontend.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { problemOf } from '../pi/wire/problem.ts';

const count = z.int().positive();
/** Waits longer than a timer allows are refused, not shortened. */
const ms = count.max(2 ** 31 - 1);

/** Sizes in bytes, durations in ms. */
const Settings = z.strictObject({
  /** The largest frame of a client. */
  maxMessageBytes: count.default(10 * 1024 * 1024),
  /** Per session. Commands without a session share one allowance. */
  commandsPerMinute: count.default(100),
  /** Commands that are admitted and not finished. */
  maxInFlight: count.default(10_000),
  /** Outcomes that are kept for repetitions. */
  maxOutcomes: count.default(2_000),
  idempotencyTtlMs: ms.default(10 * 60_000),
  /** How long a command waits for its dependencies. */
  dependencyWaitMs: ms.default(30_000),
  /** How long a command may take. Reads have a shorter limit, but never more than this. */
  commandTimeoutMs: ms.default(5 * 60_000),
  /** How long dialogs stay open, unless they have their own timeout. */
  questionMs: ms.default(60_000),
  /** How long the open runs may continue after a shutdown was requested. */
  drainMs: ms.default(30_000),
  /** A model that stays silent longer counts as failed. */
  breakerLatencyMs: ms.default(30_000),
  /** How many failures within a minute open a circuit breaker. */
  breakerFailures: count.default(5),
});
export type Settings = z.infer<typeof Settings>;

/** Throws a GatewayError `invalid` for unknown settings. */
export function readSettings(settings: Options): Settings {
  const read = Settings.safeParse(settings);
  if (!read.success) throw new GatewayError('invalid', `pi-server settings: ${problemOf(read.error)}`);
  return read.data;
}

/** The gateway's limits that follow from the settings. */
export function limitsOf(settings: Settings): FrontendLimits {
  const { maxInFlight, maxOutcomes, idempotencyTtlMs, dependencyWaitMs, commandsPerMinute } = settings;
  return {
    ledger: {
      maxInFlight,
      maxOutcomes,
      idempotencyTtlMs,
      dependencyWaitMs,
      commandsPerMinute,
      allCommandsPerMinute: commandsPerMinute * 10,
      answersPerMinute: Math.ceil(commandsPerMinute * 0.6),
    },
    breaker: {
      latencyMs: settings.breakerLatencyMs,
      failures: settings.breakerFailures,
      windowMs: 60_000,
      recoveryMs: 30_000,
      successes: 2,
    },
    maxFrameBytes: settings.maxMessageBytes,
    questionMs: settings.questionMs,
    drainMs: settings.drainMs,
  };
}
