// What clients say in version 1: requests, notifications and answers (docs/protocols/acp.md 2, 3, 4). The schemas are
// tolerant: unknown fields pass, and null counts as absent.
import { z } from 'zod';
import { ContentBlock, meta, text } from './content.ts';

const ability = z.looseObject({}).nullish().catch(null);
const sessionId = z.string();

/** docs/protocols/acp.md 2.10, 2.11. Clients say as little as `{"fs": …}` and no `clientInfo`. */
export const InitializeParams = z.looseObject({
  protocolVersion: z.unknown().optional(),
  clientInfo: z.looseObject({ name: z.string(), title: text, version: text }).nullish().catch(null),
  clientCapabilities: z
    .looseObject({
      session: z
        .looseObject({
          configOptions: z.looseObject({ boolean: ability }).nullish().catch(null),
          notices: ability,
          compaction: ability,
        })
        .nullish()
        .catch(null),
      elicitation: z.looseObject({ form: ability, url: ability }).nullish().catch(null),
      ...meta,
    })
    .nullish()
    .catch(null),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

const pair = z.looseObject({ name: z.string(), value: z.string() });

/** An MCP server (docs/protocols/acp.md 3.15). Holds secrets. */
export const McpServer = z.looseObject({
  name: z.string(),
  type: text,
  command: text,
  args: z.array(z.string()).nullish(),
  env: z.array(pair).nullish(),
  url: text,
  headers: z.array(pair).nullish(),
});
export type McpServer = z.infer<typeof McpServer>;

const place = {
  cwd: z.string(),
  /** Required by the document; clients may leave it out (docs/protocols/acp.md 3.14). */
  mcpServers: z.array(McpServer).nullish(),
  additionalDirectories: z.array(z.string()).nullish(),
};

export const NewSessionParams = z.looseObject(place);
export const LoadSessionParams = z.looseObject({ sessionId, ...place });
/** Resuming names the same place. */
export const ResumeSessionParams = LoadSessionParams;
export const ListSessionsParams = z.looseObject({ cwd: text, cursor: text });
export const SessionParams = z.looseObject({ sessionId });
export const SetModeParams = z.looseObject({ sessionId, modeId: z.string() });
export const SetModelParams = z.looseObject({ sessionId, modelId: z.string() });
export const SetOptionParams = z.looseObject({
  sessionId,
  configId: z.string(),
  value: z.union([z.string(), z.boolean()]),
});
export const PromptParams = z.looseObject({ sessionId, prompt: z.array(ContentBlock), ...meta });

/** The answer to session/request_permission (docs/protocols/acp.md 4.44). */
export const PermissionResult = z.looseObject({
  outcome: z.looseObject({ outcome: z.string(), optionId: text }),
});

/** The answer to elicitation/create (docs/protocols/acp.md 6.55). */
export const ElicitationResult = z.looseObject({ action: z.string(), content: z.looseObject({}).nullish() });
