// What the rules of pi read: the lines of a trace with their answers, its runs, and all messages in it. Pure; judges nothing.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Finding, Trace } from '../../check/rule.ts';
import { type Answer, type Command, type Line, type Lines, readLines } from './lines.ts';
import { type Run, type WalkResult, walk } from './walk.ts';

/** A message, wherever a line says it. */
export interface MessageInLine {
  readonly frame: number;
  readonly message: Dictionary;
  /** What stands in the place of a message; then `message` is empty. */
  readonly isNone: boolean;
  /** The type of the line, or its command. */
  readonly place: string;
}

/** A trace of pi, read once for all rules. */
export interface PiView extends Lines, Omit<WalkResult, 'findings'> {
  readonly isComplete: boolean;
  readonly allMessages: readonly MessageInLine[];
  /** What the walk noted for a rule. */
  noted(rule: string): readonly Finding[];
  /** Lines of the agent of one type. */
  of(...types: readonly string[]): readonly Line[];
}

/** Reads a trace. Total. */
export function readPi(trace: Trace): PiView {
  const read = readLines(trace);
  const { isComplete } = trace;
  const { findings, ...walked } = walk(read, isComplete);
  return {
    ...read,
    ...walked,
    isComplete,
    allMessages: read.lines.flatMap(toldIn),
    noted: (rule) => findings.get(rule) ?? [],
    of: (...types) => read.lines.filter(({ type }) => types.includes(type)),
  };
}

function toldIn({ frame, type, json }: Line): MessageInLine[] {
  const told = (message: unknown, place: string): MessageInLine => {
    return { frame, message: dictionaryOf(message), isNone: !isDictionary(message), place };
  };
  const all = (messages: unknown, place: string) =>
    Array.isArray(messages) ? messages.map((one) => told(one, place)) : [];
  switch (type) {
    case 'message_start':
    case 'message_end':
      return [told(json.message, type)];
    case 'turn_end':
      return [told(json.message, type), ...all(json.toolResults, type)];
    case 'agent_end':
      return all(json.messages, type);
    case 'response':
      return json.command === 'get_messages' ? all(dictionaryOf(json.data).messages, 'get_messages') : [];
    default:
      return [];
  }
}

/** The words of a message: its text blocks joined. */
export function textOf({ content }: Dictionary): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (dictionaryOf(block).type === 'text' ? String(dictionaryOf(block).text) : '')).join('');
}

/** The first answer, for of two it is the one that counts; undefined where there is none. */
export function answerOf({ answers }: Command): Answer | undefined {
  return answers[0];
}

/** Commands of those types that were answered with success, by their answers. */
export function* succeeded(view: PiView, ...types: readonly string[]): Generator<{ command: Command; answer: Answer }> {
  for (const command of view.commands) {
    const answer = answerOf(command);
    if (command.type !== null && types.includes(command.type) && answer?.isSuccess === true) yield { command, answer };
  }
}

/** A command and its answer. */
export interface AnsweredCommand {
  readonly command: Command;
  readonly answer: Answer;
}

/** A command of one type that succeeded, and one of another that was the next one behind its answer, and succeeded too. */
export function* consecutive(
  view: PiView,
  first: string,
  second: string,
): Generator<{ before: AnsweredCommand; after: AnsweredCommand }> {
  for (const [index, command] of view.commands.entries()) {
    const next = view.commands[index + 1];
    const answer = answerOf(command);
    if (command.type !== first || answer?.isSuccess !== true) continue;
    if (next === undefined || next.type !== second || next.frame < answer.frame) continue;
    const nextAnswer = answerOf(next);
    if (nextAnswer?.isSuccess === true)
      yield { before: { command, answer }, after: { command: next, answer: nextAnswer } };
  }
}

/** The data of an answer. */
export const dataOf = ({ json }: Answer): Dictionary => dictionaryOf(json.data);

/** The run that was going on at that frame; undefined where none was. */
export function runAt(view: PiView, frame: number): Run | undefined {
  return view.runs.find(({ start, over }) => start < frame && (over === null || over > frame));
}

/** What a run noted under that name, as the findings of a rule. */
export const noted = (rule: string) => (view: PiView) => view.noted(rule);
