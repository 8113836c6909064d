// All check sets, by protocol and side.

import { acpAgent } from './acp/agent.ts';
import { acpClient } from './acp/client.ts';
import type { AgentSet, CheckSet, ClientSet } from './check/sets.ts';
import { claudeAgent } from './claude/agent.ts';
import { claudeClient } from './claude/client.ts';
import { ecaAgent } from './eca/agent.ts';
import { ecaClient } from './eca/client.ts';
import { piAgent } from './pi/agent.ts';
import { piClient } from './pi/client.ts';
import { piLegacyAgent } from './pi-legacy/agent.ts';
import { piLegacyClient } from './pi-legacy/client.ts';
import { piServerAgent } from './pi-server/agent.ts';
import { piServerClient } from './pi-server/client.ts';
import { rpcMessageAgent } from './rpc-message/agent.ts';
import { rpcMessageClient } from './rpc-message/client.ts';

/** Every set, in display order. */
export const sets: readonly CheckSet[] = [
  ...[piAgent, piClient],
  ...[piLegacyAgent, piLegacyClient],
  ...[piServerAgent, piServerClient],
  ...[claudeAgent, claudeClient],
  ...[rpcMessageAgent, rpcMessageClient],
  ...[ecaAgent, ecaClient],
  ...[acpAgent, acpClient],
];

/** The agent checks of a protocol; undefined if there are none. */
export function agentSetOf(protocol: string): AgentSet | undefined {
  return sets.filter((set) => set.side === 'agent').find((set) => set.protocol === protocol);
}

/** The client checks of a protocol; undefined if there are none. */
export function clientSetOf(protocol: string): ClientSet | undefined {
  return sets.filter((set) => set.side === 'client').find((set) => set.protocol === protocol);
}
