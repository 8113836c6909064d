// Rate limits: how many commands may run within a minute in one lane, in all lanes, and as answers to questions
// (docs/protocols/common.md 6.2).
import type { LedgerLimits } from '../contract/limits/ledger-limits.ts';
import { createQueue } from './queue.ts';

const minuteMs = 60_000;

/** An allowance that can be exhausted. */
export type Allowance = 'rate' | 'allRate' | 'answers';

/** The allowances that a command uses, besides the one of all lanes. */
export interface Draw {
  readonly lane: string;
  readonly answers: boolean;
}

/** Counts the commands of the last minute. */
export interface RateLimits {
  /** The first exhausted allowance of the command; null if it may run. */
  exhausted(draw: Draw): Allowance | null;
  /** Counts an admitted command. */
  count(draw: Draw): void;
  /** Commands of all lanes within the last minute. */
  lastMinute(): number;
}

/** The error message for an exhausted allowance. */
export function rateSentence(allowance: Allowance, limits: LedgerLimits): string {
  switch (allowance) {
    case 'rate':
      return `Rate limit exceeded (${limits.commandsPerMinute} commands/minute)`;
    case 'allRate':
      return `Global rate limit exceeded (${limits.allCommandsPerMinute} commands/minute)`;
    case 'answers':
      return `Rate limit exceeded (${limits.answersPerMinute} answers/minute)`;
    default:
      return allowance satisfies never;
  }
}

/** Creates counters at zero. */
export function createRateLimits(limits: LedgerLimits, now: () => number): RateLimits {
  // One queue for all lanes: each expired entry also reduces the count of its lane, so unused lane names do not pile
  // up.
  const recent = createQueue<{ readonly at: number; readonly names: readonly string[] }>();
  const counts = new Map<string, number>();

  const namesOf = ({ lane, answers }: Draw) => (answers ? [`lane ${lane}`, `answers ${lane}`] : [`lane ${lane}`]);

  function forgetOld(): void {
    const old = now() - minuteMs;
    for (let first = recent.peek(); first !== undefined && first.at <= old; first = recent.peek()) {
      recent.shift();
      for (const name of first.names) {
        const left = (counts.get(name) ?? 0) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      }
    }
  }

  return {
    exhausted(draw) {
      forgetOld();
      const used = (name: string) => counts.get(name) ?? 0;
      if (used(`lane ${draw.lane}`) >= limits.commandsPerMinute) return 'rate';
      if (recent.length >= limits.allCommandsPerMinute) return 'allRate';
      if (draw.answers && used(`answers ${draw.lane}`) >= limits.answersPerMinute) return 'answers';
      return null;
    },
    count(draw) {
      const names = namesOf(draw);
      recent.push({ at: now(), names });
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    lastMinute() {
      forgetOld();
      return recent.length;
    },
  };
}
