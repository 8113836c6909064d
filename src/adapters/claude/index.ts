// The Claude Agent SDK's message format (docs/protocols/claude.md), and its RpcMessage dialect
// (docs/protocols/rpc-message.md).
import { z } from 'zod';
import type { Adapter, Env, FrontendSide, Options } from '../../core/contract/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { agentOptions, withInstructions } from './backend/options.ts';
import { createBackend } from './backend/backend.ts';
import { Dialect } from './frontend/envelope.ts';
import { eventEnvelope } from './event-envelope.ts';
import { createConnection } from './frontend/frontend.ts';
import { allowsPassthrough } from './passable.ts';
import { createProjection } from './projection/projection.ts';

const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

/** The options of a client of this protocol. Values may come from a URL, so they may be strings. */
const ClaudeOptions = z.strictObject({
  dialect: Dialect.optional(),
  /**
   * How frames travel as server-sent events; see event-envelope.ts. Clients with and without the envelope share one
   * stream.
   */
  envelope: z.enum(['sdk']).optional(),
  /** Whether `stream_event` frames are sent. Default: on. */
  partialMessages: Flag.optional(),
  /** Whether each prompt is echoed as it joins the conversation. Default: off. */
  replayUserMessages: Flag.optional(),
  /** Whether frames use the agent's name for the session once it is known, instead of the gateway's. Default: off. */
  agentSessionId: Flag.optional(),
});

function frontend(env: Env, options: Options, preset: Dialect): FrontendSide {
  const parsed = ClaudeOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `claude options: ${z.prettifyError(parsed.error)}`);
  const dialect = parsed.data.dialect ?? preset;
  const { partialMessages = true, replayUserMessages = false, agentSessionId = false } = parsed.data;
  const marks = `${replayUserMessages ? ' echo' : ''}${agentSessionId ? ' agent' : ''}`;
  const spoken = { dialect, replayUserMessages, agentSessionId };
  return {
    key: `${dialect} ${partialMessages ? 'partial' : 'whole'}${marks}`,
    connection: (session) => createConnection(env, spoken, session),
    projection: (session) => createProjection(session, { ...spoken, partialMessages }),
  };
}

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
export const claude: Adapter = {
  id: 'claude',
  title: 'Claude Agent SDK messages (stream_event, assistant, user, result)',
  framing,
  envelope: eventEnvelope,
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
      'usage-changed',
      'unknown',
    ],
    commands: [...sharedCommands, 'answer-approval', 'answer-dialog', 'set-instructions', 'set-name', 'unknown'],
  },
  client: { frontend: (env, options) => frontend(env, options, 'claude') },
  agent: {
    backend: (env, options) => createBackend(env, agentOptions(options)),
    allowsPassthrough,
    withInstructions,
  },
};

/**
 * The RpcMessage front end: five frame types, no nulls, two spellings of a tool call. The client cannot be asked
 * anything.
 */
export const rpcMessage: Adapter = {
  id: 'rpc-message',
  title: 'RpcMessage, the Claude format as the front end of claude-code-plus reads it',
  framing: { ...framing, websocket: 'text' },
  can: { events: sharedEvents, commands: sharedCommands },
  client: { frontend: (env, options) => frontend(env, options, 'rpc-message') },
};
