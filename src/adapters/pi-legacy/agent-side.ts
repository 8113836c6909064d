// The agent side of `pi-legacy`.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { withInstructions } from '../pi/instructions.ts';
import { createBackend } from './backend.ts';
import { readAgentOptions } from './options.ts';
import { protocol } from './protocol.ts';

/** Speaks to pi 0.12.7 to 0.13.2. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options) => createBackend(env, readAgentOptions(options)),
  withInstructions,
};
