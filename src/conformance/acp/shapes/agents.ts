// The shapes of what ACP agents say: docs/protocols/acp.md 1 to 6.

import { fields, type Shape, words } from '../../check/shape.ts';
import { type ShapeRow, shapeRules } from '../../check/shape-rows.ts';
import { callKinds, callStatuses, contentTypes, environmentKinds, permissionKinds, stopReasons } from '../words.ts';
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
import { agentPlaces } from './places.ts';

/** What agents can do (docs/protocols/acp.md 2.11). */
const agentCapabilities = object({
  loadSession: 'boolean',
  promptCapabilities: fields({ 'image?': flag, 'audio?': flag, 'embeddedContext?': flag }),
  mcpCapabilities: fields({ 'http?': flag, 'sse?': flag }),
  sessionCapabilities: fields({
    ...{ 'list?': ability, 'resume?': ability, 'close?': ability, 'delete?': ability },
    'additionalDirectories?': ability,
  }),
  auth: 'object',
});

/** An option (docs/protocols/acp.md 3.22). Unknown types pass. */
const choice = object({ description: 'string' }, { value: 'string', name: 'string' });
const group = fields({ group: 'string', name: 'string', options: [choice] });
const option = (more: Readonly<Record<string, Shape>>): Shape =>
  object({ description: 'string', category: 'string' }, { id: 'string', name: 'string', ...more });
const configOption: Shape = {
  by: 'type',
  variants: {
    select: option({ currentValue: 'string', options: { oneOf: [[choice], [group]] } }),
    boolean: option({ currentValue: 'boolean' }),
  },
  others: option({}),
};

/** docs/protocols/acp.md 4.39. */
const itemOfCall: Shape = {
  by: 'type',
  variants: {
    content: fields({ content: contentBlock }),
    diff: object({ oldText: 'string' }, { path: 'string', newText: 'string' }),
    terminal: fields({ terminalId: 'string' }),
  },
};
/** The fields of a call but its contents and its words (docs/protocols/acp.md 4.35). */
const callFields = { name: 'string', locations: [object({ line: 'integer' }, { path: 'string' })] } as const;
const changed = { ...callFields, title: 'string' } as const;
const kind: Shape = { words: callKinds };
const status: Shape = { words: callStatuses };

/** docs/protocols/acp.md 6.55. */
const formField = object({ title: 'string', description: 'string' }, { type: 'string' });
const form = object({ required: ['string'] }, { type: words('object'), properties: { each: formField } });
/** Of a session, or of a request that is open. */
const elicitation: Shape = {
  oneOf: [fields({ sessionId: 'string' }), fields({ requestId: 'any' })],
};

const ofTerminal = fields({ sessionId: 'string', terminalId: 'string' });
const covers = {
  calls: ['update:tool_call', 'update:tool_call_update'],
  chunks: ['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk'].map((one) => `update:${one}`),
  modes: ['request:session/set_mode', 'update:current_mode_update'],
} as const;
const calls = { section: '4.35', covers: covers.calls, scenarios: ['tool', 'tools'] };
const permissions = {
  section: '4.44',
  covers: ['request:session/request_permission'],
  scenarios: ['permission', 'permission rejected'],
};
const start = { covers: ['request:initialize'], scenarios: ['start'] };

type Rows = Readonly<Record<string, ShapeRow<keyof typeof agentPlaces>>>;

const startRows: Rows = {
  'error-shape': {
    section: '1.8',
    sentence: 'An error is an object with an integer code and a message.',
    covers: [],
    scenarios: ['odd', 'bad values'],
    shapes: { error: rpcError },
  },
  'meta-object': {
    section: '1.6',
    sentence: 'What agents send as `_meta` is an object or null.',
    covers: [],
    scenarios: ['start', 'text', 'odd'],
    shapes: { 'holder of _meta': metaShape },
  },
  'version-integer': {
    ...start,
    section: '2.10',
    sentence: '`protocolVersion` is an integer from 0 to 65535.',
    shapes: { 'result of initialize': fields({ protocolVersion: version }) },
  },
  'agent-info': {
    ...start,
    section: '2.10',
    level: 'SHOULD',
    sentence: 'The answer to `initialize` names the agent and its version.',
    shapes: { 'result of initialize of version 1': fields({ agentInfo: implementation }) },
  },
  'capabilities-shape': {
    ...start,
    section: '2.11',
    sentence: 'The capabilities of an agent have their types.',
    shapes: { 'result of initialize of version 1': fields({ 'agentCapabilities?': agentCapabilities }) },
  },
};

