// The adapter for the pi coding agent in RPC mode.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { client } from './client-side.ts';
import { protocol } from './protocol.ts';

/** pi's RPC protocol in all dialects (docs/protocols/pi.md and docs/protocols/pi-legacy.md). */
export const pi: Adapter = { ...protocol, client, agent };
