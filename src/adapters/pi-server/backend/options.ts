// The options of a pi-server as agent, validated.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../../pi/wire/problem.ts';

const milliseconds = z.coerce.number().int().nonnegative();

/** Options, as JSON values or as the strings of a command line. Durations in ms. */
export const AgentOptions = z.strictObject({
  /**
   * Where the sessions work, an absolute path on the server's machine. The empty string leaves the choice to the
   * server. Default: the working folder of the gateway's session, which is right for a server on the same machine.
   */
  cwd: z.string().optional(),
  /**
   * How long the server may take to start an abort. Real servers queue an abort behind the prompt that it is for
   * (docs/protocols/pi-server.md 7.7). After this time the gateway ends the run itself.
   */
  abortGraceMs: milliseconds.default(1_500),
  /**
   * How long greeting, session and subscription may take together. Slightly less than the 30 s of callers that open a
   * session through the gateway, so that they learn which step failed.
   */
  readyTimeoutMs: milliseconds.positive().default(25_000),
  /** How long a request may remain unanswered while no other command precedes it on the server. */
  requestTimeoutMs: milliseconds.positive().default(60_000),
  /**
   * How long a server keeps a dialog of an extension without a timeout of its own. The server then expires the dialog
   * without notice.
   */
  questionMs: milliseconds.positive().default(60_000),
  /** How long to wait after the end of a run without a prompt for a retry or a compaction, as in the pi adapter. */
  graceMs: milliseconds.default(50),
});
export type AgentOptions = z.infer<typeof AgentOptions>;

/** Throws a GatewayError `invalid` for unknown options. */
export function agentOptions(options: Options): AgentOptions {
  const read = AgentOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi-server adapter: ${problemOf(read.error)}`);
  return read.data;
}
