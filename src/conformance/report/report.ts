// What came of a run, with what each check asks for: the one thing that every form of report is made of. Pure; knows no form
// and no protocol.
import type { Description, Level, Result, Verdict } from '../check/check.ts';
import { type CheckSet, descriptionsOf } from '../check/sets.ts';

/** One check and what came of it. `known`: that it does not pass was expected. */
export type ReportEntry = Description & Result & { readonly known?: boolean };

/** How many checks came to which verdict. */
export type Tally = Readonly<Record<Verdict, number>>;

/** The totals of a report. */
export interface Counts {
  readonly total: number;
  readonly verdicts: Tally;
  readonly levels: Readonly<Record<Level, Tally>>;
  /** Of those that failed or are unclear: how many were expected to. */
  readonly known: number;
}

/** What came of one run. */
export interface Report {
  readonly protocol: string;
  /** Who was judged. */
  readonly side: CheckSet['side'];
  /** Of the set of checks. */
  readonly version: string;
  /** Who was judged, in words. */
  readonly target: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** How long it took. */
  readonly ms: number;
  /** It was said before, and not to us. */
  readonly isRecorded?: true;
  /** In the order of the set. */
  readonly results: readonly ReportEntry[];
  readonly counts: Counts;
  /** Why the list of known failures is not true any more, a sentence each: it keeps a run from being green as a failure does. */
  readonly stale: readonly string[];
}

/** What a report is made from. */
export interface ReportParts {
  readonly set: CheckSet;
  readonly results: readonly Result[];
  readonly target: string;
  readonly startedAt: string | Date;
  readonly ms: number;
  /** The ids of those that are expected not to pass: a Set or a Map of them. */
  readonly known?: { has(id: string): boolean };
  /** What is wrong with their list; default: nothing. */
  readonly stale?: readonly string[];
  /** Nobody of us took part in it. Default: false. */
  readonly isRecorded?: boolean;
}

/** The levels, the strongest first, as all reports have them. */
export const levels: readonly Level[] = ['MUST', 'SHOULD', 'MAY'];

/** The verdicts, as all reports have them. */
export const verdicts: readonly Verdict[] = ['passed', 'failed', 'unclear', 'not-applicable'];

/** The verdicts that keep a run from being green. */
export const isBad = ({ verdict }: { readonly verdict: Verdict }): boolean =>
  verdict === 'failed' || verdict === 'unclear';

/** Throws a RangeError on a result of a check that the set has not. */
export function makeReport(parts: ReportParts): Report {
  const { set, results, target, startedAt, ms, known, stale = [], isRecorded = false } = parts;
  const { protocol, side, version } = set;
  const byId = new Map(results.map((result) => [result.id, result]));
  const entries = descriptionsOf(set).flatMap(({ id, section, level, basis, sentence, covers }): ReportEntry[] => {
    const result = byId.get(id);
    if (result === undefined) return [];
    byId.delete(id);
    const isKnown = known?.has(id) === true && isBad(result);
    const described = { id, section, level, basis, sentence, ...(covers === undefined ? {} : { covers }) };
    return [{ ...described, ...result, ...(isKnown ? { known: true } : {}) }];
  });
  const [stray] = byId.keys();
  if (stray !== undefined) throw new RangeError(`the set has no check '${stray}'`);
  const began = typeof startedAt === 'string' ? startedAt : startedAt.toISOString();
  const about = { protocol, side, version, target, startedAt: began, ms, ...(isRecorded ? { isRecorded } : {}) };
  return { ...about, results: entries, counts: countsOf(entries), stale };
}

/** The totals of some checks. */
export function countsOf(entries: readonly ReportEntry[]): Counts {
  return {
    total: entries.length,
    verdicts: tally(entries),
    levels: {
      MUST: tally(entries.filter(({ level }) => level === 'MUST')),
      SHOULD: tally(entries.filter(({ level }) => level === 'SHOULD')),
      MAY: tally(entries.filter(({ level }) => level === 'MAY')),
    },
    known: entries.filter(({ known }) => known === true).length,
  };
}

function tally(entries: readonly ReportEntry[]): Tally {
  const of = (wanted: Verdict) => entries.filter(({ verdict }) => verdict === wanted).length;
  return {
    passed: of('passed'),
    failed: of('failed'),
    unclear: of('unclear'),
    'not-applicable': of('not-applicable'),
  };
}
