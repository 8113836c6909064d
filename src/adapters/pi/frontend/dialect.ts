// The dialects of pi clients and the options that a client may choose.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../wire/problem.ts';

/**
 * The dialect of a projection. `growing`: each update repeats the message so far, as in the document and in pi up to
 * 0.83. `delta-only`: current pi. `legacy`: pi 0.13.2, which lacks half of the lines; used by the adapter pi-legacy.
 */
export type Dialect = 'growing' | 'delta-only' | 'legacy';

/** The options of a client. */
export const ClientOptions = z.strictObject({ dialect: z.enum(['growing', 'delta-only']).default('growing') });
export type ClientOptions = z.infer<typeof ClientOptions>;

/** Throws a GatewayError `invalid` for unknown client options. */
export function readClientOptions(options: Options): ClientOptions {
  const read = ClientOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi adapter: ${problemOf(read.error)}`);
  return read.data;
}
