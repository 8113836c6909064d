// The adapter `anthropic`: the Messages API as a chat agent. Backend only; clients of this kind use the adapter
// `claude`.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { protocol } from './protocol.ts';

/** The Anthropic Messages API, through its library. */
export const anthropic: Adapter = { ...protocol, agent };
