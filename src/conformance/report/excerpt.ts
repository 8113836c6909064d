// Which messages of a conversation a report shows: those that break the rule, what stands around them and what has to do with them;
// where none does, what the reason names, and the last. Pure; knows no form of report.
import type { LoggedMessage, Result } from '../check/check.ts';
import { type Named, namedIn, placeIn } from './named.ts';
import { holdsIdOf, relatedTo } from './related.ts';
import { withoutLastWords } from './words.ts';

/** How much is shown. */
export interface ExcerptOptions {
  /** Messages before and after each that breaks the rule. */
  readonly around: number;
  /** Messages of one conversation, about; what has to do with them comes on top. */
  readonly most: number;
  /** Conversations of one check. */
  readonly conversations: number;
}

/** One message that is shown. */
export interface ShownMessage {
  readonly exchange: LoggedMessage;
  /** Its place in the conversation, from 0. */
  readonly index: number;
  /** What is wrong with it; none where all is well. */
  readonly wrong: readonly string[];
  /** How many messages are left out in front of it. */
  readonly skipped: number;
  /** Where in its text that stands which the words are about. */
  readonly focus?: number;
}

/** What is shown of one conversation. */
export interface Excerpt {
  readonly connection: string;
  readonly scenario?: string;
  readonly messages: readonly ShownMessage[];
  /** How many messages are left out at the end. */
  readonly skipped: number;
}

/** Of those that have to do with one message. */
const mostRelated = 6;

/** Excerpts of the conversations of one check, and how many conversations are left out. */
export function excerptsOf(
  { conversations: all, breaches = [], reason = '' }: Pick<Result, 'conversations' | 'breaches' | 'reason'>,
  { around, most, conversations }: ExcerptOptions,
): { readonly excerpts: readonly Excerpt[]; readonly skipped: number } {
  const ofReason = namedIn(withoutLastWords(reason));
  // Breaches count in the list as it is; without any, those come first that hold what the reason names.
  const isAbout = ({ log }: (typeof all)[number]) => holdsIdOf(ofReason, log);
  const isChoice = breaches.length === 0 && all.length > conversations;
  const ordered = isChoice ? [...all].sort((a, b) => Number(isAbout(b)) - Number(isAbout(a))) : all;
  const shown = ordered.slice(0, conversations);
  const excerpts = shown.map(({ connection, scenario, log }, conversation): Excerpt => {
    const wrong = new Map<number, string[]>();
    for (const breach of breaches) {
      if (breach.conversation !== conversation) continue;
      wrong.set(breach.message, [...(wrong.get(breach.message) ?? []), breach.says]);
    }
    const kept = chosen(log, { wrong, reason: ofReason, around, most });
    const indices = [...kept.keys()].sort((a, b) => a - b);
    const messages = indices.flatMap((index, place): ShownMessage[] => {
      const exchange = log[index];
      if (exchange === undefined) return [];
      const skipped = index - (indices[place - 1] ?? -1) - 1;
      const focus = placeIn(exchange.text, kept.get(index) ?? ofReason);
      return [{ exchange, index, wrong: wrong.get(index) ?? [], skipped, ...(focus === undefined ? {} : { focus }) }];
    });
    const skipped = log.length - 1 - (indices.at(-1) ?? -1);
    return { connection, ...(scenario === undefined ? {} : { scenario }), messages, skipped };
  });
  return { excerpts, skipped: all.length - shown.length };
}

interface Choice {
  readonly wrong: ReadonlyMap<number, readonly string[]>;
  readonly reason: Named;
  readonly around: number;
  readonly most: number;
}

/** The messages that are shown, each with the words that it is shown for. */
function chosen(log: readonly LoggedMessage[], { wrong, reason, around, most }: Choice): ReadonlyMap<number, Named> {
  const kept = new Map<number, Named>();
  const keep = (index: number, named: Named) => {
    if (!kept.has(index)) kept.set(index, named);
  };
  for (const [index, says] of wrong) {
    if (kept.size >= most) break;
    const named = namedIn(says.join('\n'));
    // Its own words, though it stood beside another before.
    kept.set(index, named);
    if (log.length <= most) continue;
    for (const one of relatedTo(log, { named, wrong: index, at: index, most: mostRelated })) keep(one, named);
    for (let at = Math.max(0, index - around); at <= Math.min(log.length - 1, index + around); at += 1) keep(at, named);
  }
  if (log.length <= most) for (const index of log.keys()) keep(index, reason);
  else if (wrong.size === 0) {
    for (const one of relatedTo(log, { named: reason, at: log.length, most: mostRelated })) keep(one, reason);
    for (let at = log.length - most; at < log.length; at += 1) keep(at, reason);
  }
  return kept;
}
