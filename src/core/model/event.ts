// The canonical events: everything an agent can tell its clients. Start reading here. Knows no protocol.
import { z } from 'zod';
import { Content, Cost, Dictionary, Extra, Failure, FileChange, Message, Model, Stop, Usage } from './content.ts';

const base = {
  extra: Extra.optional(),
  /** True when the gateway made this event up to keep the order legal (see repair.ts, close-run.ts). */
  synthetic: z.boolean().optional(),
};
const lane = {
  /** The tool call of the sub-agent that speaks; absent on the main thread. */
  parent: z.string().optional(),
};
/** What people are shown of a tool call. */
const shown = {
  /** One line, e.g. `Reading file "foo"`. */
  title: z.string().optional(),
  /** Whose tool it is. */
  origin: z.enum(['native', 'mcp']).optional(),
  /** The tool server it belongs to. */
  server: z.string().optional(),
  change: FileChange.optional(),
};
function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape, ...base });
}

/**
 * The kinds of block that stream; every other content arrives `whole`. So does a tool call that the provider runs
 * by itself (it gets no `tool-end`).
 */
export const BlockHead = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text') }),
  z.object({ kind: z.literal('thinking') }),
  /** Deltas of a tool call are pieces of its arguments' JSON text, never of its output. */
  z.object({ kind: z.literal('tool-call'), id: z.string(), name: z.string() }),
  z.object({ kind: z.literal('whole'), content: Content }),
]);
export type BlockHead = z.infer<typeof BlockHead>;

const runEvents = [
  event('run-start', {
    /** Nothing comes of it: the agent took the prompt and asks no model. */
    empty: z.boolean().optional(),
  }),
  event('run-end', {
    outcome: z.enum(['completed', 'failed', 'aborted']),
    failure: Failure.optional(),
  }),
  event('turn-start', {}),
  event('turn-end', {}),
] as const;

const messageEvents = [
  /**
   * A whole message joins the conversation: everybody's but the model's, which streams, except for history that is
   * told again. Role `tool` repeats the result of a `tool-end` at its place in the conversation: `tool-end` is what
   * counts, and agents whose wire has no such message send none.
   */
  event('message-added', Message.omit({ extra: true }).shape),
  /** The conversation was replaced: forget every message before this. */
  event('history-reset', { reason: z.enum(['new', 'switched', 'forked', 'cleared']) }),
  event('message-start', {
    ...lane,
    id: z.string(),
    model: z.string().optional(),
    provider: z.string().optional(),
    usage: Usage.optional(),
    timestamp: z.number().optional(),
  }),
  event('block-start', { ...lane, index: z.number(), block: BlockHead }),
  event('block-delta', { ...lane, index: z.number(), delta: z.string() }),
  event('block-end', {
    ...lane,
    index: z.number(),
    /** The whole text, where the agent repeats it: it is the truth, the deltas are its preview. */
    text: z.string().optional(),
    /** Tool calls: the parsed arguments. */
    input: Dictionary.optional(),
    signature: z.string().optional(),
    redacted: z.boolean().optional(),
    /** True when the block was cut. */
    incomplete: z.boolean().optional(),
  }),
  event('message-end', {
    ...lane,
    stop: Stop,
    usage: Usage.optional(),
    cost: Cost.optional(),
    failure: Failure.optional(),
  }),
] as const;

const toolEvents = [
  event('tool-start', { ...lane, ...shown, call: z.string(), name: z.string(), input: Dictionary }),
  event('tool-update', {
    ...lane,
    call: z.string(),
    /** `replace`: the content so far. `append`: a piece of it. */
    mode: z.enum(['replace', 'append']),
    content: z.array(Content),
  }),
  event('tool-end', {
    ...lane,
    ...shown,
    call: z.string(),
    name: z.string(),
    content: z.array(Content),
    isError: z.boolean(),
    /** Why it never ran, when it did not. */
    skipped: z.enum(['denied', 'aborted', 'superseded', 'incomplete']).optional(),
    /** The tool's own structured result, opaque. */
    details: z.unknown().optional(),
    durationMs: z.number().optional(),
  }),
  event('approval-request', {
    ...lane,
    ...shown,
    id: z.string(),
    call: z.string().optional(),
    name: z.string(),
    input: Dictionary,
    /** Standing permissions that the agent offers with an allow; opaque, returned as chosen. */
    suggestions: z.array(z.unknown()).optional(),
    /** Set by the session, which answers with yes itself: its user has said so beforehand, and is not asked. */
    standing: z.enum(['trusted', 'remembered']).optional(),
    timeoutMs: z.number().optional(),
  }),
  event('approval-end', {
    ...lane,
    id: z.string(),
    outcome: z.enum(['allowed', 'denied', 'cancelled', 'expired']),
    reason: z.string().optional(),
  }),
] as const;

const dialogEvents = [
  event('dialog-request', {
    id: z.string(),
    kind: z.enum(['select', 'confirm', 'input', 'editor', 'interview']),
    title: z.string(),
    message: z.string().optional(),
    options: z.array(z.string()).optional(),
    placeholder: z.string().optional(),
    prefill: z.string().optional(),
    /** Kind `interview`: the questions, opaque. */
    questions: z.array(z.unknown()).optional(),
    timeoutMs: z.number().optional(),
  }),
  event('dialog-end', { id: z.string(), outcome: z.enum(['answered', 'cancelled', 'expired']) }),
  event('notice', {
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    /** Who says it: the agent itself, one of its extensions, or this gateway. */
    source: z.enum(['agent', 'extension', 'gateway']).optional(),
  }),
  /** Something an extension wants shown at a fixed place until it changes; `null` clears it. */
  event('display', {
    place: z.enum(['status', 'widget', 'title', 'editor', 'working']),
    key: z.string().optional(),
    lines: z.array(z.string()).nullable(),
    position: z.string().optional(),
  }),
] as const;

