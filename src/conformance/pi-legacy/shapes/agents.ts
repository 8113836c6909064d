// The shapes of the output of pi 0.13.2 (docs/protocols/pi-legacy.md 2, 4).
import { fields, type Shape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { word } from '../../pi/shapes/parts.ts';
import { talks } from '../rules/legacy-rows.ts';
import { agentPlaces } from './places.ts';

/** Values of `type`, of all lines. */
export const eventTypes = [
  ...['agent_start', 'agent_end', 'turn_start', 'turn_end', 'message_start', 'message_update', 'message_end'],
  ...['tool_execution_start', 'tool_execution_end', 'compaction', 'error'],
];

const message = fields({ role: 'string' });
const call = { toolCallId: 'string', toolName: 'string' } as const;
const parts = { input: 'number', output: 'number', cacheRead: 'number', cacheWrite: 'number' } as const;
/** The tokens of an answer, and what they cost. */
export const usage = fields({ ...parts, cost: fields({ ...parts, total: 'number' }) });
const answer = {
  content: ['object'],
  api: 'string',
  provider: 'string',
  model: 'string',
  usage: 'object',
  stopReason: 'string',
  'errorMessage?': 'string',
} as const;

const part = { contentIndex: 'number', partial: 'object' } as const;
const delta = fields({ ...part, delta: 'string' });
const ended = fields({ ...part, content: 'string' });
const toolCall = fields({ type: words('toolCall'), id: 'string', name: 'string', arguments: 'object' });
const updates: Readonly<Record<string, Shape>> = {
  start: fields({ partial: 'object' }),
  text_start: fields(part),
  text_delta: delta,
  text_end: ended,
  thinking_start: fields(part),
  thinking_delta: delta,
  thinking_end: ended,
  toolcall_start: fields(part),
  toolcall_delta: delta,
  toolcall_end: fields({ ...part, toolCall }),
  done: fields({ reason: 'string', message: 'object' }),
  error: fields({ reason: 'string', error: 'object' }),
};
/** Values of `type`, of all updates. */
export const updateTypes = Object.keys(updates);
const update: Shape = { by: 'type', variants: updates, others: fields({ type: words(...updateTypes) }) };

const runs = { scenarios: ['talk', 'tools'] };

const lineRows = shapeRules('pi-legacy', agentPlaces, {
  'event-types': {
    section: 'Event Types Overview',
    level: 'SHOULD',
    sentence: 'The `type` of each line is one of the eleven events.',
    covers: ['event:agent_start', 'event:turn_start'],
    scenarios: talks,
    shapes: { line: fields({ type: words(...eventTypes) }) },
  },
  'agent-end-fields': {
    ...runs,
    section: 'agent_end',
    sentence: 'Each `agent_end` has the fields of its schema.',
    shapes: { 'event:agent_end': fields({ messages: ['object'] }) },
  },
  'turn-end-fields': {
    ...runs,
    section: 'turn_end',
    sentence: 'Each `turn_end` has the fields of its schema.',
    shapes: { 'event:turn_end': fields({ message, toolResults: [message] }) },
  },
  'message-start-fields': {
    ...runs,
    section: 'message_start',
    sentence: 'Each `message_start` has the fields of its schema.',
    shapes: { 'event:message_start': fields({ message }) },
  },
  'message-update-fields': {
    ...runs,
    section: 'message_update',
    sentence: 'Each `message_update` has the fields of its schema.',
    shapes: { 'event:message_update': fields({ message, assistantMessageEvent: fields({ type: 'string' }) }) },
  },
  'message-end-fields': {
    ...runs,
    section: 'message_end',
    sentence: 'Each `message_end` has the fields of its schema.',
    shapes: { 'event:message_end': fields({ message }) },
  },
  'tool-execution-start-fields': {
    section: 'tool_execution_start',
    sentence: 'Each `tool_execution_start` has the fields of its schema.',
    scenarios: ['tools'],
    shapes: { 'event:tool_execution_start': fields({ ...call, args: 'object' }) },
  },
  'tool-execution-end-fields': {
    section: 'tool_execution_end',
    sentence: 'Each `tool_execution_end` has the fields of its schema.',
    scenarios: ['tools'],
    shapes: { 'event:tool_execution_end': fields({ ...call, result: 'any', isError: 'boolean' }) },
  },
  'error-fields': {
    section: 'error',
    sentence: 'Each `error` has the fields of its schema.',
    scenarios: ['bad input'],
    shapes: { 'event:error': fields({ error: word }) },
  },
  'update-fields': {
    section: 'AssistantMessageEvent',
    sentence: 'Each `assistantMessageEvent` is of a known type and has the fields of that type.',
    covers: updateTypes.map((type) => `update:${type}`),
    scenarios: ['talk', 'thinking', 'tools'],
    shapes: { update },
  },
});

const contents = {
  text: fields({ text: 'string', 'textSignature?': 'string' }),
  thinking: fields({ thinking: 'string', 'thinkingSignature?': 'string' }),
  image: fields({ data: 'string', mimeType: 'string' }),
  toolCall: fields({ id: 'string', name: 'string', arguments: 'object', 'thoughtSignature?': 'string' }),
};

const messageRows = shapeRules('pi-legacy', agentPlaces, {
  'user-message': {
    section: 'UserMessage',
    sentence: 'Each message of role `user` has the fields of its type.',
    covers: [],
    scenarios: ['talk'],
    shapes: { 'message of user': fields({ content: { oneOf: ['string', ['object']] } }) },
  },
  'assistant-message': {
    section: 'AssistantMessage',
    sentence: 'Each message of role `assistant` has the fields of its type.',
    covers: [],
    scenarios: ['talk'],
    shapes: { 'message of assistant': fields(answer) },
  },
  'tool-result-message': {
    section: 'ToolResultMessage',
    sentence: 'Each message of role `toolResult` has the fields of its type.',
    covers: [],
    scenarios: ['tools'],
    shapes: { 'message of toolResult': fields({ ...call, content: ['object'], isError: 'boolean' }) },
  },
  'update-message': {
    section: 'message_update',
    isMeasured: true,
    sentence: 'The message of an update, and the `partial` in it, have all fields of an answer.',
    covers: ['event:message_update'],
    scenarios: talks,
    shapes: { 'answer so far': fields({ ...answer, usage, timestamp: 'number' }) },
  },
  'known-content': {
    section: 'Content Types',
    sentence: 'Messages hold blocks of the types that those of their role can hold.',
    covers: [],
    scenarios: ['talk', 'tools', 'attachments'],
    shapes: {
      'block of user': fields({ type: words('text', 'image') }),
      'block of assistant': fields({ type: words('text', 'thinking', 'toolCall') }),
      'block of toolResult': fields({ type: words('text', 'image') }),
    },
  },
  'text-content': {
    section: 'TextContent',
    sentence: 'Each block of type `text` has the fields of its type.',
    scenarios: ['talk'],
    shapes: { 'content:text': contents.text },
  },
  'thinking-content': {
    section: 'ThinkingContent',
    sentence: 'Each block of type `thinking` has the fields of its type.',
    scenarios: ['thinking'],
    shapes: { 'content:thinking': contents.thinking },
  },
  'image-content': {
    section: 'ImageContent',
    sentence: 'Each block of type `image` has the fields of its type.',
    scenarios: ['attachments'],
    shapes: { 'content:image': contents.image },
  },
  'tool-call-content': {
    section: 'ToolCall',
    sentence: 'Each block of type `toolCall` has the fields of its type.',
    scenarios: ['tools'],
    shapes: { 'content:toolCall': contents.toolCall },
  },
  usage: {
    section: 'Usage',
    sentence: 'The usage of each answer counts tokens and cost in all their parts.',
    covers: [],
    scenarios: talks,
    shapes: { 'message of assistant': fields({ usage }) },
  },
  'stop-reason': {
    section: 'StopReason',
    sentence: 'The stop reason of each answer is one of the five.',
    covers: [],
    scenarios: talks,
    shapes: {
      'message of assistant': fields({ stopReason: words('stop', 'length', 'toolUse', 'error', 'aborted') }),
    },
  },
  'error-message': {
    section: 'AssistantMessage',
    isMeasured: true,
    sentence: 'An answer that ended in an error says why in `errorMessage`.',
    covers: [],
    scenarios: ['fail'],
    shapes: { 'answer that failed': fields({ errorMessage: word }) },
  },
  'message-roles': {
    section: 'AppMessage',
    sentence: 'Each message has a role.',
    covers: [],
    scenarios: talks,
    shapes: { 'message of a run': fields({ role: 'string' }) },
  },
});

/** Rules on the shapes of agents' lines and messages. */
export const shapeRulesOfAgents = [...lineRows, ...messageRows];
