// The shapes of native Claude frames: required keys only, more are allowed (docs/protocols/claude.md 4, 7).
import { z } from 'zod';

const text = z.string();
const Counts = z.looseObject({ input_tokens: z.number(), output_tokens: z.number() });
const AllCounts = Counts.extend({ cache_read_input_tokens: z.number(), cache_creation_input_tokens: z.number() });

/** A content block, open or complete. */
export const Block = z.looseObject({ type: text });
export type Block = z.infer<typeof Block>;

const index = z.int().min(0);
const delta = z.looseObject({ type: text });

/** The fields of a stream event that the order depends on; {@link strictEvents} has the rest. */
export const StreamEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: z.looseObject({ id: text }) }),
  z.looseObject({ type: z.literal('content_block_start'), index, content_block: Block }),
  z.looseObject({ type: z.literal('content_block_delta'), index, delta }),
  z.looseObject({ type: z.literal('content_block_stop'), index }),
  z.looseObject({ type: z.literal('message_delta'), delta: z.looseObject({ stop_reason: text.nullable() }) }),
  z.looseObject({ type: z.literal('message_stop') }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;

const MessageStart = z.looseObject({
  id: text.min(1),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text.min(1),
  content: z.array(z.never()),
  stop_reason: z.null(),
  stop_sequence: z.null(),
  usage: Counts,
});

/** Fields that no order depends on, but that client parsers require. */
export const strictEvents: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['message_start', z.looseObject({ message: MessageStart })],
  [
    'message_delta',
    z.looseObject({
      delta: z.looseObject({ stop_sequence: text.nullable() }),
      usage: z.looseObject({ output_tokens: z.number() }),
    }),
  ],
]);

/** Null on the main thread. A missing key violates the shape and then counts as null. */
const parent = { parent_tool_use_id: text.nullish() };
/** The strict form of that key. */
export const WithParent = z.looseObject({ parent_tool_use_id: text.nullable() });

/** A stream event in its envelope. */
export const StreamFrame = z.looseObject({ type: z.literal('stream_event'), event: StreamEvent, ...parent });
export type StreamFrame = z.infer<typeof StreamFrame>;

/** An assistant frame: one content block of a message. */
export const AssistantFrame = z.looseObject({
  type: z.literal('assistant'),
  message: z.looseObject({ id: text, role: z.literal('assistant'), content: z.array(Block) }),
  ...parent,
});
export type AssistantFrame = z.infer<typeof AssistantFrame>;

/** A user frame of the agent: tool results, or text in the user's role. */
export const UserFrame = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({ role: z.literal('user'), content: z.union([text, z.array(Block)]) }),
  ...parent,
});
export type UserFrame = z.infer<typeof UserFrame>;

/** `system` with subtype `init`: the keys that every client may read. */
export const InitFrame = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  cwd: text,
  tools: z.array(z.unknown()),
  mcp_servers: z.array(z.unknown()),
  model: text,
  permissionMode: text,
  slash_commands: z.array(z.unknown()),
  apiKeySource: text,
  output_style: text,
});

const resultBase = {
  type: z.literal('result'),
  duration_ms: z.number().min(0),
  duration_api_ms: z.number().min(0),
  num_turns: z.int().min(0),
  total_cost_usd: z.number().min(0),
  usage: AllCounts,
};

/** The result of a turn. An API error may be `success` with `is_error` true, as in the real program. */
export const ResultFrame = z.discriminatedUnion('subtype', [
  z.looseObject({ ...resultBase, subtype: z.literal('success'), is_error: z.boolean(), result: text }),
  ...(['error_during_execution', 'error_max_turns'] as const).map((subtype) =>
    z.looseObject({
      ...resultBase,
      subtype: z.literal(subtype),
      is_error: z.literal(true),
      errors: z.array(text).min(1),
    }),
  ),
]);
export type ResultFrame = z.infer<typeof ResultFrame>;

const empty = z.literal('');
/** The start of a block, by type. Other types arrive complete. */
const blockHeads: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['text', z.looseObject({ text: empty })],
  ['thinking', z.looseObject({ thinking: empty, signature: empty })],
  ['tool_use', z.looseObject({ id: text.min(1), name: text.min(1), input: z.strictObject({}) })],
  ['server_tool_use', z.looseObject({ id: text.min(1), name: text.min(1), input: z.strictObject({}) })],
  ['redacted_thinking', z.looseObject({ data: text })],
]);

/** The deltas of each block type, with the key that holds their text. Other types take none. */
export const deltaKinds: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'text',
    new Map([
      ['text_delta', 'text'],
      ['citations_delta', 'citation'],
    ]),
  ],
  [
    'thinking',
    new Map([
      ['thinking_delta', 'thinking'],
      ['signature_delta', 'signature'],
    ]),
  ],
  ['tool_use', new Map([['input_json_delta', 'partial_json']])],
  ['server_tool_use', new Map([['input_json_delta', 'partial_json']])],
]);

/** The first problem that zod reports, as one sentence. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'unknown problem' : `${issue.path.join('.') || 'frame'}: ${issue.message}`;
}

/** What is wrong with the start of a block, or null. */
export function headProblem(head: Block): string | null {
  const error = blockHeads.get(head.type)?.safeParse(head).error;
  return error === undefined ? null : `${head.type}: ${problemOf(error)}`;
}
