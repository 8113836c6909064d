// How much the sessions of a gateway may keep together (docs/limits.md 5.3). The largest session pays, not the one that
// happens to say the last word.
import { mebibytes } from '../../model/memory-estimate.ts';

/** A session that keeps a transcript. */
export interface BudgetMember {
  /** The session is to end, its run first. */
  evict(reason: string): void;
}

/** What all sessions keep. */
export interface TranscriptBudget {
  /** The session keeps so many bytes now. May evict a session; the eviction does not happen within this call. */
  report(member: BudgetMember, bytes: number): void;
  /** The session is over. */
  forget(member: BudgetMember): void;
}

/** No session yet. */
export function createTranscriptBudget(
  mostBytes: number,
  limited: (rule: 'allTranscriptBytes') => void,
): TranscriptBudget {
  const sizes = new Map<BudgetMember, number>();
  const evicted = new WeakSet<BudgetMember>();
  let total = 0;

  function forget(member: BudgetMember): void {
    total -= sizes.get(member) ?? 0;
    sizes.delete(member);
  }

  function evictLargest(): void {
    const [largest] = [...sizes].sort(([, one], [, other]) => other - one);
    if (largest === undefined) return;
    const [member] = largest;
    // Its memory is as good as free.
    forget(member);
    evicted.add(member);
    limited('allTranscriptBytes');
    member.evict(
      `the sessions of this gateway keep more than ${mebibytes(mostBytes)} of conversation, and this one keeps the most`,
    );
  }

  return {
    report(member, bytes) {
      if (evicted.has(member)) return;
      forget(member);
      sizes.set(member, bytes);
      total += bytes;
      while (total > mostBytes) evictLargest();
    },
    forget,
  };
}
