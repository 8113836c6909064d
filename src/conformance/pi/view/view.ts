// A trace of pi as rules read it: its lines with their answers, its runs, and all messages.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding, Trace } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import { type Answer, type Command, type Line, type Lines, readLines } from './lines.ts';
import { type Run, type WalkResult, walk } from './walk.ts';

/** A message in any line. */
export interface MessageInLine {
  readonly frame: number;
  readonly message: Dictionary;
  /** What the line has in the place of the message; `message` is empty where that is no object. */
  readonly value: unknown;
  /** The type of the line, or its command. */
  readonly place: string;
}

/** A trace of pi, read once for all rules. */
export interface PiView extends Lines, Omit<WalkResult, 'findings'> {
  readonly isComplete: boolean;
  readonly allMessages: readonly MessageInLine[];
  /** The findings for a rule. */
  noted(rule: string): readonly Finding[];
  /** Lines of the agent with these types. */
  of(...types: readonly string[]): readonly Line[];
}

/** Rules on agents, by name. */
export type PiRows = Readonly<Record<string, RuleRow<PiView>>>;

/** Reads any trace. */
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
  const messageIn = (message: unknown, place: string): MessageInLine => {
    return { frame, message: dictionaryOf(message), value: message, place };
  };
  const all = (messages: unknown, place: string) =>
    Array.isArray(messages) ? messages.map((one) => messageIn(one, place)) : [];
  switch (type) {
    case 'message_start':
    case 'message_end':
      return [messageIn(json.message, type)];
    case 'turn_end':
      return [messageIn(json.message, type), ...all(json.toolResults, type)];
    case 'agent_end':
      return all(json.messages, type);
    case 'response':
      return json.command === 'get_messages' ? all(dictionaryOf(json.data).messages, 'get_messages') : [];
    default:
      return [];
  }
}

/** The joined text blocks of a message. */
export function textOf({ content }: Dictionary): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (dictionaryOf(block).type === 'text' ? String(dictionaryOf(block).text) : '')).join('');
}

/** The first answer, which counts if there are several; undefined without one. */
export function answerOf({ answers }: Command): Answer | undefined {
  return answers[0];
}

/** Successful commands of these types, with their answers. */
export function* succeeded(view: PiView, ...types: readonly string[]): Generator<{ command: Command; answer: Answer }> {
  for (const command of view.commands) {
    const answer = answerOf(command);
    if (command.type !== null && types.includes(command.type) && answer?.isSuccess === true) yield { command, answer };
  }
}

export interface AnsweredCommand {
  readonly command: Command;
  readonly answer: Answer;
}

/** A successful command of one type and, as the next command after its answer, a successful one of another type. */
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

/** The run that was open at this frame; undefined without one. */
export function runAt(view: PiView, frame: number): Run | undefined {
  return view.runs.find(({ start, over }) => start < frame && (over === null || over > frame));
}

/** A `judge` function that returns the findings under that name. */
export const noted = (rule: string) => (view: PiView) => view.noted(rule);
