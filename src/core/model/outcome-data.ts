// The data of successful outcomes, by command. Raw answers of an agent ride in `extra`.
import { z } from 'zod';
import { Context, Cost, Extra, Failure, Message, Model, Usage } from './content.ts';
import { GatewayFigures } from './gateway-figures.ts';
import { CommandInfo, SessionInfo, Tool, ToolServer } from './session-info.ts';

const raw = { extra: Extra.optional() };

/** A message at which a session can be forked. */
export const ForkPoint = z.object({ entry: z.string(), text: z.string() });
export type ForkPoint = z.infer<typeof ForkPoint>;

/** A session in a list. */
export const SessionSummary = z.object({
  id: z.string(),
  name: z.string().optional(),
  file: z.string().optional(),
  cwd: z.string().optional(),
  /** ISO 8601. */
  createdAt: z.string().optional(),
  modifiedAt: z.string().optional(),
  /** The beginning of the first user message. */
  firstWords: z.string().optional(),
  messageCount: z.number().optional(),
  running: z.boolean().optional(),
  model: Model.optional(),
  thinkingLevel: z.string().optional(),
  /** Stored sessions: false if the file is gone. */
  exists: z.boolean().optional(),
  extra: Extra.optional(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** A stored session in a list of files. */
export const SessionFile = z.object({
  path: z.string(),
  name: z.string().optional(),
  /** ISO 8601. */
  modifiedAt: z.string().optional(),
});
export type SessionFile = z.infer<typeof SessionFile>;

/** The settings of a session and its current state. */
export const SessionState = z.object({
  changes: SessionInfo,
  running: z.boolean(),
  compacting: z.boolean().optional(),
  pendingMessages: z.number().optional(),
  messageCount: z.number().optional(),
  ...raw,
});
export type SessionState = z.infer<typeof SessionState>;

/** A newly opened session. `state` is present if the client asked for a description. */
const Opened = z.object({
  session: SessionSummary,
  state: SessionState.optional(),
  /** Sentences for the user about options that were not applied. */
  problems: z.array(z.string()).optional(),
  /** See SessionView. */
  can: z.array(z.string()).optional(),
  ...raw,
});

/** The `data` of `{ ok: true }`, by command. Commands that are not listed return no data. */
export const OutcomeData = {
  /** The end of the run, for prompts that wait for it. A failed run is still a successful prompt. */
  prompt: z.object({
    /**
     * `queued`: a later run takes the prompt. `handled`: the agent executed it without a run. Absent: the prompt
     * started a run of its own.
     */
    taken: z.enum(['queued', 'handled']).optional(),
    outcome: z.enum(['completed', 'failed', 'aborted']).optional(),
    failure: Failure.optional(),
    /** The longest gap in which the model was due and sent nothing, ms. */
    longestSilenceMs: z.number().optional(),
    ...raw,
  }),
  /** The prompts that still wait in the queue and will run. */
  abort: z.object({ waiting: z.array(z.object({ extra: Extra.optional() })), ...raw }),
  /** The texts of the messages that will not be sent. */
  'clear-queue': z.object({ steering: z.array(z.string()), followUp: z.array(z.string()), ...raw }),
  compact: z.object({ summary: z.string(), tokensBefore: z.number().optional(), ...raw }),
  bash: z.object({
    output: z.string(),
    /** Absent if the command was cancelled. */
    exitCode: z.number().optional(),
    cancelled: z.boolean(),
    truncated: z.boolean(),
    ...raw,
  }),
  'set-model': z.object({ model: Model.optional(), ...raw }),
  /** The mode that is in effect now, where the agent names one: it may be another than the one that was asked for. */
  'set-mode': z.object({ mode: z.string().optional(), ...raw }),
  /** `model` and `thinkingLevel` are absent if there is nothing to cycle to. */
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
  /** Tokens. Null if unknown, as after a compaction. */
  'context-usage': z.object({ tokens: z.number().nullable(), window: z.number().nullable(), ...raw }),
  skills: z.object({ skills: z.array(CommandInfo), ...raw }),
  'session-files': z.object({ files: z.array(SessionFile), ...raw }),
  contexts: z.object({ contexts: z.array(Context), ...raw }),
  'tool-servers': z.object({ servers: z.array(ToolServer), ...raw }),
  health: z.object({
    healthy: z.boolean(),
    issues: z.array(z.string()),
    /** Agents whose circuit breaker is open. */
    openCircuits: z.array(z.string()).optional(),
    /** Sessions whose shell breaker is open. `*` stands for all sessions. */
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
