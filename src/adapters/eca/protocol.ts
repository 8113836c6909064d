// The facts about `eca` that are known without its code.
import type { Protocol } from '../../core/contract/adapter/adapter.ts';
import { clientEvents } from './client-events.ts';

/** ECA: editors of both eras as clients, ECA servers as agents. */
export const protocol = {
  id: 'eca',
  title: 'ECA, the protocol of the Editor Code Assistant and its editors',
  framing: { stdio: 'content-length', websocket: 'text', sse: 'event-stream' },
  can: {
    events: [...clientEvents, 'turn-start', 'turn-end'],
    commands: [
      'create-session',
      'prompt',
      'steer',
      'abort',
      'answer-approval',
      'answer-dialog',
      'set-model',
      'set-mode',
      'set-thinking',
      'set-name',
      'set-trust',
      'set-tool-server',
      'new-session',
      'delete-session',
      'query',
      'unknown',
    ],
  },
  client: {},
  agent: { keepsConversations: true },
} satisfies Protocol;
