// ACP, the Agent Client Protocol (docs/protocols/acp.md): ACP agents.
import type { Adapter } from '../../core/contract/adapter.ts';
import { agent } from './agent-side.ts';
import { protocol } from './protocol.ts';

/** ACP. */
export const acp: Adapter = { ...protocol, agent };
