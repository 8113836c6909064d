// Reads session data from answers: the messages, and pairs of answers between which nothing changed.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { type AnsweredCommand, answerOf, consecutive, dataOf, type PiView, runAt } from './view.ts';

/**
 * Roles of the conversation, whose messages are gone in a new session; what newer versions tell the model first is not.
 */
export const conversationRoles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

/** The messages in an answer. */
export function messagesOf(done: AnsweredCommand): readonly Dictionary[] {
  const { messages } = dataOf(done.answer);
  return Array.isArray(messages) ? messages.filter(isDictionary) : [];
}

/** Number of messages of a role. */
export const countOf = (messages: readonly Dictionary[], role: string) =>
  messages.filter((one) => one.role === role).length;

/** Pairs of answers with no event between them, which must therefore agree. */
export function* unchangedBetween(
  view: PiView,
  first: string,
  second: string,
): Generator<{ before: AnsweredCommand; after: AnsweredCommand }> {
  for (const pair of consecutive(view, first, second)) {
    const { frame: from } = pair.before.answer;
    const { frame: to } = pair.after.answer;
    const isQuiet = runAt(view, from) === undefined && !view.lines.some(({ frame }) => frame > from && frame < to);
    if (isQuiet) yield pair;
  }
}

/** A command with its answer, if it succeeded. */
export function doneOf(one: AnsweredCommand['command']): AnsweredCommand[] {
  const answer = answerOf(one);
  return answer?.isSuccess === true ? [{ command: one, answer }] : [];
}
