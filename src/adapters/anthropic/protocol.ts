// The facts about `anthropic` that are known without its code.
import type { Protocol } from '../../core/contract/adapter/adapter.ts';

/** The Anthropic Messages API: agents only. */
export const protocol = {
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
  agent: { isBuiltIn: true, takesInstructions: true },
} satisfies Protocol;
