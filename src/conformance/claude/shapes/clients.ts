// The shapes of what native Claude clients say: docs/protocols/claude.md 3, which is measured. The document names the messages
// and says little of how clients use them.
import { fields, orNull, type PatternShape, type Shape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { clientPlaces } from './places.ts';

const source: Shape = {
  oneOf: [
    fields({ type: 'string', media_type: 'string', data: 'string' }),
    fields({ type: 'string', url: 'string' }),
    fields({ type: 'string', file_id: 'string' }),
    fields({ type: 'string', content: 'any' }),
  ],
};
const id: PatternShape = { text: /./su, is: 'an id', like: 'request-1' };
const matcher = fields({ hookCallbackIds: ['string'], 'matcher?': orNull('string') });

const specified = { section: '1.1', scenarios: ['text', 'permission', 'endless'], covers: ['message:user'] };
const measured = { ...specified, isMeasured: true } as const;
const deciding = {
  section: '1.1',
  scenarios: ['permission', 'parallel', 'unknown'],
  covers: ['control:can_use_tool'],
  isMeasured: true,
  reads: 'both',
} as const;

/** Rules on the shapes of clients' messages. */
export const shapeRulesOfClients = shapeRules('claude/client', clientPlaces, {
  'prompt-shape': {
    ...specified,
    sentence: 'A prompt has a message of the user with content, a text or a list.',
    shapes: { 'message of a prompt': fields({ role: words('user'), content: { oneOf: ['string', ['object']] } }) },
  },
  'block-type': {
    ...specified,
    sentence: 'Every block of a prompt has a type.',
    shapes: { block: fields({ type: 'string' }) },
  },
  'block-fields': {
    ...specified,
    sentence: 'A block has what its type needs: text, the source of an image, the id of the call that a result is of.',
    shapes: {
      'block with a type': {
        by: 'type',
        variants: {
          text: fields({ text: 'string' }),
          image: fields({ source }),
          document: fields({ source }),
          tool_result: fields({ tool_use_id: 'string' }),
        },
      },
    },
  },
  'prompt-parent': {
    ...measured,
    sentence: 'parent_tool_use_id is the id of a call, or null.',
    shapes: { 'prompt with a parent': fields({ 'parent_tool_use_id?': orNull('string') }) },
  },
  'prompt-session': {
    ...measured,
    sentence: 'The session_id of a prompt is a text, be it empty.',
    shapes: { 'prompt with a session': fields({ 'session_id?': 'string' }) },
  },
  'initialize-shape': {
    ...measured,
    sentence: 'What initialize registers can be called: hooks by ids, tool servers by names.',
    covers: ['control:initialize'],
    shapes: {
      'control:initialize': fields({
        'hooks?': orNull({ each: [matcher] }),
        'sdkMcpServers?': ['string'],
        'systemPrompt?': { oneOf: ['string', 'null', ['string']] },
      }),
    },
  },
  'request-shape': {
    ...measured,
    sentence: 'A request has a request_id and says what it asks for.',
    covers: ['message:control_request'],
    shapes: { 'message:control_request': fields({ request_id: id, request: fields({ subtype: 'string' }) }) },
  },
  'request-fields': {
    ...measured,
    sentence: 'A setting has its value: set_model, set_permission_mode, set_max_thinking_tokens.',
    covers: ['control:set_model', 'control:set_permission_mode'],
    shapes: {
      'control:set_model': fields({ 'model?': orNull('string') }),
      'control:set_permission_mode': fields({ mode: 'string' }),
      'control:set_max_thinking_tokens': fields({ max_thinking_tokens: orNull('number') }),
    },
  },
  'answer-shape': {
    section: '1.1',
    isMeasured: true,
    sentence: 'An answer is a success with its response, or an error with its words.',
    scenarios: ['permission', 'parallel', 'unknown'],
    covers: ['message:control_response'],
    shapes: {
      'message:control_response': {
        by: 'subtype',
        variants: { success: 'object', error: fields({ error: 'string' }) },
        others: fields({ subtype: words('success', 'error') }),
      },
    },
  },
  'permission-decision': {
    ...deciding,
    sentence: 'A permission is allowed or denied.',
    shapes: { permission: fields({ behavior: words('allow', 'deny') }) },
  },
  'permission-input': {
    ...deciding,
    sentence: 'What is allowed has the input that the tool is to get, if any, as an object.',
    shapes: { 'permission that is given': fields({ 'updatedInput?': 'object' }) },
  },
  'permission-message': {
    ...deciding,
    sentence: 'What is denied has a message for the model.',
    shapes: { 'permission that is denied': fields({ message: 'string' }) },
  },
  'permission-interrupt': {
    ...deciding,
    sentence: 'Whether a denial ends the turn is true or false.',
    shapes: { 'permission that is denied': fields({ 'interrupt?': 'boolean' }) },
  },
  'permission-rules': {
    ...deciding,
    sentence: 'The rules that a permission brings are a list of updates, each with its type.',
    shapes: { 'permission with rules': fields({ 'updatedPermissions?': [fields({ type: 'string' })] }) },
  },
  'hook-answer': {
    ...deciding,
    sentence: 'A hook answers with an object; continue is true or false, and hookSpecificOutput names its event.',
    scenarios: ['hooks'],
    covers: ['message:control_request'],
    shapes: {
      'answer of a hook': fields({
        'continue?': 'boolean',
        'hookSpecificOutput?': fields({ hookEventName: 'string' }),
      }),
    },
  },
});
