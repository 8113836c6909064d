// Helpers on turns: the messages of the main thread, and how the turn ended.
import type { StreamedMessage } from './stream.ts';
import { laneOf, type Message, type Turn, type View } from './view.ts';

/** A turn with its result. */
export type Ended = Turn & { readonly result: Message };

/** Whether the turn has ended. */
export const isEnded = (turn: Turn): turn is Ended => turn.result !== null;
/** Messages outside of sub-agents. */
export const onMain = ({ messages }: Turn): Message[] => messages.filter(({ json }) => laneOf(json) === null);

/** Whether the recording holds the turn from its beginning. */
export function isSeen({ turns, isFromStart }: View, turn: Turn): boolean {
  return turn !== turns[0] || isFromStart || turn.messages.some(({ json }) => json.subtype === 'init');
}

/** The last streamed message of the main thread. */
export function lastMessage({ stream }: View, turn: Ended): StreamedMessage | undefined {
  return stream.messages.findLast(
    ({ lane, frame }) => lane === null && frame >= turn.from && frame < turn.result.frame,
  );
}

/** The last message of the main thread. */
export const lastAssistant = (turn: Turn): Message | undefined =>
  onMain(turn).findLast(({ type }) => type === 'assistant');

/** Whether the turn ends with the text of an API error. */
export function isWordOfError(turn: Turn): boolean {
  return lastAssistant(turn)?.json.is_api_error_message === true;
}

/** The failure of the turn according to its own messages, or null. */
export function failureOf(view: View, turn: Ended): string | null {
  if (isWordOfError(turn)) return 'the last message is the word of an error';
  const last = lastMessage(view, turn);
  // An agent may go on without a stream.
  if (last?.stop == null || (lastAssistant(turn)?.frame ?? 0) > last.stop) return null;
  return last.isCut ? 'the last message was cut' : null;
}
