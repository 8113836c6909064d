// The messages of ECA servers of both eras (docs/protocols/eca.md 8; names of newer versions: 1.3 to 1.5). The schemas
// are tolerant: unknown fields pass, and null counts as absent. The messages of clients are in client.ts.
import { z } from 'zod';
import { isDictionary } from '../../../core/model/dictionary.ts';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const figure = z.number().nullish();
const names = z.array(z.string()).nullish();
/** Costs are strings like `0.01`. */
const money = z.union([z.string(), z.number()]).nullish();

/** A message from the server, by kind. `fault`: not a message. */
export type ServerMessage =
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: unknown; readonly result: unknown; readonly error: unknown }
  | { readonly kind: 'fault'; readonly message: string };

/** Classifies a JSON value. A missing `jsonrpc` is accepted. */
export function readServerMessage(json: unknown): ServerMessage {
  if (!isDictionary(json)) return { kind: 'fault', message: 'a message must be a JSON object' };
  const { id, method, params, result, error } = json;
  if (typeof method === 'string') {
    if (typeof id === 'string' || typeof id === 'number') return { kind: 'request', id, method };
    return { kind: 'notification', method, params };
  }
  const isAnswer = method === undefined && id !== undefined && id !== null;
  if (!isAnswer) return { kind: 'fault', message: 'a message must have a method, or be an answer' };
  return { kind: 'response', id, result, error: error ?? undefined };
}

/** The error in an answer; codes may be strings (docs/protocols/eca.md 5.5). */
export const RpcError = z.looseObject({ code: z.unknown().optional(), message: z.string().catch('') });

/** docs/protocols/eca.md 8.1. Since 0.42 only the welcome message is left. */
export const InitializeResult = z.looseObject({
  models: names,
  chatDefaultModel: text,
  chatBehaviors: names,
  chatDefaultBehavior: text,
  chatWelcomeMessage: text,
});
export type InitializeResult = z.infer<typeof InitializeResult>;

/** `config/updated`, since 0.42: only the changed values, and null where the server knows nothing yet. */
export const ConfigParams = z.looseObject({
  chatId: text,
  chat: z
    .looseObject({
      models: names,
      agents: names,
      behaviors: names,
      selectModel: text,
      selectAgent: text,
      selectBehavior: text,
      defaultModel: text,
      defaultAgent: text,
      defaultBehavior: text,
      variants: names,
      selectVariant: text,
      welcomeMessage: text,
    })
    .nullish(),
});
export type ConfigParams = z.infer<typeof ConfigParams>;

/** docs/protocols/eca.md 8.2. */
export const PromptResult = z.looseObject({ chatId: text, model: text, status: text });

/** docs/protocols/eca.md 8.3; `requestId` up to 0.45, `parentChatId` since 0.101. */
export const ContentParams = z.looseObject({
  chatId: z.string(),
  parentChatId: text,
  requestId: z.union([z.string(), z.number()]).nullish(),
  role: z.string(),
  content: z.looseObject({ type: z.string() }),
});
export type ContentParams = z.infer<typeof ContentParams>;

const head = {
  id: z.string(),
  name: z.string(),
  origin: text,
  server: text,
  summary: text,
  details: z.unknown().optional(),
};

/** The contents that the gateway understands, by type. */
export const contents = {
  text: z.looseObject({ text, contentId: text }),
  progress: z.looseObject({ state: text, text }),
  usage: z.looseObject({
    messageInputTokens: figure,
    messageOutputTokens: figure,
    sessionTokens: figure,
    messageCost: money,
    lastMessageCost: money,
    sessionCost: money,
    limit: z.looseObject({ context: figure, output: figure }).nullish(),
  }),
  metadata: z.looseObject({ title: text }),
  url: z.looseObject({ url: z.string(), title: text }),
  image: z.looseObject({ base64: z.string(), mediaType: text }),
  reason: z.looseObject({ id: z.string(), text }),
  toolCallPrepare: z.looseObject({ ...head, argumentsText: text }),
  toolCallRun: z.looseObject({ ...head, arguments: z.unknown().optional(), manualApproval: flag }),
  toolCallRunning: z.looseObject({ ...head, arguments: z.unknown().optional() }),
  toolCalled: z.looseObject({
    ...head,
    arguments: z.unknown().optional(),
    error: flag,
    outputs: z.unknown().optional(),
    totalTimeMs: figure,
  }),
  toolCallRejected: z.looseObject({ ...head, arguments: z.unknown().optional(), reason: text }),
} as const;
export type ContentOf<Type extends keyof typeof contents> = z.infer<(typeof contents)[Type]>;

/** Any content of a tool call: the fields that they share. */
export type CallContent = ContentOf<'toolCallPrepare' | 'toolCallRun' | 'toolCallRunning' | 'toolCalled'>;

/** A notification about one chat. */
export const ChatNotice = z.looseObject({ chatId: z.string(), status: text, title: text, messages: flag });
export type ChatNotice = z.infer<typeof ChatNotice>;

/** docs/protocols/eca.md 8.8; the status `requires-auth` and `tool/serverRemoved` are newer. */
export const ServerUpdated = z.looseObject({
  type: text,
  name: z.string(),
  command: text,
  args: names,
  status: text,
  tools: z
    .array(z.looseObject({ name: z.string(), description: text, parameters: z.unknown().optional(), disabled: flag }))
    .nullish(),
});
export type ServerUpdated = z.infer<typeof ServerUpdated>;
export const ServerRemoved = z.looseObject({ name: z.string() });

/** docs/protocols/eca.md 8.9. */
export const ShowMessage = z.looseObject({ type: text, message: z.string() });

/** docs/protocols/eca.md 8.7. */
export const ContextsResult = z.looseObject({ contexts: z.array(z.unknown()) });
export const CommandsResult = z.looseObject({
  commands: z.array(
    z.looseObject({
      name: z.string(),
      description: text,
      type: text,
      arguments: z.array(z.looseObject({ name: z.string(), description: text, required: flag })).nullish(),
    }),
  ),
});

/** The faults in one line. */
export function faultIn(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as it should be'}`.slice(0, 200);
}
