// The agent side of `pi`.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { readOptions } from './backend/options.ts';
import { withInstructions } from './instructions.ts';
import { protocol } from './protocol.ts';
import { storedFormat } from './stored-session.ts';

/** Speaks to pi in RPC mode. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, _folders, _name, resume) => createBackend(env, readOptions(options), resume),
  withInstructions,
  resumes: {
    fault: () => 'is not the path of a session file',
    // A path is taken as a path if it has a slash (docs/protocols/pi.md 13.1).
    launch: (start, file) => ({ ...start, argv: [...start.argv, '--session', file] }),
  },
  stored: storedFormat,
};
