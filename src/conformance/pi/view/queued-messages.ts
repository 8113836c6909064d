// The texts that a client sends to the model, and those of them that joined a run.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Answer, Command } from './lines.ts';
import { type PiView, runAt, succeeded, textOf } from './view.ts';
import type { EndedMessage, Run } from './walk.ts';

/** An accepted command with a text for the model. */
export interface UserMessage {
  readonly command: Command;
  readonly answer: Answer;
  readonly json: Dictionary;
  readonly text: string;
}
/** A text that was to join a run, and the user message that came of it, if any. */
export interface QueuedMessage extends UserMessage {
  readonly kind: 'steer' | 'followUp';
  readonly run: Run;
  readonly resultingMessage: EndedMessage | undefined;
}

/** A text that begins with a slash is for extensions, which may drop or change it. */
export const isPlain = (text: unknown): text is string => typeof text === 'string' && !text.startsWith('/');

/** Accepted commands of these types with a text for the model. */
export function* userMessages(view: PiView, ...types: readonly string[]): Generator<UserMessage> {
  for (const { command, answer } of succeeded(view, ...types)) {
    const text = command.json?.message;
    if (command.json !== null && isPlain(text)) yield { command, answer, json: command.json, text };
  }
}

/** The first user message with that text after a frame. */
export const userMessageWithText = (messages: readonly EndedMessage[], text: string, from: number) =>
  messages.find(({ frame, role, message }) => role === 'user' && frame > from && textOf(message) === text);

/** Texts that were accepted to join a run which ended by itself, in order. */
export function queuedMessages(view: PiView): QueuedMessage[] {
  const aborts = view.commands.filter(({ type }) => type === 'abort');
  const clearings = [...succeeded(view, 'clear_queue')];
  return [...userMessages(view, 'steer', 'follow_up', 'prompt')].flatMap((one): QueuedMessage[] => {
    const { command, answer, json, text } = one;
    const behaviour =
      command.type === 'prompt' ? json.streamingBehavior : command.type === 'steer' ? 'steer' : 'followUp';
    if (behaviour !== 'steer' && behaviour !== 'followUp') return [];
    const run = runAt(view, command.frame);
    // A text that is answered after the end of the run may wait for the next run.
    if (run === undefined || (run.over !== null && run.over < answer.frame)) return [];
    const over = run.over ?? Number.POSITIVE_INFINITY;
    if (aborts.some(({ frame }) => frame > run.start && frame < over)) return [];
    // Newer versions clear the queue on request (docs/protocols/pi.md 10.5).
    if (clearings.some((clearing) => clearing.answer.frame > command.frame && clearing.command.frame < over)) return [];
    return [
      { ...one, kind: behaviour, run, resultingMessage: userMessageWithText(view.endedMessages, text, command.frame) },
    ];
  });
}
