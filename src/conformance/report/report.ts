// The report of a run: results with the descriptions of their checks. All output formats render this structure.
import type { Description, Level, Result, Verdict } from '../check/check.ts';
import { type CheckSet, descriptionsOf } from '../check/sets.ts';

/** One check and its result. `known`: the failure was expected. */
export type ReportEntry = Description & Result & { readonly known?: boolean };

/** Number of checks for each verdict. */
export type Tally = Readonly<Record<Verdict, number>>;

/** The totals of a report. */
export interface Counts {
  readonly total: number;
  readonly verdicts: Tally;
  readonly levels: Readonly<Record<Level, Tally>>;
  /** How many of the failed and unclear checks were expected. */
  readonly known: number;
}

/** The results of one run. */
export interface Report {
  readonly protocol: string;
  /** The side under test. */
  readonly side: CheckSet['side'];
  /** Version of the check set. */
  readonly version: string;
  /** Description of the peer under test. */
  readonly target: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Duration. */
  readonly ms: number;
  /** Only checks that describe this version of the judged program. */
  readonly asOf?: string;
  /** What the peer seems to be, and what to do then: for a peer that fails as another version or dialect does. */
  readonly guess?: string;
  /** A recording was judged; we took no part in the conversation. */
  readonly isRecorded?: true;
  /** In the order of the set. */
  readonly results: readonly ReportEntry[];
  readonly counts: Counts;
  /** Why the list of known failures is out of date, one sentence each. A stale list fails a run like a failed check. */
  readonly stale: readonly string[];
}

/** Input of {@link makeReport}. */
export interface ReportParts {
  readonly set: CheckSet;
  readonly results: readonly Result[];
  readonly target: string;
  readonly startedAt: string | Date;
  readonly ms: number;
  /** Ids of the checks that are expected not to pass: a Set, or a Map by id. */
  readonly known?: { has(id: string): boolean };
  /** Outdated entries in the list of known failures; default: none. */
  readonly stale?: readonly string[];
  readonly asOf?: string | undefined;
  readonly guess?: string | undefined;
  /** A recording is judged. Default false. */
  readonly isRecorded?: boolean;
}

/** All levels, strongest first. */
export const levels: readonly Level[] = ['MUST', 'SHOULD', 'MAY'];

/** All verdicts. */
export const verdicts: readonly Verdict[] = ['passed', 'failed', 'unclear', 'not-applicable'];

/** Whether a verdict keeps a run from being green. */
export const isBad = ({ verdict }: { readonly verdict: Verdict }): boolean =>
  verdict === 'failed' || verdict === 'unclear';

/** Throws a RangeError on a result whose check is not in the set. */
export function makeReport(parts: ReportParts): Report {
  const { set, results, target, startedAt, ms, known, stale = [], isRecorded = false, asOf, guess } = parts;
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
  const about = {
    ...{ protocol, side, version, target, startedAt: began, ms },
    ...(asOf === undefined ? {} : { asOf }),
    ...(guess === undefined ? {} : { guess }),
    ...(isRecorded ? { isRecorded } : {}),
  };
  return { ...about, results: entries, counts: countsOf(entries), stale };
}

/** Counts checks by verdict and level. */
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
