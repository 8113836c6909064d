// The shapes of control messages of agents: answers and requests. docs/protocols/claude.md 3.4, 3.5 and 3.11, which are measured.
import { fields, words } from '../../check/shape.ts';
import { type AgentRows, server } from './parts.ts';

const alone = { section: '1.1', scenarios: ['settings'], isMeasured: true } as const;
const answering = { ...alone, reads: 'both' } as const;
const wasRefused = fields({ subtype: words('error') });
const covers = (subtype: string) => [`control:${subtype}`];

/** Of answers to the client's control requests. */
export const answerRows: AgentRows = {
  'response-shape': {
    ...alone,
    sentence: 'A control_response is a success or an error with words, and names its request.',
    shapes: {
      'message:control_response': {
        by: 'subtype',
        variants: {
          success: fields({ request_id: 'string' }),
          error: fields({ request_id: 'string', error: 'string' }),
        },
        others: fields({ subtype: words('success', 'error') }),
      },
    },
  },
  'initialize-response': {
    ...answering,
    sentence: 'The first initialize succeeds, with the lists of commands and models that a client shows.',
    covers: covers('initialize'),
    shapes: {
      'answer to the first initialize': fields({
        subtype: words('success'),
        response: fields({ commands: ['object'], models: ['object'] }),
      }),
    },
  },
  'initialize-commands': {
    ...answering,
    sentence: 'Each command of the greeting has a name, a description and an argumentHint.',
    covers: covers('initialize'),
    shapes: {
      'success of initialize': fields({
        commands: [fields({ name: 'string', description: 'string', argumentHint: 'string' })],
      }),
    },
  },
  'initialize-models': {
    ...answering,
    sentence: 'Each model of the greeting has a value, a displayName and a description.',
    covers: covers('initialize'),
    shapes: {
      'success of initialize': fields({
        models: [fields({ value: 'string', displayName: 'string', description: 'string' })],
      }),
    },
  },
  'initialize-style': {
    ...answering,
    sentence: 'The greeting names the output style and those that there are.',
    covers: covers('initialize'),
    shapes: {
      'success of initialize': fields({ output_style: 'string', available_output_styles: ['string'] }),
    },
  },
  'set-model-answer': {
    ...answering,
    sentence: 'set_model is answered with the model.',
    covers: covers('set_model'),
    shapes: { 'success of set_model': fields({ model: 'string' }) },
  },
  'set-mode-unknown': {
    ...answering,
    sentence: 'A mode that does not exist is refused.',
    covers: covers('set_permission_mode'),
    shapes: { 'answer to a mode that nobody knows': wasRefused },
  },
  'set-mode-unknown-code': {
    ...answering,
    sentence: 'The refusal of a mode that does not exist has the error_code invalid_mode.',
    covers: covers('set_permission_mode'),
    shapes: { 'refusal of a mode that nobody knows': fields({ error_code: words('invalid_mode') }) },
  },
  'set-thinking-answer': {
    ...answering,
    sentence: 'set_max_thinking_tokens succeeds, or is refused as unsupported.',
    covers: covers('set_max_thinking_tokens'),
    shapes: {
      'answer to set_max_thinking_tokens': {
        by: 'subtype',
        variants: { success: 'object' },
        others: fields({ error_code: words('unsupported_request') }),
      },
    },
  },
  'mcp-status-answer': {
    ...answering,
    sentence: 'mcp_status is answered with the servers, each with its name and status.',
    covers: covers('mcp_status'),
    shapes: { 'success of mcp_status': fields({ mcpServers: [server] }) },
  },
  'unknown-request': {
    ...answering,
    sentence: 'A control_request of a subtype that nobody knows is refused.',
    covers: ['message:control_request'],
    shapes: { 'answer to a request that nobody knows': wasRefused },
  },
  'unknown-request-code': {
    ...answering,
    sentence: 'That refusal has the error_code unsupported_request.',
    covers: ['message:control_request'],
    shapes: { 'answer to a request that nobody knows': fields({ error_code: words('unsupported_request') }) },
  },
  'interrupt-answer': {
    ...answering,
    scenarios: ['interrupt', 'settings'],
    sentence: 'interrupt succeeds, also when nothing is going on.',
    covers: covers('interrupt'),
    shapes: { 'answer to interrupt': fields({ subtype: words('success') }) },
  },
  'interrupt-queued': {
    ...answering,
    scenarios: ['interrupt', 'settings'],
    sentence: 'interrupt is answered with the prompts that still wait, in still_queued.',
    covers: covers('interrupt'),
    shapes: { 'success of interrupt': fields({ still_queued: ['any'] }) },
  },
};

/** Of what agents ask. */
export const askRows: AgentRows = {
  'ask-shape': {
    ...alone,
    scenarios: ['allow'],
    sentence: 'What the agent asks has a request_id and a subtype.',
    shapes: { 'message:control_request': fields({ request_id: 'string', request: fields({ subtype: 'string' }) }) },
  },
  'can-use-tool-shape': {
    ...alone,
    scenarios: ['allow', 'deny'],
    sentence: 'can_use_tool names the tool, the call and its input.',
    covers: covers('can_use_tool'),
    shapes: { 'request:can_use_tool': fields({ tool_name: 'string', tool_use_id: 'string', input: 'object' }) },
  },
  'question-shape': {
    ...alone,
    scenarios: ['question'],
    sentence:
      'A question to the user is leave for AskUserQuestion: question, header, options with a label, multiSelect.',
    covers: covers('can_use_tool'),
    shapes: {
      question: fields({
        questions: [
          fields({
            question: 'string',
            header: 'string',
            options: [fields({ label: 'string' })],
            multiSelect: 'boolean',
          }),
        ],
      }),
    },
  },
};
