// The shapes of what agents of pi say: docs/protocols/pi.md 4, 5, 8, 9, 11 and 12.
import { fields, orNull, type Shape, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { block, call, compacted, figure, levels, modes, word } from './parts.ts';
import { agentPlaces } from './places.ts';

const model = fields({ id: 'string', provider: 'string' });
const cancelled = fields({ cancelled: 'boolean' });
const texts: Shape = ['string'];

const lineRows = shapeRules('pi', agentPlaces, {
  'line-has-type': {
    section: 'Core Protocol',
    sentence: 'Each line of the agent has a string "type".',
    covers: ['line:response'],
    scenarios: ['text'],
    shapes: { line: fields({ type: word }) },
  },
  'response-success': {
    section: 'Core Protocol',
    sentence: 'A response has a boolean "success".',
    covers: ['line:response'],
    scenarios: ['state', 'odd', 'odd lines'],
    shapes: { response: fields({ success: 'boolean' }) },
  },
  'error-string': {
    section: 'Error Responses',
    sentence: 'A response that fails has an "error" that says what went wrong.',
    covers: ['line:response'],
    scenarios: ['odd', 'odd lines'],
    shapes: { failure: fields({ error: word }) },
  },
});

/** A field that ends in `?` is optional: pi omits what it does not have. */
const dataRows = shapeRules('pi', agentPlaces, {
  'get-state-data': {
    reads: 'both',
    section: 'get_state',
    sentence: 'get_state tells model, thinking level, modes, session and counts.',
    scenarios: ['state', 'text'],
    shapes: {
      'command:get_state': fields({
        'model?': model,
        thinkingLevel: 'string',
        isStreaming: 'boolean',
        isCompacting: 'boolean',
        steeringMode: 'string',
        followUpMode: 'string',
        'sessionFile?': 'string',
        sessionId: 'string',
        'sessionName?': 'string',
        autoCompactionEnabled: 'boolean',
        messageCount: 'number',
        pendingMessageCount: 'number',
      }),
    },
  },
  'get-messages-data': {
    reads: 'both',
    section: 'get_messages',
    sentence: 'get_messages tells a list of messages.',
    scenarios: ['text'],
    shapes: { 'command:get_messages': fields({ messages: [fields({ role: 'string' })] }) },
  },
  'set-model-data': {
    reads: 'both',
    section: 'set_model',
    sentence: 'set_model answers with the full model.',
    scenarios: ['state'],
    shapes: { 'command:set_model': model },
  },
  'cycle-model-data': {
    reads: 'both',
    section: 'cycle_model',
    sentence: 'cycle_model answers with the model, the thinking level and whether models are scoped, or with null.',
    scenarios: ['state'],
    shapes: { 'command:cycle_model': orNull(fields({ model, thinkingLevel: 'string', isScoped: 'boolean' })) },
  },
  'get-available-models-data': {
    reads: 'both',
    section: 'get_available_models',
    sentence: 'get_available_models tells a list of models.',
    scenarios: ['state'],
    shapes: { 'command:get_available_models': fields({ models: [model] }) },
  },
  'cycle-thinking-level-data': {
    reads: 'both',
    section: 'cycle_thinking_level',
    sentence: 'cycle_thinking_level answers with the level, or with null.',
    scenarios: ['state'],
    shapes: { 'command:cycle_thinking_level': orNull(fields({ level: 'string' })) },
  },
  'compact-data': {
    reads: 'both',
    section: 'compact',
    sentence: 'compact answers with the summary, the first entry that was kept and the tokens before.',
    scenarios: ['compact'],
    shapes: { 'command:compact': fields(compacted) },
  },
  'get-session-stats-data': {
    reads: 'both',
    section: 'get_session_stats',
    sentence: 'get_session_stats tells the session, counts of messages and tools, tokens and cost.',
    scenarios: ['text', 'tool'],
    shapes: {
      'command:get_session_stats': fields({
        'sessionFile?': 'string',
        sessionId: 'string',
        userMessages: 'number',
        assistantMessages: 'number',
        toolCalls: 'number',
        toolResults: 'number',
        totalMessages: 'number',
        tokens: fields({ input: figure, output: figure, cacheRead: figure, cacheWrite: figure, total: figure }),
        cost: figure,
      }),
    },
  },
  'export-html-data': {
    reads: 'both',
    section: 'export_html',
    sentence: 'export_html answers with the path.',
    scenarios: ['sessions'],
    shapes: { 'command:export_html': fields({ path: 'string' }) },
  },
  'new-session-data': {
    reads: 'both',
    section: 'new_session',
    sentence: 'new_session says whether it was cancelled.',
    scenarios: ['sessions'],
    shapes: { 'command:new_session': cancelled },
  },
  'switch-session-data': {
    reads: 'both',
    section: 'switch_session',
    sentence: 'switch_session says whether it was cancelled.',
    scenarios: ['sessions'],
    shapes: { 'command:switch_session': cancelled },
  },
  'fork-data': {
    reads: 'both',
    section: 'fork',
    sentence: 'fork answers with the text of the message that was cut off, and says whether it was cancelled.',
    scenarios: ['sessions'],
    shapes: { 'command:fork': fields({ text: 'string', cancelled: 'boolean' }) },
  },
  'get-fork-messages-data': {
    reads: 'both',
    section: 'get_fork_messages',
    sentence: 'get_fork_messages tells the user messages, each with its entry.',
    scenarios: ['sessions'],
    shapes: { 'command:get_fork_messages': fields({ messages: [fields({ entryId: 'string', text: 'string' })] }) },
  },
  'get-last-assistant-text-data': {
    reads: 'both',
    section: 'get_last_assistant_text',
    sentence: 'get_last_assistant_text tells a text, or none where there is none.',
    scenarios: ['text'],
    shapes: { 'command:get_last_assistant_text': fields({ 'text?': orNull('string') }) },
  },
  'get-commands-data': {
    reads: 'both',
    section: 'get_commands',
    sentence: 'get_commands tells a list of commands, each with name and source.',
    scenarios: ['state'],
    shapes: {
      'command:get_commands': fields({
        commands: [fields({ name: 'string', 'description?': 'string', source: 'string' })],
      }),
    },
  },
  'bash-data': {
    reads: 'both',
    section: 'bash',
    sentence: 'bash answers with the exit code where there is one, and whether it was cancelled or cut short.',
    scenarios: ['shell'],
    shapes: {
      'command:bash': fields({ 'exitCode?': orNull('number'), cancelled: 'boolean', truncated: 'boolean' }),
    },
  },
  'bash-output': {
    reads: 'both',
    section: 'bash',
    isMeasured: true,
    sentence:
      'bash answers with what the command said, in output (the stdout and stderr of the text were never on the wire).',
    scenarios: ['shell'],
    shapes: { 'command:bash': fields({ output: 'string' }) },
  },
  'bash-streams': {
    reads: 'both',
    section: 'bash',
    level: 'MAY',
    sentence: 'bash answers with stdout, stderr and signal.',
    scenarios: ['shell'],
    shapes: { 'command:bash': fields({ stdout: 'string', stderr: 'string', signal: orNull('string') }) },
  },
  'thinking-level-valid': {
    reads: 'both',
    section: 'set_thinking_level',
    level: 'MAY',
    sentence: 'The thinking level is off, minimal, low, medium, high or xhigh.',
    scenarios: ['state'],
    shapes: {
      'command:get_state': fields({ 'thinkingLevel?': words(...levels) }),
      'command:cycle_thinking_level': orNull(fields({ 'level?': words(...levels) })),
    },
  },
  'modes-valid': {
    reads: 'both',
    section: 'Queue Modes',
    level: 'MAY',
    sentence: 'A queue mode is `all` or `one-at-a-time`.',
    scenarios: ['state'],
    shapes: {
      'command:get_state': fields({ 'steeringMode?': words(...modes), 'followUpMode?': words(...modes) }),
    },
  },
});

/** The document describes no message and no event (docs/protocols/pi.md 1.6, 8). */
const measured = { section: 'Event Stream', isMeasured: true } as const;

const assistant = {
  content: ['object'],
  api: 'string',
  provider: 'string',
  model: 'string',
  timestamp: 'number',
} as const;
const usage = fields({
  input: figure,
  output: figure,
  cacheRead: figure,
  cacheWrite: figure,
  totalTokens: figure,
  cost: fields({ input: figure, output: figure, cacheRead: figure, cacheWrite: figure, total: figure }),
});

const messageRows = shapeRules('pi', agentPlaces, {
  'message-role': {
    ...measured,
    sentence: 'A message is an object with a string role.',
    covers: ['event:message_start', 'event:message_end', 'event:turn_end', 'event:agent_end', 'command:get_messages'],
    scenarios: ['text', 'tool'],
    shapes: { message: fields({ role: 'string' }) },
  },
  'user-message': {
    ...measured,
    sentence: 'A message of the user has content, in words or blocks, and a timestamp.',
    covers: ['event:message_start'],
    scenarios: ['text', 'image'],
    shapes: {
      'message of the user': fields({ content: { oneOf: ['string', ['object']] }, timestamp: 'number' }),
    },
  },
  'assistant-message': {
    ...measured,
    sentence: 'A message of the model has content in blocks, api, provider, model and a timestamp.',
    covers: ['event:message_start', 'event:message_end'],
    scenarios: ['text', 'tool'],
    shapes: { 'message of the model': fields(assistant) },
  },
  usage: {
    ...measured,
    sentence: 'A message of the model has usage, in tokens and costs.',
    covers: ['event:message_end'],
    scenarios: ['text', 'tool'],
    shapes: { 'message of the model': fields({ usage }) },
  },
  'stop-reason': {
    ...measured,
    sentence: 'A message of the model says why it stopped, in a word; one that begins has a word already.',
    covers: ['event:message_start', 'event:message_end'],
    scenarios: ['text', 'tool', 'fail', 'abort'],
    shapes: { 'message of the model': fields({ stopReason: 'string' }) },
  },
  'stop-reason-known': {
    ...measured,
    sentence: 'The word why a message of the model stopped is stop, length, toolUse, error or aborted (up to 1.5).',
    covers: ['event:message_end'],
    scenarios: ['text', 'tool', 'fail', 'abort'],
    shapes: {
      'whole message of the model': fields({ stopReason: words('stop', 'length', 'toolUse', 'error', 'aborted') }),
    },
  },
  'error-message': {
    ...measured,
    sentence: 'A message of the model that failed says why, in errorMessage.',
    covers: ['event:message_end'],
    scenarios: ['fail'],
    shapes: { 'failed message of the model': fields({ errorMessage: 'string' }) },
  },
  'tool-result-message': {
    ...measured,
    sentence:
      'The result of a tool has the id and name of its call, content in blocks, and says whether it is an error.',
    covers: ['event:message_end', 'event:turn_end'],
    scenarios: ['tool', 'toolfail'],
    shapes: {
      'message of a tool': fields({ ...call, content: ['object'], isError: 'boolean', timestamp: 'number' }),
    },
  },
  'content-blocks': {
    ...measured,
    sentence: 'Blocks of content have a type, and text, thinking, a call or an image what it asks for.',
    covers: ['event:message_end'],
    scenarios: ['text', 'think', 'tool', 'image'],
    shapes: { block },
  },
  'delta-string': {
    section: 'Event Stream',
    sentence: 'A delta is a string.',
    covers: ['update:text_delta', 'update:thinking_delta', 'update:toolcall_delta'],
    scenarios: ['text', 'think', 'tool'],
    shapes: { delta: fields({ delta: 'string' }) },
  },
  'update-message': {
    ...measured,
    sentence:
      'Updates repeat the message so far, with all fields of a message of the model, in `message` and in `partial` (up to 0.83), or none of them does.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tool'],
    shapes: { 'message so far': fields({ ...assistant, role: words('assistant'), usage, stopReason: 'string' }) },
  },
});

