// The Claude Agent SDK's message format (docs/protocols/claude.md), and its RpcMessage dialect
// (docs/protocols/rpc-message.md).
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { client, envelope } from './client-side.ts';
import { protocol, rpcMessageProtocol } from './protocol.ts';
import { client as rpcMessageClient } from './rpc-message-side.ts';

/** The native format of the SDK and of Claude Code. */
export const claude: Adapter = { ...protocol, client, agent, envelope };

/**
 * The RpcMessage front end: five frame types, no nulls, two spellings of a tool call. The client cannot be asked
 * anything.
 */
export const rpcMessage: Adapter = { ...rpcMessageProtocol, client: rpcMessageClient };
