// The agent side of `eca`: ECA servers.
import type { AgentAdapter } from '../../core/contract/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { agentOptions } from './backend/options.ts';
import { protocol } from './protocol.ts';

export { eventEnvelope as envelope } from './event-envelope.ts';

/** Speaks to ECA servers. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, folders) => createBackend(env, agentOptions(options), folders),
};
