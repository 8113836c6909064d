// The shapes of what native Claude agents say: docs/protocols/rpc-message.md 1, 2.3, 3.2 and 6.5; docs/protocols/claude.md
// 3 to 7, which is measured.

import { fields, orNull, type Shape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { answerRows, askRows } from './control.ts';
import { eventRows } from './events.ts';
import { type AgentRows, counts, everywhere, server } from './parts.ts';
import { agentPlaces } from './places.ts';

const anyMessage = [
  'message:user',
  'message:assistant',
  'message:result',
  'message:stream_event',
  'message:system',
] as const;
const ofLanes = ['message:stream_event', 'message:assistant', 'message:user'] as const;

/** A block of a whole message. */
const block: Shape = {
  by: 'type',
  variants: {
    text: fields({ text: 'string' }),
    thinking: fields({ thinking: 'string' }),
    tool_use: fields({ id: 'string', name: 'string', input: 'object' }),
    tool_result: fields({
      tool_use_id: 'string',
      'content?': { oneOf: ['string', ['object']] },
      'is_error?': 'boolean',
    }),
  },
};

const main = { section: '1.1', scenarios: ['text'] } as const;
const measured = { ...main, isMeasured: true } as const;
const ofResults = { section: '6.5', covers: ['message:result'], scenarios: ['text'] } as const;

/** Of messages, type by type. */
const messages: AgentRows = {
  'session-id': {
    ...measured,
    sentence: 'Messages of a turn carry a session_id.',
    shapes: everywhere(fields({ session_id: 'string' }), ...anyMessage),
  },
  uuid: {
    ...measured,
    sentence: 'Messages of a turn carry a uuid.',
    shapes: everywhere(fields({ uuid: 'string' }), ...anyMessage),
  },
  'parent-field': {
    ...measured,
    sentence:
      'stream_event, assistant and user carry parent_tool_use_id: null on the main thread, else the call of the sub-agent.',
    shapes: everywhere(fields({ parent_tool_use_id: orNull('string') }), ...ofLanes),
  },
  'assistant-shape': {
    ...main,
    sentence: 'An assistant message holds the message of the API: id, role, model, a list of blocks, usage.',
    shapes: {
      'message:assistant': fields({
        message: fields({ id: 'string', role: 'string', model: 'string', content: ['object'], usage: counts }),
      }),
    },
  },
  'api-message': {
    ...measured,
    sentence:
      'message_start and assistant hold a message of the API: its type is message, its role is assistant, and it has a stop_reason and a stop_sequence, null at first.',
    covers: ['message:assistant', 'event:message_start'],
    shapes: everywhere(
      fields({
        type: words('message'),
        role: words('assistant'),
        stop_reason: orNull('string'),
        stop_sequence: orNull('string'),
      }),
      'message of assistant',
      'message of message_start',
    ),
  },
  'assistant-blocks': {
    ...main,
    sentence:
      'The blocks of an assistant message have the fields of their kind: text, thinking, tool_use with id, name and input.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['block:text', 'block:thinking', 'block:tool_use'],
    shapes: {
      'block of assistant': block,
    },
  },
  'user-shape': {
    ...main,
    sentence: 'A user message has the role user, and a text or a list of blocks for content.',
    scenarios: ['tools'],
    shapes: {
      'message:user': fields({
        message: fields({ role: words('user'), content: { oneOf: ['string', ['object']] } }),
      }),
    },
  },
  'tool-result-shape': {
    ...main,
    sentence:
      'A tool_result block names its call, and has a text or a list of blocks for content; is_error is a boolean.',
    scenarios: ['tools', 'toolfail'],
    covers: ['block:tool_result'],
    shapes: {
      'block of user': block,
    },
  },
  'tool-progress-shape': {
    ...measured,
    section: '2.3',
    sentence: 'tool_progress is a heartbeat: it names the tool and for how long it has run, and holds no output.',
    scenarios: ['tools'],
    shapes: {
      'message:tool_progress': fields({ tool_use_id: 'string', tool_name: 'string', elapsed_time_seconds: 'number' }),
    },
  },
  'error-shape': {
    section: '3.2',
    sentence: 'An error message says what is wrong in its message.',
    scenarios: ['odd'],
    shapes: { 'message:error': fields({ message: 'string' }) },
  },
};

/** Of what the system tells. */
const systems: AgentRows = {
  'system-subtype': {
    ...main,
    sentence: 'A system message has a subtype.',
    shapes: { 'message:system': fields({ subtype: 'string' }) },
  },
  'init-shape': {
    ...measured,
    sentence:
      'init says where the agent works and with what: cwd, tools, mcp_servers, model, permissionMode, slash_commands, apiKeySource, output_style.',
    shapes: {
      'system:init': fields({
        cwd: 'string',
        tools: ['string'],
        mcp_servers: [server],
        model: 'string',
        permissionMode: 'string',
        slash_commands: ['string'],
        apiKeySource: 'string',
        output_style: 'string',
      }),
    },
  },
  'status-shape': {
    ...measured,
    sentence: 'A status is a word, or null when it is over.',
    scenarios: ['compaction'],
    shapes: { 'system:status': fields({ status: orNull('string') }) },
  },
  'retry-shape': {
    ...measured,
    sentence: 'api_retry says which attempt it is, of how many, and after what delay.',
    scenarios: ['retry'],
    shapes: {
      'system:api_retry': fields({
        attempt: 'number',
        max_retries: 'number',
        retry_delay_ms: 'number',
        error_status: orNull('number'),
      }),
    },
  },
  'compact-boundary-shape': {
    ...measured,
    sentence: 'compact_boundary says what asked for it, and how many tokens there were before.',
    scenarios: ['compaction'],
    shapes: {
      'system:compact_boundary': fields({ compact_metadata: fields({ trigger: 'string', pre_tokens: 'number' }) }),
    },
  },
};

/** Of the results of turns. */
const results: AgentRows = {
  'result-shape': {
    ...ofResults,
    sentence: 'A result has subtype, is_error, duration_ms, duration_api_ms, num_turns, session_id and total_cost_usd.',
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
  'result-subtype': {
    ...ofResults,
    isMeasured: true,
    sentence: 'The subtype of a result is success or begins with error_.',
    scenarios: ['text', 'fail'],
    shapes: {
      'message:result': fields({
        subtype: { text: /^(?:success$|error_)/u, is: 'success or a word that begins with error_', like: 'success' },
      }),
    },
  },
  'result-success': {
    ...ofResults,
    isMeasured: true,
    sentence: 'A success has the last words of the model in result.',
    shapes: { 'result of a success': fields({ result: 'string' }) },
  },
  'result-error': {
    ...ofResults,
    isMeasured: true,
    sentence: 'A result with an error_ subtype has is_error true, and says in errors what went wrong.',
    scenarios: ['interrupt', 'fail'],
    shapes: { 'result of an error': fields({ is_error: 'true', errors: { some: 'string' } }) },
  },
  'result-denials': {
    ...ofResults,
    isMeasured: true,
    sentence: 'permission_denials lists what was denied, with tool_name, tool_use_id and tool_input.',
    scenarios: ['text', 'deny'],
    shapes: {
      'message:result': fields({
        permission_denials: [fields({ tool_name: 'string', tool_use_id: 'string', tool_input: 'object' })],
      }),
    },
  },
  'result-usage': {
    ...ofResults,
    section: '1.1',
    sentence: 'A result counts the tokens of its turn, in the words of the API.',
    shapes: { 'message:result': fields({ usage: counts }) },
  },
  'result-model-usage': {
    ...ofResults,
    isMeasured: true,
    sentence: 'modelUsage has the figures of each model by its name: inputTokens, outputTokens, costUSD.',
    shapes: {
      'message:result': fields({
        modelUsage: { each: fields({ inputTokens: 'number', outputTokens: 'number', costUSD: 'number' }) },
      }),
    },
  },
};

/** Rules on the shapes of agents' messages. */
export const shapeRulesOfAgents = shapeRules('claude', agentPlaces, {
  ...messages,
  ...systems,
  ...eventRows,
  ...results,
  ...answerRows,
  ...askRows,
});
