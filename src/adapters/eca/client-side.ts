// The client side of `eca`: editors of both eras (docs/protocols/eca.md 3).
import { z } from 'zod';
import type { Env } from '../../core/contract/adapter/action.ts';
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { dialectOf } from './frontend/dialect.ts';
import { createConnection } from './frontend/frontend.ts';
import { createProjection } from './projection/projection.ts';
import { protocol } from './protocol.ts';

export { eventEnvelope as envelope } from './event-envelope.ts';

/** The options of a client of this protocol. */
const EcaOptions = z.strictObject({
  /**
   * How frames travel as server-sent events: under ECA's own names (default), or bare. All clients share one stream.
   */
  events: z.enum(['eca', 'frames']).optional(),
});

function frontend(env: Env, options: Options): FrontendSide {
  const parsed = EcaOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `eca options: ${z.prettifyError(parsed.error)}`);
  return {
    key: 'eca',
    isMultiplexed: true,
    connection: (session) => createConnection(env, session),
    projection: (session, dialect) => createProjection(session, dialectOf(dialect)),
  };
}

/** Serves editors. */
export const client: ClientAdapter = { ...protocol.client, frontend };