const output = fields({ content: [block] });

const eventRows = shapeRules('pi', agentPlaces, {
  'tool-start-fields': {
    ...measured,
    sentence: 'tool_execution_start has toolCallId, toolName and args.',
    scenarios: ['tool'],
    shapes: { 'event:tool_execution_start': fields({ ...call, args: 'object' }) },
  },
  'tool-update-fields': {
    ...measured,
    sentence: 'tool_execution_update has toolCallId, toolName, args and a partialResult with content in blocks.',
    scenarios: ['tool'],
    shapes: { 'event:tool_execution_update': fields({ ...call, args: 'object', partialResult: output }) },
  },
  'tool-end-fields': {
    ...measured,
    sentence:
      'tool_execution_end has toolCallId, toolName, a result with content in blocks, and says whether it failed.',
    scenarios: ['tool', 'toolfail'],
    shapes: { 'event:tool_execution_end': fields({ ...call, result: output, isError: 'boolean' }) },
  },
  'compaction-start-fields': {
    ...measured,
    sentence: 'A compaction that starts says why, in a word (manual, threshold, overflow or newer).',
    covers: ['event:auto_compaction_start'],
    scenarios: ['compaction'],
    shapes: {
      'event:auto_compaction_start': fields({ reason: 'string' }),
      'event:compaction_start': fields({ reason: 'string' }),
    },
  },
  'compaction-end-fields': {
    ...measured,
    sentence:
      'A compaction that ends says whether it was aborted, whether the run goes on, its result where it has one, and since 0.65 its reason.',
    covers: ['event:auto_compaction_end'],
    scenarios: ['compaction'],
    shapes: {
      'event:auto_compaction_end': fields({
        aborted: 'boolean',
        willRetry: 'boolean',
        'result?': orNull(fields(compacted)),
      }),
      'event:compaction_end': fields({
        aborted: 'boolean',
        willRetry: 'boolean',
        'result?': orNull(fields(compacted)),
        reason: 'string',
      }),
    },
  },
  'retry-start-fields': {
    ...measured,
    sentence: 'auto_retry_start has attempt, maxAttempts, delayMs and errorMessage.',
    scenarios: ['retry'],
    shapes: {
      'event:auto_retry_start': fields({
        attempt: 'number',
        maxAttempts: 'number',
        delayMs: 'number',
        errorMessage: 'string',
      }),
    },
  },
  'retry-end-fields': {
    ...measured,
    sentence: 'auto_retry_end has success and attempt.',
    scenarios: ['retry'],
    shapes: { 'event:auto_retry_end': fields({ success: 'boolean', attempt: 'number', 'finalError?': 'string' }) },
  },
  'queue-update-fields': {
    ...measured,
    since: '0.65',
    sentence: 'queue_update (since 0.65) has the words that wait, in steering and followUp.',
    covers: [],
    scenarios: ['busy'],
    shapes: { 'event:queue_update': fields({ steering: texts, followUp: texts }) },
  },
  'bash-update-fields': {
    section: 'bash',
    isMeasured: true,
    since: '0.87',
    sentence: 'bash_execution_update (since 0.87) has a delta.',
    covers: [],
    scenarios: ['shell'],
    shapes: { 'event:bash_execution_update': fields({ delta: 'string' }) },
  },
});

