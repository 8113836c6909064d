// What a successful outcome carries, command by command. Knows no protocol: raw answers ride in `extra`.
import { z } from 'zod';
import { Cost, Extra, Failure, Message, Model, Usage } from './content.ts';
import { Context } from './command.ts';
import { CommandInfo, SessionInfo, Tool, ToolServer } from './event.ts';
import { GatewayFigures } from './gateway-figures.ts';

const raw = { extra: Extra.optional() };

/** A message where a session can be forked. */
export const ForkPoint = z.object({ entry: z.string(), text: z.string() });
export type ForkPoint = z.infer<typeof ForkPoint>;

/** A session as a list shows it. */
export const SessionSummary = z.object({
  id: z.string(),
  name: z.string().optional(),
  file: z.string().optional(),
  cwd: z.string().optional(),
  /** ISO 8601. */
  createdAt: z.string().optional(),
  modifiedAt: z.string().optional(),
  /** What its user said first, or the beginning of that. */
  firstWords: z.string().optional(),
  messageCount: z.number().optional(),
  running: z.boolean().optional(),
  model: Model.optional(),
  thinkingLevel: z.string().optional(),
  /** Stored sessions: false when the file is gone. */
  exists: z.boolean().optional(),
  extra: Extra.optional(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** A stored session, as a list of files shows it. */
export const SessionFile = z.object({
  path: z.string(),
  name: z.string().optional(),
  /** ISO 8601. */
  modifiedAt: z.string().optional(),
});
export type SessionFile = z.infer<typeof SessionFile>;

/** How a session is: its settings and what it is at. */
export const SessionState = z.object({
  changes: SessionInfo,
  running: z.boolean(),
  compacting: z.boolean().optional(),
  pendingMessages: z.number().optional(),
  messageCount: z.number().optional(),
  ...raw,
});
export type SessionState = z.infer<typeof SessionState>;

/** A session that has been opened; `state` for those who want it described. */
const Opened = z.object({
  session: SessionSummary,
  state: SessionState.optional(),
  /** Sentences for the user: what of the wish was left out. */
  problems: z.array(z.string()).optional(),
  /** See SessionView. */
  can: z.array(z.string()).optional(),
  ...raw,
});

/** `data` of `{ ok: true }` for the commands that answer with something; all others answer with nothing. */
export const OutcomeData = {
  /** For those who wait for the end of its run; a run that failed is the answer to a prompt that did not. */
  prompt: z.object({
    /**
     * `queued`: a run takes it in later. `handled`: the agent carried it out without a run. Absent: a run of its own has
     * begun.
     */
    taken: z.enum(['queued', 'handled']).optional(),
    outcome: z.enum(['completed', 'failed', 'aborted']).optional(),
    failure: Failure.optional(),
    /** The longest that the model said nothing while it was its turn, ms. */
    longestSilenceMs: z.number().optional(),
    ...raw,
  }),
  /** The prompts that wait in the session's queue and will still run. */
  abort: z.object({ waiting: z.array(z.object({ extra: Extra.optional() })), ...raw }),
  /** The words of the messages that will not be sent. */
  'clear-queue': z.object({ steering: z.array(z.string()), followUp: z.array(z.string()), ...raw }),
  compact: z.object({ summary: z.string(), tokensBefore: z.number().optional(), ...raw }),
  bash: z.object({
    output: z.string(),
    /** Absent when the command was cancelled. */
    exitCode: z.number().optional(),
    cancelled: z.boolean(),
    truncated: z.boolean(),
    ...raw,
  }),
  'set-model': z.object({ model: Model.optional(), ...raw }),
  /** `model` and `level` are absent when there is nothing to cycle to. */
  'cycle-model': z.object({ model: Model.optional(), thinkingLevel: z.string().optional(), ...raw }),
  'cycle-thinking': z.object({ level: z.string().optional(), ...raw }),
  'new-session': z.object({ cancelled: z.boolean(), ...raw }),
  'switch-session': z.object({ cancelled: z.boolean(), ...raw }),
  fork: z.object({ text: z.string().optional(), cancelled: z.boolean(), ...raw }),
  export: z.object({ path: z.string(), ...raw }),
  'create-session': Opened,
  'load-session': Opened,
  'list-sessions': z.object({ sessions: z.array(SessionSummary), ...raw }),
  'list-stored-sessions': z.object({ sessions: z.array(SessionSummary), ...raw }),
} as const;

/** `data` of a successful `query`, by its subject. */
export const QueryData = {
  state: SessionState,
  messages: z.object({ messages: z.array(Message), ...raw }),
  history: z.object({ messages: z.array(Message), ...raw }),
  statistics: z.object({
    userMessages: z.number(),
    assistantMessages: z.number(),
    toolCalls: z.number(),
    toolResults: z.number(),
    totalMessages: z.number(),
    usage: Usage,
    cost: Cost.optional(),
    /** As in `context-usage`. */
    contextTokens: z.number().nullable().optional(),
    contextWindow: z.number().optional(),
    ...raw,
  }),
  /** Tokens; null when nobody can tell, as after a compaction. */
  'context-usage': z.object({ tokens: z.number().nullable(), window: z.number().nullable(), ...raw }),
  skills: z.object({ skills: z.array(CommandInfo), ...raw }),
  'session-files': z.object({ files: z.array(SessionFile), ...raw }),
  contexts: z.object({ contexts: z.array(Context), ...raw }),
  'tool-servers': z.object({ servers: z.array(ToolServer), ...raw }),
  health: z.object({
    healthy: z.boolean(),
    issues: z.array(z.string()),
    /** Agents that no prompt is let through to. */
    openCircuits: z.array(z.string()).optional(),
    /** Sessions that no shell command is let through to; `*` stands for all. */
    openShells: z.array(z.string()).optional(),
    ...raw,
  }),
  metrics: z.object({ values: GatewayFigures, ...raw }),
  'last-text': z.object({ text: z.string().nullable(), ...raw }),
  'fork-points': z.object({ points: z.array(ForkPoint), ...raw }),
  models: z.object({ models: z.array(Model), ...raw }),
  'thinking-levels': z.object({ levels: z.array(z.string()), ...raw }),
  commands: z.object({ commands: z.array(CommandInfo), ...raw }),
  tools: z.object({ tools: z.array(Tool), ...raw }),
} as const;
