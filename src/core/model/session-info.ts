// Properties of a session and its agent: settings, commands, tools, tool servers. Apart from event.ts, because answers use
// these schemas and a start should not build those of all events.
import { z } from 'zod';
import { Extra, Model } from './content.ts';

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
    /** The permission mode, behaviour or profile of the agent. */
    mode: z.string(),
    modes: z.array(z.string()),
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
  })
  .partial();
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A tool server and its state. */
export const ToolServer = z.object({
  name: z.string(),
  kind: z.enum(['native', 'mcp']),
  status: z.enum(['running', 'starting', 'stopped', 'failed', 'disabled', 'needs-auth', 'removed']),
  command: z.array(z.string()).optional(),
  tools: z.array(Tool).optional(),
});
export type ToolServer = z.infer<typeof ToolServer>;
