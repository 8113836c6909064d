// The nouns of the canonical model: content, usage, cost, stop reasons. Knows no protocol.
import { z } from 'zod';

/**
 * Fields with no canonical home, keyed by the protocol they came from. They return unharmed to the same
 * protocol and are invisible to all others (design rule 3).
 */
export const Extra = z.record(z.string(), z.unknown());
export type Extra = z.infer<typeof Extra>;

/** A plain JSON object whose keys nobody in core reads. */
export const Dictionary = z.record(z.string(), z.unknown());
export type Dictionary = z.infer<typeof Dictionary>;

/** One piece of a whole message or of a tool's result. */
export const Content = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    /** The provider's mark on the text, opaque. */
    signature: z.string().optional(),
    extra: Extra.optional(),
  }),
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    /** The provider's proof of the thinking, opaque. */
    signature: z.string().optional(),
    /** True when the provider hid the text. */
    redacted: z.boolean().optional(),
    extra: Extra.optional(),
  }),
  z.object({
    type: z.literal('tool-call'),
    id: z.string(),
    name: z.string(),
    /** The parsed arguments; `{}` when they never became whole JSON. */
    input: Dictionary,
    /** True when the call was cut while its arguments streamed: it never ran. */
    incomplete: z.boolean().optional(),
    signature: z.string().optional(),
    extra: Extra.optional(),
  }),
  z.object({
    type: z.literal('image'),
    name: z.string().optional(),
    /** Base64 bytes, or a URL when `url` is set instead. */
    data: z.string().optional(),
    url: z.string().optional(),
    mediaType: z.string().optional(),
    extra: Extra.optional(),
  }),
  z.object({
    type: z.literal('document'),
    name: z.string().optional(),
    url: z.string().optional(),
    mediaType: z.string().optional(),
    /** Base64 bytes. */
    data: z.string().optional(),
    /** The text that somebody extracted from it. */
    text: z.string().optional(),
    extra: Extra.optional(),
  }),
  z.object({ type: z.literal('link'), url: z.string(), title: z.string().optional(), extra: Extra.optional() }),
  z.object({
    type: z.literal('opaque'),
    /** The foreign block's own type name, e.g. `redacted_thinking`. */
    name: z.string(),
    protocol: z.string(),
    payload: z.unknown(),
  }),
]);
export type Content = z.infer<typeof Content>;

/** Tokens of one message, or a sum of several. */
export const Usage = z.object({
  /** Uncached input tokens. */
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
export type Usage = z.infer<typeof Usage>;

/** US dollars. `total` is authoritative; the parts are there when the agent says them. */
export const Cost = z.object({
  total: z.number(),
  input: z.number().optional(),
  output: z.number().optional(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
});
export type Cost = z.infer<typeof Cost>;

/** Why a message ended, in our words, with the agent's own word beside it. */
export const Stop = z.object({
  reason: z.enum(['end', 'tool-use', 'length', 'stop-sequence', 'refusal', 'pause', 'aborted', 'error', 'unknown']),
  raw: z.string().optional(),
});
export type Stop = z.infer<typeof Stop>;

/** What went wrong, for people and for programs. */
export const Failure = z.object({
  kind: z.enum(['provider', 'agent', 'limit', 'overflow', 'aborted', 'gateway']),
  message: z.string(),
  /** HTTP status of the model provider, where the agent tells. */
  status: z.number().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** One whole message of the conversation, whoever wrote it. */
export const Message = z.object({
  id: z.string().optional(),
  /** The tool call of the sub-agent that speaks; absent on the main thread. */
  parent: z.string().optional(),
  role: z.enum(['user', 'assistant', 'tool', 'system', 'custom', 'bash', 'summary']),
  /** How it came in. `agent`: the agent wrote it in the user's name. `replay`: history that is told again. */
  origin: z.enum(['prompt', 'steer', 'follow-up', 'replay', 'agent']).optional(),
  content: z.array(Content),
  /** Role `tool`: which call this answers, of which tool, and how it went. */
  call: z.string().optional(),
  name: z.string().optional(),
  isError: z.boolean().optional(),
  details: z.unknown().optional(),
  /** Role `assistant`. */
  model: z.string().optional(),
  provider: z.string().optional(),
  stop: Stop.optional(),
  usage: Usage.optional(),
  cost: Cost.optional(),
  failure: Failure.optional(),
  /** Wall clock, ms since 1970. */
  timestamp: z.number().optional(),
  extra: Extra.optional(),
});
export type Message = z.infer<typeof Message>;

/** A change of a file that a tool makes or has made. */
export const FileChange = z.object({
  path: z.string(),
  /** Unified diff. */
  diff: z.string(),
  linesAdded: z.number(),
  linesRemoved: z.number(),
});
export type FileChange = z.infer<typeof FileChange>;

/** A model that the agent can use. */
export const Model = z.object({
  id: z.string(),
  name: z.string().optional(),
  provider: z.string().optional(),
  /** Tokens. */
  contextWindow: z.number().optional(),
  /** Tokens. */
  maxOutput: z.number().optional(),
  reasoning: z.boolean().optional(),
  extra: Extra.optional(),
});
export type Model = z.infer<typeof Model>;

/** No tokens at all: the neutral element of {@link addUsage}. */
export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
