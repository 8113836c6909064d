// The messages of ECA clients (docs/protocols/eca.md 8; names of newer versions: 1.3 to 1.5). The schemas are tolerant:
// unknown fields pass, and null counts as absent. The JSON-RPC envelope is in json-rpc.ts.
import { z } from 'zod';
import { isDictionary } from '../../../core/model/dictionary.ts';

const text = z.string().nullish();

/** Turns `request-id` into `requestId`: real servers accept both spellings (docs/protocols/eca.md 2.14, 5.4). */
export function camelKeys(value: object): object {
  const entries = Object.entries(value).map(([key, member]) => [key.replace(/-([a-z])/gu, upper), member]);
  return Object.fromEntries(entries);
}

function upper(_: string, letter: string): string {
  return letter.toUpperCase();
}

/**
 * The params of a message, ready for its schema; undefined if the value cannot be params. Missing params, null, `[]`
 * and `[null]` count as empty: Neovim's plugin writes empty tables as `[]`, and real servers accept that
 * (docs/protocols/eca.md 2.14, 5.4).
 * A member whose name ends in `Id` becomes a string: Neovim's plugin of September 2025 names a chat by the number of
 * its tab page. The answers carry the string, which no editor of that time compares.
 */
export function paramsOf(params: unknown): object | undefined {
  const only = Array.isArray(params) && params.length <= 1 ? params[0] : params;
  if (only === undefined || only === null) return {};
  if (!isDictionary(params)) return undefined;
  return Object.fromEntries(Object.entries(camelKeys(params)).map(([key, member]) => [key, withStringId(key, member)]));
}

function withStringId(key: string, member: unknown): unknown {
  return key.endsWith('Id') && Number.isSafeInteger(member) ? String(member) : member;
}

/** The params of `initialize` (docs/protocols/eca.md 8.1). ../client.ts reads the parts, leniently. */
export const InitializeParams = z.looseObject({
  initializationOptions: z.unknown().optional(),
  capabilities: z.unknown().optional(),
  workspaceFolders: z.array(z.unknown()).nullish(),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

/** The params of `chat/prompt` (docs/protocols/eca.md 8.2). Newer versions call `behavior` `agent`. */
export const PromptParams = z.looseObject({
  chatId: text,
  message: z.string(),
  model: text,
  behavior: text,
  agent: text,
  variant: text,
  trust: z.boolean().nullish(),
  contexts: z.array(z.unknown()).nullish(),
});
export type PromptParams = z.infer<typeof PromptParams>;

/** A notification or request whose only parameter is a chat. */
export const ChatParams = z.looseObject({ chatId: text });

/**
 * The params of `chat/toolCallApprove` and `chat/toolCallReject` (docs/protocols/eca.md 8.6). `save` exists since 0.63.
 */
export const ToolCallParams = z.looseObject({ chatId: z.string(), toolCallId: z.string(), save: text });
export type ToolCallParams = z.infer<typeof ToolCallParams>;

/**
 * The params of `chat/queryContext`, `chat/queryCommands` and, since 0.107, `chat/queryFiles` (docs/protocols/eca.md
 * 8.7).
 */
export const QueryParams = z.looseObject({
  chatId: text,
  query: text,
  contexts: z.array(z.unknown()).nullish(),
});
export type QueryParams = z.infer<typeof QueryParams>;

/** The params of `chat/promptSteer`, since 0.123. */
export const SteerParams = z.looseObject({ chatId: z.string(), message: z.string() });
export type SteerParams = z.infer<typeof SteerParams>;

/** The params of `chat/clear`. Only `messages` can be cleared. */
export const ClearParams = z.looseObject({ chatId: z.string(), messages: z.boolean().nullish() });
export type ClearParams = z.infer<typeof ClearParams>;

export const UpdateParams = z.looseObject({ chatId: z.string(), title: text, trust: z.boolean().nullish() });
export type UpdateParams = z.infer<typeof UpdateParams>;

export const SelectedModelParams = z.looseObject({ chatId: text, model: z.string() });
export type SelectedModelParams = z.infer<typeof SelectedModelParams>;
export const SelectedAgentParams = z.looseObject({ chatId: text, agent: text, behavior: text });
export type SelectedAgentParams = z.infer<typeof SelectedAgentParams>;

/** The params of the notifications that start or stop a tool server (docs/protocols/eca.md 8.8). */
export const ServerParams = z.looseObject({ name: z.string() });

/** The params of `workspace/didChangeWorkspaceFolders`, as in the Language Server Protocol. */
export const FoldersChangedParams = z.looseObject({
  event: z.looseObject({ added: z.array(z.unknown()).nullish(), removed: z.array(z.unknown()).nullish() }),
});
export type FoldersChangedParams = z.infer<typeof FoldersChangedParams>;

/** The answer to `chat/askQuestion`. */
export const AskAnswer = z.looseObject({ answer: text, cancelled: z.boolean().nullish() });
export type AskAnswer = z.infer<typeof AskAnswer>;
