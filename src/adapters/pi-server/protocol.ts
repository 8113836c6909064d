// The facts about `pi-server` that are known without its code.
import type { Protocol } from '../../core/contract/adapter/adapter.ts';
import { clientEvents } from '../pi/client-events.ts';

/** pi-server 1.0.0. */
export const protocol = {
  id: 'pi-server',
  title: 'pi-server, many sessions over one connection',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: clientEvents,
    commands: [
      'create-session',
      'delete-session',
      'list-sessions',
      'list-stored-sessions',
      'load-session',
      'prompt',
      'steer',
      'follow-up',
      'abort',
      'answer-approval',
      'answer-dialog',
      'compact',
      'bash',
      'set-model',
      'cycle-model',
      'set-thinking',
      'cycle-thinking',
      'set-auto',
      'set-name',
      'new-session',
      'switch-session',
      'fork',
      'export',
      'query',
    ],
  },
  client: { hasSettings: true, replaysHistory: false },
  agent: {},
} satisfies Protocol;
