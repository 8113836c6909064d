// The agent side of `anthropic`. Options: see options.ts and the README.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { connectApi } from './api.ts';
import { createBackend } from './backend.ts';
import { parseOptions, withInstructions } from './options.ts';
import { protocol } from './protocol.ts';

/** Chats with the Messages API through its library. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  connect: (options, ports) => connectApi(parseOptions(options), ports),
  backend: (env, options) => createBackend(env, parseOptions(options)),
  withInstructions: (start, instructions) => ({ ...start, options: withInstructions(start.options, instructions) }),
};
