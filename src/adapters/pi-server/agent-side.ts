// The agent side of `pi-server`.
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { multiplexing } from './backend/frames.ts';
import { agentOptions } from './backend/options.ts';
import { protocol } from './protocol.ts';

/** Speaks to a pi-server. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend: (env, options, folders, name, resume) => createBackend(env, agentOptions(options), folders, name, resume),
  multiplexing,
  resumes: {
    // The file is on the machine of the server, which looks whether it is there (docs/protocols/pi-server.md 20.2).
    fault: (path) =>
      sessionPath.test(path) && !path.split('/').includes('..') && path.length <= 4096
        ? null
        : 'is not the path of a session file below .pi/agent/sessions or .pi/sessions',
  },
};

const sessionPath = /^\/(?:[^\0]*\/)?\.pi\/(?:agent\/)?sessions\/[^\0]*[^/\0]\.jsonl?$/u;