const contextEvents = [
  event('compaction-start', {
    trigger: z.enum(['manual', 'threshold', 'overflow', 'unknown']),
    /** A client asked for it as for a run (`compact.asPrompt`), and waits for its end as for that of a run. */
    asPrompt: z.boolean().optional(),
  }),
  event('compaction-end', {
    trigger: z.enum(['manual', 'threshold', 'overflow', 'unknown']).optional(),
    outcome: z.enum(['completed', 'aborted', 'failed']),
    summary: z.string().optional(),
    /** Tokens. */
    tokensBefore: z.number().optional(),
    tokensAfter: z.number().optional(),
    /** True when the interrupted turn starts again after it. */
    willRetry: z.boolean().optional(),
    failure: Failure.optional(),
  }),
  event('retry-start', {
    attempt: z.number(),
    maxAttempts: z.number(),
    delayMs: z.number(),
    failure: Failure,
  }),
  event('retry-end', { attempt: z.number(), success: z.boolean(), failure: Failure.optional() }),
  event('queue-changed', { steering: z.array(z.string()), followUp: z.array(z.string()) }),
  /** Figures of the conversation so far, where an agent tells them apart from its messages. */
  event('usage-changed', {
    /** Of the last message. */
    usage: Usage.optional(),
    cost: Cost.optional(),
    /** Of the whole conversation. */
    sessionTokens: z.number().optional(),
    sessionCost: Cost.optional(),
    contextTokens: z.number().optional(),
    contextWindow: z.number().optional(),
  }),
] as const;

/** What a client may want to know about a tool. */
export const Tool = z.object({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  disabled: z.boolean().optional(),
});
export type Tool = z.infer<typeof Tool>;

/** A slash command, prompt template or skill. */
export const CommandInfo = z.object({
  name: z.string(),
  description: z.string().optional(),
  kind: z.string().optional(),
  arguments: z
    .array(z.object({ name: z.string(), description: z.string().optional(), required: z.boolean() }))
    .optional(),
  extra: Extra.optional(),
});
export type CommandInfo = z.infer<typeof CommandInfo>;

/** The settings of a session that clients show. Every field is optional: an event carries what changed. */
export const SessionInfo = z
  .object({
    agentSessionId: z.string(),
    name: z.string(),
    file: z.string(),
    cwd: z.string(),
    model: Model,
    models: z.array(Model),
    thinkingLevel: z.string(),
    /** How freely the agent acts: a permission mode, a behaviour, an agent profile. */
    mode: z.string(),
    modes: z.array(z.string()),
    steeringMode: z.enum(['all', 'one-at-a-time']),
    followUpMode: z.enum(['all', 'one-at-a-time']),
    autoCompaction: z.boolean(),
    autoRetry: z.boolean(),
    commands: z.array(CommandInfo),
    tools: z.array(Tool),
    welcome: z.string(),
    /** The session answers approvals with yes itself; the agent knows nothing of it. */
    trusted: z.boolean(),
    /** ISO 8601. */
    createdAt: z.string(),
  })
  .partial();
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A server of tools and how it is. */
export const ToolServer = z.object({
  name: z.string(),
  kind: z.enum(['native', 'mcp']),
  status: z.enum(['running', 'starting', 'stopped', 'failed', 'disabled', 'needs-auth', 'removed']),
  command: z.array(z.string()).optional(),
  tools: z.array(Tool).optional(),
});
export type ToolServer = z.infer<typeof ToolServer>;

const stateEvents = [
  event('session-changed', { changes: SessionInfo }),
  event('tool-server-changed', ToolServer.shape),
  /** A sub-agent or background job, beside the messages that carry its `parent`. */
  event('task-changed', {
    id: z.string(),
    call: z.string().optional(),
    status: z.enum(['running', 'completed', 'failed', 'stopped']),
    text: z.string().optional(),
  }),
  /** What the agent is busy with, for a status line. `null` when that is over. */
  event('activity', { id: z.string().optional(), text: z.string().nullable() }),
  /** Output of a shell command that a client ran itself (command `bash`). */
  event('bash-output', {
    /** Id of the command, not the shell line. */
    command: z.string().optional(),
    delta: z.string(),
  }),
  /** A complaint that ends nothing. */
  event('error', { message: z.string() }),
  event('agent-changed', { state: z.enum(['up', 'down']), reason: z.string().optional() }),
  /** An event of a newer version of that protocol: shown to clients of the same protocol only. */
  event('unknown', { protocol: z.string(), payload: z.unknown() }),
] as const;

/** Everything an agent can tell its clients. */
export const Event = z.discriminatedUnion('type', [
  ...runEvents,
  ...messageEvents,
  ...toolEvents,
  ...dialogEvents,
  ...contextEvents,
  ...stateEvents,
]);
export type Event = z.infer<typeof Event>;
export type EventType = Event['type'];
/** The event of one type: `EventOf<'tool-end'>`. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** An event as the session's log keeps it. `seq` counts from 1 without gaps; `at` is the session clock in ms. */
export interface Logged {
  readonly seq: number;
  readonly at: number;
  readonly event: Event;
  /**
   * Set when this is told again to a late client: `past` for what is over (a dialect may show it whole),
   * `present` for what is still open (it must show how far it got).
   */
  readonly replay?: 'past' | 'present';
}
