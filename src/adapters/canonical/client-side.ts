// The client side of `canonical`.
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createConnection } from './frontend.ts';
import { createProjection } from './projection.ts';
import { protocol } from './protocol.ts';

/** Serves clients that speak the model itself. */
export const client: ClientAdapter = {
  ...protocol.client,
  frontend(_env, options) {
    const [option] = Object.keys(options);
    if (option !== undefined) throw new GatewayError('invalid', `canonical has no option ${option.slice(0, 64)}`);
    return {
      key: '',
      isMultiplexed: true,
      connection: (session) => createConnection(session),
      projection: (session) => createProjection(session),
    };
  },
};
