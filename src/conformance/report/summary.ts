// The words that all forms of report share, so that they say the same. Pure.
import type { LoggedMessage, Verdict } from '../check/check.ts';
import type { Counts, Report, ReportEntry } from './report.ts';
import { cut, durationOf, oneLine, withoutLastWords } from './words.ts';

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

/** Who says something, by who it is for us; in a recording nobody is `we`. */
export type Speakers = Readonly<Record<LoggedMessage['by'], string>>;

/** Those of a report. */
export function speakersOf({ side, isRecorded }: Report): Speakers {
  if (isRecorded !== true) return { us: 'we', peer: 'peer' };
  return { us: side === 'agent' ? 'client' : 'agent', peer: side };
}

/** What the list of known failures has to do with a report that is otherwise about checks. */
export const staleTitle = 'the list of known failures is stale';

/** How a run that ended early says it of what it would have done. */
const stopped = /^(?:[\w -]{1,60} broke off: )?(it was not tried: )?([\s\S]*)$/u;

/** The reason, without the messages that stand below it; the cause of many is told the same way. */
export function reasonOf({ reason = '', conversations }: ReportEntry): string {
  const told = conversations.length === 0 ? reason : withoutLastWords(reason);
  const [, untried, why = ''] = stopped.exec(told) ?? [];
  return untried !== undefined || why === 'the run was stopped' ? `not run: ${why}` : told;
}

/** Checks by why they came to what they came to, in the order of their first check. */
export function byReason(entries: readonly ReportEntry[]): ReadonlyMap<string, readonly ReportEntry[]> {
  return groupedBy(entries, reasonOf);
}

/** Checks by section, in the order of their first check. */
export function bySection(entries: readonly ReportEntry[]): ReadonlyMap<string, readonly ReportEntry[]> {
  return groupedBy(entries, ({ section }) => section);
}

function groupedBy(
  entries: readonly ReportEntry[],
  keyOf: (entry: ReportEntry) => string,
): ReadonlyMap<string, readonly ReportEntry[]> {
  const groups = new Map<string, ReportEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const those = groups.get(key) ?? [];
    groups.set(key, those);
    those.push(entry);
  }
  return groups;
}
