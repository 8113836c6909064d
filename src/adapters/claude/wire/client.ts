// The frames that a Claude-format client sends, and the shapes that both sides share (docs/protocols/rpc-message.md 1
// to 3, docs/protocols/claude.md 3). The schemas are tolerant: unknown keys are kept, and the caller refuses unknown
// types.
import { z } from 'zod';

const sources = {
  base64: z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  text: z.looseObject({ type: z.literal('text'), data: z.string() }),
  url: z.looseObject({ type: z.literal('url'), url: z.string() }),
};
const KnownBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), source: z.discriminatedUnion('type', [sources.base64, sources.url]) }),
  z.looseObject({
    type: z.literal('document'),
    title: z.string().nullish(),
    source: z.discriminatedUnion('type', [sources.base64, sources.text, sources.url]),
  }),
]);
const known: ReadonlySet<string> = new Set(KnownBlock.options.map((option) => option.shape.type.value));
const ForeignBlock = z
  .looseObject({ type: z.string().refine((type) => !known.has(type), 'is not what its type says') })
  .transform((block) => ({ type: 'foreign' as const, block }));

/** A block of a user's message. Blocks of other types pass unchanged. */
export const PromptBlock = z.union([KnownBlock, ForeignBlock]);
export type PromptBlock = z.infer<typeof PromptBlock>;

/** A prompt: `{type:"user", message:{role, content}}` (docs/protocols/claude.md 3.3). */
export const UserFrame = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({
    role: z.literal('user').optional(),
    content: z.union([z.string(), z.array(PromptBlock)]),
  }),
  parent_tool_use_id: z.string().nullish(),
  uuid: z.string().nullish(),
});
export type UserFrame = z.infer<typeof UserFrame>;

/** A control request of the client. control-requests.ts reads its parameters. */
export const ControlRequestFrame = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
export type ControlRequestFrame = z.infer<typeof ControlRequestFrame>;

/** The part of a control request that its answer needs, however malformed the rest is. */
export const NamedRequest = z.looseObject({ type: z.literal('control_request'), request_id: z.string() });

/** The client's answer to a `can_use_tool`. */
export const PermissionAnswer = z.discriminatedUnion('behavior', [
  z.looseObject({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(z.unknown()).nullish(),
  }),
  z.looseObject({ behavior: z.literal('deny'), message: z.string().nullish(), interrupt: z.boolean().nullish() }),
]);
export type PermissionAnswer = z.infer<typeof PermissionAnswer>;

/** A permission that a client may choose: the named tools, with any input, until the end of the session. */
export const SessionRules = z.looseObject({
  type: z.literal('addRules'),
  behavior: z.literal('allow'),
  destination: z.literal('session'),
  rules: z.array(z.looseObject({ toolName: z.string(), ruleContent: z.null().optional() })).min(1),
});

/** The answers to questions, by the text of the question. */
export const Answers = z.record(z.string(), z.unknown());
export type Answers = z.infer<typeof Answers>;

/** The answer to a request of the gateway. Its `response` is checked against the request. */
export const ControlResponseFrame = z.looseObject({
  type: z.literal('control_response'),
  response: z.discriminatedUnion('subtype', [
    z.looseObject({ subtype: z.literal('success'), request_id: z.string(), response: z.unknown() }),
    z.looseObject({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
  ]),
});
export type ControlResponseFrame = z.infer<typeof ControlResponseFrame>;

/**
 * Frames that need no answer. `auth` is the browser entry's first line, which the transport has already handled. No
 * client may set the environment of an agent (docs/threats.md T8).
 */
export const SilentFrame = z.looseObject({
  type: z.enum(['keep_alive', 'control_cancel_request', 'auth', 'update_environment_variables']),
});

/** Everything that a client may send. */
export const ClientFrame = z.discriminatedUnion('type', [
  UserFrame,
  ControlRequestFrame,
  ControlResponseFrame,
  SilentFrame,
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

/** A frame to send. Key order is wire order. */
export type WireFrame = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The refusal of a control request, in either direction. */
export function errorAnswer(requestId: string, error: string, code?: string): WireFrame {
  const response = {
    subtype: 'error',
    request_id: requestId,
    error,
    ...(code === undefined ? {} : { error_code: code }),
  };
  return { type: 'control_response', response };
}

/** Token counts in the fields of the Messages API. */
export interface WireUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}
