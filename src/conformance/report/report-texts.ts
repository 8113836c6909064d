// The texts that all report formats share: title, counts, reasons, names of the two sides.
import type { LoggedMessage, Verdict } from '../check/check.ts';
import type { Counts, Report, ReportEntry } from './report.ts';
import { cut, durationOf, oneLine, withoutLastWords } from './safe-text.ts';

/** The meaning of each verdict, for first-time readers. */
export const meanings: Readonly<Record<Verdict, string>> = {
  passed: 'it is so',
  failed: 'the peer is wrong',
  unclear: 'the check could not tell',
  'not-applicable': 'there was nothing to check',
};

/** The peer under test. */
export function titleOf({ protocol, side, target }: Report): string {
  return `${protocol} ${side}: ${oneLine(cut(target, 200))}`;
}

/** The facts about the run: protocol, version, time. */
export function factsOf({ protocol, side, version, asOf, startedAt, ms }: Report): string {
  const program = asOf === undefined ? '' : `, as of ${asOf}`;
  return `checks of ${protocol} ${side}s, version ${version}${program} · ${startedAt} · ${durationOf(ms)}`;
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

/** Section and level of a check. */
export function placeOf({ level, section, basis }: ReportEntry): string {
  return `${level} · ${section}${basis === 'measured' ? ' · measured' : ''}`;
}

/** Names of the two sides; in a recording nobody is `we`. */
export type Speakers = Readonly<Record<LoggedMessage['by'], string>>;

/** The names for a report. */
export function speakersOf({ side, isRecorded }: Report): Speakers {
  if (isRecorded !== true) return { us: 'we', peer: 'peer' };
  return { us: side === 'agent' ? 'client' : 'agent', peer: side };
}

/** Title of the section on stale entries of the list of known failures. */
export const staleTitle = 'the list of known failures is stale';

/** Separates the prefix that a stopped run adds from the reason itself. */
const stopped = /^(?:[\w -]{1,60} broke off: )?(it was not tried: )?([\s\S]*)$/u;

/** The reason without the messages that the report shows below. Reasons with one cause come out equal. */
export function reasonOf({ reason = '', conversations }: ReportEntry): string {
  const shownReason = conversations.length === 0 ? reason : withoutLastWords(reason);
  const [, untried, why = ''] = stopped.exec(shownReason) ?? [];
  return untried !== undefined || why === 'the run was stopped' ? `not run: ${why}` : shownReason;
}

/** Whether another check, which the report shows as failed, is why this one could not be tried. */
export function hasRoot({ because }: ReportEntry, results: readonly ReportEntry[]): boolean {
  return because !== undefined && results.some(({ id, verdict }) => id === because && verdict === 'failed');
}

/** Introduces so many checks below the failed one that is why they could not be tried. */
export const untriedWords = (count: number): string =>
  `${count} ${count === 1 ? 'check' : 'checks'} could not be tried because of it:`;

/** Groups by reason, in the order of the first check of each. */
export function byReason(entries: readonly ReportEntry[]): ReadonlyMap<string, readonly ReportEntry[]> {
  return groupedBy(entries, reasonOf);
}

/** Groups by section, in the order of the first check of each. */
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
