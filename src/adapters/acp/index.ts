// ACP, the Agent Client Protocol (docs/protocols/acp.md): both sides.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { agent } from './agent-side.ts';
import { client } from './client-side.ts';
import { protocol } from './protocol.ts';

/** ACP. */
export const acp: Adapter = { ...protocol, agent, client };
