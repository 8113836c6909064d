// Properties of a session and its agent: settings, commands, tools, tool servers. Apart from event.ts, because answers use
// these schemas and a start should not build those of all events.
import { z } from 'zod';
import { Dictionary, Extra, Model } from './content.ts';

/** A tool, as clients list it. */
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

/** A permission mode, behaviour or profile of the agent. */
export const Mode = z.object({ id: z.string(), name: z.string().optional(), description: z.string().optional() });
export type Mode = z.infer<typeof Mode>;

const option = {
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  /** What the option is about; only for its looks. */
  category: z.string().optional(),
};

/** A switch of the agent that has no field of its own in {@link SessionInfo}. The command `set-option` changes it. */
export const AgentOption = z.discriminatedUnion('type', [
  z.object({
    ...option,
    type: z.literal('select'),
    value: z.string(),
    choices: z.array(
      z.object({
        value: z.string(),
        name: z.string(),
        description: z.string().optional(),
        /** The heading that the choice stands under. */
        group: z.string().optional(),
      }),
    ),
  }),
  z.object({ ...option, type: z.literal('boolean'), value: z.boolean() }),
]);
export type AgentOption = z.infer<typeof AgentOption>;

/** The settings of a session that clients show. An event carries only the fields that changed. */
export const SessionInfo = z
  .object({
    agentSessionId: z.string(),
    /**
     * The agent's own name for this conversation, an id or a path: a new agent goes on with it (Resumption). Empty: the
     * agent has stored none.
     */
    resume: z.string(),
    name: z.string(),
    file: z.string(),
    cwd: z.string(),
    model: Model,
    models: z.array(Model),
    thinkingLevel: z.string(),
    /** The levels that the agent can think on. */
    thinkingLevels: z.array(z.string()),
    /** The id of the mode. */
    mode: z.string(),
    modes: z.array(Mode),
    /** All further switches of the agent. */
    options: z.array(AgentOption),
    steeringMode: z.enum(['all', 'one-at-a-time']),
    followUpMode: z.enum(['all', 'one-at-a-time']),
    autoCompaction: z.boolean(),
    autoRetry: z.boolean(),
    commands: z.array(CommandInfo),
    tools: z.array(Tool),
    welcome: z.string(),
    /** True if the session allows every approval itself. The agent does not know. */
    trusted: z.boolean(),
    /** ISO 8601. */
    createdAt: z.string(),
    /** What only one protocol knows of the settings. Told whole with each change. */
    extra: Extra,
  })
  .partial();
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A tool server that a client brings along. Holds secrets: never logged, never part of an event or an answer. */
export const BroughtServer = z.object({
  name: z.string(),
  /**
   * How to reach the server, as the entry of an `mcp.json`: `command`, `args`, `env`, or `type`, `url`, `headers`. The
   * core reads none of its keys.
   */
  config: Dictionary,
});
export type BroughtServer = z.infer<typeof BroughtServer>;

/** A tool server and its state. */
export const ToolServer = z.object({
  name: z.string(),
  kind: z.enum(['native', 'mcp']),
  status: z.enum(['running', 'starting', 'stopped', 'failed', 'disabled', 'needs-auth', 'removed']),
  command: z.array(z.string()).optional(),
  tools: z.array(Tool).optional(),
});
export type ToolServer = z.infer<typeof ToolServer>;
