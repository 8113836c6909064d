// The agent side of `eca`: ECA servers.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { agentOptions } from './backend/options.ts';
import { protocol } from './protocol.ts';

export { eventEnvelope as envelope } from './event-envelope.ts';

/** Speaks to ECA servers. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, folders, _name, resume) => createBackend(env, agentOptions(options), folders, resume),
  // A server looks for the name among its chats, and nowhere else (docs/protocols/eca.md 6.10).
  resumes: { fault: (name) => (chatId.test(name) ? null : 'is not the id of a chat') },
};

const chatId = /^(?!subagent-)[\w.:-]{1,256}$/u;
