// The adapter `demo`: a scripted agent inside the gateway, for trying every path of a client without a key or a
// network. It has no wire and no clients of its own.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { protocol } from './protocol.ts';

/** The built-in demo agent. */
export const demo: Adapter = { ...protocol, agent };
