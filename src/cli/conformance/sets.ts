// Chooses the set of checks and the checks in it from the command line.

import { chooserOfAny } from '../../conformance/check/pattern.ts';
import { type CheckSet, descriptionsOf } from '../../conformance/check/sets.ts';
import { sets } from '../../conformance/index.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { ConformanceOptions } from './options.ts';

/** The protocols, each with the sides that have checks, as text. */
export function sidesText(): string {
  const names = [...new Set(sets.map(({ protocol }) => protocol))];
  const sides = (name: string) => sets.filter(({ protocol }) => protocol === name).map(({ side }) => side);
  return names.map((name) => `${name} (${sides(name).join(', ')})`).join(', ');
}

/** The found set. Throws `not-found` if there is none. */
export function setOf<Found extends CheckSet>(
  found: Found | undefined,
  protocol: string,
  side: CheckSet['side'],
): Found {
  if (found !== undefined) return found;
  throw new GatewayError(
    'not-found',
    `no checks for ${side}s of ${JSON.stringify(protocol)}; known protocols: ${sidesText()}`,
  );
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
