// The parts of a trace for rules on pi clients, besides the lines: commands by type, and dialogs with their replies.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Trace, TraceFrame } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import type { Command, Line } from './lines.ts';
import { type PiView, readPi } from './view.ts';

/** A dialog of the agent, and the client's replies. */
export interface Dialog {
  readonly frame: number;
  readonly method: string;
  readonly json: Dictionary;
  readonly replies: readonly Line[];
}

/** A trace, read for the client's conduct. */
export interface ClientView extends PiView {
  readonly frames: readonly TraceFrame[];
  readonly dialogs: readonly Dialog[];
  /** Requests that need no reply. */
  readonly informs: readonly Line[];
  /** Commands of these types, with their fields. */
  commandsOf(...types: readonly string[]): readonly (Command & { readonly json: Dictionary })[];
}

/** Rules on clients, by name. */
export type ClientRows = Readonly<Record<string, RuleRow<ClientView>>>;

/** Methods that wait for a reply. */
export const dialogMethods = ['select', 'confirm', 'input', 'editor'] as const;
/** Methods without a reply. */
const informMethods: readonly string[] = ['notify', 'setStatus', 'setWidget', 'setTitle', 'set_editor_text'];

/** Commands of the document: docs/protocols/pi.md 4, 13. */
const documentCommands = [
  ...['prompt', 'steer', 'follow_up', 'abort', 'new_session', 'get_state', 'get_messages', 'set_model', 'cycle_model'],
  ...['get_available_models', 'set_thinking_level', 'cycle_thinking_level', 'set_steering_mode', 'set_follow_up_mode'],
  ...['compact', 'set_auto_compaction', 'set_auto_retry', 'abort_retry', 'bash', 'abort_bash', 'get_session_stats'],
  ...['export_html', 'switch_session', 'fork', 'get_fork_messages', 'get_last_assistant_text', 'set_session_name'],
  'get_commands',
];
/** Commands of newer versions (docs/protocols/pi.md 1.7). */
const newerCommands = ['clone', 'clear_queue', 'get_entries', 'get_tree', 'get_available_thinking_levels'];
/** All commands. */
export const knownCommands: readonly string[] = [...documentCommands, ...newerCommands];

/** Reads any trace. */
export function readClient(trace: Trace): ClientView {
  const view = readPi(trace);
  const requests = view.of('extension_ui_request');
  const named = view.commands.filter((one): one is Command & { readonly json: Dictionary } => one.json !== null);
  return {
    ...view,
    frames: trace.frames,
    dialogs: requests
      .filter(({ json }) => dialogMethods.some((method) => method === json.method))
      .map(({ frame, json }) => ({
        ...{ frame, json, method: String(json.method) },
        replies: view.replies.filter((reply) => reply.frame > frame && reply.json.id === json.id),
      })),
    informs: requests.filter(({ json }) => informMethods.includes(String(json.method))),
    commandsOf: (...types) => named.filter(({ type }) => type !== null && types.includes(type)),
  };
}
