// The facts about `pi` that are known without its code.
import type { Protocol } from '../../core/contract/adapter/adapter.ts';
import { clientEvents } from './client-events.ts';

/** pi's RPC protocol. */
export const protocol = {
  id: 'pi',
  title: 'pi coding agent, RPC mode',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: clientEvents,
    commands: [
      'prompt',
      'steer',
      'follow-up',
      'abort',
      'clear-queue',
      'answer-approval',
      'answer-dialog',
      'compact',
      'bash',
      'set-model',
      'cycle-model',
      'set-thinking',
      'cycle-thinking',
      'set-queue-mode',
      'set-auto',
      'set-name',
      'new-session',
      'switch-session',
      'fork',
      'export',
      'query',
      'unknown',
    ],
  },
  client: { acceptsEmptyFrames: true },
  agent: { takesInstructions: true },
} satisfies Protocol;
