// The shapes of what ACP clients say: docs/protocols/acp.md 1 to 6.

import { fields, type Shape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { contentTypes, environmentKinds } from '../words.ts';
import {
  ability,
  absolute,
  contentBlock,
  flag,
  implementation,
  metaShape,
  object,
  pair,
  result,
  rpcError,
  version,
} from './parts.ts';
import { clientPlaces } from './places.ts';

/** What clients can do (docs/protocols/acp.md 2.11). */
const capabilities = object({
  fs: fields({ 'readTextFile?': flag, 'writeTextFile?': flag }),
  terminal: 'boolean',
  auth: 'object',
  session: object({
    configOptions: fields({ 'boolean?': ability }),
    notices: 'object',
    compaction: 'object',
  }),
  elicitation: fields({ 'form?': ability, 'url?': ability }),
});
/** The outcome of a question (docs/protocols/acp.md 4.44). */
const outcome: Shape = {
  by: 'outcome',
  variants: { selected: fields({ optionId: 'string' }), cancelled: 'object' },
  others: fields({ outcome: words('selected', 'cancelled') }),
};
const exit = object({ exitCode: 'integer', signal: 'string' });

/** Every behaviour shows how a client begins. */
const any = ['text', 'think', 'tool', 'fail'];
const greets = { covers: ['request:initialize'], scenarios: any };

/** Rules on the shapes of clients' messages. */
export const shapeRulesOfClients = shapeRules('acp/client', clientPlaces, {
  'error-shape': {
    section: '1.8',
    sentence: 'An error is an object with an integer code and a message.',
    covers: [],
    scenarios: ['odd'],
    shapes: { error: rpcError },
  },
  'meta-object': {
    section: '1.6',
    sentence: 'What clients send as `_meta` is an object or null.',
    covers: [],
    scenarios: any,
    shapes: { 'holder of _meta': metaShape },
  },
  'params-object': {
    section: '1.3',
    sentence: 'The params of requests and notifications are an object.',
    covers: [],
    scenarios: any,
    shapes: { 'message with a method': fields({ 'params?': 'object' }) },
  },
  'version-integer': {
    ...greets,
    section: '2.10',
    sentence: '`protocolVersion` is an integer from 0 to 65535.',
    shapes: { 'request:initialize': fields({ protocolVersion: version }) },
  },
  'capabilities-shape': {
    ...greets,
    section: '2.11',
    sentence: 'The capabilities of a client have their types.',
    shapes: { 'initialize with clientCapabilities': fields({ 'clientCapabilities?': capabilities }) },
  },
  'client-info': {
    ...greets,
    section: '2.11',
    level: 'SHOULD',
    sentence: '`initialize` names the client and its version.',
    shapes: { 'request:initialize': fields({ clientInfo: implementation }) },
  },
  'cwd-absolute': {
    section: '1.9',
    sentence: 'The folder of a session is an absolute path.',
    covers: ['request:session/new', 'request:session/load', 'request:session/resume'],
    scenarios: ['text'],
    shapes: { 'request for a session': fields({ cwd: absolute }) },
  },
  'new-shape': {
    section: '3.14',
    sentence: '`session/new` has a `cwd` and a list `mcpServers`.',
    scenarios: ['text'],
    shapes: { 'request:session/new': fields({ cwd: 'string', mcpServers: ['object'] }) },
  },
  'load-shape': {
    section: '3.16',
    sentence: '`session/load` has a `sessionId`, a `cwd` and a list `mcpServers`.',
    scenarios: ['text'],
    shapes: { 'request:session/load': fields({ sessionId: 'string', cwd: 'string', mcpServers: ['object'] }) },
  },
  'tool-servers': {
    section: '3.15',
    sentence: 'A tool server has a name, and a command with arguments and variables, or a type, a `url` and headers.',
    covers: ['request:session/new'],
    scenarios: ['text'],
    shapes: {
      'tool server': fields({ name: 'string', command: 'string', args: ['string'], env: [pair] }),
      'tool server with a type': fields({ 'type?': 'string', name: 'string', url: 'string', headers: [pair] }),
    },
  },
  'option-boolean': {
    section: '3.23',
    sentence: 'The value of an option of type boolean comes with `"type":"boolean"`.',
    covers: ['request:session/set_config_option'],
    scenarios: ['text'],
    shapes: { 'request to set a boolean': fields({ type: words('boolean') }) },
  },
  'prompt-shape': {
    section: '4.30',
    sentence: 'A prompt has a `sessionId` and a list of contents.',
    scenarios: ['text'],
    shapes: { 'request:session/prompt': fields({ sessionId: 'string', prompt: ['object'] }) },
  },
  'prompt-contents': {
    section: '4.30',
    sentence: 'Each content of a prompt has the fields of its type.',
    covers: ['request:session/prompt', ...[...contentTypes].map((type) => `content:${type}`)],
    scenarios: ['text'],
    shapes: { 'content of a prompt': contentBlock },
  },
  'prompt-known': {
    section: '4.30',
    level: 'SHOULD',
    sentence: 'Each content of a prompt is a text, a link, a picture, a sound or a resource.',
    covers: ['request:session/prompt'],
    scenarios: ['text'],
    shapes: { 'content of a prompt with a type': fields({ 'type?': words(...contentTypes) }) },
  },
  'permission-shape': {
    section: '4.44',
    sentence: 'A request for permission is answered with an outcome: `selected` with an option, or `cancelled`.',
    covers: ['request:session/request_permission'],
    scenarios: ['permission', 'two-permissions'],
    reads: 'both',
    shapes: { 'answer to session/request_permission': fields({ result: fields({ outcome }) }) },
  },
  'environment-shape': {
    section: '6.53',
    sentence: 'The answers to requests for files and terminals have their fields.',
    covers: environmentKinds,
    scenarios: ['files'],
    reads: 'both',
    shapes: {
      'result for fs/read_text_file': fields({ result: fields({ content: 'string' }) }),
      'result for fs/write_text_file': result,
      'result for terminal/create': fields({ result: fields({ terminalId: 'string' }) }),
      'result for terminal/output': fields({
        result: object({ exitStatus: exit }, { output: 'string', truncated: 'boolean' }),
      }),
      'result for terminal/wait_for_exit': fields({ result: exit }),
      'result for terminal/kill': result,
      'result for terminal/release': result,
    },
  },
  'elicitation-shape': {
    section: '6.55',
    sentence: 'A form is answered with an action of the list, and with contents if it is accepted.',
    covers: ['request:elicitation/create'],
    scenarios: ['form'],
    reads: 'both',
    shapes: {
      'result for elicitation/create': fields({
        result: fields({ action: words('accept', 'decline', 'cancel'), 'content?': 'object' }),
      }),
    },
  },
});
