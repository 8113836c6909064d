// The client side of `pi-legacy`.
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import { createProjection } from '../pi/projection/projection.ts';
import { createConnection } from './frontend.ts';
import { checkClientOptions } from './options.ts';
import { protocol } from './protocol.ts';

/** Serves clients of pi 0.12.7 to 0.13.2. */
export const client: ClientAdapter = {
  ...protocol.client,
  frontend(_env, options) {
    checkClientOptions(options);
    return {
      key: '',
      connection: (session) => createConnection(session),
      projection: (session) => createProjection(session, { dialect: 'legacy' }),
    };
  },
};
