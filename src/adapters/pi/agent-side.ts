// The agent side of `pi`.
import type { AgentAdapter } from '../../core/contract/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { readOptions } from './backend/options.ts';
import { withInstructions } from './instructions.ts';
import { protocol } from './protocol.ts';
import { storedFormat } from './stored-session.ts';

/** Speaks to pi in RPC mode. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options) => createBackend(env, readOptions(options)),
  withInstructions,
  stored: storedFormat,
};
