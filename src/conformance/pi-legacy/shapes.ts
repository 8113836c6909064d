// Shapes of the output of pi 0.13.2 (docs/protocols/pi-legacy.md 2, 4).
import { fields, type Shape } from '../check/shape.ts';

/** Values of `type`, of all lines. */
export const eventTypes = [
  'agent_start',
  'agent_end',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_end',
  'compaction',
  'error',
] as const;

const message = fields({ role: 'string' });
/** Fields of each line, without the inside of its messages. */
export const lines: ReadonlyMap<string, Shape> = new Map([
  ['agent_end', fields({ messages: ['object'] })],
  ['turn_end', fields({ message, toolResults: [message] })],
  ['message_start', fields({ message })],
  ['message_update', fields({ message, assistantMessageEvent: fields({ type: 'string' }) })],
  ['message_end', fields({ message })],
  ['tool_execution_start', fields({ toolCallId: 'string', toolName: 'string', args: 'object' })],
  ['tool_execution_end', fields({ toolCallId: 'string', toolName: 'string', result: 'any', isError: 'boolean' })],
  ['compaction', fields({ summary: 'string', tokensBefore: 'number' })],
  ['error', fields({ error: 'string' })],
]);

/** Fields of messages by role, without content, usage, stop reason and time. */
export const messages: ReadonlyMap<string, Shape> = new Map([
  ['user', fields({ content: { oneOf: ['string', ['object']] } })],
  [
    'assistant',
    fields({
      content: ['object'],
      api: 'string',
      provider: 'string',
      model: 'string',
      usage: 'object',
      stopReason: 'string',
      'errorMessage?': 'string',
    }),
  ],
  ['toolResult', fields({ toolCallId: 'string', toolName: 'string', content: ['object'], isError: 'boolean' })],
]);

/** Content blocks by type. */
export const contents: ReadonlyMap<string, Shape> = new Map([
  ['text', fields({ text: 'string', 'textSignature?': 'string' })],
  ['thinking', fields({ thinking: 'string', 'thinkingSignature?': 'string' })],
  ['image', fields({ data: 'string', mimeType: 'string' })],
  ['toolCall', fields({ id: 'string', name: 'string', arguments: 'object', 'thoughtSignature?': 'string' })],
]);

/** Content types that a message of each role may have. */
export const contentOfRole: ReadonlyMap<string, readonly string[]> = new Map([
  ['user', ['text', 'image']],
  ['assistant', ['text', 'thinking', 'toolCall']],
  ['toolResult', ['text', 'image']],
]);

const parts = { input: 'number', output: 'number', cacheRead: 'number', cacheWrite: 'number' } as const;
export const usage: Shape = fields({ ...parts, cost: fields({ ...parts, total: 'number' }) });

export const stopReasons: readonly unknown[] = ['stop', 'length', 'toolUse', 'error', 'aborted'];

const toolCall = fields({ type: { words: ['toolCall'] }, id: 'string', name: 'string', arguments: 'object' });
const part = { contentIndex: 'number', partial: 'object' } as const;
/** Updates by type. */
export const updates: ReadonlyMap<string, Shape> = new Map([
  ['start', fields({ partial: 'object' })],
  ['text_start', fields(part)],
  ['text_delta', fields({ ...part, delta: 'string' })],
  ['text_end', fields({ ...part, content: 'string' })],
  ['thinking_start', fields(part)],
  ['thinking_delta', fields({ ...part, delta: 'string' })],
  ['thinking_end', fields({ ...part, content: 'string' })],
  ['toolcall_start', fields(part)],
  ['toolcall_delta', fields({ ...part, delta: 'string' })],
  ['toolcall_end', fields({ ...part, toolCall })],
  ['done', fields({ reason: 'string', message: 'object' })],
  ['error', fields({ reason: 'string', error: 'object' })],
]);
