// ECA, the protocol of the Editor Code Assistant (docs/protocols/eca.md): editors as clients, ECA servers as agents.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { client, envelope } from './client-side.ts';
import { protocol } from './protocol.ts';

/** ECA. */
export const eca: Adapter = { ...protocol, client, agent, envelope };
