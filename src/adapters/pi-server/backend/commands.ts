// Commands that are one line to a pi-server and one answer back (docs/protocols/pi-server.md 17.2). Prompts and the
// commands beside them need state and are in session-commands.ts.
import type { Command, CommandOf, QuerySubject } from '../../../core/model/command.ts';
import type { ErrorCode, Problem } from '../../../core/model/errors.ts';
import type { Line } from './requests.ts';

/** A line for the server, or the reason why there is none. `loss` names what the line cannot express. */
export type Encoded =
  | { readonly line: Line; readonly isShort?: boolean; readonly loss?: string }
  | { readonly refused: Problem };

/** The commands that session-commands.ts handles itself. */
export type MachineCommand = CommandOf<
  'prompt' | 'steer' | 'follow-up' | 'abort' | 'answer-dialog' | 'set-model' | 'query'
>;

/** The line of a command that needs no state. */
export function encodeCommand(command: Exclude<Command, MachineCommand>): Encoded {
  switch (command.type) {
    case 'compact':
      return long({ type: 'compact', customInstructions: command.instructions });
    case 'bash':
      return long({ type: 'bash', command: command.command });
    case 'cycle-model':
      return short({ type: 'cycle_model', direction: command.direction });
    case 'set-thinking':
      return encodeThinking(command);
    case 'cycle-thinking':
      return short({ type: 'cycle_thinking_level' });
    case 'set-auto': {
      const type = command.what === 'retry' ? 'set_auto_retry' : 'set_auto_compaction';
      return short({ type, enabled: command.enabled });
    }
    case 'set-name':
      return short({ type: 'set_session_name', name: command.name });
    case 'new-session':
      return long({ type: 'new_session', parentSession: command.parent });
    case 'switch-session':
      return long({ type: 'switch_session_file', sessionPath: command.path });
    case 'fork':
      return long({ type: 'fork', entryId: command.entry });
    case 'export':
      return long({ type: 'export_html', outputPath: command.path });
    case 'answer-approval':
      return refuse('stale', `no approval ${command.id} is open`);
    case 'unknown':
      // The known servers do not accept unknown commands either.
      return refuse('unsupported', `a pi-server does not speak ${command.protocol}`);
    case 'clear-queue':
    case 'set-queue-mode':
    case 'set-mode':
    case 'set-option':
    case 'set-tool-server':
    case 'set-trust':
    case 'set-instructions':
    case 'create-session':
    case 'delete-session':
    case 'list-sessions':
    case 'list-stored-sessions':
    case 'load-session':
      return refuse('unsupported', `a pi-server has no command for ${command.type} in a session`);
    default:
      return command satisfies never;
  }
}

/**
 * Reported level -> accepted level, for levels that the server reports but does not accept (docs/protocols/pi-server.md
 * 17.15).
 */
const levels: ReadonlyMap<string, string> = new Map([
  ['off', 'none'],
  ['minimal', 'low'],
]);

/** The thinking levels with the largest budget (tokens) of each. pi's own budgets are 2048, 8192 and 16384. */
const budgets = [
  { upTo: 0, level: 'none' },
  { upTo: 2_048, level: 'low' },
  { upTo: 8_192, level: 'medium' },
  { upTo: Number.POSITIVE_INFINITY, level: 'high' },
] as const;

function encodeThinking({ level, budgetTokens }: CommandOf<'set-thinking'>): Encoded {
  if (level !== undefined) {
    const taken = levels.get(level) ?? level;
    const line = { type: 'set_thinking_level', level: taken };
    return taken === 'low' && level !== taken ? { line, loss: `the level ${level} became ${taken}` } : { line };
  }
  if (budgetTokens === undefined) return refuse('invalid', 'set-thinking needs a level or a budget');
  const fit = budgets.find(({ upTo }) => (budgetTokens ?? 0) <= upTo) ?? budgets[0];
  return {
    line: { type: 'set_thinking_level', level: fit.level },
    loss: `a thinking budget of ${budgetTokens ?? 0} tokens became the level ${fit.level}`,
  };
}

/** The line for a query subject. `session`: the gateway's session can also answer. */
interface Query {
  readonly type: string;
  readonly isKnownToSession: boolean;
}

/** Queries by subject. A server cannot answer other subjects. */
export const queries: ReadonlyMap<QuerySubject, Query> = new Map([
  ['state', { type: 'get_state', isKnownToSession: true }],
  ['messages', { type: 'get_messages', isKnownToSession: true }],
  ['history', { type: 'get_messages', isKnownToSession: true }],
  ['statistics', { type: 'get_session_stats', isKnownToSession: true }],
  ['context-usage', { type: 'get_context_usage', isKnownToSession: true }],
  ['last-text', { type: 'get_last_assistant_text', isKnownToSession: true }],
  ['fork-points', { type: 'get_fork_messages', isKnownToSession: true }],
  ['models', { type: 'get_available_models', isKnownToSession: false }],
  ['commands', { type: 'get_commands', isKnownToSession: false }],
  ['skills', { type: 'get_skills', isKnownToSession: false }],
  ['tools', { type: 'get_tools', isKnownToSession: false }],
  ['session-files', { type: 'list_session_files', isKnownToSession: false }],
]);

function short(line: Line): Encoded {
  return { line };
}

function long(line: Line): Encoded {
  return { line, isShort: false };
}

function refuse(code: ErrorCode, message: string): Encoded {
  return { refused: { code, message } };
}
