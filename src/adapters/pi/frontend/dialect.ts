// The ways in which clients of pi want to be told things, and what a client may choose. Knows no line of the wire.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../wire/problem.ts';

/**
 * How a projection speaks. `growing`: each update repeats the message so far, as the document and pi up to 0.83 have it.
 * `delta-only`: today's pi. `legacy`: pi 0.13.2, which lacks half of the lines; the adapter pi-legacy uses it.
 */
export type Dialect = 'growing' | 'delta-only' | 'legacy';

/** What a client may set. */
export const ClientOptions = z.strictObject({ dialect: z.enum(['growing', 'delta-only']).default('growing') });
export type ClientOptions = z.infer<typeof ClientOptions>;

/** Throws a GatewayError `invalid` for options that clients of pi do not have. */
export function readClientOptions(options: Options): ClientOptions {
  const read = ClientOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi adapter: ${problemOf(read.error)}`);
  return read.data;
}
