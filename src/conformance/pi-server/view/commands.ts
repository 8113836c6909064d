// The commands of docs/protocols/pi-server.md 17 as rules know them: whom they are for, and whether they change a session. Data; knows no
// rule.

/** Section 17.1: no session is needed. */
export const serverCommands: ReadonlySet<unknown> = new Set([
  'list_sessions',
  'create_session',
  'delete_session',
  'switch_session',
  'get_metrics',
  'health_check',
  'list_stored_sessions',
  'load_session',
]);

/** docs/protocols/pi-server.md 17.2, those that only look. */
export const reads: ReadonlySet<unknown> = new Set([
  'get_available_models',
  'get_commands',
  'get_skills',
  'get_tools',
  'list_session_files',
  'get_state',
  'get_messages',
  'get_session_stats',
  'get_fork_messages',
  'get_last_assistant_text',
  'get_context_usage',
]);

/** docs/protocols/pi-server.md 17.2, about what is going on in their lane: a server may carry them out beside it. */
export const beside: ReadonlySet<unknown> = new Set([
  'steer',
  'follow_up',
  'abort',
  'abort_compaction',
  'abort_retry',
  'abort_bash',
]);

/** docs/protocols/pi-server.md 17.2, those that change their session and wait for their turn. */
const writes: ReadonlySet<unknown> = new Set([
  'prompt',
  'set_model',
  'cycle_model',
  'set_thinking_level',
  'cycle_thinking_level',
  'set_session_name',
  'compact',
  'set_auto_compaction',
  'set_auto_retry',
  'bash',
  'export_html',
  'new_session',
  'switch_session_file',
  'fork',
]);

/** Section 17.2: whether a success changes the version of the session (docs/protocols/pi-server.md 10.3). */
export const changes = (type: unknown): boolean => writes.has(type) || beside.has(type);

/** Section 17.2. */
export const sessionCommandTypes: ReadonlySet<unknown> = new Set([...reads, ...beside, ...writes]);

/** docs/protocols/pi-server.md 17.2 and 17.3: a session is needed. */
export const needsSession = (type: unknown): boolean =>
  reads.has(type) || changes(type) || type === 'extension_ui_response';

/** Whether the document has this command. */
export const isKnown = (type: unknown): boolean => serverCommands.has(type) || needsSession(type);

/** Fields that a command cannot do without, all of them text (docs/protocols/pi-server.md 17.1, 17.2, 18.2, 22.3). */
export const requiredTexts: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['delete_session', ['sessionId']],
  ['switch_session', ['sessionId']],
  ['load_session', ['sessionPath']],
  ['prompt', ['message']],
  ['steer', ['message']],
  ['follow_up', ['message']],
  ['set_model', ['provider', 'modelId']],
  ['set_thinking_level', ['level']],
  ['set_session_name', ['name']],
  ['bash', ['command']],
  ['switch_session_file', ['sessionPath']],
  ['fork', ['entryId']],
  ['extension_ui_response', ['requestId']],
]);