const sessionRows: Rows = {
  'new-session': {
    section: '3.14',
    sentence: '`session/new` is answered with a `sessionId`.',
    covers: ['request:session/new'],
    scenarios: ['start'],
    reads: 'both',
    shapes: { 'answer to a plain session/new': fields({ result: fields({ sessionId: 'string' }) }) },
  },
  'load-shape': {
    section: '3.16',
    sentence: '`session/load` is answered with an object or null.',
    covers: ['request:session/load'],
    scenarios: ['load'],
    reads: 'both',
    shapes: { 'answer to session/load': result },
  },
  'list-shape': {
    section: '3.18',
    sentence: 'An entry of `session/list` has a `sessionId` and a `cwd`.',
    covers: ['request:session/list'],
    scenarios: ['list'],
    reads: 'both',
    shapes: {
      'result of session/list': object(
        { nextCursor: 'string' },
        { sessions: [object({ title: 'string', updatedAt: 'string' }, { sessionId: 'string', cwd: 'string' })] },
      ),
    },
  },
  'list-absolute': {
    section: '1.9',
    sentence: 'The folders in `session/list` are absolute paths.',
    covers: ['request:session/list'],
    scenarios: ['list'],
    reads: 'both',
    shapes: { 'result of session/list': fields({ sessions: [fields({ cwd: absolute })] }) },
  },
  'modes-shape': {
    section: '3.21',
    sentence: '`modes` has a `currentModeId` and a list of modes with ids and names.',
    covers: covers.modes,
    scenarios: ['start'],
    shapes: {
      'message with modes': object({
        modes: fields({
          currentModeId: 'string',
          availableModes: [object({ description: 'string' }, { id: 'string', name: 'string' })],
        }),
      }),
    },
  },
  'set-mode-shape': {
    section: '3.21',
    sentence: '`session/set_mode` is answered with an object or null.',
    covers: covers.modes,
    scenarios: ['mode'],
    reads: 'both',
    shapes: { 'answer to session/set_mode': result },
  },
  'mode-update-shape': {
    section: '3.21',
    sentence: '`current_mode_update` names the mode in `currentModeId`.',
    covers: covers.modes,
    scenarios: ['mode'],
    shapes: { 'update:current_mode_update': fields({ currentModeId: 'string' }) },
  },
  'options-shape': {
    section: '3.22',
    sentence: 'An option has an id, a name, a type, and the value and the choices that its type asks for.',
    covers: ['request:session/set_config_option', 'update:config_option_update'],
    scenarios: ['start'],
    shapes: {
      'message with configOptions': object({ configOptions: [configOption] }),
      'update:config_option_update': fields({ configOptions: ['object'] }),
    },
  },
  'commands-shape': {
    section: '3.26',
    sentence: 'A slash command has a name and a description.',
    scenarios: ['text'],
    shapes: {
      'update:available_commands_update': fields({
        availableCommands: [object({ input: 'object' }, { name: 'string', description: 'string' })],
      }),
    },
  },
};

const turnRows: Rows = {
  'stop-reason': {
    section: '4.27',
    sentence: 'The result of a prompt has a `stopReason` of the list.',
    covers: ['request:session/prompt'],
    scenarios: ['text'],
    reads: 'both',
    shapes: { 'result of session/prompt': fields({ stopReason: { words: stopReasons } }) },
  },
  'chunk-shape': {
    section: '4.32',
    sentence: 'A chunk has one content with the fields of its type.',
    covers: covers.chunks,
    scenarios: ['text', 'think', 'long', 'unicode'],
    shapes: { chunk: fields({ content: contentBlock }) },
  },
  'content-known': {
    section: '4.30',
    level: 'SHOULD',
    sentence: 'What chunks and calls hold is a text, a link, a picture, a sound or a resource.',
    covers: covers.chunks,
    scenarios: ['text', 'think', 'tool'],
    shapes: { content: fields({ 'type?': words(...contentTypes) }) },
  },
  'message-id': {
    section: '4.32',
    sentence: 'The `messageId` of a chunk, if any, is a string.',
    covers: covers.chunks,
    scenarios: ['text', 'think'],
    shapes: { 'chunk with messageId': object({ messageId: 'string' }) },
  },
  'call-shape': {
    ...calls,
    sentence: '`tool_call` has a `toolCallId` and a `title`.',
    shapes: { 'update:tool_call': object(callFields, { toolCallId: 'string', title: 'string' }) },
  },
  'call-update-shape': {
    ...calls,
    sentence: '`tool_call_update` has a `toolCallId`.',
    shapes: { 'update:tool_call_update': object(changed, { toolCallId: 'string' }) },
  },
  'call-kind': {
    ...calls,
    sentence: 'The kind of a call is one of the list.',
    shapes: { 'update of a call with kind': object({ kind }) },
  },
  'call-status': {
    ...calls,
    sentence: 'The status of a call is one of the list.',
    shapes: { 'update of a call with status': object({ status }) },
  },
  'call-content': {
    ...calls,
    section: '4.39',
    sentence: 'The contents of a call have the fields of their types.',
    shapes: { 'update of a call with content': object({ content: [itemOfCall] }) },
  },
  'call-content-known': {
    ...calls,
    section: '4.39',
    level: 'SHOULD',
    sentence: 'What a call holds is a content, a diff or a terminal.',
    shapes: { 'item of a call': fields({ type: words('content', 'diff', 'terminal') }) },
  },
  'call-lines': {
    ...calls,
    section: '1.9',
    isMeasured: true,
    sentence: 'The lines of locations count from 1.',
    scenarios: ['edit'],
    shapes: { 'location with a line': fields({ 'line?': { from: 1 } }) },
  },
  'plan-shape': {
    section: '4.43',
    sentence: 'An entry of a plan has a content, a priority and a status.',
    scenarios: ['tool'],
    shapes: {
      'update:plan': fields({
        entries: [
          fields({
            content: 'string',
            priority: words('high', 'medium', 'low'),
            status: words('pending', 'in_progress', 'completed'),
          }),
        ],
      }),
    },
  },
};

