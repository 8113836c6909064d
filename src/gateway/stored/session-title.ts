// The title of a session that is not open, for lists: its name, and the beginning of its first prompt.
import { z } from 'zod';
import { firstWordsIn } from '../../core/log/messages.ts';
import type { Event } from '../../core/model/event.ts';
import type { Transcript } from '../../core/model/transcript.ts';

/** A part of the head of a stored session. */
export const SessionTitle = z.object({
  name: z.string().optional(),
  /** The beginning of the first user message. */
  firstWords: z.string().optional(),
});
export type SessionTitle = z.infer<typeof SessionTitle>;

/** Longest name of a head, characters: a store may keep the heads of all sessions in memory. */
const longestName = 256;

/** The title of a conversation so far. `known`: the first words, if a head has them; the conversation is read without them only. */
export function titleOf(transcript: Pick<Transcript, 'info' | 'items'>, known?: string): SessionTitle {
  const { name } = transcript.info;
  return { name: name?.slice(0, longestName), firstWords: known ?? firstWordsOf(transcript) };
}

function firstWordsOf({ items }: Pick<Transcript, 'items'>): string | undefined {
  const said = items.flatMap((item) =>
    item.kind !== 'message' && item.logged.event.type === 'message-added' ? [item.logged.event] : [],
  );
  return firstWordsIn(said);
}

/** The title after one more event; the same object if the title stays. */
export function titleAfter<Title extends SessionTitle>(title: Title, event: Event): Title {
  switch (event.type) {
    case 'session-changed': {
      const name = event.changes.name?.slice(0, longestName) ?? title.name;
      return name === title.name ? title : { ...title, name };
    }
    case 'history-reset':
      return title.firstWords === undefined ? title : { ...title, firstWords: undefined };
    case 'message-added': {
      const firstWords = title.firstWords ?? firstWordsIn([event]);
      return firstWords === title.firstWords ? title : { ...title, firstWords };
    }
    default:
      return title;
  }
}
