// The words of the protocol, version 1: methods, updates, and the words of closed lists. docs/protocols/acp.md 3 to 6.

/** A method of a vendor that nobody implements (docs/protocols/acp.md 1.7). */
export const nobodys = '_conformance/nobody-has-this';
/** The same without the underscore that vendors must write. */
export const nobodysPlain = 'conformance/nobody-has-this';
/** An id of a session that no agent has given. */
export const nowhere = 'conformance-no-such-session';

/** Requests of clients. */
export const clientMethods: ReadonlySet<string> = new Set([
  ...['initialize', 'authenticate', 'logout', 'session/new', 'session/load', 'session/resume', 'session/fork'],
  ...['session/list', 'session/delete', 'session/close', 'session/set_mode', 'session/set_config_option'],
  ...['session/set_model', 'session/prompt'],
]);

/** Requests of agents for files and terminals. */
export const environmentMethods = [
  ...(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/output'] as const),
  ...(['terminal/wait_for_exit', 'terminal/kill', 'terminal/release'] as const),
];

/** Requests of agents, with the path of the capability that a client must have declared; null: none. */
export const agentMethods: ReadonlyMap<string, readonly string[] | null> = new Map<string, readonly string[] | null>([
  ['session/request_permission', null],
  ['elicitation/create', ['elicitation']],
  ['fs/read_text_file', ['fs', 'readTextFile']],
  ['fs/write_text_file', ['fs', 'writeTextFile']],
  ...['create', 'output', 'wait_for_exit', 'kill', 'release'].map(
    (word) => [`terminal/${word}`, ['terminal']] as const,
  ),
]);

/** The kinds of messages about files and terminals. */
export const environmentKinds: readonly string[] = environmentMethods.map((method) => `request:${method}`);

/** Notifications of agents. */
export const agentNotifications: ReadonlySet<string> = new Set([
  ...['session/update', 'elicitation/complete', '$/cancel_request'],
]);

/** The updates of the document and of its drafts (docs/protocols/acp.md 5). */
export const updateKinds: ReadonlySet<string> = new Set([
  ...['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan'],
  ...['available_commands_update', 'current_mode_update', 'config_option_update', 'session_info_update'],
  ...['usage_update', 'notice', 'compaction_update', 'compaction_summary_chunk'],
  ...['plan_update', 'plan_removed', 'subagent_update', 'session_message', 'session_message_chunk'],
]);

/** The types of contents (docs/protocols/acp.md 4.30). */
export const contentTypes: ReadonlySet<string> = new Set(['text', 'resource_link', 'image', 'audio', 'resource']);

export const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'];
export const callStatuses = ['pending', 'in_progress', 'completed', 'failed'];
export const callKinds = [
  ...['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'],
];
export const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

/** A program that is on no machine. */
export const nowhereCommand = '/conformance/there-is-no-such-program';

/** An absolute path (docs/protocols/acp.md 1.9). */
export const absolutePath = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/u;
export const isAbsolute = (path: unknown): boolean => typeof path === 'string' && absolutePath.test(path);
