// The adapter `anthropic`: the Messages API as a chat agent. Backend only; clients of this kind use the adapter
// `claude`.
import type { Adapter } from '../../core/contract/adapter.ts';
import { connectApi } from './api.ts';
import { createBackend } from './backend.ts';
import { withInstructions, parseOptions } from './options.ts';

/** The Anthropic Messages API, through its library. Options: see options.ts and the README. */
export const anthropic: Adapter = {
  id: 'anthropic',
  title: 'chat with the Anthropic Messages API, no tools; needs a key in the environment',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: [
      'run-start',
      'run-end',
      'turn-start',
      'turn-end',
      'message-added',
      'history-reset',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'tool-end',
      'notice',
      'retry-start',
      'retry-end',
      'session-changed',
      'unknown',
    ],
    commands: [
      'prompt',
      'abort',
      'set-model',
      'cycle-model',
      'set-thinking',
      'cycle-thinking',
      'set-auto',
      'new-session',
      'query',
    ],
  },
  agent: {
    connect: (options, ports) => connectApi(parseOptions(options), ports),
    backend: (env, options) => createBackend(env, parseOptions(options)),
    withInstructions: (start, instructions) => ({ ...start, options: withInstructions(start.options, instructions) }),
  },
};
