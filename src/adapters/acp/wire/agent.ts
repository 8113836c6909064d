// What agents say in version 1: answers, updates and requests (docs/protocols/acp.md 2, 3, 4, 5, 6). The schemas are
// tolerant: unknown fields pass, and null counts as absent.
import { z } from 'zod';
import { ConfigOptions, ContentBlock, Models, Modes, meta, ToolCallFields, TurnUsage, text } from './content.ts';

/** `{}` says that the agent can; what is absent or null is unsupported (docs/protocols/acp.md 2.11). */
const ability = z.looseObject({}).nullish();
const flag = z.boolean().nullish();

/** A way to log in (docs/protocols/acp.md 2.13). */
export const AuthMethod = z.looseObject({
  id: z.string(),
  name: text,
  description: text,
  type: text,
  args: z.array(z.string()).nullish(),
});
export type AuthMethod = z.infer<typeof AuthMethod>;

/** docs/protocols/acp.md 2.10 to 2.13. */
export const InitializeResult = z.looseObject({
  protocolVersion: z.number().catch(1),
  agentInfo: z.looseObject({ name: z.string(), title: text, version: text }).nullish().catch(null),
  authMethods: z.array(AuthMethod).nullish().catch(null),
  agentCapabilities: z
    .looseObject({
      loadSession: flag,
      promptCapabilities: z.looseObject({ image: flag, audio: flag, embeddedContext: flag }).nullish(),
      mcpCapabilities: z.looseObject({ http: flag, sse: flag }).nullish(),
      sessionCapabilities: z
        .looseObject({
          list: ability,
          resume: ability,
          close: ability,
          delete: ability,
          additionalDirectories: ability,
        })
        .nullish(),
    })
    .nullish()
    .catch(null),
});
export type InitializeResult = z.infer<typeof InitializeResult>;
export type AgentCapabilities = NonNullable<InitializeResult['agentCapabilities']>;

/** The settings in the answers to session/new, session/load and session/resume (docs/protocols/acp.md 3.14, 3.16). */
export const SessionSetup = z.looseObject({
  modes: Modes.nullish().catch(null),
  models: Models.nullish().catch(null),
  configOptions: ConfigOptions.nullish().catch(null),
});
export type SessionSetup = z.infer<typeof SessionSetup>;

/** The answer to session/new. */
export const NewSessionResult = SessionSetup.extend({ sessionId: z.string() });

/** The answer to session/prompt (docs/protocols/acp.md 4.27). */
export const PromptResult = z.looseObject({ stopReason: z.string(), usage: TurnUsage.nullish().catch(null), ...meta });
export type PromptResult = z.infer<typeof PromptResult>;

/** The answer to session/set_config_option. */
export const SetOptionResult = z.looseObject({ configOptions: ConfigOptions });

/** The notification session/update. */
export const UpdateParams = z.looseObject({
  sessionId: z.string(),
  update: z.looseObject({ sessionUpdate: z.string() }),
});
export type UpdateParams = z.infer<typeof UpdateParams>;

/** A piece of a message (docs/protocols/acp.md 4.32). */
export const Chunk = z.looseObject({ content: ContentBlock, messageId: text, ...meta });
export type Chunk = z.infer<typeof Chunk>;

/** A tool call or a change of one. */
export const CallUpdate = ToolCallFields;
export type CallUpdate = ToolCallFields;

/** docs/protocols/acp.md 4.43. */
export const PlanUpdate = z.looseObject({
  entries: z.array(z.looseObject({ content: z.string(), priority: text, status: text })),
});

/** docs/protocols/acp.md 3.26. */
export const CommandsUpdate = z.looseObject({
  availableCommands: z.array(
    z.looseObject({
      name: z.string(),
      description: text,
      input: z.looseObject({ hint: text }).nullish().catch(null),
    }),
  ),
});

/** The prose of the document says `modeId` (docs/protocols/acp.md 3.21). */
export const ModeUpdate = z.looseObject({ currentModeId: text, modeId: text });

/** docs/protocols/acp.md 3.23. */
export const OptionsUpdate = z.looseObject({ configOptions: ConfigOptions });

/** docs/protocols/acp.md 5.52. */
export const UsageUpdate = z.looseObject({
  used: z.number().nullish(),
  size: z.number().nullish(),
  cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish().catch(null),
  ...meta,
});

/** Absent: unchanged. Null: cleared. */
export const SessionInfoUpdate = z.looseObject({ sessionUpdate: z.string(), title: text, updatedAt: text });

/** For clients that declare `session.notices`. */
export const NoticeUpdate = z.looseObject({ severity: text, title: z.string(), description: text, ...meta });

/** For clients that declare `session.compaction`. */
export const CompactionUpdate = z.looseObject({
  compactionId: z.string(),
  status: text,
  summary: z.array(ContentBlock).nullish(),
  error: z.union([z.string(), z.looseObject({ message: text })]).nullish(),
});

/** One answer that an agent offers to a question for permission (docs/protocols/acp.md 4.44). */
export const PermissionOption = z.looseObject({ optionId: z.string(), name: text, kind: text });
export type PermissionOption = z.infer<typeof PermissionOption>;

/** The request session/request_permission. */
export const PermissionParams = z.looseObject({
  sessionId: z.string(),
  toolCall: ToolCallFields,
  options: z.array(PermissionOption),
});
export type PermissionParams = z.infer<typeof PermissionParams>;

const titled = z.array(z.looseObject({ const: z.string(), title: text })).nullish();
const names = z.array(z.string()).nullish();

/** One field of a form (docs/protocols/acp.md 6.55). `items`: the choices of a field that takes several. */
export const FormProperty = z.looseObject({
  type: text,
  title: text,
  description: text,
  enum: names,
  oneOf: titled,
  items: z.looseObject({ enum: names, anyOf: titled }).nullish(),
  default: z.unknown().optional(),
});
export type FormProperty = z.infer<typeof FormProperty>;

/** The request elicitation/create. */
export const ElicitationParams = z.looseObject({
  sessionId: text,
  mode: text,
  message: z.string().catch(''),
  requestedSchema: z
    .looseObject({
      properties: z.record(z.string(), FormProperty).nullish(),
      required: names,
    })
    .nullish(),
  url: text,
  elicitationId: text,
});
export type ElicitationParams = z.infer<typeof ElicitationParams>;

/** The notification `$/cancel_request` (docs/protocols/acp.md 4.50). */
export const CancelRequestParams = z.looseObject({ requestId: z.union([z.string(), z.number(), z.null()]) });
