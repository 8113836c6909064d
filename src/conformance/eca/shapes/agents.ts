// The shapes of what ECA servers say: docs/protocols/eca.md 8, and 1, 3 and 4 where real servers differ from the document.

import { fields, orNull, type Shape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { context, contextKinds, error, optional } from './parts.ts';
import { agentPlaces } from './places.ts';

const names: Shape = ['string'];
const call = {
  id: 'string',
  name: 'string',
  origin: 'string',
  'server?': optional('string'),
  'summary?': optional('string'),
} as const;
const details: Shape = {
  by: 'type',
  variants: { fileChange: fields({ path: 'string', diff: 'string', linesAdded: 'number', linesRemoved: 'number' }) },
};
const tool = fields({ name: 'string', description: 'string', parameters: 'any', 'disabled?': optional('boolean') });
const command = fields({
  name: 'string',
  description: 'string',
  type: 'string',
  // Newer servers leave out `required` (corpus of 0.155.1).
  arguments: [fields({ name: 'string', 'description?': optional('string'), 'required?': optional('boolean') })],
});
const config = fields({
  'chat?': orNull(
    fields({
      'models?': orNull(names),
      'agents?': orNull(names),
      'behaviors?': orNull(names),
      'variants?': orNull(names),
      'selectModel?': orNull('string'),
      'selectAgent?': orNull('string'),
      'selectBehavior?': orNull('string'),
      'defaultModel?': orNull('string'),
      'defaultAgent?': orNull('string'),
      'welcomeMessage?': orNull('string'),
    }),
  ),
});

/** Rows of contents: the same section for all. */
const received = { section: 'Chat Content Received' } as const;
const measured = { ...received, isMeasured: true } as const;
const system = fields({ role: words('system') });
const assistant = fields({ role: words('assistant') });

const contentRows = shapeRules('eca', agentPlaces, {
  'content-envelope': {
    ...received,
    sentence: 'Each content comes with its chatId, its role and a type.',
    covers: ['notification:chat/contentReceived'],
    scenarios: ['tool'],
    shapes: { content: fields({ chatId: 'string', role: 'string', content: fields({ type: 'string' }) }) },
  },
  'content-text': {
    ...measured,
    sentence:
      'A text has a text; that of the system may be null, as early servers send it where a model is unsupported.',
    covers: ['content:text'],
    scenarios: ['text'],
    shapes: {
      'content:text of the system': fields({ text: orNull('string') }),
      'content:text of others': fields({ text: 'string' }),
    },
  },
  'content-progress': {
    ...measured,
    sentence: 'A progress has a state, and a text where that is running.',
    scenarios: ['text'],
    shapes: {
      'content:progress': {
        by: 'state',
        variants: { running: fields({ text: 'string' }) },
        others: fields({ 'text?': optional('string') }),
      },
    },
  },
  'content-usage': {
    ...measured,
    sentence: 'A usage has tokens as numbers and costs as words, those of early servers or those of today.',
    scenarios: ['text'],
    shapes: {
      'content:usage': fields({
        'messageInputTokens?': optional('number'),
        'messageOutputTokens?': optional('number'),
        sessionTokens: 'number',
        'messageCost?': optional('string'),
        'lastMessageCost?': optional('string'),
        'sessionCost?': optional('string'),
        'limit?': optional(fields({ 'context?': optional('number'), 'output?': optional('number') })),
      }),
    },
  },
  'content-url': {
    ...received,
    sentence: 'A url has a title and a url.',
    scenarios: ['tool'],
    shapes: { 'content:url': fields({ title: 'string', url: 'string' }) },
  },
  'content-image': {
    ...measured,
    since: '0.131',
    sentence: 'An image (since 0.131) has a mediaType and its bytes as base64.',
    scenarios: ['tool'],
    shapes: { 'content:image': fields({ mediaType: 'string', base64: 'string' }) },
  },
  'content-metadata': {
    ...measured,
    sentence: 'A metadata has a title.',
    scenarios: ['tool'],
    shapes: { 'content:metadata': fields({ title: 'string' }) },
  },
  'content-reason-started': {
    ...received,
    sentence: 'A reason that starts has an id.',
    scenarios: ['think'],
    shapes: { 'content:reasonStarted': fields({ id: 'string' }) },
  },
  'content-reason-text': {
    ...received,
    sentence: 'A text of a reason has an id and a text.',
    scenarios: ['think'],
    shapes: { 'content:reasonText': fields({ id: 'string', text: 'string' }) },
  },
  'content-reason-finished': {
    ...received,
    sentence: 'A reason that is finished has an id, and since 0.49 may have its time as a number.',
    scenarios: ['think'],
    shapes: { 'content:reasonFinished': fields({ id: 'string', 'totalTimeMs?': optional('number') }) },
  },
  'content-tool-call-prepare': {
    ...received,
    sentence: 'A call that is prepared has id, name, origin and the text of its arguments.',
    scenarios: ['tool'],
    shapes: {
      'content:toolCallPrepare': fields({
        ...call,
        argumentsText: 'string',
        'manualApproval?': optional('boolean'),
      }),
    },
  },
  'content-tool-call-run': {
    ...received,
    sentence: 'A call that is run has id, name, origin, its arguments as an object, and whether it needs approval.',
    scenarios: ['tool'],
    shapes: { 'content:toolCallRun': fields({ ...call, arguments: 'object', manualApproval: 'boolean' }) },
  },
  'content-tool-call-running': {
    ...measured,
    since: '0.48',
    sentence: 'A call that is running (since 0.48) has id, name, origin and its arguments as an object.',
    scenarios: ['tool'],
    shapes: { 'content:toolCallRunning': fields({ ...call, arguments: 'object' }) },
  },
  'content-tool-called': {
    ...measured,
    sentence: 'A call that is done has id, name, origin, arguments, whether it failed, and its outputs.',
    scenarios: ['tool'],
    shapes: {
      'content:toolCalled': fields({
        ...call,
        arguments: 'object',
        error: 'boolean',
        outputs: [fields({ type: 'string' })],
        'totalTimeMs?': optional('number'),
      }),
    },
  },
  'content-tool-call-rejected': {
    ...measured,
    sentence:
      'A call that is rejected has id, name, origin, a reason, and its arguments, or null where they were not known yet.',
    scenarios: ['reject'],
    shapes: { 'content:toolCallRejected': fields({ ...call, 'arguments?': orNull('object'), reason: 'string' }) },
  },
  'content-outputs': {
    ...measured,
    sentence: 'An output of type text has its words as content (the document) or as text (every server).',
    covers: ['content:toolCalled'],
    scenarios: ['tool', 'tool fails'],
    shapes: { 'output:text': { oneOf: [fields({ text: 'string' }), fields({ content: 'string' })] } },
  },
  'content-details': {
    ...received,
    sentence:
      'Details of a call have a type, and those of type fileChange the path, the diff and how many lines it adds and removes.',
    covers: ['details:fileChange', 'content:toolCallRun', 'content:toolCalled', 'content:toolCallRejected'],
    scenarios: ['approve'],
    shapes: { details },
  },
  'role-of-model': {
    ...measured,
    sentence: 'Links, reasons and calls are of the assistant.',
    covers: [
      ...['content:url', 'content:reasonStarted', 'content:reasonText', 'content:reasonFinished'],
      ...['content:toolCallPrepare', 'content:toolCallRun', 'content:toolCallRunning', 'content:toolCalled'],
      'content:toolCallRejected',
    ],
    scenarios: ['tool'],
    shapes: {
      'params of content:url': assistant,
      'params of content:reasonStarted': assistant,
      'params of content:reasonText': assistant,
      'params of content:reasonFinished': assistant,
      'params of content:toolCallPrepare': assistant,
      'params of content:toolCallRun': assistant,
      'params of content:toolCallRunning': assistant,
      'params of content:toolCalled': assistant,
      'params of content:toolCallRejected': assistant,
    },
  },
  'role-of-server': {
    ...measured,
    sentence: 'Progress, usage and metadata are of the system.',
    covers: ['content:progress', 'content:usage', 'content:metadata'],
    scenarios: ['tool'],
    shapes: {
      'params of content:progress': system,
      'params of content:usage': system,
      'params of content:metadata': system,
    },
  },
  'role-of-user': {
    ...measured,
    level: 'MAY',
    sentence: 'What is of the user are words and images, as far as is known: what was prompted.',
    covers: ['content:text'],
    scenarios: ['tool'],
    shapes: { 'content of the user': fields({ content: fields({ type: words('text', 'image') }) }) },
  },
});

const updated = 'notification:tool/serverUpdated';

/** Rules on the shapes of servers' messages. */
export const shapeRulesOfServers = [
  ...shapeRules('eca', agentPlaces, {
    'error-shape': {
      section: 'Content Part',
      sentence: 'An error is an object with a message, and its code, where it is a number, is an integer.',
      covers: [],
      scenarios: ['odd'],
      shapes: { error },
    },
    'initialize-welcome': {
      section: 'Initialize',
      sentence: 'The answer to `initialize` has a chatWelcomeMessage, in both eras.',
      covers: ['request:initialize'],
      scenarios: ['start'],
      reads: 'both',
      shapes: { 'result of initialize': fields({ chatWelcomeMessage: 'string' }) },
    },
    'initialize-models': {
      section: 'Initialize',
      sentence: 'An answer to `initialize` that names models or behaviors names them as lists, and the default ones.',
      covers: ['request:initialize'],
      scenarios: ['start'],
      reads: 'both',
      shapes: {
        'result of initialize of the document': fields({
          models: names,
          chatBehaviors: names,
          'chatDefaultModel?': 'string',
          'chatDefaultBehavior?': 'string',
        }),
        'result of initialize with models': fields({ chatDefaultModel: 'string' }),
        'result of initialize with behaviors': fields({ chatDefaultBehavior: 'string' }),
      },
    },
    'config-shape': {
      section: 'Initialize',
      isMeasured: true,
      since: '0.42',
      sentence:
        '`config/updated` (since 0.42) names models, agents and behaviors as lists, and those selected as words or null.',
      scenarios: ['start'],
      shapes: { 'notification:config/updated': config },
    },
    'progress-shape': {
      section: 'Initialized',
      isMeasured: true,
      since: '0.118',
      sentence: '`$/progress` (since 0.118) has a type, as start and finish are, a taskId and a title.',
      scenarios: ['start'],
      shapes: { 'notification:$/progress': fields({ type: 'string', taskId: 'string', title: 'string' }) },
    },
    'shutdown-null': {
      section: 'Shutdown',
      sentence: 'The result of `shutdown` is null, or there is an error with code and message.',
      covers: ['request:shutdown'],
      scenarios: ['start', 'early'],
      reads: 'both',
      shapes: {
        'answer to shutdown': { oneOf: [fields({ result: 'null' }), fields({ error: 'object', 'result?': 'null' })] },
      },
    },
    'prompt-result': {
      section: 'Chat Prompt',
      sentence: 'The result of `chat/prompt` has chatId, model and status, all strings.',
      covers: ['request:chat/prompt'],
      scenarios: ['text'],
      reads: 'both',
      shapes: { 'result of chat/prompt': fields({ chatId: 'string', model: 'string', status: 'string' }) },
    },
    'prompt-status': {
      section: 'Chat Prompt',
      isMeasured: true,
      level: 'MAY',
      sentence: 'The status is success; since 0.46 also prompting, login or error; later ones are not known.',
      covers: ['request:chat/prompt'],
      scenarios: ['text'],
      reads: 'both',
      shapes: { 'result of chat/prompt': fields({ 'status?': words('success', 'prompting', 'login', 'error') }) },
    },
    'prompt-taken': {
      section: 'Chat Prompt',
      sentence: 'A prompt with a message is taken: its answer is a result that names a chat.',
      covers: ['request:chat/prompt'],
      scenarios: ['text'],
      reads: 'both',
      shapes: { 'answer to chat/prompt': fields({ result: fields({ chatId: 'string' }) }) },
    },
  }),
  ...contentRows,
  ...shapeRules('eca', agentPlaces, {
    'status-shape': {
      ...measured,
      sentence:
        '`chat/statusChanged` (documented since 0.133) has a chatId and a status, as running, idle and stopping are.',
      scenarios: ['text', 'stop'],
      shapes: { 'notification:chat/statusChanged': fields({ chatId: 'string', status: 'string' }) },
    },
    'chat-notices': {
      ...measured,
      sentence: '`chat/opened`, `chat/cleared` and `chat/deleted` (of newer servers) name a chat.',
      scenarios: ['text', 'think'],
      shapes: {
        'notification:chat/opened': fields({ chatId: 'string' }),
        'notification:chat/cleared': fields({ chatId: 'string' }),
        'notification:chat/deleted': fields({ chatId: 'string' }),
      },
    },
    'delete-result': {
      section: 'Chat delete',
      sentence: '`chat/delete` is answered with an object.',
      covers: ['request:chat/delete'],
      scenarios: ['text', 'two chats'],
      reads: 'both',
      shapes: { 'answer to chat/delete': fields({ result: 'object' }) },
    },
    'query-context-result': {
      section: 'Chat Query Context',
      sentence: '`chat/queryContext` is answered with a list of contexts.',
      covers: ['request:chat/queryContext'],
      scenarios: ['queries'],
      reads: 'both',
      shapes: { 'result of chat/queryContext': fields({ contexts: ['any'] }) },
    },
    'query-context-kinds': {
      section: 'Chat Query Context',
      sentence: 'Each context that is offered has a type, and the fields of its type.',
      covers: ['request:chat/queryContext', ...contextKinds],
      scenarios: ['queries'],
      reads: 'both',
      shapes: { 'context that is offered': context },
    },
    'query-commands-result': {
      section: 'Chat Query Commands',
      sentence: '`chat/queryCommands` is answered with commands: name, description, type and arguments of each.',
      covers: ['request:chat/queryCommands'],
      scenarios: ['queries'],
      reads: 'both',
      shapes: { 'result of chat/queryCommands': fields({ commands: [command] }) },
    },
    'tool-server-shape': {
      section: 'Tool updated',
      sentence: 'What is told of a server of tools has its type, as native and mcp are, its name and its status.',
      scenarios: ['start'],
      shapes: { [updated]: fields({ type: 'string', name: 'string', status: 'string' }) },
    },
    'tool-server-native': {
      section: 'Tool updated',
      sentence: 'The native server is called ECA, and has a status and a list of tools.',
      covers: [updated, 'server:native'],
      scenarios: ['start'],
      shapes: { 'server:native': fields({ name: words('ECA'), status: 'string', tools: ['any'] }) },
    },
    'tool-server-mcp': {
      section: 'Tool updated',
      sentence:
        'An MCP server has its status; its command and arguments, where it has any, are a string and a list of strings.',
      covers: [updated, 'server:mcp'],
      scenarios: ['start', 'mcp'],
      shapes: {
        'server:mcp': fields({
          status: 'string',
          'command?': optional('string'),
          'args?': optional(['string']),
          'tools?': optional(['any']),
        }),
      },
    },
    'tool-shape': {
      section: 'Tool updated',
      sentence: 'Each tool of a server has name, description and parameters.',
      covers: [updated],
      scenarios: ['start'],
      shapes: { tool },
    },
    'message-to-user': {
      section: 'showMessage',
      sentence: 'A message to the user has its type, as error, warning and info are, and its words.',
      scenarios: ['start', 'fail'],
      shapes: { 'notification:$/showMessage': fields({ type: 'string', message: 'string' }) },
    },
  }),
];
