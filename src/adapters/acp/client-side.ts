// The client side of `acp`: editors and other clients of version 1.
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { dialectOf } from './frontend/dialect.ts';
import { createConnection } from './frontend/frontend.ts';
import { createProjection } from './projection/projection.ts';
import { protocol } from './protocol.ts';

/** Serves ACP clients. */
export const client: ClientAdapter = {
  ...protocol.client,
  frontend(env, options) {
    const [option] = Object.keys(options);
    if (option !== undefined) throw new GatewayError('invalid', `acp has no option ${option.slice(0, 64)}`);
    return {
      key: 'acp',
      isMultiplexed: true,
      connection: (session) => createConnection(env, session),
      projection: (session, dialect) => createProjection(session, dialectOf(dialect)),
    };
  },
};
