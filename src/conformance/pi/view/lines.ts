// The lines of a trace of pi, read once: the agent's lines, the client's commands, and which response answers which
// command.
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace } from '../../check/rule.ts';

/** A line of the agent that is a JSON object. */
export interface Line {
  readonly frame: number;
  /** Empty where the line has none. */
  readonly type: string;
  readonly json: Dictionary;
}

/** A line of the client that needs a response: every line but the replies to dialogs. */
export interface Command {
  readonly frame: number;
  readonly text: string;
  /** Null where the line is no JSON object. */
  readonly json: Dictionary | null;
  /** Whether the line is JSON. */
  readonly isJson: boolean;
  /** Null where the line has no type. */
  readonly type: string | null;
  readonly answers: readonly Answer[];
}

/** A response of the agent. */
export interface Answer {
  readonly frame: number;
  readonly json: Dictionary;
  readonly isSuccess: boolean;
  /** Null where no command matches. */
  readonly command: Command | null;
}

/** All lines of a trace, sorted. */
export interface Lines {
  readonly lines: readonly Line[];
  /** Frames of the agent that are no JSON object, with the reason. */
  readonly unreadable: readonly { readonly frame: number; readonly says: string }[];
  readonly commands: readonly Command[];
  readonly answers: readonly Answer[];
  /** The client's replies to dialogs. */
  readonly replies: readonly Line[];
}

interface Open extends Command {
  readonly answers: Answer[];
}

const typeOf = (json: Dictionary): string => (typeof json.type === 'string' ? json.type : '');

/** Reads any trace. */
export function readLines({ frames }: Trace): Lines {
  const lines: Line[] = [];
  const unreadable: { frame: number; says: string }[] = [];
  const commands: Open[] = [];
  const answers: Answer[] = [];
  const replies: Line[] = [];
  for (const [frame, { by, text, json, isFault }] of frames.entries()) {
    const object = isDictionary(json) ? json : null;
    if (by === 'client') {
      if (object !== null && object.type === 'extension_ui_response') {
        replies.push({ frame, type: 'extension_ui_response', json: object });
        continue;
      }
      const type = typeof object?.type === 'string' ? object.type : null;
      commands.push({ frame, text, json: object, isJson: json !== undefined, type, answers: [] });
      continue;
    }
    if (isFault === true || object === null) {
      unreadable.push({ frame, says: isFault === true ? text : `no JSON object: ${text.slice(0, 80)}` });
      continue;
    }
    const line = { frame, type: typeOf(object), json: object };
    lines.push(line);
    if (line.type !== 'response') continue;
    const sender = whose(line, commands);
    const answer = { frame, json: object, isSuccess: object.success === true, command: sender };
    answers.push(answer);
    sender?.answers.push(answer);
  }
  return { lines, unreadable, commands, answers, replies };
}

/**
 * The command that a response answers. Real programs lose ids (docs/protocols/pi.md 4.6 and 4.7); a response without an
 * id answers the oldest matching command.
 */
function whose({ json }: Line, commands: readonly Open[]): Open | null {
  const { command } = json;
  const isOpen = ({ answers }: Open) => answers.length === 0;
  if (json.id !== undefined && json.id !== null) {
    const same = commands.filter((one) => one.json !== null && isDeepStrictEqual(one.json.id, json.id));
    const own = same.filter(({ type }) => type === command);
    return own.find(isOpen) ?? own.at(-1) ?? same.find(isOpen) ?? same.at(-1) ?? null;
  }
  const open = commands.filter(isOpen);
  const named = (one: Open) => one.type !== null && one.type === command;
  const isMalformed = ({ json: line, type }: Open) => line === null || type === null;
  const anonymous = (one: Open) => one.json?.id === undefined;
  const found =
    open.find((one) => named(one) && anonymous(one)) ??
    (isOfCommand(command) ? undefined : open.find(isMalformed)) ??
    open.find(named) ??
    (command === 'parse' && open.length === 1 ? open[0] : undefined);
  return found ?? commands.findLast((one) => named(one) && anonymous(one)) ?? null;
}

/** Whether the response names a command, instead of reporting an unreadable line. */
function isOfCommand(command: unknown): boolean {
  return typeof command === 'string' && command !== 'parse';
}
