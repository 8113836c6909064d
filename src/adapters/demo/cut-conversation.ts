// Cuts the conversation at one of the user's messages.

import { messagesOf } from '../../core/log/messages.ts';
import type { Content } from '../../core/model/content.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { Transcript } from '../../core/model/transcript.ts';
import { replayedMessages } from '../../core/session/forks.ts';

/** A conversation cut before one of its messages. */
export interface Cut {
  /** The message that was cut off. */
  readonly content: readonly Content[];
  /** The messages before the cut, for replay. */
  readonly before: readonly EventOf<'message-added'>[];
}

/** Null if the user never sent that message. */
export function cutAt(transcript: Transcript, entry: string): Cut | null {
  const messages = messagesOf(transcript);
  const at = messages.findIndex(({ id, role, parent }) => id === entry && role === 'user' && parent === undefined);
  const found = messages[at];
  if (found === undefined) return null;
  return { content: found.content, before: replayedMessages(messages.slice(0, at)) };
}
