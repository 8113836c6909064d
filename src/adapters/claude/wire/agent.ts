// The frames that a Claude-format agent sends (docs/protocols/claude.md 3, 4, 6; docs/protocols/rpc-message.md 1 to 3).
// The schemas are tolerant: unknown keys are kept, null counts as absent, and fields of the rpc-message dialect are
// optional.
import { z } from 'zod';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const figure = z.number().nullish();
const record = z.record(z.string(), z.unknown());

/** Any frame with a type. */
export const AgentFrame = z.looseObject({ type: z.string() });
export type AgentFrame = z.infer<typeof AgentFrame>;

/** Token counts in the fields of the Messages API. */
export const AgentUsage = z.looseObject({
  input_tokens: figure,
  output_tokens: figure,
  cache_read_input_tokens: figure,
  cache_creation_input_tokens: figure,
});
export type AgentUsage = z.infer<typeof AgentUsage>;

/** A content block of any type. */
export const AgentBlock = z.looseObject({ type: z.string() });
export type AgentBlock = z.infer<typeof AgentBlock>;

/** A message of the model: empty at the start of its stream, or with one or several blocks. */
export const AgentMessage = z.looseObject({
  id: text,
  model: text,
  content: z.union([z.string(), z.array(AgentBlock)]).nullish(),
  usage: AgentUsage.nullish(),
  stop_reason: text,
});
export type AgentMessage = z.infer<typeof AgentMessage>;

const lane = { parent_tool_use_id: text, uuid: text, session_id: text };

/** Whole blocks of a message, usually one. */
export const AssistantFrame = z.looseObject({
  ...lane,
  type: z.literal('assistant'),
  /** The message's id in the rpc-message dialect. */
  id: text,
  message: AgentMessage,
  aborted: flag,
  is_api_error_message: flag,
  api_error_status: figure,
});
export type AssistantFrame = z.infer<typeof AssistantFrame>;

/** Tool results, and messages that the agent writes in the user's name. */
export const AgentUserFrame = z.looseObject({
  ...lane,
  type: z.literal('user'),
  message: z.looseObject({ content: z.union([z.string(), z.array(AgentBlock)]).nullish() }),
  isReplay: flag,
  isSynthetic: flag,
});
export type AgentUserFrame = z.infer<typeof AgentUserFrame>;

/** The result of a tool call. */
export const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(AgentBlock)]).nullish(),
  is_error: flag,
});
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;

/** One event of a streaming message. */
export const StreamEventFrame = z.looseObject({ ...lane, type: z.literal('stream_event'), event: AgentFrame });

/** The stream events by type. Others are passed on. */
export const streamEvents = {
  message_start: z.looseObject({ message: AgentMessage.nullish() }),
  content_block_start: z.looseObject({ index: z.number(), content_block: AgentBlock }),
  content_block_delta: z.looseObject({
    index: z.number(),
    delta: z.looseObject({ type: z.string(), text, thinking: text, partial_json: text, signature: text }),
  }),
  content_block_stop: z.looseObject({ index: z.number() }),
  message_delta: z.looseObject({ delta: z.looseObject({ stop_reason: text }).nullish(), usage: AgentUsage.nullish() }),
  message_stop: z.looseObject({}),
} as const;

/** The end of a turn (docs/protocols/claude.md 7.1). */
export const ResultFrame = z.looseObject({
  type: z.literal('result'),
  subtype: text,
  is_error: flag,
  result: z.unknown().optional(),
  errors: z.array(z.unknown()).nullish(),
  total_cost_usd: figure,
  terminal_reason: text,
  api_error_status: figure,
});
export type ResultFrame = z.infer<typeof ResultFrame>;

/** An error message (docs/protocols/rpc-message.md 3.2). */
export const ErrorFrame = z.looseObject({ type: z.literal('error'), message: z.string() });

/** An MCP server, as listed by `init` and `mcp_status`. */
export const AgentServer = z.looseObject({ name: z.string(), status: text });

/** The `system` frames that have a canonical meaning, by subtype. Others are passed on. */
export const systemFrames = {
  init: z.looseObject({
    session_id: text,
    cwd: text,
    tools: z.array(z.string()).nullish(),
    mcp_servers: z.array(AgentServer).nullish(),
    model: text,
    permissionMode: text,
    slash_commands: z.array(z.string()).nullish(),
  }),
  status: z.looseObject({ status: text, permissionMode: text, compact_result: text, compact_error: text }),
  compact_boundary: z.looseObject({
    compact_metadata: z.looseObject({ trigger: text, pre_tokens: figure, post_tokens: figure }).nullish(),
  }),
  api_retry: z.looseObject({
    attempt: z.number(),
    max_retries: figure,
    retry_delay_ms: figure,
    error_status: figure,
    error: text,
  }),
  /** A subtype of the gateway itself (system-frames.ts): the agent may be another gateway. */
  notice: z.looseObject({
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    source: z.enum(['agent', 'extension', 'gateway']).nullish(),
  }),
  task_started: z.looseObject({ task_id: z.string(), tool_use_id: text, description: text }),
  task_progress: z.looseObject({ task_id: z.string(), tool_use_id: text, description: text }),
  task_updated: z.looseObject({ task_id: z.string(), patch: z.looseObject({ status: text }).nullish() }),
  task_notification: z.looseObject({ task_id: z.string(), tool_use_id: text, status: text, summary: text }),
} as const;

/** A request of the agent to its client. */
export const AgentRequestFrame = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
export type AgentRequestFrame = z.infer<typeof AgentRequestFrame>;

/** Asks whether a tool may run (docs/protocols/claude.md 3.5). */
export const CanUseTool = z.looseObject({
  subtype: z.literal('can_use_tool'),
  tool_name: z.string(),
  input: record.nullish(),
  tool_use_id: text,
  permission_suggestions: z.array(z.unknown()).nullish(),
  title: text,
  description: text,
});
export type CanUseTool = z.infer<typeof CanUseTool>;

/** The input of Claude Code's own tool for questions. */
export const AskedQuestions = z.looseObject({
  questions: z
    .array(
      z.looseObject({
        question: z.string(),
        header: text,
        options: z.array(z.looseObject({ label: z.string() })).nullish(),
        multiSelect: flag,
      }),
    )
    .min(1),
});
export type AskedQuestions = z.infer<typeof AskedQuestions>;

/** Withdraws a request. */
export const AgentCancelFrame = z.looseObject({ type: z.literal('control_cancel_request'), request_id: z.string() });

/** The answer to a request of the gateway. */
export const AgentResponseFrame = z.looseObject({
  type: z.literal('control_response'),
  response: z.looseObject({
    subtype: z.string(),
    request_id: z.string(),
    response: z.unknown().optional(),
    error: z.unknown().optional(),
    error_code: text,
  }),
});
export type AgentResponseFrame = z.infer<typeof AgentResponseFrame>;

/** The agent's answer to `initialize` (docs/protocols/claude.md 3.2). */
export const InitializeAnswer = z.looseObject({
  commands: z.array(z.looseObject({ name: z.string(), description: text, argumentHint: text })).nullish(),
  models: z.array(z.looseObject({ value: z.string(), displayName: text, resolvedModel: text })).nullish(),
  current_permission_mode: text,
});
export type InitializeAnswer = z.infer<typeof InitializeAnswer>;

/** The faults of a frame in one line, without the frame's content. */
export function faultIn(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'malformed' : `${issue.path.join('.') || 'it'}: ${issue.message}`.slice(0, 200);
}
