// The canonical events: everything an agent can tell its clients. Start reading here.
import { z } from 'zod';
import { Content, Cost, Dictionary, Extra, Failure, FileChange, Message, Stop, Usage } from './content.ts';
import { SessionInfo, ToolServer } from './session-info.ts';

const base = {
  extra: Extra.optional(),
  /** True if the gateway generated this event to keep the order legal (log/repair.ts, log/close-run.ts). */
  synthetic: z.boolean().optional(),
};
const lane = {
  /** The tool call of the sub-agent that speaks; absent on the main thread. */
  parent: z.string().optional(),
};
/** What a tool call does to the world, whatever the name of its tool. */
export const ToolKind = z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other']);
export type ToolKind = z.infer<typeof ToolKind>;

/** A place that a tool call reads or changes. */
export const ToolLocation = z.object({
  path: z.string(),
  /** Counted from 1. */
  line: z.number().optional(),
});
export type ToolLocation = z.infer<typeof ToolLocation>;

/** How a tool call is shown to people. */
const shown = {
  /** One line, e.g. `Reading file "foo"`. */
  title: z.string().optional(),
  kind: ToolKind.optional(),
  locations: z.array(ToolLocation).optional(),
  /** Whether the tool is built in or belongs to an MCP server. */
  origin: z.enum(['native', 'mcp']).optional(),
  /** The name of the tool server. */
  server: z.string().optional(),
  change: FileChange.optional(),
};
function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape, ...base });
}

/**
 * The kinds of block that stream. Every other content arrives `whole`, and so does a tool call that the provider runs
 * itself; such a call gets no `tool-end`.
 */
export const BlockHead = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text') }),
  z.object({ kind: z.literal('thinking') }),
  /** The deltas are pieces of the JSON text of the arguments, never of the output. */
  z.object({ kind: z.literal('tool-call'), id: z.string(), name: z.string() }),
  z.object({ kind: z.literal('whole'), content: Content }),
]);
export type BlockHead = z.infer<typeof BlockHead>;

const runEvents = [
  event('run-start', {
    /** True if the agent took the prompt without calling a model. */
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
   * Adds a whole message to the conversation. Messages of the model stream instead, except in replayed history. Role
   * `tool` repeats the result of a `tool-end` at its place in the conversation. `tool-end` is authoritative; agents
   * whose protocol has no such message send none.
   */
  event('message-added', Message.omit({ extra: true }).shape),
  /** The conversation was replaced. Clients must forget every earlier message. */
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
    /** The whole text, if the agent repeats it. It overrides the deltas. */
    text: z.string().optional(),
    /** Tool calls: the parsed arguments. */
    input: Dictionary.optional(),
    signature: z.string().optional(),
    redacted: z.boolean().optional(),
    /** True if the block was cut. */
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
    /** `replace`: the whole output so far. `append`: the next piece. */
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
    /** Why the call never ran. */
    skipped: z.enum(['denied', 'aborted', 'superseded', 'incomplete']).optional(),
    /** The opaque structured result of the tool. */
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
    /** Opaque standing permissions that the agent offers. The client returns the chosen ones. */
    suggestions: z.array(z.unknown()).optional(),
    /** Set by the session if it allows the call itself because of an earlier decision of the user. */
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
    /** Kind `interview`: the opaque questions. */
    questions: z.array(z.unknown()).optional(),
    timeoutMs: z.number().optional(),
  }),
  event('dialog-end', { id: z.string(), outcome: z.enum(['answered', 'cancelled', 'expired']) }),
  event('notice', {
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    /** The author: the agent, one of its extensions, or the gateway. */
    source: z.enum(['agent', 'extension', 'gateway']).optional(),
  }),
  /** Text that an extension shows at a fixed place until it changes. `null` clears the place. */
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
    /** True if a client requested the compaction like a prompt (`compact.asPrompt`) and waits for its end. */
    asPrompt: z.boolean().optional(),
  }),
  event('compaction-end', {
    trigger: z.enum(['manual', 'threshold', 'overflow', 'unknown']).optional(),
    outcome: z.enum(['completed', 'aborted', 'failed']),
    summary: z.string().optional(),
    /** Tokens. */
    tokensBefore: z.number().optional(),
    tokensAfter: z.number().optional(),
    /** True if the interrupted turn starts again after the compaction. */
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
  /** Usage so far, from agents that report it apart from their messages. */
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

/** One step of an agent's plan. */
export const PlanEntry = z.object({
  text: z.string(),
  priority: z.enum(['high', 'medium', 'low']).optional(),
  status: z.enum(['pending', 'in-progress', 'completed']),
});
export type PlanEntry = z.infer<typeof PlanEntry>;

const stateEvents = [
  event('session-changed', { changes: SessionInfo }),
  event('tool-server-changed', ToolServer.shape),
  /** A sub-agent or background job. Its messages carry its id as `parent`. */
  event('task-changed', {
    id: z.string(),
    call: z.string().optional(),
    status: z.enum(['running', 'completed', 'failed', 'stopped']),
    text: z.string().optional(),
  }),
  /** The whole plan of the agent, each time it changes. A `history-reset` ends it. */
  event('plan-changed', {
    entries: z.array(PlanEntry),
    /** The tool call that says the same. A client that shows calls loses nothing. */
    call: z.string().optional(),
  }),
  /** The current activity of the agent, for a status line. `null` ends it. */
  event('activity', { id: z.string().optional(), text: z.string().nullable() }),
  /** Output of a shell command that a client ran (command `bash`). */
  event('bash-output', {
    /** The id of the command, not its text. */
    command: z.string().optional(),
    delta: z.string(),
  }),
  /** An error that ends neither the run nor the session. */
  event('error', { message: z.string() }),
  event('agent-changed', { state: z.enum(['up', 'down']), reason: z.string().optional() }),
  /** An event that this version does not know. Only clients of the same protocol see it. */
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

/** An event in the log of a session. `seq` counts from 1 without gaps. `at` is the session clock, ms. */
export interface Logged {
  readonly seq: number;
  readonly at: number;
  readonly event: Event;
  /**
   * Set when the event is replayed to a late client. `past`: it is over, and a dialect may show it whole. `present`: it
   * is still open, and a dialect must show its progress.
   */
  readonly replay?: 'past' | 'present';
}
