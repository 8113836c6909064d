// The facts about `claude` and `rpc-message` that are known without their code.
import type { Protocol } from '../../core/contract/adapter/adapter.ts';

const framing = { stdio: 'jsonl', websocket: 'lines', sse: 'event-stream' } as const;

/** The events that both dialects can express. */
const sharedEvents = [
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
  'error',
] as const;
const sharedCommands = ['prompt', 'compact', 'abort', 'set-model', 'set-mode', 'set-thinking', 'query'] as const;

/** The native format of the SDK and of Claude Code. */
export const protocol = {
  id: 'claude',
  title: 'Claude Agent SDK messages (stream_event, assistant, user, result)',
  framing,
  can: {
    events: [
      ...sharedEvents,
      'run-start',
      'approval-request',
      'approval-end',
      'dialog-request',
      'dialog-end',
      'notice',
      'compaction-start',
      'compaction-end',
      'retry-start',
      'retry-end',
      'session-changed',
      'tool-server-changed',
      'task-changed',
      'plan-changed',
      'usage-changed',
      'unknown',
    ],
    commands: [...sharedCommands, 'answer-approval', 'answer-dialog', 'set-instructions', 'set-name', 'unknown'],
  },
  client: {},
  agent: { takesInstructions: true, takesToolServers: true },
} satisfies Protocol;

/** The RpcMessage front end: clients only. */
export const rpcMessageProtocol = {
  id: 'rpc-message',
  title: 'RpcMessage, the Claude format as the front end of claude-code-plus reads it',
  framing: { ...framing, websocket: 'text' },
  can: { events: sharedEvents, commands: sharedCommands },
  client: {},
} satisfies Protocol;
