// The shapes that the order checker requires of ECA messages: what clients of both eras need; more fields are allowed.
// Sources: docs/protocols/eca.md 8 and 2 to 4.
import { z } from 'zod';

const text = z.string();
const words = text.min(1);
const id = words;

/** A JSON-RPC message of any kind. */
export const Message = z.looseObject({ jsonrpc: z.literal('2.0') });
/** Ids are strings or integers; the answer to an unparsable message has none. */
export const MessageId = z.union([text, z.int()]);
/** Required fields of an error. */
export const RpcError = z.looseObject({ code: z.int(), message: text });

const FileChange = z.looseObject({
  type: z.literal('fileChange'),
  path: words,
  diff: text,
  linesAdded: z.int().min(0),
  linesRemoved: z.int().min(0),
});
/** Details of other types are newer than the document (docs/protocols/eca.md 1.4), and unknown to most clients. */
const Details = z.union([FileChange, z.looseObject({ type: words.refine((type) => type !== 'fileChange') })]);

const call = {
  id,
  name: words,
  origin: z.enum(['native', 'mcp']),
  server: words.optional(),
  summary: text.optional(),
  details: Details.optional(),
};
const input = z.record(text, z.unknown());

/** Contents of a chat, by type. */
export const contents: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['text', z.looseObject({ text, contentId: id.optional() })],
  ['url', z.looseObject({ title: text, url: words })],
  ['image', z.looseObject({ mediaType: words, base64: words })],
  ['progress', z.looseObject({ state: z.enum(['running', 'finished']) })],
  ['metadata', z.looseObject({ title: text })],
  [
    'usage',
    z.looseObject({
      messageInputTokens: z.number().optional(),
      messageOutputTokens: z.number().optional(),
      sessionTokens: z.number().optional(),
      messageCost: text.optional(),
      lastMessageCost: text.optional(),
      sessionCost: text.optional(),
      limit: z.looseObject({ context: z.number().optional(), output: z.number().optional() }).optional(),
    }),
  ],
  ['reasonStarted', z.looseObject({ id })],
  ['reasonText', z.looseObject({ id, text })],
  ['reasonFinished', z.looseObject({ id, totalTimeMs: z.number().optional() })],
  ['toolCallPrepare', z.looseObject({ ...call, argumentsText: text, manualApproval: z.boolean().optional() })],
  ['toolCallRun', z.looseObject({ ...call, arguments: input, manualApproval: z.boolean() })],
  ['toolCallRunning', z.looseObject({ ...call, arguments: input })],
  [
    'toolCalled',
    z.looseObject({ ...call, arguments: input, error: z.boolean(), outputs: z.array(z.looseObject({ type: words })) }),
  ],
  ['toolCallRejected', z.looseObject({ ...call, arguments: input, reason: words })],
  ['flag', z.looseObject({ text })],
]);

/** The role of each content type. Texts may have any role. */
export const speakers: ReadonlyMap<string, string> = new Map([
  ...['progress', 'usage', 'metadata', 'flag'].map((type) => [type, 'system'] as const),
  ...['url', 'image', 'reasonStarted', 'reasonText', 'reasonFinished'].map((type) => [type, 'assistant'] as const),
  ...['toolCallPrepare', 'toolCallRun', 'toolCallRunning', 'toolCalled', 'toolCallRejected'].map(
    (type) => [type, 'assistant'] as const,
  ),
]);

/** An output that both eras can read. */
export const Output = z
  .looseObject({ type: z.literal('text'), text, content: text })
  .refine((output) => output.text === output.content, 'text and content differ');

/** The parameters of `chat/contentReceived`. */
export const Received = z.looseObject({
  chatId: id,
  role: z.enum(['user', 'system', 'assistant']),
  parentChatId: id.optional(),
  content: z.looseObject({ type: words }),
});
export type Received = z.infer<typeof Received>;

const ofChat = z.looseObject({ chatId: id });
const list = z.array(text);
const Server = z.looseObject({
  type: z.enum(['native', 'mcp']),
  name: words,
  status: words,
  tools: z.array(z.looseObject({ name: words, description: text, parameters: z.unknown() })).optional(),
});

/** Notifications of the server, by method. */
export const notifications: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['chat/contentReceived', Received],
  ['chat/opened', ofChat],
  ['chat/cleared', ofChat],
  ['chat/deleted', ofChat],
  ['chat/statusChanged', ofChat.extend({ status: z.enum(['running', 'idle', 'stopping']) })],
  ['$/progress', z.looseObject({ type: z.enum(['start', 'finish']), taskId: id, title: text })],
  ['$/showMessage', z.looseObject({ type: z.enum(['error', 'warning', 'info']), message: text })],
  [
    'config/updated',
    z.looseObject({
      chat: z.looseObject({ models: list.optional(), agents: list.optional(), behaviors: list.optional() }).optional(),
    }),
  ],
  [
    'tool/serverUpdated',
    z.union([
      Server.extend({ type: z.literal('native') }),
      Server.extend({ type: z.literal('mcp'), command: text.optional(), args: list.optional() }),
    ]),
  ],
  ['tool/serverRemoved', z.looseObject({ name: words })],
  ['$/cancelRequest', z.looseObject({ id: MessageId })],
]);

/** Requests of the server, by method, with the capability that the client must have declared. */
export const serverRequests: ReadonlyMap<string, readonly string[]> = new Map([
  ['chat/askQuestion', ['codeAssistant', 'chatCapabilities', 'askQuestion']],
  ['editor/getDiagnostics', ['codeAssistant', 'editor', 'diagnostics']],
  ['editor/getDefinition', ['codeAssistant', 'editor', 'definition']],
  ['editor/getReferences', ['codeAssistant', 'editor', 'references']],
]);

const Command = z.looseObject({
  name: words,
  description: text,
  type: words,
  arguments: z.array(z.looseObject({ name: words, required: z.boolean() })),
});

/** Answers that a client reads, by method. All others are objects. */
export const results: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [
    'initialize',
    z.looseObject({
      models: list,
      chatDefaultModel: text.optional(),
      chatBehaviors: list,
      chatDefaultBehavior: text.optional(),
      chatWelcomeMessage: text,
    }),
  ],
  [
    'chat/prompt',
    z.looseObject({ chatId: id, model: text.optional(), status: z.enum(['success', 'prompting', 'login', 'error']) }),
  ],
  ['chat/queryContext', z.looseObject({ chatId: id.optional(), contexts: z.array(z.looseObject({ type: words })) })],
  ['chat/queryCommands', z.looseObject({ chatId: id.optional(), commands: z.array(Command) })],
  ['chat/queryFiles', z.looseObject({ files: z.array(z.looseObject({ type: words })) })],
  ['chat/list', z.looseObject({ chats: z.array(z.looseObject({ id })) })],
  ['shutdown', z.null()],
]);

/** The first problem that a schema reports. */
export function problemIn(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`;
}
