// The nouns of the canonical model: content, usage, cost, stop reasons.
import { z } from 'zod';

/**
 * Fields without a canonical home, keyed by the protocol that they came from. They return unchanged to the same
 * protocol and are invisible to all others (ARCHITECTURE.md, rule 3).
 */
export const Extra = z.record(z.string(), z.unknown());
export type Extra = z.infer<typeof Extra>;

/** A plain JSON object. The core reads none of its keys. */
export const Dictionary = z.record(z.string(), z.unknown());
export type Dictionary = z.infer<typeof Dictionary>;

/** One piece of a whole message or of a tool's result. */
export const Content = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    /** The provider's opaque signature of the text. */
    signature: z.string().optional(),
    extra: Extra.optional(),
  }),
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    /** The provider's opaque signature of the thinking. */
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
    /** True if the stream was cut inside the arguments. Such a call never ran. */
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
    /** The text that a client extracted from the document. */
    text: z.string().optional(),
    extra: Extra.optional(),
  }),
  z.object({ type: z.literal('link'), url: z.string(), title: z.string().optional(), extra: Extra.optional() }),
  z.object({
    type: z.literal('opaque'),
    /** The type name of the unknown block in its protocol, e.g. `redacted_thinking`. */
    name: z.string(),
    protocol: z.string(),
    payload: z.unknown(),
  }),
]);
export type Content = z.infer<typeof Content>;

/** Tokens of one message, or the sum over several messages. */
export const Usage = z.object({
  /** Uncached input tokens. */
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
export type Usage = z.infer<typeof Usage>;

/** US dollars. `total` is authoritative. The parts are optional. */
export const Cost = z.object({
  total: z.number(),
  input: z.number().optional(),
  output: z.number().optional(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
});
export type Cost = z.infer<typeof Cost>;

/** Why a message ended: the canonical reason, and the agent's own word for it. */
export const Stop = z.object({
  reason: z.enum(['end', 'tool-use', 'length', 'stop-sequence', 'refusal', 'pause', 'aborted', 'error', 'unknown']),
  raw: z.string().optional(),
});
export type Stop = z.infer<typeof Stop>;

/** A failure: a kind for programs and a message for people. */
export const Failure = z.object({
  kind: z.enum(['provider', 'agent', 'limit', 'overflow', 'aborted', 'gateway']),
  message: z.string(),
  /** HTTP status of the model provider, if the agent reports it. */
  status: z.number().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** One whole message of the conversation, of any role. */
export const Message = z.object({
  id: z.string().optional(),
  /** The tool call of the sub-agent that speaks; absent on the main thread. */
  parent: z.string().optional(),
  role: z.enum(['user', 'assistant', 'tool', 'system', 'custom', 'bash', 'summary']),
  /** Where the message came from. `agent`: the agent wrote it in the user's name. `replay`: it is replayed history. */
  origin: z.enum(['prompt', 'steer', 'follow-up', 'replay', 'agent']).optional(),
  content: z.array(Content),
  /** Role `tool`: the call that this message answers. */
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

/** A change to a file that a tool will make or has made. */
export const FileChange = z.object({
  path: z.string(),
  /** Unified diff. */
  diff: z.string(),
  linesAdded: z.number(),
  linesRemoved: z.number(),
  /** The text that is replaced and the text in its place, if the agent says them: of the whole file or of one piece. */
  before: z.string().optional(),
  after: z.string().optional(),
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

/** A part of the workspace that a prompt shows to the model. */
export const Context = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file'),
    path: z.string(),
    /** First and last line, both included, counted from 1. */
    lines: z.object({ start: z.number(), end: z.number() }).optional(),
    /** The editor added this context because the cursor is there. A failure to read it is not reported. */
    automatic: z.boolean().optional(),
  }),
  z.object({ type: z.literal('directory'), path: z.string() }),
  z.object({ type: z.literal('web'), url: z.string() }),
  z.object({ type: z.literal('repo-map') }),
  z.object({
    type: z.literal('resource'),
    server: z.string(),
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    mediaType: z.string().optional(),
  }),
  z.object({
    type: z.literal('opaque'),
    protocol: z.string(),
    payload: z.unknown(),
    /** Why a context of a known type is invalid: the end of a sentence for the user. */
    fault: z.string().optional(),
  }),
]);
export type Context = z.infer<typeof Context>;

/** Zero tokens. */
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
