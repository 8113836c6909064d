// What the rules of clients of pi see beyond the lines: commands by their type, dialogs with their answers, and what was open when
// something was said. Reads the document's lines; knows no rule.
import type { Dictionary } from '../../../core/model/content.ts';
import type { TraceFrame } from '../../check/rule.ts';
import type { Trace } from '../../check/rule.ts';
import type { Command, Line } from './lines.ts';
import { type PiView, readPi } from './view.ts';

/** A dialog of the agent, and what the client said to it. */
export interface Dialog {
  readonly frame: number;
  readonly method: string;
  readonly json: Dictionary;
  readonly replies: readonly Line[];
}

/** A trace, read for what the client does. */
export interface ClientView extends PiView {
  readonly frames: readonly TraceFrame[];
  readonly dialogs: readonly Dialog[];
  /** Requests that want no answer. */
  readonly informs: readonly Line[];
  /** Commands of that type, with their fields. */
  commandsOf(...types: readonly string[]): readonly (Command & { readonly json: Dictionary })[];
}

/** Methods of which the agent waits for the answer. */
export const dialogMethods: readonly string[] = ['select', 'confirm', 'input', 'editor'];
/** Methods that want none. */
const informMethods: readonly string[] = ['notify', 'setStatus', 'setWidget', 'setTitle', 'set_editor_text'];

/** Reads a trace. Total. */
export function readClient(trace: Trace): ClientView {
  const view = readPi(trace);
  const requests = view.of('extension_ui_request');
  const named = view.commands.filter((one): one is Command & { readonly json: Dictionary } => one.json !== null);
  return {
    ...view,
    frames: trace.frames,
    dialogs: requests
      .filter(({ json }) => dialogMethods.includes(String(json.method)))
      .map(({ frame, json }) => ({
        ...{ frame, json, method: String(json.method) },
        replies: view.replies.filter((reply) => reply.frame > frame && reply.json.id === json.id),
      })),
    informs: requests.filter(({ json }) => informMethods.includes(String(json.method))),
    commandsOf: (...types) => named.filter(({ type }) => type !== null && types.includes(type)),
  };
}
