// What the demo agent remembers of the conversation, and how it is cut at one of its messages.
import type { Content } from '../../core/model/content.ts';
import type { EventOf } from '../../core/model/event.ts';
import { replayedMessages } from '../../core/session/forks.ts';
import { messagesOf } from '../../core/log/messages.ts';
import type { Transcript } from '../../core/model/transcript.ts';

/** A conversation cut before one of its messages. */
export interface Cut {
  /** The message that was cut off. */
  readonly content: readonly Content[];
  /** What was said before it, told again. */
  readonly before: readonly EventOf<'message-added'>[];
}

/** Null when the user never said that message. */
export function cutAt(transcript: Transcript, entry: string): Cut | null {
  const messages = messagesOf(transcript);
  const at = messages.findIndex(({ id, role, parent }) => id === entry && role === 'user' && parent === undefined);
  const found = messages[at];
  if (found === undefined) return null;
  return { content: found.content, before: replayedMessages(messages.slice(0, at)) };
}