const questionRows: Rows = {
  'permission-shape': {
    ...permissions,
    sentence: 'A request for permission names its session, its call, and options with ids, names and kinds.',
    shapes: {
      'request:session/request_permission': fields({
        sessionId: 'string',
        toolCall: object({ ...changed, kind, status }, { toolCallId: 'string' }),
        options: [fields({ optionId: 'string', name: 'string', kind: 'string' })],
      }),
    },
  },
  'permission-kind': {
    ...permissions,
    sentence: 'The kind of an option is one of the list.',
    shapes: { 'option of a permission': fields({ kind: { words: permissionKinds } }) },
  },
  'environment-shape': {
    section: '6.53',
    sentence: 'Requests for files and terminals have their fields.',
    covers: environmentKinds,
    scenarios: ['edit', 'tool'],
    shapes: {
      'request:fs/read_text_file': object(
        { line: 'integer', limit: 'integer' },
        { sessionId: 'string', path: 'string' },
      ),
      'request:fs/write_text_file': fields({ sessionId: 'string', path: 'string', content: 'string' }),
      'request:terminal/create': object(
        { args: ['string'], env: [pair], cwd: 'string', outputByteLimit: 'integer' },
        { sessionId: 'string', command: 'string' },
      ),
      'request:terminal/output': ofTerminal,
      'request:terminal/wait_for_exit': ofTerminal,
      'request:terminal/kill': ofTerminal,
      'request:terminal/release': ofTerminal,
    },
  },
  'environment-paths': {
    section: '1.9',
    sentence: 'The paths of requests for files and terminals are absolute.',
    covers: ['request:fs/read_text_file', 'request:fs/write_text_file'],
    scenarios: ['edit'],
    shapes: {
      'request:fs/read_text_file': object({ path: absolute }),
      'request:fs/write_text_file': object({ path: absolute }),
      'request:terminal/create': object({ cwd: absolute }),
    },
  },
  'elicitation-shape': {
    section: '6.55',
    sentence: 'A form has a message and a schema, an address a message, a `url` and an `elicitationId`.',
    covers: ['request:elicitation/create'],
    scenarios: ['form'],
    shapes: {
      'request:elicitation/create': {
        by: 'mode',
        variants: {
          form: fields({ message: 'string', requestedSchema: form }),
          url: fields({ message: 'string', url: 'string', elicitationId: 'string' }),
        },
      },
      'owner of a form': elicitation,
    },
  },
};

const updateRows: Rows = {
  'update-shape': {
    section: '5.52',
    sentence: '`session/update` has a `sessionId`, and an `update` that says what it is in `sessionUpdate`.',
    scenarios: ['text'],
    shapes: {
      'notification:session/update': fields({ sessionId: 'string', update: fields({ sessionUpdate: 'string' }) }),
    },
  },
  'usage-shape': {
    section: '5.52',
    sentence: '`usage_update` has integers `used` and `size`, and a cost with its currency.',
    scenarios: ['text'],
    shapes: {
      'update:usage_update': object(
        { cost: fields({ amount: 'number', currency: 'string' }) },
        { used: 'integer', size: 'integer' },
      ),
    },
  },
  'session-info-shape': {
    section: '5.52',
    sentence: 'The title and the date of `session_info_update` are texts or null.',
    scenarios: ['text'],
    shapes: { 'update:session_info_update': object({ title: 'string', updatedAt: 'string' }) },
  },
  'notice-shape': {
    section: '5.52',
    sentence: 'A notice has a severity of the list and a title.',
    scenarios: ['notice'],
    shapes: {
      'update:notice': object(
        { description: 'string' },
        { severity: words('info', 'warning', 'error'), title: 'string' },
      ),
    },
  },
  'compaction-shape': {
    section: '5.52',
    sentence: 'A compaction has an id and a status of the list.',
    scenarios: ['compaction'],
    shapes: {
      'update:compaction_update': object(
        { status: words('in_progress', 'completed', 'failed', 'cancelled') },
        { compactionId: 'string' },
      ),
    },
  },
};

/** Rules on the shapes of agents' messages. */
export const shapeRulesOfAgents = shapeRules('acp', agentPlaces, {
  ...startRows,
  ...sessionRows,
  ...turnRows,
  ...questionRows,
  ...updateRows,
});
