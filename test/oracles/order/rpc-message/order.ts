// The checker of RpcMessage messages: what the parser of its project accepts (docs/protocols/rpc-message.md 3, 9;
// measured). It checks shapes only; the order is that of the native dialect.
import { z } from 'zod';

/** Every rule of the dialect, with its sentence. */
export const rpcRules = {
  type: 'only user, assistant, result, stream_event and error exist',
  null: 'an optional key is left out, never null',
  provider: 'every message but an error names its provider',
  envelope: 'a stream_event has a uuid and a session_id',
  event: 'a stream_event holds one of the six events, with its index',
  delta: 'only text, thinking and input_json deltas exist',
  content: 'content is an array',
  block: 'a block has a kind that the protocol knows, or the unknown form',
  tool: 'a tool_use has toolName, toolType and status',
  id: 'an assistant message has the id of its message_start at the top',
  result: 'a result has is_error, and its usage is in snake case',
  error: 'an error has a message',
} as const;
export type RpcRule = keyof typeof rpcRules;

/** One violation, at an index of the sequence. */
export interface RpcViolation {
  readonly rule: RpcRule;
  readonly at: number;
  readonly says: string;
}

type Dictionary = Record<string, unknown>;
const Dictionary = z.record(z.string(), z.unknown());

const events: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);
const deltas: ReadonlySet<unknown> = new Set(['text_delta', 'thinking_delta', 'input_json_delta']);
const blocks: ReadonlySet<unknown> = new Set([
  ...['text', 'thinking', 'tool_use', 'tool_result', 'image', 'unknown'],
  ...['command_execution', 'file_change', 'mcp_tool_call', 'web_search', 'todo_list', 'error'],
]);
/** Fields whose content belongs to a tool or to a foreign block; the dialect says nothing about it. */
const payloads: ReadonlySet<string> = new Set(['input', 'data', 'tool_use_result', 'permission_denials']);

const Tool = z.looseObject({
  id: z.string(),
  toolName: z.string(),
  toolType: z.string(),
  status: z.enum(['in_progress', 'completed', 'failed']),
  input: z.looseObject({}).nullable(),
});
const Unknown = z.looseObject({ originalType: z.string(), data: z.unknown() });
const Usage = z.looseObject({ inputTokens: z.never().optional(), outputTokens: z.never().optional() });
const Result = z.looseObject({ subtype: z.string(), is_error: z.boolean(), usage: Usage.optional() });

function dictionary(value: unknown): Dictionary {
  return Dictionary.safeParse(value).data ?? {};
}

/** The path of the first null that the parser would meet, or null. */
function nullPath(value: unknown, path: string): string | null {
  if (value === null) return path;
  if (typeof value !== 'object') return null;
  for (const [key, inner] of Object.entries(value)) {
    if (payloads.has(key)) continue;
    const found = nullPath(inner, `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** Checks messages against the dialect; an empty list means that its parser accepts all of them. */
export function checkRpcMessages(frames: readonly unknown[]): RpcViolation[] {
  const violations: RpcViolation[] = [];
  let messageId: unknown;

  for (const [at, raw] of frames.entries()) {
    const report = (rule: RpcRule, says: string) => void violations.push({ rule, at, says });
    checkFrame(dictionary(raw), report);
  }
  return violations;

  function checkFrame(frame: Dictionary, report: (rule: RpcRule, says: string) => void): void {
    const known = new Set<unknown>(['user', 'assistant', 'result', 'stream_event', 'error']);
    if (!known.has(frame.type)) {
      report('type', String(frame.type));
      return;
    }
    const nullAt = nullPath(frame, String(frame.type));
    if (nullAt !== null) report('null', nullAt);
    if (frame.type !== 'error' && frame.provider !== 'claude' && frame.provider !== 'codex') {
      report('provider', String(frame.provider));
    }
    if (frame.type === 'user' || frame.type === 'assistant') checkMessage(frame, report);
    if (frame.type === 'stream_event') checkEvent(frame, report);
    if (frame.type === 'result') {
      const { error } = Result.safeParse(frame);
      if (error !== undefined) report('result', error.message);
    }
    if (frame.type === 'error' && typeof frame.message !== 'string') report('error', 'no message');
  }

  function checkMessage(frame: Dictionary, report: (rule: RpcRule, says: string) => void): void {
    const message = dictionary(frame.message);
    if (!Array.isArray(message.content))
      report('content', `${String(frame.type)} content is ${typeof message.content}`);
    else for (const block of message.content) checkBlock(dictionary(block), report);
    if (frame.type !== 'assistant') return;
    // The message of a sub-agent does not stream, so nothing was started under its id.
    const due = typeof frame.parent_tool_use_id === 'string' ? message.id : (messageId ?? message.id);
    if (typeof frame.id !== 'string' || frame.id !== due) report('id', `${String(frame.id)} instead of ${String(due)}`);
  }

  function checkBlock(block: Dictionary, report: (rule: RpcRule, says: string) => void): void {
    if (!blocks.has(block.type)) report('block', `a ${String(block.type)} block`);
    if (block.type === 'unknown' && !Unknown.safeParse(block).success) report('block', 'unknown without originalType');
    const { error } = block.type === 'tool_use' ? Tool.safeParse(block) : { error: undefined };
    if (error !== undefined) report('tool', error.message);
  }

  function checkEvent(frame: Dictionary, report: (rule: RpcRule, says: string) => void): void {
    if (typeof frame.uuid !== 'string' || typeof frame.session_id !== 'string')
      report('envelope', 'no uuid or session_id');
    const event = dictionary(frame.event);
    if (!events.has(event.type)) report('event', String(event.type));
    const indexed = typeof event.type === 'string' && event.type.startsWith('content_block');
    if (indexed && typeof event.index !== 'number') report('event', `${String(event.type)} without index`);
    if (event.type === 'content_block_start') checkBlock(dictionary(event.content_block), report);
    const delta = dictionary(event.delta);
    if (event.type === 'content_block_delta' && !deltas.has(delta.type)) report('delta', String(delta.type));
    if (event.type !== 'message_start') return;
    const message = dictionary(event.message);
    messageId = message.id;
    if (!Array.isArray(message.content)) report('content', 'message_start without content');
  }
}
