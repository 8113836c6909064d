// The options of the pi adapter, validated. All durations are in ms.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../wire/problem.ts';

const milliseconds = z.coerce.number().int().nonnegative();

/** Options, as JSON values or as the strings of a URL's query. */
export const PiOptions = z.strictObject({
  /** How long to wait after an agent_end for a retry or a compaction (docs/protocols/pi.md 11.4). */
  graceMs: milliseconds.default(50),
  /**
   * How long an accepted prompt that is not a slash command may take to start its run. pi 0.54 accepts a prompt before
   * it checks keys, extensions and the size of the context.
   */
  startGraceMs: milliseconds.default(1_000),
  /** How long a request may remain unanswered. An open dialog pauses the deadline of a prompt. */
  requestTimeoutMs: milliseconds.positive().default(30_000),
  /** The same for `bash` and `compact`, which may take any time. 0 means no deadline. */
  longRequestTimeoutMs: milliseconds.default(0),
});
export type PiOptions = z.infer<typeof PiOptions>;

/** Throws a GatewayError `invalid` for unknown options. */
export function readOptions(options: Options): PiOptions {
  const read = PiOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi adapter: ${problemOf(read.error)}`);
  return read.data;
}
