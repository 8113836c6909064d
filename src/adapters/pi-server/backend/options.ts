// What may be set for a pi-server as agent, checked. Knows no frame.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../../pi/wire/problem.ts';

const milliseconds = z.coerce.number().int().nonnegative();

/** Options, as JSON values or as the strings of a command line. Times in ms. */
export const AgentOptions = z.strictObject({
  /**
   * Where its sessions work, an absolute path on the machine of the server; the empty string leaves it to the server.
   * Default: where the session of the gateway works, which is right for a server on the same machine.
   */
  cwd: z.string().optional(),
  /**
   * How long an abort may wait for the server to begin with it. Real servers let it wait behind the very prompt that it is
   * about (docs/protocols/pi-server.md 7.7): then the run is ended here.
   */
  abortGraceMs: milliseconds.default(1_500),
  /**
   * How long greeting, session and subscription may take together. A little less than the 30 s for which others wait who
   * open a session through us: they are to hear what was missing.
   */
  readyTimeoutMs: milliseconds.positive().default(25_000),
  /** How long a question may go unanswered while nothing stands before it on the server. */
  requestTimeoutMs: milliseconds.positive().default(60_000),
  /** After that a server gives up a question of an extension that says nothing of its time, and tells nobody. */
  questionMs: milliseconds.positive().default(60_000),
  /** How long a run that no prompt began may be prolonged by a retry or a compaction; as in the adapter for pi. */
  graceMs: milliseconds.default(50),
});
export type AgentOptions = z.infer<typeof AgentOptions>;

/** Throws a GatewayError `invalid` for options that there are not. */
export function agentOptions(options: Options): AgentOptions {
  const read = AgentOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi-server adapter: ${problemOf(read.error)}`);
  return read.data;
}
