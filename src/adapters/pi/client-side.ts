// The client side of `pi`.
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import { readClientOptions } from './frontend/dialect.ts';
import { createConnection } from './frontend/frontend.ts';
import { createProjection } from './projection/projection.ts';
import { protocol } from './protocol.ts';

/** Serves clients of pi in RPC mode. */
export const client: ClientAdapter = {
  ...protocol.client,
  frontend(_env, options) {
    const { dialect } = readClientOptions(options);
    return {
      key: dialect,
      connection: (session) => createConnection(session),
      projection: (session) => createProjection(session, { dialect }),
    };
  },
};
