// Which messages of a conversation a report shows: those that break the rule and what stands around them, else the last.
// Pure; knows no form of report.
import type { Exchange, Result } from '../check.ts';

/** How much is shown. */
export interface ExcerptOptions {
  /** Messages before and after each that breaks the rule. */
  readonly around: number;
  /** Messages of one conversation, about. */
  readonly most: number;
  /** Conversations of one check. */
  readonly conversations: number;
}

/** One message that is shown. */
export interface ShownMessage {
  readonly exchange: Exchange;
  /** Its place in the conversation, from 0. */
  readonly index: number;
  /** What is wrong with it; none where all is well. */
  readonly wrong: readonly string[];
  /** How many messages are left out in front of it. */
  readonly skipped: number;
}

/** What is shown of one conversation. */
export interface Excerpt {
  readonly connection: string;
  readonly scenario?: string;
  readonly messages: readonly ShownMessage[];
  /** How many messages are left out at the end. */
  readonly skipped: number;
}

/** Excerpts of the conversations of one check, and how many conversations are left out. */
export function excerptsOf(
  { exchanges, breaches = [] }: Pick<Result, 'exchanges' | 'breaches'>,
  { around, most, conversations }: ExcerptOptions,
): { readonly excerpts: readonly Excerpt[]; readonly skipped: number } {
  const shown = exchanges.slice(0, conversations);
  const excerpts = shown.map(({ connection, scenario, log }, conversation): Excerpt => {
    const wrong = new Map<number, string[]>();
    for (const breach of breaches) {
      if (breach.conversation !== conversation) continue;
      wrong.set(breach.message, [...(wrong.get(breach.message) ?? []), breach.says]);
    }
    const indices = chosen(log.length, [...wrong.keys()], { around, most });
    const messages = indices.flatMap((index, place): ShownMessage[] => {
      const exchange = log[index];
      const skipped = index - (indices[place - 1] ?? -1) - 1;
      return exchange === undefined ? [] : [{ exchange, index, wrong: wrong.get(index) ?? [], skipped }];
    });
    const skipped = log.length - 1 - (indices.at(-1) ?? -1);
    return { connection, ...(scenario === undefined ? {} : { scenario }), messages, skipped };
  });
  return { excerpts, skipped: exchanges.length - shown.length };
}

function chosen(
  length: number,
  wrong: readonly number[],
  { around, most }: { around: number; most: number },
): number[] {
  if (length <= most) return Array.from({ length }, (_none, index) => index);
  if (wrong.length === 0) return Array.from({ length: most }, (_none, index) => length - most + index);
  const kept = new Set<number>();
  for (const index of wrong) {
    if (kept.size >= most) break;
    for (let at = Math.max(0, index - around); at <= Math.min(length - 1, index + around); at += 1) kept.add(at);
  }
  return [...kept].sort((a, b) => a - b);
}
