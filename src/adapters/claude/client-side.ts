// The client side of `claude`.
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import { createSide } from './frontend/side.ts';
import { protocol } from './protocol.ts';

export { eventEnvelope as envelope } from './event-envelope.ts';

/** Serves clients of the SDK's format. */
export const client: ClientAdapter = {
  ...protocol.client,
  frontend: (env, options) => createSide(env, options, 'claude'),
};
