// The facts about `pi-legacy` that are known without its code.
import type { Protocol } from '../../core/contract/adapter/adapter.ts';

/** pi's first RPC protocol. */
export const protocol = {
  id: 'pi-legacy',
  title: 'pi coding agent 0.13.2, RPC mode without responses',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: [
      'run-start',
      'run-end',
      'turn-start',
      'turn-end',
      'message-added',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'tool-start',
      'tool-end',
      'notice',
      'compaction-start',
      'compaction-end',
      'error',
      'unknown',
    ],
    commands: ['prompt', 'abort', 'compact'],
  },
  client: { acceptsEmptyFrames: true },
  agent: { takesInstructions: true },
} satisfies Protocol;
