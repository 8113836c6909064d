// The options of the pi-legacy adapter, validated. All durations are in ms.
import { z } from 'zod';
import type { Options } from '../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { problemOf } from '../pi/wire/problem.ts';

const milliseconds = z.coerce.number().int();

/** Options for agents, as JSON values or as the strings of a URL's query. */
export const AgentOptions = z.strictObject({
  /** How long a prompt may take to start its run. A pi that stays silent longer is terminated. */
  startTimeoutMs: milliseconds.positive().default(30_000),
  /** How long a compaction may take. 0 means no limit. */
  compactTimeoutMs: milliseconds.nonnegative().default(600_000),
});
export type AgentOptions = z.infer<typeof AgentOptions>;

/** Clients have no options, because there is only one dialect. */
const ClientOptions = z.strictObject({});

/** Throws a GatewayError `invalid` for unknown agent options. */
export function readAgentOptions(options: Options): AgentOptions {
  return read(AgentOptions, options);
}

/** Throws a GatewayError `invalid` for any option. */
export function checkClientOptions(options: Options): void {
  read(ClientOptions, options);
}

function read<Schema extends z.ZodType>(schema: Schema, options: Options): z.output<Schema> {
  const result = schema.safeParse(options);
  if (!result.success) throw new GatewayError('invalid', `pi-legacy adapter: ${problemOf(result.error)}`);
  return result.data;
}
