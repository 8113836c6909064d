// What a client says to the model, and what becomes of it: commands with words that were accepted, and those that joined a run.
// Pure; judges nothing.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Answer, Command } from './lines.ts';
import { type PiView, runAt, succeeded, textOf } from './view.ts';
import type { Run, EndedMessage } from './walk.ts';

/** A command with words for the model, that was accepted. */
export interface UserMessage {
  readonly command: Command;
  readonly answer: Answer;
  readonly json: Dictionary;
  readonly text: string;
}
/** One that joins a run, and the message that came of it, if it did. */
export interface QueuedMessage extends UserMessage {
  readonly kind: 'steer' | 'followUp';
  readonly run: Run;
  readonly resultingMessage: EndedMessage | undefined;
}

/** Words that begin with a slash are for extensions, and may come to nothing or to other words. */
export const isPlain = (text: unknown): text is string => typeof text === 'string' && !text.startsWith('/');

/** Commands of those types with words for the model, that were accepted. */
export function* userMessages(view: PiView, ...types: readonly string[]): Generator<UserMessage> {
  for (const { command, answer } of succeeded(view, ...types)) {
    const text = command.json?.message;
    if (command.json !== null && isPlain(text)) yield { command, answer, json: command.json, text };
  }
}

/** The message of the user with those words, from a frame on. */
export const userMessageWithText = (said: readonly EndedMessage[], text: string, from: number) =>
  said.find(({ frame, role, message }) => role === 'user' && frame > from && textOf(message) === text);

/** What was accepted to join a run that went to its end by itself, in order. */
export function queuedMessages(view: PiView): QueuedMessage[] {
  const aborts = view.commands.filter(({ type }) => type === 'abort');
  const clearings = [...succeeded(view, 'clear_queue')];
  return [...userMessages(view, 'steer', 'follow_up', 'prompt')].flatMap((one): QueuedMessage[] => {
    const { command, answer, json, text } = one;
    const behaviour =
      command.type === 'prompt' ? json.streamingBehavior : command.type === 'steer' ? 'steer' : 'followUp';
    if (behaviour !== 'steer' && behaviour !== 'followUp') return [];
    const run = runAt(view, command.frame);
    // What is answered behind the end may wait for the next run.
    if (run === undefined || (run.over !== null && run.over < answer.frame)) return [];
    const over = run.over ?? Number.POSITIVE_INFINITY;
    if (aborts.some(({ frame }) => frame > run.start && frame < over)) return [];
    // Newer pi forget what waits when they are told to (docs/protocols/pi.md 10.5).
    if (clearings.some((clearing) => clearing.answer.frame > command.frame && clearing.command.frame < over)) return [];
    return [
      { ...one, kind: behaviour, run, resultingMessage: userMessageWithText(view.endedMessages, text, command.frame) },
    ];
  });
}
