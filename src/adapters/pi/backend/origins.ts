// How the user messages that pi reports came in: matched by their words with what was sent. Knows no line of the wire.
import type { EventOf } from '../../../core/model/event.ts';

type Origin = NonNullable<EventOf<'message-added'>['origin']>;

/** How many sent messages are remembered: pi may rewrite words (templates), so some never come back. */
const memory = 64;

/** Remembers what was sent. */
export interface Origins {
  sent(words: string, origin: Origin): void;
  /** The origin of the oldest message with these words, which is then forgotten. */
  of(words: string): Origin | undefined;
}

export function createOrigins(): Origins {
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
