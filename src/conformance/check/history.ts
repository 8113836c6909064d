// The versions of a set of checks, and the versions of the judged program that a check describes.
import type { Description, Level } from './check.ts';

/** What a version of a set changed. The first version is version 1, and changed nothing. */
export interface SetChange {
  readonly version: string;
  /** Why, in half a sentence. */
  readonly why: string;
  /** Ids of checks that came with this version. */
  readonly added?: readonly string[];
  /** Ids of checks that got another level, by the level that they had until then. */
  readonly were?: Readonly<Partial<Record<Level, readonly string[]>>>;
  /** Ids of checks that ask for less or for other things than before. A pinned set has them as they are now. */
  readonly reworded?: readonly string[];
}

/** All changes of a set, oldest first. */
export type SetHistory = readonly SetChange[];

/** The versions of a program that checks and scenarios describe. What is not named describes all that the set covers. */
export interface ProgramVersions {
  /** What the versions count, e.g. `pi`. */
  readonly program: string;
  /** The first version that a check describes, by id. */
  readonly checks: Readonly<Record<string, string>>;
  /** The same of scenarios, by name: an older program cannot play them. */
  readonly scenarios?: Readonly<Record<string, string>>;
}

const levels: readonly Level[] = ['MUST', 'SHOULD', 'MAY'];

/** Whether a version, e.g. `0.31.1`, is older than another. Missing numbers count as 0. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split('.').map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** What both kinds of sets have. */
interface Versioned {
  readonly version: string;
  readonly history?: SetHistory;
  readonly programs?: ProgramVersions;
  readonly rules: readonly Description[];
  readonly checks?: readonly Description[];
  readonly scenarios?: readonly { readonly name: string }[];
}

/** A set as it was in an older version: without the checks that came later, and with the levels of then. */
export function setInVersion<Set extends Versioned>(set: Set, version: string): Set {
  const later = (set.history ?? []).filter((change) => isOlder(version, change.version));
  const added = new Set(later.flatMap((change) => change.added ?? []));
  const before = new Map<string, Level>();
  // Oldest last, so that the level of the wanted version stays.
  for (const { were = {} } of later.toReversed())
    for (const level of levels) for (const id of were[level] ?? []) before.set(id, level);
  const then = <Described extends Description>(checks: readonly Described[]) =>
    checks
      .filter(({ id }) => !added.has(id))
      .map((check) => ({ ...check, level: before.get(check.id) ?? check.level }));
  return { ...set, version, rules: then(set.rules), ...(set.checks === undefined ? {} : { checks: then(set.checks) }) };
}

/** A set without the checks and scenarios that describe later versions of the judged program. */
export function setAsOf<Set extends Versioned>(set: Set, asOf: string): Set {
  const { checks: firstOf = {}, scenarios: firstPlayed = {} } = set.programs ?? {};
  const describes = ({ id }: Description) => !isOlder(asOf, firstOf[id] ?? asOf);
  const plays = ({ name }: { readonly name: string }) => !isOlder(asOf, firstPlayed[name] ?? asOf);
  return {
    ...set,
    rules: set.rules.filter(describes),
    ...(set.checks === undefined ? {} : { checks: set.checks.filter(describes) }),
    ...(set.scenarios === undefined ? {} : { scenarios: set.scenarios.filter(plays) }),
  };
}
