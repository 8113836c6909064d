// The agent side of `acp`: ACP agents.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { agentOptions } from './backend/options.ts';
import { protocol } from './protocol.ts';

/** Speaks to ACP agents. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, folders, _name, resume, toolServers) =>
    createBackend(env, agentOptions(options), { folders, resume, toolServers }),
  // An agent looks for the name among its sessions, and nowhere else (docs/protocols/acp.md 3.16).
  resumes: { fault: (name) => (sessionId.test(name) ? null : 'is not the id of a session') },
};

const sessionId = /^[\w.:-]{1,256}$/u;
