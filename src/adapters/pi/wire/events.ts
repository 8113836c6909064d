// Every event line that pi prints, in all versions (docs/protocols/pi.md 1.6, 6, 7, 9; docs/protocols/pi-legacy.md
// 2.1). Loose objects: unknown keys stay.
import { z } from 'zod';
import { AnyMessage, Block, ToolOutput } from './values.ts';

const contentIndex = z.number().int().nonnegative();
const piece = <Type extends string>(type: Type) =>
  z.looseObject({ type: z.literal(type), contentIndex, delta: z.string() });
const opener = <Type extends string>(type: Type) => z.looseObject({ type: z.literal(type), contentIndex });
const ending = <Type extends string>(type: Type) =>
  z.looseObject({ type: z.literal(type), contentIndex, content: z.string() });

/** The content of a `message_update`, by its type (docs/protocols/pi-legacy.md 2.3, 2.4). */
export const updateSchemas = {
  text_start: opener('text_start'),
  text_delta: piece('text_delta'),
  text_end: ending('text_end'),
  thinking_start: opener('thinking_start'),
  thinking_delta: piece('thinking_delta'),
  thinking_end: ending('thinking_end'),
  /** `id` and `toolName` since 0.84.3; before, only inside `partial`. */
  toolcall_start: z.looseObject({
    type: z.literal('toolcall_start'),
    contentIndex,
    id: z.string().optional(),
    toolName: z.string().optional(),
  }),
  toolcall_delta: piece('toolcall_delta'),
  toolcall_end: z.looseObject({ type: z.literal('toolcall_end'), contentIndex, toolCall: Block }),
} as const;

export const AssistantMessageEvent = z.discriminatedUnion('type', [
  updateSchemas.text_start,
  updateSchemas.text_delta,
  updateSchemas.text_end,
  updateSchemas.thinking_start,
  updateSchemas.thinking_delta,
  updateSchemas.thinking_end,
  updateSchemas.toolcall_start,
  updateSchemas.toolcall_delta,
  updateSchemas.toolcall_end,
]);
export type AssistantMessageEvent = z.infer<typeof AssistantMessageEvent>;

function line<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...shape });
}

const tool = { toolCallId: z.string(), toolName: z.string() };
const compactionEnd = {
  reason: z.string().optional(),
  result: z.looseObject({ summary: z.string().optional(), tokensBefore: z.number().nullish() }).nullish(),
  aborted: z.boolean().optional(),
  willRetry: z.boolean().optional(),
  errorMessage: z.string().optional(),
};

/** Event lines by their `type`. Other types pass as `unknown` events. */
export const eventSchemas = {
  agent_start: line('agent_start', {}),
  /** `willRetry` since 0.87. Its presence means that `agent_settled` follows. */
  agent_end: line('agent_end', { messages: z.array(z.unknown()).optional(), willRetry: z.boolean().optional() }),
  /** Since 0.80.4; `aborted` since 1.1.0. */
  agent_settled: line('agent_settled', { aborted: z.boolean().optional() }),
  turn_start: line('turn_start', {}),
  turn_end: line('turn_end', {}),
  message_start: line('message_start', { message: AnyMessage }),
  /**
   * `message` and `assistantMessageEvent.partial` until 0.83, `usage` since 0.84.2: snapshots, never read as content.
   */
  message_update: line('message_update', { assistantMessageEvent: z.looseObject({ type: z.string() }) }),
  message_end: line('message_end', { message: AnyMessage }),
  tool_execution_start: line('tool_execution_start', { ...tool, args: z.unknown().optional() }),
  tool_execution_update: line('tool_execution_update', { ...tool, partialResult: ToolOutput }),
  tool_execution_end: line('tool_execution_end', {
    ...tool,
    result: ToolOutput.optional(),
    isError: z.boolean().optional(),
    durationMs: z.number().optional(),
  }),
  /** 0.13.2 only: a whole compaction as one line, after it ended. */
  compaction: line('compaction', {
    summary: z.string(),
    tokensBefore: z.number().optional(),
    auto: z.boolean().optional(),
  }),
  auto_compaction_start: line('auto_compaction_start', { reason: z.string().optional() }),
  auto_compaction_end: line('auto_compaction_end', compactionEnd),
  compaction_start: line('compaction_start', { reason: z.string().optional() }),
  compaction_end: line('compaction_end', compactionEnd),
  auto_retry_start: line('auto_retry_start', {
    attempt: z.number(),
    maxAttempts: z.number(),
    delayMs: z.number(),
    errorMessage: z.string().optional(),
  }),
  auto_retry_end: line('auto_retry_end', {
    success: z.boolean(),
    attempt: z.number(),
    finalError: z.string().optional(),
  }),
  queue_update: line('queue_update', { steering: z.array(z.string()), followUp: z.array(z.string()) }),
  session_info_changed: line('session_info_changed', { name: z.string().nullish() }),
  thinking_level_changed: line('thinking_level_changed', { level: z.string() }),
  bash_execution_update: line('bash_execution_update', { id: z.string().optional(), delta: z.string() }),
  extension_error: line('extension_error', { error: z.string() }),
  /** 0.13.2 only: a line of the gateway that pi could not read. */
  error: line('error', { error: z.string() }),
} as const;

export type EventLine<Type extends keyof typeof eventSchemas> = z.infer<(typeof eventSchemas)[Type]>;
