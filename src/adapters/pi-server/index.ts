// The adapter for pi-server: many sessions of pi over one connection (docs/protocols/pi-server.md).
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { client } from './client-side.ts';
import { protocol } from './protocol.ts';

/** pi-server 1.0.0, with the document's lifecycle and the newer one. */
export const piServer: Adapter = { ...protocol, client, agent };
