// The lifecycle dialects of pi-server clients and the options that a client may choose.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../../pi/wire/problem.ts';

/**
 * `1.0`: the document, and servers up to 2.1: every admitted command is accepted first, even repetitions and refusals.
 * `2.2`: newer servers, which report only the end of repetitions and refusals. Both call their protocol 1.0.0
 * (docs/protocols/pi-server.md 1.1, 1.2).
 */
export type Dialect = '1.0' | '2.2';

/** The options of a client. */
const ClientOptions = z.strictObject({ dialect: z.enum(['1.0', '2.2']).default('1.0') });
export type ClientOptions = z.infer<typeof ClientOptions>;

/** Throws a GatewayError `invalid` for unknown client options. */
export function readClientOptions(options: Options): ClientOptions {
  const read = ClientOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi-server adapter: ${problemOf(read.error)}`);
  return read.data;
}
