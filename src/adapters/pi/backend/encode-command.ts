// Commands that are one line to pi and one answer back. Prompts, aborts, dialogs and model names need state and are in
// backend.ts.
import type { Command, CommandOf, QuerySubject } from '../../../core/model/command.ts';
import type { ErrorCode, Problem } from '../../../core/model/errors.ts';
import type { WireCommand } from '../wire/commands.ts';

/**
 * A line for pi, or the reason why there is none. `loss` names what the line cannot express. `reading` names the
 * interpretation of the answer, if the answer is used for another purpose than the line's own.
 */
export type Encoded =
  | { readonly line: WireCommand; readonly loss?: string; readonly reading?: Reading }
  | { readonly refused: Problem };

/** Two query subjects that are read from the answers to other commands. */
export type Reading = 'context-usage' | 'skills';

/** The commands that backend.ts handles itself. */
export type MachineCommand = CommandOf<
  'prompt' | 'steer' | 'follow-up' | 'abort' | 'answer-approval' | 'answer-dialog' | 'set-model' | 'unknown'
>;

/** The line of a command that needs no state. */
export function encodeCommand(command: Exclude<Command, MachineCommand>): Encoded {
  switch (command.type) {
    case 'clear-queue':
      return { line: { type: 'clear_queue' } };
    case 'compact':
      return { line: { type: 'compact', customInstructions: command.instructions } };
    case 'bash':
      return { line: { type: 'bash', command: command.command } };
    case 'cycle-model':
      if (command.direction === 'backward') return refuse('unsupported', 'pi cycles its models forward only');
      return { line: { type: 'cycle_model' } };
    case 'set-thinking':
      return encodeThinking(command);
    case 'cycle-thinking':
      return { line: { type: 'cycle_thinking_level' } };
    case 'set-queue-mode':
      if (command.queue === 'steering') return { line: { type: 'set_steering_mode', mode: command.mode } };
      return { line: { type: 'set_follow_up_mode', mode: command.mode } };
    case 'set-auto':
      if (command.what === 'retry') return { line: { type: 'set_auto_retry', enabled: command.enabled } };
      return { line: { type: 'set_auto_compaction', enabled: command.enabled } };
    case 'set-name':
      return { line: { type: 'set_session_name', name: command.name } };
    case 'new-session':
      return { line: { type: 'new_session', parentSession: command.parent } };
    case 'switch-session':
      return { line: { type: 'switch_session', sessionPath: command.path } };
    case 'fork':
      return { line: { type: 'fork', entryId: command.entry } };
    case 'export':
      return { line: { type: 'export_html', outputPath: command.path } };
    case 'query':
      return encodeQuery(command.subject);
    case 'set-mode':
      return refuse('unsupported', 'pi has no modes');
    case 'set-option':
      return refuse('unsupported', 'pi has no other options');
    case 'set-tool-server':
      return refuse('unsupported', 'pi has no tool servers to start or stop');
    case 'set-instructions':
      return refuse('unsupported', 'pi takes instructions when it is started, and never later');
    case 'set-trust':
    case 'create-session':
    case 'delete-session':
    case 'list-sessions':
    case 'list-stored-sessions':
    case 'load-session':
      return refuse('unsupported', `pi has no command for ${command.type}`);
    default:
      return command satisfies never;
  }
}

/** The thinking levels with the largest budget (tokens) of each. pi's own budgets are 2048, 8192 and 16384. */
const budgets = [
  { upTo: 0, level: 'off' },
  { upTo: 2_048, level: 'low' },
  { upTo: 8_192, level: 'medium' },
  { upTo: Number.POSITIVE_INFINITY, level: 'high' },
] as const;

function encodeThinking({ level, budgetTokens }: CommandOf<'set-thinking'>): Encoded {
  if (level !== undefined) return { line: { type: 'set_thinking_level', level } };
  if (budgetTokens === undefined) return refuse('invalid', 'set-thinking needs a level or a budget');
  const fit = budgets.find(({ upTo }) => (budgetTokens ?? 0) <= upTo) ?? budgets[0];
  return {
    line: { type: 'set_thinking_level', level: fit.level },
    loss: `a thinking budget of ${budgetTokens ?? 0} tokens became the level ${fit.level}`,
  };
}

const queries: ReadonlyMap<QuerySubject, WireCommand> = new Map<QuerySubject, WireCommand>([
  ['state', { type: 'get_state' }],
  ['messages', { type: 'get_messages' }],
  ['history', { type: 'get_messages' }],
  ['statistics', { type: 'get_session_stats' }],
  ['context-usage', { type: 'get_session_stats' }],
  ['last-text', { type: 'get_last_assistant_text' }],
  ['fork-points', { type: 'get_fork_messages' }],
  ['models', { type: 'get_available_models' }],
  ['thinking-levels', { type: 'get_available_thinking_levels' }],
  ['commands', { type: 'get_commands' }],
  ['skills', { type: 'get_commands' }],
]);

function encodeQuery(subject: QuerySubject): Encoded {
  const line = queries.get(subject);
  if (line === undefined) return refuse('unsupported', `pi cannot be asked for ${subject}`);
  return subject === 'context-usage' || subject === 'skills' ? { line, reading: subject } : { line };
}

function refuse(code: ErrorCode, message: string): Encoded {
  return { refused: { code, message } };
}
