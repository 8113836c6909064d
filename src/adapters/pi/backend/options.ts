// The options of the pi adapter, checked. Everything is in milliseconds.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../wire/problem.ts';

const milliseconds = z.coerce.number().int().nonnegative();

/** Options, as JSON values or as the strings of a URL's query. */
export const PiOptions = z.strictObject({
  /** How long an agent_end may be prolonged by a retry or a compaction (docs/protocols/pi.md 11.4). */
  graceMs: milliseconds.default(50),
  /**
   * How long an accepted prompt that is no slash command may take to start its run. pi 0.54 accepts before it looks at
   * keys, extensions and the size of the context.
   */
  startGraceMs: milliseconds.default(1_000),
  /** How long a request may go unanswered. A prompt's clock stands still while a dialog is open. */
  requestTimeoutMs: milliseconds.positive().default(30_000),
  /** The same for `bash` and `compact`, which take as long as they take; 0 is for ever. */
  longRequestTimeoutMs: milliseconds.default(0),
});
export type PiOptions = z.infer<typeof PiOptions>;

/** Throws a GatewayError `invalid` for options that pi does not have. */
export function readOptions(options: Options): PiOptions {
  const read = PiOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi adapter: ${problemOf(read.error)}`);
  return read.data;
}
