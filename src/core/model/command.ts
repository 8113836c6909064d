// The canonical commands: everything a client can ask of an agent or of its session. Knows no protocol.
import { z } from 'zod';
import { Content, Extra } from './content.ts';

function command<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape, extra: Extra.optional() });
}

/** Something of the workspace that a prompt wants the model to see. */
export const Context = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file'),
    path: z.string(),
    /** First and last line, counted from 1, both included. */
    lines: z.object({ start: z.number(), end: z.number() }).optional(),
    /** The client has added it by itself, for its user's cursor is there: nobody is told where it cannot be read. */
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
    /** What is wrong with one of a known kind: the end of a sentence for the user. */
    fault: z.string().optional(),
  }),
]);
export type Context = z.infer<typeof Context>;

const runCommands = [
  command('prompt', {
    content: z.array(Content),
    contexts: z.array(Context).optional(),
    /**
     * What to do when a run is going on: `queue` waits for its end (a run of its own), `refuse` fails,
     * `steer` and `follow-up` join it. Default `queue`.
     */
    whenBusy: z.enum(['queue', 'refuse', 'steer', 'follow-up']).optional(),
    /** Answered only when its run is over, not when it has begun; one that joins a run is answered as ever. */
    untilIdle: z.boolean().optional(),
    /** A name under which its client can take it back (`abort.handle`); no other prompt has it, and no agent is told. */
    handle: z.string().optional(),
    model: z.string().optional(),
    mode: z.string().optional(),
  }),
  command('steer', { content: z.array(Content) }),
  command('follow-up', { content: z.array(Content) }),
  command('abort', {
    target: z.enum(['run', 'retry', 'compaction', 'bash']),
    /** Target `run`: answered only when the run is over, not when the agent was told. */
    untilIdle: z.boolean().optional(),
    /** Target `run`: what becomes of the session's prompts that wait behind it; default `keep`. */
    waiting: z.enum(['keep', 'drop']).optional(),
    /**
     * Target `run`: only the prompt of that handle. It is taken out where it waits, its run is stopped if it is the one
     * that goes on; else nothing happens. What has joined the run of another prompt stays there.
     */
    handle: z.string().optional(),
  }),
  command('clear-queue', {}),
  command('answer-approval', {
    id: z.string(),
    decision: z.enum(['allow', 'deny']),
    /** Arguments that the user changed before allowing. */
    input: z.record(z.string(), z.unknown()).optional(),
    reason: z.string().optional(),
    /** The standing permissions chosen from the request's suggestions. */
    remember: z.array(z.unknown()).optional(),
    /**
     * They are kept no longer than the session, whatever the suggestions say. Where the agent keeps none, it is the
     * session that keeps the yes: to that tool, up to its end.
     */
    forSession: z.boolean().optional(),
    /** With a denial: stop the run as well. */
    interrupt: z.boolean().optional(),
    /** The client has no way to ask its user: it counts only when no other client is there to answer. */
    unable: z.boolean().optional(),
  }),
  command('answer-dialog', {
    id: z.string(),
    answer: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('value'), value: z.string() }),
      z.object({ kind: z.literal('confirmed'), confirmed: z.boolean() }),
      z.object({ kind: z.literal('responses'), responses: z.record(z.string(), z.unknown()) }),
      z.object({ kind: z.literal('cancelled') }),
    ]),
    unable: z.boolean().optional(),
  }),
  command('compact', {
    instructions: z.string().optional(),
    /**
     * It waits for its turn as a prompt does, is answered when it begins, and all clients are told of it, by the session
     * where the agent tells nothing.
     */
    asPrompt: z.boolean().optional(),
  }),
  command('bash', { command: z.string() }),
] as const;

const settingCommands = [
  command('set-model', {
    /** Absent: the agent's default. */
    model: z.string().optional(),
    provider: z.string().optional(),
  }),
  command('cycle-model', { direction: z.enum(['forward', 'backward']).optional() }),
  command('set-thinking', { level: z.string().optional(), budgetTokens: z.number().nullable().optional() }),
  command('cycle-thinking', {}),
  command('set-mode', { mode: z.string() }),
  command('set-queue-mode', { queue: z.enum(['steering', 'follow-up']), mode: z.enum(['all', 'one-at-a-time']) }),
  command('set-auto', { what: z.enum(['compaction', 'retry']), enabled: z.boolean() }),
  /** Whether the session answers approvals with yes itself from now on, up to its end; no agent is told. */
  command('set-trust', { enabled: z.boolean() }),
  command('set-name', { name: z.string() }),
  /** What the model is told before anything is said; see instructions.ts. */
  command('set-instructions', { text: z.string().optional(), addition: z.string().optional() }),
  command('set-tool-server', { name: z.string(), action: z.enum(['start', 'stop']) }),
] as const;

const sessionCommands = [
  command('create-session', {
    id: z.string().optional(),
    cwd: z.string().optional(),
    /** The folders that its user works in, absolute paths; the first is the working directory, unless `cwd` is set. */
    folders: z.array(z.string()).optional(),
    /** Its agent is started at once, and the answer tells how it is. */
    describe: z.boolean().optional(),
    /** It is kept as a file, where its agent keeps none. */
    keep: z.boolean().optional(),
    /** It begins with what was said in that session, `before` one of the messages of its user, or with all of it. */
    past: z.object({ session: z.string(), before: z.string().optional() }).optional(),
  }),
  command('new-session', { parent: z.string().optional() }),
  command('switch-session', { path: z.string() }),
  command('fork', { entry: z.string() }),
  command('delete-session', {}),
  command('list-sessions', {}),
  command('list-stored-sessions', {}),
  /** A stored session becomes an open one; answered like `create-session`. */
  command('load-session', {
    path: z.string(),
    id: z.string().optional(),
    describe: z.boolean().optional(),
    keep: z.boolean().optional(),
  }),
  command('export', { format: z.enum(['html']), path: z.string().optional() }),
] as const;

/** What a `query` can ask for. */
export const QuerySubject = z.enum([
  'state',
  'messages',
  'statistics',
  'last-text',
  'fork-points',
  'models',
  'thinking-levels',
  'commands',
  'skills',
  'tools',
  'tool-servers',
  'session-files',
  'context-usage',
  'history',
  'contexts',
  'metrics',
  'health',
]);
export type QuerySubject = z.infer<typeof QuerySubject>;

const queryCommands = [
  command('query', {
    subject: QuerySubject,
    /** Subjects `contexts` and `commands`: what the user typed so far. */
    text: z.string().optional(),
    /** Subject `contexts`: those that the user has already chosen. */
    contexts: z.array(Context).optional(),
  }),
  /** A command of a newer version of that protocol: passed to agents of the same protocol only. */
  command('unknown', { protocol: z.string(), payload: z.unknown() }),
] as const;

/** Everything a client can ask. */
export const Command = z.discriminatedUnion('type', [
  ...runCommands,
  ...settingCommands,
  ...sessionCommands,
  ...queryCommands,
]);
export type Command = z.infer<typeof Command>;
export type CommandType = Command['type'];
/** The command of one type: `CommandOf<'prompt'>`. */
export type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;
