// The client side of `rpc-message`.
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import { createSide } from './frontend/side.ts';
import { rpcMessageProtocol } from './protocol.ts';

/** Serves RpcMessage clients. */
export const client: ClientAdapter = {
  ...rpcMessageProtocol.client,
  frontend: (env, options) => createSide(env, options, 'rpc-message'),
};
