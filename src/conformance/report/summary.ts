// The words that all forms of report share, so that they say the same. Pure.
import type { Verdict } from '../check.ts';
import type { Counts, Report, ReportEntry } from './report.ts';
import { cut, durationOf, oneLine } from './words.ts';

/** What a verdict means, for those who read it for the first time. */
export const meanings: Readonly<Record<Verdict, string>> = {
  passed: 'it is so',
  failed: 'the peer is wrong',
  unclear: 'the check could not tell',
  'not-applicable': 'there was nothing to check',
};

/** Who was judged. */
export function titleOf({ protocol, side, target }: Report): string {
  return `${protocol} ${side}: ${oneLine(cut(target, 200))}`;
}

/** How it was judged. */
export function factsOf({ protocol, side, version, startedAt, ms }: Report): string {
  return `checks of ${protocol} ${side}s, version ${version} · ${startedAt} · ${durationOf(ms)}`;
}

/** All counts in one line. */
export function totalsOf({ total, verdicts, known }: Counts): string {
  const words = [
    `${verdicts.passed} passed`,
    `${verdicts.failed} failed`,
    `${verdicts.unclear} unclear`,
    `${verdicts['not-applicable']} not-applicable`,
  ];
  const expected = known === 0 ? '' : ` (${known} known)`;
  return `${total} ${total === 1 ? 'check' : 'checks'}: ${words.join(', ')}${expected}`;
}

/** Where a check stands and how strong it is. */
export function placeOf({ level, section, basis }: ReportEntry): string {
  return `${level} · ${section}${basis === 'measured' ? ' · measured' : ''}`;
}

/** Checks by section, in the order of their first check. */
export function bySection(entries: readonly ReportEntry[]): ReadonlyMap<string, readonly ReportEntry[]> {
  const sections = new Map<string, ReportEntry[]>();
  for (const entry of entries) {
    const those = sections.get(entry.section) ?? [];
    sections.set(entry.section, those);
    those.push(entry);
  }
  return sections;
}
