// The canonical commands: everything a client can ask of an agent or of its session.
import { z } from 'zod';
import { Content, Context, Extra } from './content.ts';
import { BroughtServer } from './session-info.ts';

function command<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape, extra: Extra.optional() });
}

const runCommands = [
  command('prompt', {
    content: z.array(Content),
    contexts: z.array(Context).optional(),
    /**
     * What to do while a run is open. `queue` waits for its end and starts a run of its own, `refuse` fails,
     * `steer` and `follow-up` join the open run. Default `queue`.
     */
    whenBusy: z.enum(['queue', 'refuse', 'steer', 'follow-up']).optional(),
    /** Answers when the run of this prompt ends, not when it starts. A prompt that joins a run is answered as usual. */
    untilIdle: z.boolean().optional(),
    /** A unique name by which the client can withdraw this prompt (`abort.handle`). Agents never see it. */
    handle: z.string().optional(),
    model: z.string().optional(),
    mode: z.string().optional(),
  }),
  command('steer', { content: z.array(Content) }),
  command('follow-up', { content: z.array(Content) }),
  command('abort', {
    target: z.enum(['run', 'retry', 'compaction', 'bash']),
    /** Target `run`: answers at the end of the run, not when the agent has received the abort. */
    untilIdle: z.boolean().optional(),
    /** Target `run`: what happens to the prompts that wait behind the run. Default `keep`. */
    waiting: z.enum(['keep', 'drop']).optional(),
    /**
     * Target `run`: aborts only the prompt with this handle. A waiting prompt is removed from the queue; an open run of
     * that prompt is stopped. A prompt that joined the run of another prompt is left alone.
     */
    handle: z.string().optional(),
  }),
  command('clear-queue', {}),
  command('answer-approval', {
    id: z.string(),
    decision: z.enum(['allow', 'deny']),
    /** The arguments, if the user changed them before allowing the call. */
    input: z.record(z.string(), z.unknown()).optional(),
    reason: z.string().optional(),
    /** Standing permissions that the user chose from the suggestions of the request. */
    remember: z.array(z.unknown()).optional(),
    /**
     * Keeps the permissions until the session ends, whatever the suggestions say. If the agent keeps no permissions,
     * the session itself remembers the approval of this tool.
     */
    forSession: z.boolean().optional(),
    /** With a denial: also stops the run. */
    interrupt: z.boolean().optional(),
    /** The client cannot ask its user. The answer counts only if no other client can answer. */
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
     * Treats the compaction as a prompt: it waits in the queue, is answered when it starts, and is announced to all
     * clients, by the session itself if the agent announces nothing.
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
  /** Changes one of `SessionInfo.options`. */
  command('set-option', { id: z.string(), value: z.union([z.string(), z.boolean()]) }),
  command('set-queue-mode', { queue: z.enum(['steering', 'follow-up']), mode: z.enum(['all', 'one-at-a-time']) }),
  command('set-auto', { what: z.enum(['compaction', 'retry']), enabled: z.boolean() }),
  /** Makes the session allow every approval from now on, until it ends. The agent does not learn of this setting. */
  command('set-trust', { enabled: z.boolean() }),
  command('set-name', { name: z.string() }),
  /** Sets the instructions that the model gets before the conversation; see contract/instructions.ts. */
  command('set-instructions', { text: z.string().optional(), addition: z.string().optional() }),
  command('set-tool-server', { name: z.string(), action: z.enum(['start', 'stop']) }),
] as const;

const sessionCommands = [
  command('create-session', {
    id: z.string().optional(),
    cwd: z.string().optional(),
    /**
     * The folders of the user's workspace, as absolute paths. The first is the working directory unless `cwd` is set.
     */
    folders: z.array(z.string()).optional(),
    /** Starts the agent at once and describes its state in the answer. */
    describe: z.boolean().optional(),
    /** Stores the session as a file if its agent stores none. */
    keep: z.boolean().optional(),
    /** Tool servers for the agent. Only a client that owns this process may bring any (docs/threats.md T8). */
    toolServers: z.array(BroughtServer).optional(),
    /** Starts the session with the messages of another session: all of them, or those `before` a given user message. */
    past: z.object({ session: z.string(), before: z.string().optional() }).optional(),
  }),
  command('new-session', { parent: z.string().optional() }),
  command('switch-session', { path: z.string() }),
  command('fork', { entry: z.string() }),
  /** `stored`: also what is stored of the conversation, here and at its agent. Such a session need not be open. */
  command('delete-session', { stored: z.boolean().optional() }),
  command('list-sessions', {}),
  command('list-stored-sessions', {}),
  /** Opens a stored session. Answered like `create-session`. */
  command('load-session', {
    /** Of its file. For a session that is listed without a file: its id. */
    path: z.string(),
    id: z.string().optional(),
    describe: z.boolean().optional(),
    keep: z.boolean().optional(),
    /** As with `create-session`. */
    toolServers: z.array(BroughtServer).optional(),
  }),
  command('export', { format: z.enum(['html']), path: z.string().optional() }),
] as const;

/** The subjects of a `query`. */
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
    /** Subjects `contexts` and `commands`: the text that the user has typed so far. */
    text: z.string().optional(),
    /** Subject `contexts`: the contexts that the user has already chosen. */
    contexts: z.array(Context).optional(),
  }),
  /** A command that this version does not know. It is passed only to agents of the same protocol. */
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
