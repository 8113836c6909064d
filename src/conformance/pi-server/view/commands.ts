// The commands of docs/protocols/pi-server.md 17: which ones need a session, which ones change it, and their lanes.
import type { Dictionary } from '../../../core/model/content.ts';

/** docs/protocols/pi-server.md 17.1: commands without a session. */
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

/** docs/protocols/pi-server.md 17.2: commands that only read. */
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

/** docs/protocols/pi-server.md 17.2: commands to a running agent, which a server may carry out outside of the lane. */
export const beside: ReadonlySet<unknown> = new Set([
  'steer',
  'follow_up',
  'abort',
  'abort_compaction',
  'abort_retry',
  'abort_bash',
]);

/** docs/protocols/pi-server.md 17.2: commands that change their session, in the order of their lane. */
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

/** Whether a successful command increments the session version (docs/protocols/pi-server.md 10.3). */
export const changes = (type: unknown): boolean => writes.has(type) || beside.has(type);

/** All commands of docs/protocols/pi-server.md 17.2. */
export const sessionCommandTypes: ReadonlySet<unknown> = new Set([...reads, ...beside, ...writes]);

/** docs/protocols/pi-server.md 17.2 and 17.3: whether the command needs a session. */
export const needsSession = (type: unknown): boolean =>
  reads.has(type) || changes(type) || type === 'extension_ui_response';

/** Whether the document has this command. */
export const isKnown = (type: unknown): boolean => serverCommands.has(type) || needsSession(type);

/** Commands that some servers put into lanes of their own (docs/protocols/pi-server.md 7.7). */
const ofSessions: ReadonlySet<unknown> = new Set([
  'create_session',
  'delete_session',
  'switch_session',
  'load_session',
]);

/** The lane of a command (docs/protocols/pi-server.md 7.3); null where servers may differ. */
export function laneOf({ type, sessionId, streamingBehavior }: Dictionary): string | null {
  if (!isKnown(type) || ofSessions.has(type) || beside.has(type)) return null;
  if (streamingBehavior !== undefined || type === 'extension_ui_response') return null;
  if (!serverCommands.has(type)) return `session ${String(sessionId)}`;
  return sessionId === undefined ? 'server' : null;
}
