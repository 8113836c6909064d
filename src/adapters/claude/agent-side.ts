// The agent side of `claude`.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { allowsPassthrough } from './allowed-control-frames.ts';
import { createBackend } from './backend/backend.ts';
import { agentOptions, withInstructions } from './backend/options.ts';
import { protocol } from './protocol.ts';

export { eventEnvelope as envelope } from './event-envelope.ts';

/** Speaks to Claude Code and to any other agent with its format. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, _folders, _name, _resume, toolServers) =>
    createBackend(env, agentOptions(options), toolServers),
  allowsPassthrough,
  withInstructions,
  resumes: {
    // Claude Code takes other names for titles and files.
    fault: (name) => (sessionId.test(name) ? null : 'is not a session id of Claude Code, a UUID'),
    launch: (start, id) => ({ ...start, argv: [...start.argv, `--resume=${id}`] }),
  },
};

const sessionId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;
