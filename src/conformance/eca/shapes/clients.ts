// The shapes of what ECA editors say: docs/protocols/eca.md 8, and 2 for what real editors do.

import { fields, type PatternShape, type Shape } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { context, contextKinds, error, optional } from './parts.ts';
import { clientPlaces } from './places.ts';

const uri: PatternShape = { text: /^[a-z][a-z\d+.-]*:/iu, is: 'a URI', like: 'file:///project' };
const word: PatternShape = { text: /\S/u, is: 'a word', like: 'chat' };
const flag = optional('boolean');
const assistant = fields({ 'chat?': flag, 'doc?': flag, 'edit?': flag, 'fix?': flag });
const id: Shape = { oneOf: ['string', 'number'] };
const answered = fields({ chatId: 'string', toolCallId: 'string' });
const query = { query: 'string', 'chatId?': optional('string') } as const;

/** Every behaviour shows how an editor begins. */
const greets = { section: 'Initialize', covers: ['request:initialize'], scenarios: ['text'] };
const prompts = { section: 'Chat Prompt', covers: ['request:chat/prompt'], scenarios: ['text', 'think', 'fail'] };

/** Rules on the shapes of editors' messages. */
export const shapeRulesOfEditors = shapeRules('eca/client', clientPlaces, {
  'error-shape': {
    section: 'Content Part',
    sentence: 'An error is an object with a message, and its code, where it is a number, is an integer.',
    covers: [],
    scenarios: ['odd'],
    shapes: { error },
  },
  'id-not-negative': {
    section: 'Content Part',
    isMeasured: true,
    sentence: 'An id that is a number is not below zero: servers drop such requests.',
    covers: [],
    scenarios: ['text'],
    shapes: { request: fields({ id: { oneOf: ['string', { from: 0 }] } }) },
  },
  'params-object': {
    section: 'Content Part',
    sentence: 'Params are an object; those without any may be left out or null.',
    covers: [],
    scenarios: ['text'],
    shapes: {
      request: fields({ 'params?': optional('object') }),
      notification: fields({ 'params?': optional('object') }),
    },
  },
  'initialize-process': {
    ...greets,
    level: 'SHOULD',
    sentence: 'processId is the number of a process, or null.',
    shapes: { 'request:initialize': fields({ processId: { oneOf: ['integer', 'null'] } }) },
  },
  'initialize-client': {
    ...greets,
    sentence: 'A client that tells who it is has a name, and perhaps a version.',
    shapes: {
      'request:initialize': fields({
        'clientInfo?': optional(fields({ name: 'string', 'version?': optional('string') })),
      }),
    },
  },
  'initialize-capabilities': {
    ...greets,
    sentence: 'A client tells its capabilities: an object, and what it has of the documented ones as true or false.',
    shapes: { 'request:initialize': fields({ capabilities: fields({ 'codeAssistant?': optional(assistant) }) }) },
  },
  'initialize-options': {
    ...greets,
    sentence: 'Options of the user are an object; a chatBehavior in it is a word.',
    shapes: {
      'request:initialize': fields({
        'initializationOptions?': optional(fields({ 'chatBehavior?': optional('string') })),
      }),
    },
  },
  'initialize-folders': {
    ...greets,
    sentence: 'Workspace folders are a list, each with a URI and a name.',
    shapes: { 'request:initialize': fields({ workspaceFolders: [fields({ uri, name: 'string' })] }) },
  },
  'initialize-a-folder': {
    ...greets,
    level: 'SHOULD',
    sentence: 'A client without several projects sends its root as the only folder, so there is one at least.',
    shapes: { 'request:initialize': fields({ 'workspaceFolders?': optional({ some: 'any' }) }) },
  },
  'prompt-message': {
    ...prompts,
    sentence: 'A prompt has a message.',
    shapes: { 'request:chat/prompt': fields({ message: 'string' }) },
  },
  'prompt-request-id': {
    ...prompts,
    level: 'SHOULD',
    sentence: 'A prompt has a requestId: a word, or a number as Emacs sends it.',
    shapes: { 'request:chat/prompt': fields({ requestId: id }) },
  },
  'prompt-chat': {
    ...prompts,
    sentence: 'The chat of a prompt is a word, or left out for a new one.',
    shapes: { 'request:chat/prompt': fields({ 'chatId?': optional(word) }) },
  },
  'prompt-contexts': {
    ...prompts,
    sentence: 'Contexts of a prompt are a list, each with a type and the fields of its type.',
    covers: ['request:chat/prompt', ...contextKinds],
    shapes: { 'prompt with contexts': fields({ 'contexts?': [context] }) },
  },
  'answer-fields': {
    section: 'Chat approve tool call',
    sentence: 'Who approves or rejects a call names its chat and its id.',
    scenarios: ['approval'],
    shapes: { 'notification:chat/toolCallApprove': answered, 'notification:chat/toolCallReject': answered },
  },
  'query-fields': {
    section: 'Chat Query Context',
    sentence: 'A query of contexts or commands has its words; that of contexts names those that are there already.',
    scenarios: ['text'],
    shapes: {
      'request:chat/queryContext': fields({ ...query, contexts: [context] }),
      'request:chat/queryCommands': fields({ ...query, 'contexts?': optional([context]) }),
    },
  },
  'delete-fields': {
    section: 'Chat delete',
    sentence: 'Who deletes a chat names it by a word, if at all.',
    scenarios: ['text'],
    shapes: { 'request:chat/delete': fields({ 'chatId?': optional('string') }) },
  },
  'mcp-fields': {
    section: 'Stop MCP server',
    sentence: 'Who stops or starts an MCP server names it.',
    scenarios: ['text'],
    shapes: {
      'notification:mcp/stopServer': fields({ name: 'string' }),
      'notification:mcp/startServer': fields({ name: 'string' }),
    },
  },
});
