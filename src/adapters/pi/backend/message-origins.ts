// Finds the origin of the user messages that pi reports, by comparing their text with the sent messages.
import type { EventOf } from '../../../core/model/event.ts';

type Origin = NonNullable<EventOf<'message-added'>['origin']>;

/** How many sent messages are remembered. pi may rewrite a text (templates), so some never come back. */
const memory = 64;

/** Remembers the sent messages. */
export interface MessageOrigins {
  sent(words: string, origin: Origin): void;
  /** The origin of the oldest sent message with this text. The message is then forgotten. */
  of(words: string): Origin | undefined;
}

export function createMessageOrigins(): MessageOrigins {
  const sent: { words: string; origin: Origin }[] = [];
  return {
    sent(words, origin) {
      sent.push({ words, origin });
      if (sent.length > memory) sent.shift();
    },
    of(words) {
      const place = sent.findIndex((message) => message.words === words);
      return place === -1 ? undefined : sent.splice(place, 1)[0]?.origin;
    },
  };
}
