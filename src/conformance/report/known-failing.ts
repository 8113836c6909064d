// Reads the list of checks that are expected not to pass, and finds its stale entries.
import type { Result } from '../check/check.ts';
import { chooserOf } from '../check/pattern.ts';

/** One line of the list: the id of a check, or a pattern with `*`. */
export interface KnownEntry {
  readonly pattern: string;
  /** Line number, from 1. */
  readonly line: number;
}

/** The list compared with a run. */
export interface KnownFailing {
  /** Checks that did not pass, as the list expects. */
  readonly ids: ReadonlySet<string>;
  /** Why the list is out of date, one sentence each. */
  readonly stale: readonly string[];
}

/** One id or pattern a line; `#` begins a comment. */
export function readKnownFailing(text: string): readonly KnownEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const pattern = line.replace(/#.*$/u, '').trim();
    return pattern === '' ? [] : [{ pattern, line: index + 1 }];
  });
}

/**
 * A listed check that passes makes the list stale, and so does an entry that matches no check of the set (`all`).
 * Checks that did not run or were not applicable do not count.
 */
export function compareKnown(
  entries: readonly KnownEntry[],
  all: readonly string[],
  results: readonly Result[],
): KnownFailing {
  const ids = new Set<string>();
  const stale: string[] = [];
  for (const { pattern, line } of entries) {
    const chooses = chooserOf(pattern);
    if (!all.some(chooses)) stale.push(`line ${line}: there is no check ${pattern}`);
    for (const { id, verdict } of results) {
      if (!chooses(id)) continue;
      if (verdict === 'passed') stale.push(`line ${line}: ${id} passes`);
      else if (verdict !== 'not-applicable') ids.add(id);
    }
  }
  return { ids, stale };
}
