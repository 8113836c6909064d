// Chooses the set of checks and the checks in it from the command line.

import { setAsOf, setInVersion } from '../../conformance/check/history.ts';
import { chooserOfAny } from '../../conformance/check/pattern.ts';
import { type CheckSet, descriptionsOf } from '../../conformance/check/sets.ts';
import { sets } from '../../conformance/index.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { ConformanceOptions, PinnedSet } from './options.ts';

/** The protocols, each with the sides that have checks, as text. */
export function sidesText(): string {
  const names = [...new Set(sets.map(({ protocol }) => protocol))];
  const sides = (name: string) => sets.filter(({ protocol }) => protocol === name).map(({ side }) => side);
  return names.map((name) => `${name} (${sides(name).join(', ')})`).join(', ');
}

/**
 * The found set, in the version and for the version of the program that the options name. Throws `not-found` if there is
 * none, and `invalid` if it has no such version.
 */
export function setOf<Found extends CheckSet>(
  found: Found | undefined,
  protocol: string,
  side: CheckSet['side'],
  { set: pinned, asOf }: Pick<ConformanceOptions, 'set' | 'asOf'>,
): Found {
  if (found !== undefined) {
    const then = pinned === undefined ? found : inVersion(found, pinned);
    return asOf === undefined ? then : forProgram(then, asOf);
  }
  throw new GatewayError(
    'not-found',
    `no checks for ${side}s of ${JSON.stringify(protocol)}; known protocols: ${sidesText()}`,
  );
}

function inVersion<Found extends CheckSet>(set: Found, { protocol, version }: PinnedSet): Found {
  const refuse = (sentence: string) => new GatewayError('invalid', `--set ${protocol}@${version}: ${sentence}`);
  if (protocol !== set.protocol) throw refuse(`the checks are those of ${set.protocol}`);
  // A side whose checks never changed has one version, whatever the other side's number is.
  const newest = Math.max(...sets.filter((one) => one.protocol === protocol).map((one) => Number(one.version)));
  if (Number(version) > newest) throw refuse(`the newest version is ${newest}`);
  return Number(version) < Number(set.version) ? setInVersion(set, version) : set;
}

function forProgram<Found extends CheckSet>(set: Found, asOf: string): Found {
  if (set.programs === undefined)
    throw new GatewayError('invalid', `--as-of: the checks of ${set.protocol} ${set.side}s describe every version`);
  return setAsOf(set, asOf);
}

/** The filter for `--only`. Throws `invalid` if no check passes the filter. */
export function chosen(
  wanted: readonly CheckSet[],
  { only }: ConformanceOptions,
): (check: { readonly id: string }) => boolean {
  const chooses = chooserOfAny(only);
  if (wanted.some((set) => descriptionsOf(set).some(({ id }) => chooses(id)))) return ({ id }) => chooses(id);
  const names = [...new Set(wanted.map(({ protocol, side }) => `${side}s of ${protocol}`))].join(' and ');
  throw new GatewayError('invalid', `no check of ${names} matches ${only.join(', ')}; see --list`);
}
