// What patchbay.json (or the environment) sets for all clients of this protocol, with the defaults of real servers (docs/protocols/pi-server.md 8.7, 11.2, 12.2 to 12.4). Knows no client.
import { z } from 'zod';
import type { FrontendLimits, Options } from '../../core/contract/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { problemOf } from '../pi/wire/problem.ts';

const count = z.int().positive();
/** Longer waits than a timer can have are refused, not shortened. */
const ms = count.max(2 ** 31 - 1);

/** Sizes in bytes, times in ms. */
const Settings = z.strictObject({
  /** Longest frame of a client. */
  maxMessageBytes: count.default(10 * 1024 * 1024),
  /** Within one session; commands that are about none share an allowance of their own. */
  commandsPerMinute: count.default(100),
  /** Commands that are admitted and not finished. */
  maxInFlight: count.default(10_000),
  /** Outcomes that are kept for repetitions. */
  maxOutcomes: count.default(2_000),
  idempotencyTtlMs: ms.default(10 * 60_000),
  /** How long a command waits for those that it depends on. */
  dependencyWaitMs: ms.default(30_000),
  /** How long a command may take; those that only look have less, but never more than this. */
  commandTimeoutMs: ms.default(5 * 60_000),
  /** Questions to users stay open so long, unless they say otherwise. */
  questionMs: ms.default(60_000),
  /** How long what goes on may go on when the gateway is told to stop. */
  drainMs: ms.default(30_000),
  /** A model that says nothing for longer has failed. */
  breakerLatencyMs: ms.default(30_000),
  /** So many failures within a minute open a circuit breaker. */
  breakerFailures: count.default(5),
});
export type Settings = z.infer<typeof Settings>;

/** Throws a GatewayError `invalid` for settings that there are not. */
export function readSettings(settings: Options): Settings {
  const read = Settings.safeParse(settings);
  if (!read.success) throw new GatewayError('invalid', `pi-server settings: ${problemOf(read.error)}`);
  return read.data;
}

/** What follows from them for the gateway. */
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
