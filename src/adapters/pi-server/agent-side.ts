// The agent side of `pi-server`.
import type { AgentAdapter } from '../../core/contract/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { multiplexing } from './backend/frames.ts';
import { agentOptions } from './backend/options.ts';
import { protocol } from './protocol.ts';

/** Speaks to a pi-server. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, folders, name) => createBackend(env, agentOptions(options), folders, name),
  multiplexing,
};
