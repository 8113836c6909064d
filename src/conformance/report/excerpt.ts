// Selects the messages of a conversation that a report shows: those that violate the rule, their neighbours and related
// messages. Without a violation: messages that the reason names, and the last ones.
import type { LoggedMessage, Result } from '../check/check.ts';
import { placeIn, type ReasonTerms, reasonTermsIn } from './reason-terms.ts';
import { holdsIdOf, relatedTo } from './related-messages.ts';
import { withoutLastWords } from './safe-text.ts';

/** Limits of an excerpt. */
export interface ExcerptOptions {
  /** How many messages are shown before and after each violation. */
  readonly around: number;
  /** About how many messages of one conversation are shown. Neighbours and related messages may exceed the number. */
  readonly most: number;
  /** How many conversations of one check are shown. */
  readonly conversations: number;
  /** Most messages related to one violation. Default 6. */
  readonly related?: number;
}

/** One message that is shown. */
export interface ShownMessage {
  readonly exchange: LoggedMessage;
  /** Index in the conversation, from 0. */
  readonly index: number;
  /** The fault of the message; empty without a fault. */
  readonly wrong: readonly string[];
  /** How many messages are left out before this one. */
  readonly skipped: number;
  /** Index in the text of the part that the reason is about. */
  readonly focus?: number;
}

/** The shown part of one conversation. */
export interface Excerpt {
  readonly connection: string;
  readonly scenario?: string;
  readonly messages: readonly ShownMessage[];
  /** How many messages are left out at the end. */
  readonly skipped: number;
}

/** Excerpts of the conversations of one check, and how many conversations are left out. */
export function excerptsOf(
  { conversations: all, breaches = [], reason = '' }: Pick<Result, 'conversations' | 'breaches' | 'reason'>,
  { around, most, conversations, related = 6 }: ExcerptOptions,
): { readonly excerpts: readonly Excerpt[]; readonly skipped: number } {
  const ofReason = reasonTermsIn(withoutLastWords(reason));
  // Breaches index into the list, so the order stays; without any, conversations that hold what the reason names come
  // first.
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
    const kept = chosen(log, { wrong, reason: ofReason, around, most, related });
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
  readonly reason: ReasonTerms;
  readonly around: number;
  readonly most: number;
  readonly related: number;
}

/** The shown messages, each with what the reason names about it. */
function chosen(
  log: readonly LoggedMessage[],
  { wrong, reason, around, most, related }: Choice,
): ReadonlyMap<number, ReasonTerms> {
  const kept = new Map<number, ReasonTerms>();
  const keep = (index: number, named: ReasonTerms) => {
    if (!kept.has(index)) kept.set(index, named);
  };
  for (const [index, says] of wrong) {
    if (kept.size >= most) break;
    const named = reasonTermsIn(says.join('\n'));
    // The message's own reason replaces the one of its neighbour.
    kept.set(index, named);
    if (log.length <= most) continue;
    for (const one of relatedTo(log, { named, wrong: index, at: index, most: related })) keep(one, named);
    for (let at = Math.max(0, index - around); at <= Math.min(log.length - 1, index + around); at += 1) keep(at, named);
  }
  if (log.length <= most) for (const index of log.keys()) keep(index, reason);
  else if (wrong.size === 0) {
    for (const one of relatedTo(log, { named: reason, at: log.length, most: related })) keep(one, reason);
    for (let at = log.length - most; at < log.length; at += 1) keep(at, reason);
  }
  return kept;
}
