// The values of the pi wire: content blocks, usage, messages of every role. Loose: a newer pi may add keys.
import { z } from 'zod';

/** A figure. pi computes some from missing prices, and JSON turns the NaN into null. */
const figure = z.number().nullish();

/** Any content block. Its fields depend on `type` (docs/protocols/pi-legacy.md 4.5). */
export const Block = z.looseObject({ type: z.string() });
export type Block = z.infer<typeof Block>;

/**
 * Tokens and US dollars of one model call (docs/protocols/pi-legacy.md 4.8; `totalTokens` is on every observed wire).
 */
export const WireUsage = z.looseObject({
  input: figure,
  output: figure,
  cacheRead: figure,
  cacheWrite: figure,
  totalTokens: figure,
  cost: z
    .looseObject({ input: figure, output: figure, cacheRead: figure, cacheWrite: figure, total: figure })
    .nullish(),
});
export type WireUsage = z.infer<typeof WireUsage>;

const text = z.union([z.string(), z.array(Block)]);
const timestamp = z.number().optional();

/**
 * Messages by role. The first three are in docs/protocols/pi-legacy.md 4.1 to 4.3; the others are newer
 * (docs/protocols/pi.md 8.1).
 */
export const messageSchemas = {
  user: z.looseObject({ role: z.literal('user'), content: text, timestamp }),
  assistant: z.looseObject({
    role: z.literal('assistant'),
    content: z.array(Block),
    provider: z.string().optional(),
    model: z.string().optional(),
    usage: WireUsage.optional(),
    stopReason: z.string().optional(),
    errorMessage: z.string().optional(),
    responseId: z.string().optional(),
    timestamp,
  }),
  toolResult: z.looseObject({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.string().optional(),
    content: text,
    isError: z.boolean().optional(),
    timestamp,
  }),
  system: z.looseObject({ role: z.literal('system'), content: text, timestamp }),
  custom: z.looseObject({ role: z.literal('custom'), content: text, timestamp }),
  bashExecution: z.looseObject({
    role: z.literal('bashExecution'),
    command: z.string(),
    output: z.string(),
    timestamp,
  }),
  compactionSummary: z.looseObject({ role: z.literal('compactionSummary'), summary: z.string(), timestamp }),
  branchSummary: z.looseObject({ role: z.literal('branchSummary'), summary: z.string(), timestamp }),
} as const;

export type AssistantMessage = z.infer<typeof messageSchemas.assistant>;

/** Any message. Its fields depend on the role. Unknown roles are legal (docs/protocols/pi.md 1.9). */
export const AnyMessage = z.looseObject({ role: z.string() });
export type AnyMessage = z.infer<typeof AnyMessage>;

/** A tool's output: an object, or a plain string for a failed tool in 0.13.2 (docs/protocols/pi.md 9.4). */
export const ToolOutput = z.union([z.string(), z.looseObject({ content: text.optional() })]);
export type ToolOutput = z.infer<typeof ToolOutput>;

/** A model as in get_state, set_model and get_available_models. */
export const WireModel = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  provider: z.string().optional(),
  reasoning: z.boolean().optional(),
  contextWindow: figure,
  maxTokens: figure,
});
export type WireModel = z.infer<typeof WireModel>;

/** The tools in a system message since 0.87 (pi's docs/message-types.md, SystemMessage). */
export const ToolNews = z.looseObject({
  toolsAdded: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional(), parameters: z.unknown() }))
    .optional(),
  toolsRemoved: z.array(z.looseObject({ name: z.string() })).optional(),
});
