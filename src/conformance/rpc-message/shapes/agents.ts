// The shapes of what agents of the dialect say (docs/protocols/rpc-message.md 3.2 to 3.4, 6, 7.2 and 8).
import { fields, orNull, type PatternShape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { eventKinds } from '../../claude/view/stream.ts';
import { agentPlaces, messageTypes } from './places.ts';

const everyType = messageTypes.map((type) => `message:${type}`);
const events = [...eventKinds].map(String);
const deltas = ['text_delta', 'thinking_delta', 'input_json_delta'];
/** Includes the block types of the newest front end of the RpcMessage project. */
const blocks = [
  ...['text', 'thinking', 'tool_use', 'tool_result', 'image', 'unknown'],
  ...['command_execution', 'file_change', 'mcp_tool_call', 'web_search', 'todo_list', 'error'],
];
const capitals: PatternShape = { text: /^[A-Z][A-Z\d_]*$/u, is: 'a word in capitals', like: 'CLAUDE_READ' };
const content = fields({ message: fields({ content: ['object'] }) });
const indexed = fields({ index: 'integer' });

const messageRows = shapeRules('rpc-message', agentPlaces, {
  provider: {
    section: '6.1',
    sentence: 'Every message but an error names its provider: claude or codex.',
    covers: everyType,
    scenarios: ['text', 'tools'],
    shapes: { 'message of a provider': fields({ provider: words('claude', 'codex') }) },
  },
  'stream-event-envelope': {
    section: '3.2',
    sentence: 'A stream_event has a uuid and a session_id, both texts, and an event.',
    scenarios: ['text'],
    shapes: { 'message:stream_event': fields({ uuid: 'string', session_id: 'string', event: 'object' }) },
  },
  'content-list': {
    section: '3.2',
    sentence: 'The content of user and assistant messages is a list of blocks.',
    scenarios: ['text', 'tools'],
    shapes: { 'message:user': content, 'message:assistant': content },
  },
  'parent-text': {
    section: '3.2',
    sentence: 'parent_tool_use_id is a text where it has a value.',
    covers: ['message:user'],
    scenarios: ['subagent'],
    shapes: { 'message with a parent': fields({ 'parent_tool_use_id?': orNull('string') }) },
  },
  'error-shape': {
    section: '3.2',
    sentence: 'An error says what is wrong in its message.',
    scenarios: ['odd'],
    shapes: { 'message:error': fields({ message: 'string' }) },
  },
  'event-kind': {
    section: '3.3',
    sentence: 'A stream_event holds one of six events.',
    covers: events.map((type) => `event:${type}`),
    scenarios: ['text'],
    shapes: { event: fields({ type: words(...events) }) },
  },
  'event-index': {
    section: '3.3',
    sentence: 'Events of a block have its index.',
    scenarios: ['text'],
    shapes: {
      'event:content_block_start': indexed,
      'event:content_block_delta': indexed,
      'event:content_block_stop': indexed,
    },
  },
  'message-start-shape': {
    section: '3.3',
    sentence: 'message_start has the message that begins, with its id, and a list for its content.',
    scenarios: ['text'],
    shapes: { 'event:message_start': fields({ message: fields({ id: 'string', content: ['any'] }) }) },
  },
  'message-delta-shape': {
    section: '6.4',
    sentence:
      'message_delta has the stop_reason, unless the message was cut, and the output_tokens so far, in snake case.',
    scenarios: ['text'],
    shapes: {
      'event:message_delta': fields({
        delta: fields({ 'stop_reason?': orNull('string') }),
        usage: fields({ output_tokens: 'number' }),
      }),
    },
  },
  'delta-known': {
    section: '3.4',
    sentence: 'A delta is one of three: text_delta, thinking_delta, input_json_delta.',
    covers: deltas.map((type) => `delta:${type}`),
    scenarios: ['text', 'think', 'tools'],
    shapes: { 'event:content_block_delta': fields({ delta: fields({ type: words(...deltas) }) }) },
  },
  'result-shape': {
    section: '6.5',
    sentence: 'A result has subtype, is_error, num_turns, session_id, and what it took and cost.',
    scenarios: ['text', 'fail'],
    shapes: {
      'message:result': fields({
        subtype: 'string',
        is_error: 'boolean',
        duration_ms: 'number',
        duration_api_ms: 'number',
        num_turns: 'number',
        session_id: 'string',
        total_cost_usd: 'number',
      }),
    },
  },
  'result-usage': {
    section: '6.5',
    sentence: 'The usage of a result is in snake case: input_tokens and output_tokens.',
    scenarios: ['text'],
    isMeasured: true,
    shapes: { 'message:result': fields({ 'usage?': fields({ input_tokens: 'number', output_tokens: 'number' }) }) },
  },
});

const blockRows = shapeRules('rpc-message', agentPlaces, {
  'block-known': {
    section: '7.2',
    sentence: 'Every block is of a kind that the dialect knows; all others come in the unknown form.',
    covers: ['block:text', 'block:thinking', 'block:unknown'],
    scenarios: ['text', 'think', 'tools'],
    shapes: { block: fields({ type: words(...blocks) }) },
  },
  'unknown-block': {
    section: '7.2',
    sentence: 'The unknown form has the originalType of a block, and the block as its data.',
    scenarios: ['text'],
    shapes: { 'block:unknown': fields({ originalType: 'string', data: 'any' }) },
  },
  'text-block': {
    section: '3.2',
    sentence: 'Text blocks have text, and thinking blocks have thinking.',
    scenarios: ['text', 'think'],
    shapes: { 'block:text': fields({ text: 'string' }), 'block:thinking': fields({ thinking: 'string' }) },
  },
  'tool-use-shape': {
    section: '6.2',
    sentence: 'A call has id, toolName, toolType and status; its input is an object, or null while it is not known.',
    scenarios: ['tools'],
    shapes: {
      'block:tool_use': fields({
        id: 'string',
        toolName: 'string',
        toolType: 'string',
        status: words('in_progress', 'completed', 'failed'),
        'input?': orNull('object'),
      }),
    },
  },
  'tool-use-begins': {
    section: '6.2',
    sentence: 'A call that opens is in_progress.',
    covers: ['block:tool_use', 'event:content_block_start'],
    scenarios: ['tools'],
    shapes: { 'call that opens': fields({ status: words('in_progress') }) },
  },
  'tool-type': {
    section: '6.2',
    level: 'SHOULD',
    sentence: 'toolType is a word in capitals that says whose tool it is: CLAUDE_READ and the like, MCP, UNKNOWN.',
    scenarios: ['tools'],
    shapes: { 'block:tool_use': fields({ 'toolType?': capitals }) },
  },
  'tool-result-shape': {
    section: '6.3',
    sentence: 'A tool_result names its call; is_error is a boolean.',
    covers: ['block:tool_result', 'message:user'],
    scenarios: ['tools', 'toolfail'],
    shapes: { 'block:tool_result': fields({ tool_use_id: 'string', 'is_error?': 'boolean' }) },
  },
});

/** The document does not describe the envelope of requests and answers. */
const measured = { section: '概述', isMeasured: true } as const;
const asked = { ...measured, reads: 'both' } as const;
const status = fields({ status: 'string' });

const answerRows = shapeRules('rpc-message', agentPlaces, {
  'envelope-shape': {
    ...measured,
    sentence: 'What streams stands in an envelope with the id of its query and the message as data.',
    scenarios: ['text'],
    shapes: { 'envelope:stream': fields({ id: 'string', data: fields({ type: 'string' }) }) },
  },
  'answer-shape': {
    ...measured,
    sentence: 'An answer has a result and the error null, which is not left out.',
    covers: ['envelope:reply'],
    scenarios: ['settings'],
    shapes: { answer: fields({ id: 'string', result: 'object', error: 'null' }) },
  },
  'refusal-shape': {
    ...measured,
    sentence: 'A refusal has the result null, and an error with a number for code and a message.',
    covers: ['envelope:reply'],
    scenarios: ['settings'],
    shapes: {
      refusal: fields({ id: 'string', result: 'null', error: fields({ code: 'number', message: 'string' }) }),
    },
  },
  'connect-result': {
    ...asked,
    sentence: 'connect is answered with sessionId, provider and the status connected.',
    covers: ['request:connect'],
    scenarios: ['settings'],
    shapes: {
      'answer to connect': fields({
        'error?': 'null',
        result: fields({ sessionId: 'string', provider: 'string', status: words('connected') }),
      }),
    },
  },
  'connect-capabilities': {
    ...asked,
    sentence: 'connect tells the capabilities for which a front end shows buttons.',
    covers: ['request:connect'],
    scenarios: ['settings'],
    shapes: {
      'result of connect': fields({
        capabilities: fields({
          canInterrupt: 'boolean',
          canSwitchModel: 'boolean',
          canSwitchPermissionMode: 'boolean',
        }),
      }),
    },
  },
  'set-model-answer': {
    ...asked,
    sentence: 'setModel takes the bare name of a model, and is answered with a status.',
    covers: ['request:setModel'],
    scenarios: ['settings'],
    shapes: { 'result of setModel': status },
  },
  'history-list': {
    ...asked,
    sentence: 'getHistory is answered with the messages of the session, in the dialect.',
    covers: ['request:getHistory'],
    scenarios: ['text'],
    shapes: {
      'result of getHistory': fields({
        messages: [fields({ type: 'string', message: fields({ content: ['object'] }) })],
      }),
    },
  },
  'interrupt-answer': {
    ...asked,
    sentence: 'interrupt is answered with a status.',
    covers: ['request:interrupt'],
    scenarios: ['interrupt'],
    shapes: { 'answer to interrupt': fields({ 'error?': 'null', result: status }) },
  },
  'disconnect-answer': {
    ...asked,
    sentence: 'disconnect is answered with a status before the connection ends.',
    covers: ['request:disconnect'],
    scenarios: ['disconnect'],
    shapes: { 'answer to disconnect': fields({ 'error?': 'null', result: status }) },
  },
});

/** Rules on the shapes of agents' messages, blocks and answers. */
export const shapeRulesOfAgents = [...messageRows, ...blockRows, ...answerRows];
