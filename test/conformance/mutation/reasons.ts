// Mutants of agents that break no sentence, and why. Read before you add one: a reason is a claim about the specification.

import { acpReasons } from './acp-reasons.ts';
import { clientReasons } from './client-reasons.ts';
import type { Side } from './mutators.ts';
import { anyWay, field, type Reason } from './reason.ts';

const piFamily = ['pi', 'pi-legacy', 'pi-server'];
const claudeFamily = ['claude', 'rpc-message'];
/** Another word in one of these fields. */
const chosen = (...names: readonly string[]): RegExp => field('other|truncate', ...names);
const unnamed = 'No sentence of the specification, and no measurement, names the field.';
const given = 'What a tool gave, and what the user is offered, is theirs.';
const optional = 'The field may be left out.';
const news = 'News beside the conversation: its number and its place are the agent’s.';

const reasons: readonly Reason[] = [
  {
    pattern:
      /^(?:other|truncate) \S+ (?:event\.)?(?:type|subtype|method|delta\.type|request\.subtype|params\.type|(?:message|params)\.content\.(?:\S+\.)?type)$/u,
    why: 'A type that nobody knows is one of a newer version: clients skip it.',
  },
  {
    pattern: chosen(
      'title',
      'summary',
      'description',
      'text',
      'errorMessage',
      'message',
      'statusText',
      'errors\\.\\[\\]',
    ),
    why: 'Words for people: any others would do.',
  },
  { pattern: chosen('chatWelcomeMessage'), protocols: ['eca'], why: 'Words for people: any others would do.' },
  {
    pattern: chosen('uuid', 'id', 'requestId', 'request_id', 'responseId', 'contentId', 'firstKeptEntryId'),
    why: 'An id that its sender makes, and that nothing else in the conversation names.',
  },
  {
    pattern: chosen('signature', 'thinkingSignature', 'data', 'mimeType', 'media_type', 'url'),
    why: 'The bytes of the provider, or of the user: they are passed on as they are.',
  },
  {
    pattern: chosen('model', 'api', 'provider', 'selectModel'),
    why: 'Which model answers is the agent’s to say: no sentence compares what two messages say of it.',
  },
  {
    pattern: chosen('name', 'serverVersion', 'cwd', 'output_style', 'apiKeySource', 'key', 'statusKey'),
    why: 'A name that the agent, its user or an extension gives.',
  },
  {
    pattern: chosen('server', 'title', 'chatId'),
    protocols: ['eca'],
    why: 'The server of a tool, and news of a chat that nobody asked for: whatever there is.',
  },
  {
    pattern: chosen('lastMessageCost', 'sessionCost', 'messageCost'),
    protocols: ['eca'],
    why: 'A price as words: any other would do.',
  },
  {
    pattern: chosen('message\\.stopReason'),
    protocols: piFamily,
    why: 'What a message that goes on says of its stop is a stand-in; its end has the word.',
  },
  {
    pattern: chosen('status', 'permissionMode', 'terminal_reason', 'trigger', 'notifyType', 'stop_reason'),
    why: 'A word of a list that grows with each version: the specification does not close it.',
  },
  {
    pattern: chosen('toolType', 'toolName', 'params\\.content\\.reason'),
    protocols: ['rpc-message', 'eca'],
    why: 'Which tool the model calls, and who refused: the specification names no list.',
  },
  {
    pattern:
      /^other .*\b(?:timestamp|usage\S*|cost\S*|duration_ms|duration_api_ms|total_cost_usd|num_turns|totalTimeMs|tokensBefore|estimatedTokensAfter|delayMs|maxAttempts|timeout|\w+Tokens|\w+_tokens|context|output|pre_tokens|attempt|max_retries|retry_delay_ms|elapsed_time_seconds|error_status)$/u,
    why: 'Any other figure would do: nothing that was told says what it should be.',
  },
  {
    pattern: field('other', 'aborted', 'willRetry', 'success', 'manualApproval', 'is_error', 'error'),
    why: 'The other verdict would do: nothing that was told decides it. A success of claude may be an error of the API.',
  },
  {
    pattern: /^null .*\b(?:usage|cost)\b.*\.\w+$/u,
    protocols: piFamily,
    why: 'JSON has null for the price of a model without prices, and the rule on usage allows null for each figure.',
  },
  {
    pattern:
      /^(?:drop|duplicate|swap) .*(?:\b|_)(?:notice|showMessage|extension_ui_request|queue_update|metadata|usage|compact_boundary|status|agent_settled|tool_execution_update|compaction|compaction_start|config\/updated|api_retry|auto_retry)/u,
    why: news,
  },
  {
    pattern: /^(?:drop|swap) (?:.* and )?user:text\b/u,
    protocols: claudeFamily,
    why: 'An agent may repeat what the user said, or not, and when it likes.',
  },
  {
    pattern: field(
      'truncate|other',
      ...['partialResult\\.content', 'options', 'options\\.\\[\\]', 'steering', 'steering\\.\\[\\]', 'followUp'],
      ...['outputs', 'data\\.transports', 'data\\.transports\\.\\[\\]', 'slash_commands', 'slash_commands\\.\\[\\]'],
    ),
    why: given,
  },
  { pattern: field('other|truncate|remove', 'message\\.content\\.\\[\\]\\.(?:content|is_error)'), why: given },
  { pattern: field(anyWay, 'details', 'tool_use_result(?:\\.\\w+)?'), why: given },
  {
    pattern: field(
      'remove|null',
      ...['result', 'estimatedTokensAfter', 'errorMessage', 'statusText', 'timeout', 'notifyType'],
    ),
    protocols: piFamily,
    why: optional,
  },
  { pattern: field('remove', 'willRetry'), protocols: ['pi', 'pi-server'], why: optional },
  {
    pattern: field(anyWay, 'responseId', 'agent_settled aborted', 'estimatedTokensAfter'),
    protocols: piFamily,
    why: unnamed,
  },
  { pattern: /^\w+ agent_settled aborted$/u, protocols: piFamily, why: unnamed },
  { pattern: field(anyWay, 'totalTokens'), protocols: ['pi-legacy'], why: unnamed },
  {
    pattern: field(
      anyWay,
      ...['isSynthetic', 'priority', 'aborted', 'queued_turn_count', 'result_index', 'terminal_reason', 'origin'],
      ...['kind', 'claude_code_version', 'agents', 'skills', 'plugins', 'compact_result', 'compact_error', 'source'],
      ...['level', 'post_tokens', 'api_error_status', 'permission_suggestions', 'request\\.description'],
      'source\\.\\w+',
    ),
    protocols: claudeFamily,
    why: unnamed,
  },
  { pattern: /^\w+ system:api_retry error$/u, protocols: ['claude'], why: unnamed },
  {
    pattern: /^null system:(?:status status|api_retry error_status)$/u,
    protocols: ['claude'],
    why: 'The field may be null: a status that is over, and a failure without a status of HTTP.',
  },
  { pattern: field('remove', 'event\\.delta\\.stop_sequence'), protocols: ['claude'], why: optional },
  { pattern: /^\w+ system:notice /u, protocols: ['claude'], why: unnamed },
  {
    pattern: field('remove', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'input_tokens', 'signature'),
    protocols: claudeFamily,
    why: optional,
  },
  {
    pattern:
      /^\w+ (?!stream_event)\S+ (?:session_id|uuid|message\.(?:type|role|model|usage\S*)|modelUsage|permission_denials\S*|stop_reason)$/u,
    protocols: ['rpc-message'],
    why: unnamed,
  },
  {
    pattern: /^\w+ stream_event:message_start:assistant event\.message\.(?:type|role|model|usage\S*)$/u,
    protocols: ['rpc-message'],
    why: unnamed,
  },
  {
    pattern: field(
      'remove|null',
      'server',
      'summary',
      'limit',
      'limit\\.\\w+',
      'totalTimeMs',
      'text',
      'chat',
      'selectModel',
    ),
    protocols: ['eca'],
    why: optional,
  },
  { pattern: field('remove|null', '\\w+Cost', '\\w+Tokens'), protocols: ['eca'], why: optional },
  {
    pattern: field('remove|null', 'params\\.title', 'params\\.chatId', 'contentId', 'manualApproval'),
    protocols: ['eca'],
    why: optional,
  },
  { pattern: /^(?:remove|null) \S+:toolCallRejected params\.content\.arguments$/u, protocols: ['eca'], why: optional },
  {
    pattern: /^(?:drop|duplicate|swap) .*(?:progress:running|chat\/opened|toolCallRunning)(?: and |$)/u,
    protocols: ['eca'],
    why: news,
  },
  {
    pattern: /^(?:drop|duplicate) chat\/contentReceived:(?:text|reasonText)$/u,
    protocols: ['eca'],
    why: 'Words come in pieces of any number, and no later message repeats them.',
  },
  {
    pattern: /^(?:(?:drop|duplicate) \S+:toolCallPrepare|other \S+:toolCallPrepare params\.content\.argumentsText)$/u,
    protocols: ['eca'],
    why: 'The first piece of the arguments is empty, and a piece may replace the one before.',
  },
  {
    pattern: field('retype|remove|null|other|truncate', 'outputs\\.\\[\\]\\.(?:text|content)'),
    protocols: ['eca'],
    why: 'An output has its words as text or as content: one of both is enough.',
  },
  {
    pattern: field(
      anyWay,
      ...['errors', 'errors\\.\\[\\]', 'cache_\\w+_input_tokens', 'content_block\\.name'],
      ...['event\\.usage\\.input_tokens', 'signature', 'message\\.content\\.\\[\\]\\.content'],
    ),
    protocols: ['rpc-message'],
    why: unnamed,
  },
  { pattern: /^\w+ result:\w+ (?:result|usage)$/u, protocols: ['rpc-message'], why: unnamed },
  {
    pattern: field('remove|null', 'parent_tool_use_id', '(?:content_block|\\[\\])\\.input'),
    protocols: ['rpc-message'],
    why: optional,
  },
  ...acpReasons,
];

/** Why a mutant is legal; null for one that a rule should have noticed. */
export function reasonFor(protocol: string, side: Side, name: string): string | null {
  // The reasons speak of the messages in the envelopes of rpc-message.
  const bare = protocol === 'rpc-message' && side === 'agent' ? name.replace(/ data\.(?=\S+$)/u, ' ') : name;
  const own = (side === 'agent' ? reasons : clientReasons).find(
    ({ pattern, protocols }) => pattern.test(bare) && (protocols === undefined || protocols.includes(protocol)),
  );
  return own?.why ?? null;
}
