// Shapes of the answers to commands: docs/protocols/pi-server.md 17.
import { fields, orNull, type Shape } from '../../check/shape.ts';

const cost = fields({ input: 'number', output: 'number', cacheRead: 'number', cacheWrite: 'number' });
const model = fields({
  id: 'string',
  provider: 'string',
  'name?': 'string',
  'contextWindow?': 'number',
  'cost?': cost,
});

/** An open session. */
export const sessionInfo = fields({
  sessionId: 'string',
  'sessionName?': 'string',
  'sessionFile?': 'string',
  'model?': model,
  thinkingLevel: 'string',
  isStreaming: 'boolean',
  messageCount: 'number',
  'createdAt?': 'string',
});

/** A stored session. */
const storedSession = fields({
  sessionId: 'string',
  'sessionName?': 'string',
  sessionFile: 'string',
  sessionPath: 'string',
  cwd: 'string',
  'createdAt?': 'string',
  messageCount: 'number',
  fileExists: 'boolean',
});

const rejected = fields({
  sessionLimit: 'number',
  messageSize: 'number',
  rateLimit: 'number',
  globalRateLimit: 'number',
});
const circuit = fields({ providerName: 'string', state: 'string', failureCount: 'number', totalCalls: 'number' });
const metrics = fields({
  sessionCount: 'number',
  connectionCount: 'number',
  totalCommandsExecuted: 'number',
  commandsRejected: rejected,
  rateLimitUsage: fields({ globalCount: 'number', globalLimit: 'number' }),
  stores: fields({
    replay: fields({
      inFlightCount: 'number',
      outcomeCount: 'number',
      maxInFlightCommands: 'number',
      maxCommandOutcomes: 'number',
    }),
    version: fields({ sessionCount: 'number' }),
    execution: fields({ laneCount: 'number' }),
    extensionUI: fields({ pendingCount: 'number' }),
  }),
  circuitBreakers: [circuit],
  bashCircuitBreaker: fields({ globalState: 'string', totalCalls: 'number', totalTimeouts: 'number' }),
});

/** A command and the shape of its success data; absent: no data. */
export interface Answered {
  readonly type: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly data?: Shape;
  /** The field to fill with a prompt or shell command of the target's script, and the script word. */
  readonly script?: { readonly field: string; readonly word: string };
  /** The session first needs a prompt that has been answered. */
  readonly isAfterPrompt?: boolean;
  /** The agent behind the server may not support the command. */
  readonly mayRefuse?: boolean;
}

/** Commands of docs/protocols/pi-server.md 17.1 that need no preparation; the others have checks of their own. */
export const serverAnswers: readonly Answered[] = [
  { type: 'list_sessions', data: fields({ sessions: [sessionInfo] }) },
  { type: 'get_metrics', data: metrics },
  {
    type: 'health_check',
    data: fields({ healthy: 'boolean', issues: ['string'], hasOpenCircuit: 'boolean', hasOpenBashCircuit: 'boolean' }),
  },
  { type: 'list_stored_sessions', data: fields({ sessions: [storedSession] }) },
];

const stats = fields({
  'sessionFile?': 'string',
  sessionId: 'string',
  userMessages: 'number',
  assistantMessages: 'number',
  toolCalls: 'number',
  toolResults: 'number',
  totalMessages: 'number',
  tokens: fields({ input: 'number', output: 'number', cacheRead: 'number', cacheWrite: 'number', total: 'number' }),
  cost: 'number',
});
const mayRefuse = true;

/** Commands of docs/protocols/pi-server.md 17.2. */
export const sessionAnswers: readonly Answered[] = [
  { type: 'get_available_models', data: fields({ models: [model] }), mayRefuse },
  { type: 'get_commands', data: fields({ commands: [fields({ name: 'string' })] }), mayRefuse },
  { type: 'get_skills', data: fields({ skills: [fields({ name: 'string' })] }), mayRefuse },
  { type: 'get_tools', data: fields({ tools: [fields({ name: 'string' })] }), mayRefuse },
  { type: 'list_session_files', data: fields({ files: [fields({ path: 'string', name: 'string' })] }), mayRefuse },
  { type: 'prompt', script: { field: 'message', word: 'text' } },
  { type: 'steer', script: { field: 'message', word: 'text' }, mayRefuse },
  { type: 'follow_up', script: { field: 'message', word: 'text' }, mayRefuse },
  { type: 'abort' },
  { type: 'get_state', data: sessionInfo },
  {
    type: 'get_messages',
    data: fields({ messages: [fields({ role: 'string', 'content?': 'any' })] }),
    isAfterPrompt: true,
  },
  { type: 'cycle_model', data: orNull(fields({ model, thinkingLevel: 'string', isScoped: 'boolean' })), mayRefuse },
  { type: 'set_thinking_level', fields: { level: 'low' }, mayRefuse },
  { type: 'cycle_thinking_level', data: orNull(fields({ level: 'string' })), mayRefuse },
  { type: 'set_session_name', fields: { name: 'a name' } },
  {
    type: 'compact',
    data: fields({ summary: 'string', firstKeptEntryId: 'string', tokensBefore: 'number' }),
    isAfterPrompt: true,
    mayRefuse,
  },
  { type: 'abort_compaction', mayRefuse },
  { type: 'set_auto_compaction', fields: { enabled: true }, mayRefuse },
  { type: 'set_auto_retry', fields: { enabled: true }, mayRefuse },
  { type: 'abort_retry', mayRefuse },
  {
    type: 'bash',
    script: { field: 'command', word: 'shell' },
    data: fields({ exitCode: 'number', output: 'string', cancelled: 'boolean' }),
    mayRefuse,
  },
  { type: 'abort_bash', mayRefuse },
  { type: 'get_session_stats', data: stats, isAfterPrompt: true },
  { type: 'export_html', data: fields({ path: 'string' }), isAfterPrompt: true, mayRefuse },
  { type: 'new_session', data: fields({ cancelled: 'boolean' }), mayRefuse },
  {
    type: 'get_fork_messages',
    data: fields({ messages: [fields({ entryId: 'string', text: 'string' })] }),
    isAfterPrompt: true,
    mayRefuse,
  },
  // There may be no text: the model decides what it says (docs/protocols/pi-server.md 17.5).
  { type: 'get_last_assistant_text', data: fields({ text: orNull('string') }), isAfterPrompt: true },
  {
    type: 'get_context_usage',
    data: fields({ tokens: orNull('number'), contextWindow: 'number', percent: orNull('number') }),
    mayRefuse,
  },
];

/** Every command of docs/protocols/pi-server.md 17.2 and 18.2 with valid fields, for a session that does not exist. */
export const sessionCommands: readonly Answered[] = [
  ...sessionAnswers,
  { type: 'set_model', fields: { provider: 'p', modelId: 'm' } },
  { type: 'switch_session_file', fields: { sessionPath: '/home/nobody/.pi/agent/sessions/none.jsonl' } },
  { type: 'fork', fields: { entryId: 'none' } },
  { type: 'extension_ui_response', fields: { requestId: 'none', response: { method: 'cancelled' } } },
];
