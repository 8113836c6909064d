// pi's answers to commands: the envelope, and `data` by command (docs/protocols/pi.md 4, 5).
import { z } from 'zod';
import { WireModel, WireUsage } from './values.ts';

/** The envelope. `id` is any JSON value that the client sent, and is absent if pi could not identify the command. */
export const Response = z.looseObject({
  type: z.literal('response'),
  id: z.unknown().optional(),
  command: z.unknown().optional(),
  success: z.boolean(),
  data: z.unknown().optional(),
  error: z.string().optional(),
});
export type Response = z.infer<typeof Response>;

const cancelled = z.looseObject({ cancelled: z.boolean() });
const queueMode = z.enum(['all', 'one-at-a-time']);
const models = z.looseObject({ models: z.array(WireModel) });

/** `data` of a successful response, by command. Commands not listed answer without data. */
export const dataSchemas = {
  /** `disposition` since 0.99: started, queued or handled. */
  prompt: z.looseObject({ disposition: z.string().optional() }),
  new_session: cancelled,
  switch_session: cancelled,
  fork: z.looseObject({ text: z.string().optional(), cancelled: z.boolean() }),
  get_state: z.looseObject({
    model: WireModel.nullish(),
    thinkingLevel: z.string().optional(),
    isStreaming: z.boolean(),
    isCompacting: z.boolean().optional(),
    steeringMode: queueMode.optional(),
    followUpMode: queueMode.optional(),
    sessionFile: z.string().nullish(),
    sessionId: z.string().optional(),
    sessionName: z.string().nullish(),
    autoCompactionEnabled: z.boolean().optional(),
    messageCount: z.number().optional(),
    pendingMessageCount: z.number().optional(),
    /** Only from servers that embed pi. */
    createdAt: z.string().optional(),
  }),
  get_messages: z.looseObject({ messages: z.array(z.unknown()) }),
  set_model: WireModel,
  /** null if there is no other model. */
  cycle_model: z.looseObject({ model: WireModel, thinkingLevel: z.string().optional() }).nullable(),
  get_available_models: models,
  cycle_thinking_level: z.looseObject({ level: z.string() }).nullable(),
  get_available_thinking_levels: z.looseObject({ levels: z.array(z.string()) }),
  compact: z.looseObject({ summary: z.string(), tokensBefore: z.number().nullish() }),
  /** `output` on every observed wire; the document has `stdout` and `stderr`. `exitCode` is absent if cancelled. */
  bash: z.looseObject({
    output: z.string().optional(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    exitCode: z.number().nullish(),
    cancelled: z.boolean().optional(),
    truncated: z.boolean().optional(),
  }),
  /** `contextUsage` since 0.87. Its `tokens` are null if pi cannot tell, for example after a compaction. */
  get_session_stats: z.looseObject({
    userMessages: z.number(),
    assistantMessages: z.number(),
    toolCalls: z.number(),
    toolResults: z.number(),
    totalMessages: z.number(),
    tokens: WireUsage,
    cost: z.number().nullish(),
    contextUsage: z.looseObject({ tokens: z.number().nullish(), contextWindow: z.number().nullish() }).nullish(),
  }),
  export_html: z.looseObject({ path: z.string() }),
  get_fork_messages: z.looseObject({ messages: z.array(z.looseObject({ entryId: z.string(), text: z.string() })) }),
  /** `text` is absent if there is no text yet. */
  get_last_assistant_text: z.looseObject({ text: z.string().nullish() }),
  get_commands: z.looseObject({
    commands: z.array(
      z.looseObject({ name: z.string(), description: z.string().optional(), source: z.string().optional() }),
    ),
  }),
  clear_queue: z.looseObject({ steering: z.array(z.unknown()), followUp: z.array(z.unknown()) }),
} as const;

export type StateData = z.infer<typeof dataSchemas.get_state>;