const dialogs = { section: 'Dialog Methods (require response)', scenarios: ['dialogs'] };
const noAnswer = { section: 'Fire-and-Forget Methods (no response needed)' } as const;
const displays = { ...noAnswer, scenarios: ['displays'] };
const waits = { 'timeout?': 'number' } as const;

/** Unknown methods of newer versions pass. */
const extensionRows = shapeRules('pi', agentPlaces, {
  'ui-request': {
    section: 'Extension UI Request Format',
    sentence: 'A request of an extension has an id and a method.',
    scenarios: ['dialogs', 'notices'],
    shapes: { 'event:extension_ui_request': fields({ id: 'string', method: 'string' }) },
  },
  'ui-select': {
    ...dialogs,
    sentence: 'select has a title, options, and perhaps a timeout.',
    shapes: { 'ui:select': fields({ title: 'string', options: texts, ...waits }) },
  },
  'ui-confirm': {
    ...dialogs,
    sentence: 'confirm has a title, a message, and perhaps a timeout.',
    shapes: { 'ui:confirm': fields({ title: 'string', message: 'string', ...waits }) },
  },
  'ui-input': {
    ...dialogs,
    sentence: 'input has a title, and perhaps a placeholder and a timeout.',
    shapes: { 'ui:input': fields({ title: 'string', 'placeholder?': 'string', ...waits }) },
  },
  'ui-editor': {
    ...dialogs,
    sentence: 'editor has a title, and perhaps words to begin with.',
    shapes: { 'ui:editor': fields({ title: 'string', 'prefill?': 'string' }) },
  },
  'ui-notify': {
    ...noAnswer,
    sentence: 'notify has a message, and perhaps says how bad it is.',
    scenarios: ['notices'],
    shapes: { 'ui:notify': fields({ message: 'string', 'notifyType?': 'string' }) },
  },
  'ui-set-status': {
    ...displays,
    sentence: 'setStatus has a key, and a text unless it clears.',
    shapes: { 'ui:setStatus': fields({ statusKey: 'string', 'statusText?': 'string' }) },
  },
  'ui-set-widget': {
    ...displays,
    sentence: 'setWidget has a key, and lines unless it clears.',
    shapes: { 'ui:setWidget': fields({ widgetKey: 'string', 'widgetLines?': texts, 'widgetPlacement?': 'string' }) },
  },
  'ui-set-title': {
    ...displays,
    sentence: 'setTitle has a title.',
    shapes: { 'ui:setTitle': fields({ title: 'string' }) },
  },
  'ui-set-editor-text': {
    ...displays,
    sentence: 'set_editor_text has a text.',
    shapes: { 'ui:set_editor_text': fields({ text: 'string' }) },
  },
  'ui-notify-type': {
    ...noAnswer,
    // Newer versions may know more values.
    level: 'MAY',
    sentence: 'A notifyType is info, warning or error.',
    scenarios: ['notices'],
    shapes: { 'ui:notify': fields({ 'notifyType?': words('info', 'warning', 'error') }) },
  },
  'extension-error': {
    section: 'Extension UI Sub-protocol',
    isMeasured: true,
    sentence: 'extension_error has the extension, the event and the error.',
    scenarios: ['extension fails', 'notices'],
    shapes: { 'event:extension_error': fields({ extensionPath: 'string', event: 'string', error: 'string' }) },
  },
});

/** Rules on the shapes of agents' lines, responses, messages and events. */
export const shapeRulesOfAgents = [...lineRows, ...dataRows, ...messageRows, ...eventRows, ...extensionRows];
