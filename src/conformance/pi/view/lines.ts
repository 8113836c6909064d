// The lines of a trace of pi, read once: what the agent said, what the client asked, and which answer is whose. Pure; judges
// nothing.
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace } from '../../check/rule.ts';

/** A line of the agent that is a JSON object. */
export interface Line {
  readonly frame: number;
  /** Empty where it has none. */
  readonly type: string;
  readonly json: Dictionary;
}

/** A line of the client that asks for an answer: all but those that answer a dialog. */
export interface Command {
  readonly frame: number;
  readonly text: string;
  /** Null where it is no JSON object. */
  readonly json: Dictionary | null;
  /** Whether it is JSON at all. */
  readonly isJson: boolean;
  /** Null where it says none: no command can be told by it. */
  readonly type: string | null;
  readonly answers: readonly Answer[];
}

/** A response of the agent. */
export interface Answer {
  readonly frame: number;
  readonly json: Dictionary;
  readonly isSuccess: boolean;
  /** Null where nobody asked, or nobody can tell who did. */
  readonly command: Command | null;
}

/** All lines of a trace, by who said them and what for. */
export interface Lines {
  readonly lines: readonly Line[];
  /** Frames of the agent that are no JSON object, with what is wrong. */
  readonly unreadable: readonly { readonly frame: number; readonly says: string }[];
  readonly commands: readonly Command[];
  readonly answers: readonly Answer[];
  /** Answers of the client to dialogs. */
  readonly replies: readonly Line[];
}

interface Open extends Command {
  readonly answers: Answer[];
}

const typeOf = (json: Dictionary): string => (typeof json.type === 'string' ? json.type : '');

/** Reads all lines. Total. */
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
 * Who asked for a response. Real programs lose ids (docs/protocols/pi.md 4.6 and 4.7), so without one the oldest that fits has commands.
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

/** Whether a response names a command, and not only that a line could not be read. */
function isOfCommand(command: unknown): boolean {
  return typeof command === 'string' && command !== 'parse';
}
