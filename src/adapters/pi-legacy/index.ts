// The adapter for pi 0.12.7 to 0.13.2 in RPC mode.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { client } from './client-side.ts';
import { protocol } from './protocol.ts';

/** pi's first RPC protocol: three commands, events, no responses (docs/protocols/pi-legacy.md). */
export const piLegacy: Adapter = { ...protocol, client, agent };
