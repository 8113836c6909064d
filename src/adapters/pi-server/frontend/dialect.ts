// The ways in which clients of a pi-server are told of commands, and what a client may choose. Knows no frame.
import { z } from 'zod';
import type { Options } from '../../../core/contract/adapter.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { problemOf } from '../../pi/wire/problem.ts';

/**
 * `1.0`: the document, and servers up to 2.1: whatever is admitted is accepted first, repetitions and refusals too. `2.2`: newer
 * servers, which tell of those no more than their end. Both call their protocol 1.0.0 (docs/protocols/pi-server.md 1.1, 1.2).
 */
export type Dialect = '1.0' | '2.2';

/** What a client may set. */
const ClientOptions = z.strictObject({ dialect: z.enum(['1.0', '2.2']).default('1.0') });
export type ClientOptions = z.infer<typeof ClientOptions>;

/** Throws a GatewayError `invalid` for options that clients of a pi-server do not have. */
export function readClientOptions(options: Options): ClientOptions {
  const read = ClientOptions.safeParse(options);
  if (!read.success) throw new GatewayError('invalid', `pi-server adapter: ${problemOf(read.error)}`);
  return read.data;
}
